"""What the agent's builder hands in beside what is collected: values, or functions of the run's state.

A function runs when the run has paused, for at most so long. Whatever becomes of it, the pause is captured; what could not be
had is said in its evidence, so that neither a reviewer nor a rule takes it for nothing.
"""

from __future__ import annotations

import logging
import math
import queue
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from placet.client.evidence import Piece
from placet.client.said import piece_problems

log = logging.getLogger(__name__)

PATIENCE_S = 5.0
Values = Mapping[str, Any]


@dataclass(frozen=True)
class Own:
    """Functions of a run's state (its `values`, with `messages`).

    Attributes:
        evidence: gives the pieces in place of what is collected, of which `collected` gives them.
        confidence: how sure the agent is, 0 to 1, or None.
        numbers: what it counted, by name: {"rows": 4120}.
    """

    evidence: Callable[[Values], list[Piece]] | None = None
    confidence: Callable[[Values], Any] | None = None
    numbers: Callable[[Values], Mapping[str, Any]] | None = None


class NotHad(Exception):
    """A function of the agent's builder gave nothing that can be sent."""


def asked(name: str, function: Callable[[Values], Any], values: Values, check: Callable[[Any], Any]) -> Any:
    """What a function gives, checked. Raises NotHad when it raises, takes longer than PATIENCE_S or gives something else."""
    answers: queue.SimpleQueue[tuple[bool, Any]] = queue.SimpleQueue()

    def run() -> None:
        try:
            answers.put((True, check(function(values))))
        except BaseException as error:
            answers.put((False, error))

    threading.Thread(target=run, name=f"placet-{name}", daemon=True).start()
    try:
        fine, answer = answers.get(timeout=PATIENCE_S)
    except queue.Empty:
        log.warning("the function for %s took over %s s; the pause is captured without it", name, PATIENCE_S)
        raise NotHad(f"took over {PATIENCE_S:.0f} seconds") from None
    if not fine:
        log.warning("the function for %s failed; the pause is captured without it", name, exc_info=answer)
        raise NotHad(f"failed: {type(answer).__name__}") from None
    return answer


def not_had(name: str, why: NotHad) -> Piece:
    """What the reviewer reads, and what a rule takes for a passage that it could not see."""
    text = f"The agent's own function for {name} {why}."
    return {"title": f"Could not be had: {name}", "source": "placet", "trusted": False, "text": text, "origin": "agent"}


def missing_evidence(why: NotHad) -> Piece:
    """The same of evidence: what it would have brought is missing."""
    return {**not_had("evidence", why), "origin": "retrieved", "cut": 1}


def pieces(given: Any) -> list[Piece]:
    """Evidence that can be sent. Raises TypeError."""
    if not isinstance(given, list | tuple):
        raise TypeError("evidence is a list of {title, source, trusted, text, origin}")
    for number, one in enumerate(given):
        for at, says in piece_problems(one):
            raise TypeError(f"evidence/{number}{at} {says}")
    return [dict(one) for one in given]


def confidence(given: Any) -> Any:
    """A confidence that can be sent. Raises TypeError, ValueError."""
    if given is not None and not 0 <= _number(given) <= 1:
        raise ValueError("a confidence is a number from 0 to 1")
    return given


def numbers(given: Any) -> dict[str, Any]:
    """Numbers that can be sent. Raises TypeError, ValueError."""
    found = dict(given or {})
    for name, value in found.items():
        if not isinstance(name, str) or not name:
            raise TypeError("numbers stand under names")
        _number(value)
    return found


def _number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal) or not math.isfinite(value):
        raise TypeError("no number")
    return value
