"""A policy loaded once more, in a process that has what the functions have: what they would define is compared with what is here.

Of this machine nothing is left: another clock, home and user, the functions' environment, processor and time zone; files only
of the policy's folder and of what is installed, no process, no socket, no database. Whatever a policy takes from elsewhere is
missing or different then, and so are its rules, or it cannot be loaded.

    python -I -S -B infra/policy_clean.py POLICY CORE HIDDEN PLACE …     # one line of JSON: {"lines"}, or {"error", "line"}
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tempfile
import types
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

WAIT_S = 20
ENVIRONMENT = {"LANG": "en_US.UTF-8", "TZ": "UTC", "PATH": "/var/lang/bin:/usr/local/bin:/usr/bin:/bin:/opt/bin"}
LATER_S = 400 * 86_400 + 11 * 3_600 + 17 * 60  # another year, month, day, weekday, hour and minute
_REFUSED = (
    "subprocess.",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.fork",
    "os.spawn",
    "socket.",
    "sqlite3.",
    "ctypes.",
)


def differs(path: Path, here: Any, core: Path, hidden: Iterable[str] = ()) -> str:
    """What a clean process says of a policy against the one that was loaded here; empty when both are the same.

    Args:
        here: the loaded policy.
        core: the folder of the layer's own package.
        hidden: names of modules that this machine has and the functions have not.
    """
    return _compared(path.resolve(), json.dumps(_values().lines(here)), core, tuple(sorted(hidden)))


@cache
def _compared(path: Path, here: str, core: Path, hidden: tuple[str, ...]) -> str:
    places = dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib"))  # of this machine's environment
    words = [sys.executable, "-I", "-S", "-B", __file__, str(path), str(core), ",".join(hidden), *places]
    with tempfile.TemporaryDirectory() as nowhere:
        try:
            done = subprocess.run(  # noqa: S603 - our own words
                words, env={**ENVIRONMENT, "HOME": nowhere}, cwd=nowhere, capture_output=True, text=True, timeout=WAIT_S
            )
            found = json.loads(done.stdout.splitlines()[-1])
        except subprocess.TimeoutExpired:
            return f"does not end within {WAIT_S} s where only what the functions have is there"
        except (IndexError, ValueError):
            return "ends the process in which it is loaded"
    if "error" in found:
        where = f"line {found['line']}: " if found["line"] else ""
        return f"{where}it cannot be run where only what the functions have is there: {found['error']}"
    if said := _values().difference(
        [(one, other) for one, other in json.loads(here)], list(map(tuple, found["lines"]))
    ):
        return f"it is another policy where the functions run: {said}"
    return ""


def _values() -> Any:
    """The module beside this one; loaded by its file where nothing of this checkout can be imported."""
    if __name__ != "__main__":
        from infra import policy_values

        return policy_values
    import importlib.util

    spec = importlib.util.spec_from_file_location("policy_values", Path(__file__).with_name("policy_values.py"))
    if spec is None or spec.loader is None:
        raise ImportError("policy_values")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _main(path: Path, core: str, hidden: str, *places: str) -> dict[str, Any]:
    sys.path += [str(path.parent), core, *places]
    sys.modules.update({"_datetime": None, "_zoneinfo": None})  # type: ignore[dict-item] # theirs read the real clock
    values = _values()
    import importlib.util
    import time
    import traceback
    from zoneinfo import TZPATH

    import placet.policy  # noqa: F401 - before the machine is taken away: what it reads is deployed

    roots = [str(path.parent), core, *places, str(Path(os.__file__).parent), *TZPATH]
    _other_machine(time, roots)
    sys.meta_path.insert(0, _Hides(frozenset(hidden.split(",")) - {""}))  # type: ignore[arg-type]
    spec = importlib.util.spec_from_file_location("placet_policy_of_the_synth", path)
    if spec is None or spec.loader is None:
        raise ImportError(path.name)
    module = importlib.util.module_from_spec(spec)
    sys.stdout = sys.stderr
    try:
        spec.loader.exec_module(module)
        return {"lines": values.lines(module.POLICY)}
    except BaseException as error:
        own = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        return {"error": f"{type(error).__name__}: {error}"[:300], "line": (own or [0])[-1]}


class _Hides:
    """Modules that the functions do not have."""

    def __init__(self, hidden: frozenset[str]) -> None:
        self._hidden = hidden

    def find_spec(self, name: str, *_: Any) -> None:
        """Raises ImportError for one of them."""
        if name in self._hidden or name.partition(".")[0] in self._hidden:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def _other_machine(time: types.ModuleType, roots: list[str]) -> None:
    """Clock, host, user and files of another one."""
    _later(time)
    host = os.uname_result(("Linux", "169.254.10.1", "5.10.0", "#1 SMP", "aarch64"))
    _put(os, uname=lambda: host, getlogin=_absent(OSError), cpu_count=lambda: 2, getpid=lambda: 8)
    _put(os, **{name: lambda: 993 for name in ("getuid", "geteuid", "getgid", "getegid")})
    _put(os, **{name: _within(getattr(os, name), roots) for name in ("stat", "lstat", "access", "readlink")})
    sys.argv[:] = ["/var/runtime/bootstrap.py"]

    def hear(event: str, arguments: tuple[Any, ...]) -> None:
        if event.startswith(_REFUSED):
            raise FileNotFoundError(2, "the functions have no other process, network, database or library", event)
        if event in ("open", "os.listdir", "os.scandir") and not _is_within(arguments[0], roots):
            raise FileNotFoundError(2, "No such file or directory", arguments[0])

    sys.addaudithook(hear)


def _later(time: types.ModuleType) -> None:
    """The clock of another day."""
    now, now_ns = time.time, time.time_ns
    _put(time, time=lambda: now() + LATER_S, time_ns=lambda: now_ns() + LATER_S * 10**9)
    for name in ("localtime", "gmtime"):
        of = getattr(time, name)
        _put(time, **{name: lambda seconds=None, of=of: of(time.time() if seconds is None else seconds)})
    written = time.strftime
    _put(time, strftime=lambda form, at=None: written(form, time.localtime() if at is None else at))


def _put(module: Any, **functions: Callable[..., Any]) -> None:
    for name, function in functions.items():
        setattr(module, name, function)


def _absent(error: type[Exception]) -> Callable[..., Any]:
    def refuse(*_: Any, **__: Any) -> Any:
        raise error

    return refuse


def _within(function: Callable[..., Any], roots: list[str]) -> Callable[..., Any]:
    def asked(path: Any, *more: Any, **named: Any) -> Any:
        if not _is_within(path, roots):
            raise FileNotFoundError(2, "No such file or directory", path)
        return function(path, *more, **named)

    return asked


def _is_within(path: Any, roots: list[str]) -> bool:
    """Whether a file is one of the policy's folder, or installed; a number is a file that is open already."""
    if path is None or isinstance(path, int):
        return isinstance(path, int)
    absolute = os.path.abspath(os.fsdecode(path))
    return any(absolute == root or absolute.startswith(root.rstrip("/") + "/") for root in roots)


if __name__ == "__main__":
    _out = sys.stdout
    _out.write(json.dumps(_main(Path(sys.argv[1]), *sys.argv[2:])) + "\n")
