"""The watch over one check: what it opens, logs and says, how long it computes, and how it ends."""

from __future__ import annotations

import gc
import logging
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from types import FrameType
from typing import Any
from unittest import mock

from placet.model.errors import Invalid
from placet.service import schemas
from tests.proofs.schematic.drawing import MARK
from tests.proofs.schematic.weapons import OUTSIDE

SLOW_S, HUNG_S, MOMENT_S = 1.5, 4.0, 0.01  # of the processor
OPENING = ("open", "socket.", "urllib.", "subprocess.", "os.system", "os.exec", "ftplib.", "http.")
CODES = ("arguments_break_schema", "schema_invalid", "schema_too_complex")


class Hung(BaseException):
    """The check did not end."""


@dataclass
class Watch:
    """What was seen; `wrong` by figure, with an example each.

    Attributes:
        codes: how often each end was met; "" is a value that fits.
    """

    codes: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    checked: int = 0
    looking: bool = False
    opened: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    unforeseen: list[BaseException] = field(default_factory=list)

    def add(self, figure: str, what: object) -> None:
        """Something is wrong."""
        self.wrong[figure] += 1
        self.examples.setdefault(figure, repr(what)[:400])

    def check(self, arguments: Any, schema: Any) -> str:
        """The code of one check, watched; "" when the arguments fit."""
        self.checked += 1
        self.opened.clear()
        self.unforeseen.clear()
        self.lines.clear()
        began = time.process_time()
        code, said = self._ended(arguments, schema)
        took = time.process_time() - began
        self.codes[code] += 1
        if self.opened:
            self.add("opened", (self.opened[:3], schema))
        if code not in ("", *CODES) or any(not isinstance(one, Hung) for one in self.unforeseen):
            self.add("killed", (code, self.unforeseen, schema))
        if took > SLOW_S or any(isinstance(one, Hung) for one in self.unforeseen):
            self.add("slow", (round(took, 2), schema))
        if any(mark in text for mark in (MARK, OUTSIDE) for text in (said, *self.lines)):
            self.add("leaked", (said, self.lines, schema))
        return code

    def _ended(self, arguments: Any, schema: Any) -> tuple[str, str]:
        _alarm(HUNG_S)
        self.looking = True
        try:
            schemas.check_arguments(arguments, schema)
        except Invalid as error:
            return error.code, f"{error} {error.detail} {error.members}"
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            self.unforeseen.append(error)
            return type(error).__name__, str(error)
        finally:
            self.looking = False
            _alarm(0)
        return "", ""


_watches: list[Watch] = []


def _heard(event: str, arguments: tuple[Any, ...]) -> None:
    for watch in _watches:
        if watch.looking and event.startswith(OPENING):
            watch.opened.append(f"{event} {arguments[:1]}")


@contextmanager
def watching() -> Iterator[Watch]:
    """A watch: over what this process opens (Python's own audit events), its log, and the door's last resort."""
    watch = Watch()
    if not getattr(_heard, "hooked", False):  # a hook cannot be taken out again
        sys.addaudithook(_heard)
        _heard.hooked = True  # type: ignore[attr-defined]
    handler = logging.Handler()
    handler.emit = lambda record: watch.lines.append(record.getMessage())  # type: ignore[method-assign]
    last = schemas._unexpected

    def unexpected(error: BaseException) -> Invalid:
        watch.unforeseen.append(error)
        return last(error)

    _warmed()
    _watches.append(watch)
    logging.getLogger().addHandler(handler)
    before = signal.signal(signal.SIGPROF, _hang) if _main() else None
    try:
        with mock.patch.object(schemas, "_unexpected", unexpected):
            yield watch
    finally:
        logging.getLogger().removeHandler(handler)
        _watches.remove(watch)
        if before is not None:
            signal.signal(signal.SIGPROF, before)


def _warmed() -> None:
    """Import and read what the library reads once: its metaschemas are files."""
    from tests.proofs.schematic.drawing import URIS
    from tests.proofs.schematic.flat import FORMATS, PATTERNS

    for uri in URIS.values():
        rules = [{"format": name} for name in FORMATS] + [{"pattern": pattern} for pattern in PATTERNS]
        named = {"$schema": uri} if uri else {}
        with suppress(Invalid):  # of a planted bug
            schemas.check_arguments({}, {**named, "properties": {"a": {"allOf": rules}}})
    rules = [{"format": name} for name in FORMATS] + [{"$ref": URIS["draft7"]}]
    for text, rule in ((text, rule) for text, _ in FORMATS.values() for rule in rules):
        with suppress(Invalid):
            schemas.check_arguments({"a": text}, {"properties": {"a": rule}})


def _main() -> bool:
    return threading.current_thread() is threading.main_thread()


def _alarm(seconds: float) -> None:
    if _main():
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _hang(_: int, frame: FrameType | None) -> None:
    """End the check, and a moment later where nobody would hear of it: what a collection runs, Python reports and drops."""
    called = {getattr(callback, "__code__", None) for callback in gc.callbacks}
    while frame is not None:
        if frame.f_code in called or frame.f_code.co_name == "__del__":
            return _alarm(MOMENT_S)
        frame = frame.f_back
    raise Hung
