"""What the agent's own code says of a run, judged before it is sent: the developer hears of a slip, and no model does.

The limits are the gateway's (`placet.http.bodies.agents`), written a second time because the SDK ships alone; a test compares them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from placet.client.errors import NotTaken
from placet.client.evidence import LONGEST_NAME

PIECE = ("title", "source", "trusted", "text", "origin", "cut")
ORIGINS = ("user", "tool", "retrieved", "agent", "")
FACTS = ("model", "agent_version", "framework_version")
MOST_NUMBERS = 20


def check_said(**said: Any) -> None:
    """Let pass what the gateway takes of entity, requester, evidence, facts, …; None is nothing. Raises NotTaken."""
    problems = [
        {"at": f"{name}{at}", "problem": says}
        for name, value in said.items()
        if value is not None
        for at, says in _CHECKS[name](value)
    ]
    if problems:
        detail = "What your code says of this run is not what the gateway takes. Nothing was started."
        raise NotTaken(422, "field_invalid", detail, {"problems": problems}, "Mend the call of run.")


def piece_problems(piece: Any) -> Iterator[tuple[str, str]]:
    """What is wrong with a piece of evidence: places in it, and sentences."""
    if not isinstance(piece, Mapping):
        yield "", f"is a {type(piece).__name__} and no mapping of {', '.join(PIECE)}"
        return
    for name in piece:
        if name not in PIECE:
            yield f"/{name}", f"is none of {', '.join(PIECE)}"
    for name in ("title", "source", "text"):
        if not isinstance(piece.get(name, ""), str):
            yield f"/{name}", f"is a {type(piece[name]).__name__} and no text"
    if not isinstance(piece.get("trusted", False), bool):
        yield "/trusted", "is neither True nor False"
    if piece.get("origin", "") not in ORIGINS:
        yield "/origin", f"is none of {', '.join(ORIGINS[:-1])}"
    if not _is_whole(piece.get("cut", 0), 0):
        yield "/cut", "is no count of characters"


def _evidence(value: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(value, list | tuple):
        yield "", f"is a {type(value).__name__} and no list of pieces"
        return
    for number, piece in enumerate(value):
        yield from ((f"/{number}{at}", says) for at, says in piece_problems(piece))


def _short(value: Any) -> Iterator[tuple[str, str]]:
    yield from _text(value)
    if isinstance(value, str) and len(value) > LONGEST_NAME:
        yield "", f"has {len(value)} characters; at most {LONGEST_NAME} are taken"


def _text(value: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(value, str):
        yield "", f"is a {type(value).__name__} and no text"


def _requester(value: Any) -> Iterator[tuple[str, str]]:
    yield from _short(value)
    if isinstance(value, str) and value.count("@") > 1:
        yield "", "is one person: one address, or one sub"


def _facts(value: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(value, Mapping):
        yield "", f"is a {type(value).__name__} and no mapping of {', '.join(FACTS)}"
        return
    for name, text in value.items():
        if name not in FACTS:
            yield f"/{name}", f"is none of {', '.join(FACTS)}"
        else:
            yield from ((f"/{name}", says) for _, says in _short(text))


def _wait(value: Any) -> Iterator[tuple[str, str]]:
    if not _is_whole(value, 1):
        yield "", "is no whole number of seconds, 1 or more"


def _confidence(value: Any) -> Iterator[tuple[str, str]]:
    if not _is_number(value) or not 0 <= value <= 1:
        yield "", "is no number from 0 to 1"


def _numbers(value: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(value, Mapping):
        yield "", f"is a {type(value).__name__} and no mapping of names to numbers"
        return
    if len(value) > MOST_NUMBERS:
        yield "", f"has {len(value)} numbers; at most {MOST_NUMBERS} are taken"
    for name, number in value.items():
        if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME:
            yield f"/{name}", f"is no name of 1 to {LONGEST_NAME} characters"
        elif not _is_number(number):
            yield f"/{name}", "is no number"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool) and math.isfinite(value)


def _is_whole(value: Any, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


_CHECKS = {
    "entity": _short,
    "requester": _requester,
    "evidence": _evidence,
    "says": _text,
    "facts": _facts,
    "wait_at_most_s": _wait,
    "confidence": _confidence,
    "numbers": _numbers,
    "run": _short,
}
