"""What is said of a policy file that cannot be run: the line, what is wrong, and what to write, never Python's words alone."""

from __future__ import annotations

import inspect
import re
import sys
import traceback
from collections.abc import Collection
from decimal import DecimalException
from difflib import get_close_matches
from enum import EnumMeta
from pathlib import Path
from typing import Any

import placet.policy

RENAMED = {"lease_s": "claim_s"}  # fields of a policy: a lease is of a decided pause, a claim of a call
NULLS = "source code string cannot contain null bytes"
LONGEST = 120  # characters of a line that are shown
_UNKNOWN = re.compile(r"(\w+)(?:\.__init__|\.(\w+))?\(\) got an unexpected keyword argument '(\w+)'")
_MISSING = re.compile(r"(\w+)(?:\.__init__|\.(\w+))?\(\) missing \d+ required [\w-]+ arguments?: (.+)")
_TOO_MANY = re.compile(r"(\w+)(?:\.__init__|\.(\w+))?\(\) takes (?:from \d+ to )?\d+ positional arguments? but")
_TWICE = re.compile(r"(\w+)(?:\.__init__|\.(\w+))?\(\) got multiple values for argument '(\w+)'")


def said(path: Path, error: BaseException) -> str:
    """``, line 3: what is wrong, in: the text of the line``; without a line where none is known to be at fault."""
    number, text = _line(path, error), ""
    if isinstance(error, SyntaxError):
        text = error.text or ""
    elif number and not isinstance(error, ValueError | TypeError):  # of these our own sentence says what was written
        text = path.read_text("utf-8").splitlines()[number - 1]
    where = f", line {number}" if number else ""
    return f"{where}: {_words(path, error)}{f', in: {text.strip()[:LONGEST]}' if text.strip() else ''}"


def _line(path: Path, error: BaseException) -> int:
    """The line of the file; 0 when none is known to be at fault."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return error.lineno or 0
    own = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return (own[-1] if own else 0) or 0


def _words(path: Path, error: BaseException) -> str:
    match error:
        case SyntaxError():
            elsewhere = error.filename and error.filename != str(path)
            beside = f"{Path(str(error.filename)).name}, line {error.lineno}: " if elsewhere else ""
            return f"{beside}this cannot be read as Python: {error.msg}"
        case ValueError() if str(error) == NULLS:  # as older interpreters say it, which is no SyntaxError there
            return f"this cannot be read as Python: {NULLS}"
        case SystemExit():
            return "it ends the program, and a policy only says what there is"
        case ModuleNotFoundError():
            return f"there is no module {error.name}: put it beside the policy, or write what is needed here"
        case ImportError():
            return _not_imported(error)
        case NameError():
            return _no_name(error)
        case AttributeError():
            return _no_attribute(error)
        case DecimalException():
            return 'Decimal takes a number in quotes, with a point and no other separator: write Decimal("99.50")'
        case TypeError():
            return _not_called(str(error))
        case ValueError():
            return str(error)
        case KeyError() if "environ" in _code(path, error):
            return (
                f"a policy reads no environment: the functions have no {error.args[0]}. Write the value here, and "
                "give each environment a policy of its own"
            )
        case _:
            return f"it cannot be run: {type(error).__name__}: {error}"


def _code(path: Path, error: BaseException) -> str:
    number = _line(path, error)
    return path.read_text("utf-8").splitlines()[number - 1] if number else ""


def _not_imported(error: ImportError) -> str:
    """A name that a module does not have, with the one that was meant."""
    wanted = re.match(r"cannot import name '(\w+)'", error.msg)
    if not wanted:
        return f"it cannot be imported: {error.msg.partition(' (/')[0]}"
    there = [name for name in dir(sys.modules.get(error.name or "")) if not name.startswith("_")]
    return f"{error.name} has no {wanted[1]}{_meant(wanted[1], there)}"


def _no_name(error: NameError) -> str:
    if error.name in placet.policy.__all__:
        return f"{error.name} is not imported: write from placet.policy import {error.name}"
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    known = [*frames[-1].f_globals, *frames[-1].f_locals] if frames else []
    return f"the name {error.name} is not defined{_meant(error.name, [*known, *placet.policy.__all__])}"


def _no_attribute(error: AttributeError) -> str:
    if isinstance(error.obj, EnumMeta):
        return f"{error.obj.__name__} has no {error.name}: it has {', '.join(error.obj.__members__)}"
    of = getattr(error.obj, "__name__", None) or f"a {type(error.obj).__name__}"
    near = _meant(error.name, [name for name in dir(error.obj) if not name.startswith("_")])
    return f"{of} has no {error.name}{near}"


def _not_called(text: str) -> str:
    """What stands wrongly between the brackets of a part of the policy."""
    if found := _UNKNOWN.match(text):
        what, fields = _part(found)
        name = found[3]
        if name in RENAMED:
            return f"{what} takes no {name}; it is called {RENAMED[name]} now"
        return f"{what} takes no {name}{_meant(name, fields) or _takes(fields)}"
    if found := _MISSING.match(text):
        return f"{_part(found)[0]} lacks {found[3].replace(chr(39), '')}: write it as a keyword"
    if found := _TOO_MANY.match(text):
        what, fields = _part(found)
        return f"{what} is given too much: write each as a keyword{_takes(fields)}"
    if found := _TWICE.match(text):
        return f"{_part(found)[0]} is given {found[3]} twice: once by its place and once by its name"
    return f"something is used as what it is not: {text}"


def _part(found: re.Match[str]) -> tuple[str, list[str]]:
    """What was called, as it is written in a policy, and the names of what it takes."""
    name = f"{found[1]}.{found[2]}" if found[2] else found[1]
    called: Any = placet.policy
    for step in name.split("."):
        called = getattr(called, step, None)
    return name, list(inspect.signature(called).parameters) if callable(called) else []


def _takes(fields: Collection[str]) -> str:
    return f"; it takes {', '.join(fields)}" if fields else ""


def _meant(name: str, there: Collection[str]) -> str:
    near = get_close_matches(name, there, n=1)
    return f"; {near[0]} was meant" if near else ""
