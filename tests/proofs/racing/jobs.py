"""What one contender does in a race, and what it was told: plain values that travel between processes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from placet.http.problems import status_of
from placet.model.errors import PlacetError
from placet.model.pauses import Capture, Reviewer
from placet.service.cancel import cancel
from placet.service.capture import capture
from placet.service.decide import Decision, decide
from placet.service.escalate import escalate
from placet.service.execute import claim
from placet.service.ports import Ports
from placet.service.went_on import resumed
from tests.gateway import SUPPORT


@dataclass(frozen=True)
class Job:
    """One contender's part.

    Attributes:
        verb: a name in `VERBS`; facts: its arguments.
        at_ms: when to start, on the machine's clock; 0 at once, together with everybody.
        after_ms: how long to wait first, so that those with a longer way also win sometimes.
        held_until_ms: until then its transactions meet somebody else's, as if the item were busy all the time.
    """

    verb: str
    facts: dict[str, Any] = field(default_factory=dict)
    at_ms: float = 0
    after_ms: float = 0
    held_until_ms: float = 0


@dataclass(frozen=True)
class Told:
    """What a contender was told.

    Attributes:
        status: as HTTP would say it: 200, or that of the error; 500 for whatever is no deliberate error.
        code: of the error; value: of a success.
        lost_write: whether a condition of one of its writes failed, so that it really raced.
        held_ms: when it first met the transaction that held it; 0 when it met none.
    """

    job: Job
    status: int
    code: str = ""
    value: Any = None
    members: dict[str, Any] = field(default_factory=dict)
    lost_write: bool = False
    held_ms: float = 0

    @property
    def won(self) -> bool:
        """It was told that what it did is new."""
        return self.status == 200 and not getattr(self.value, "replayed", False)


def run(ports: Ports, job: Job) -> Told:
    """Do the job; no error leaves it."""
    try:
        return Told(job, 200, value=VERBS[job.verb](ports, **job.facts))
    except PlacetError as error:
        return Told(job, status_of(error), error.code, members=error.members)
    except Exception as error:  # what would be a 500
        return Told(job, 500, f"{type(error).__name__}: {error}")


def _decide(ports: Ports, reviewer: Reviewer, call: str, decision: Decision) -> Any:
    return decide(ports, reviewer, call, decision)


def _claim(ports: Ports, call: str, digest: str, worker: str) -> Any:
    return claim(ports, SUPPORT, call, digest, worker)


def _cancel(ports: Ports, pause: str) -> Any:
    return cancel(ports, SUPPORT, pause, "the run ended")


def _resumed(ports: Ports, pause: str) -> Any:
    return resumed(ports, SUPPORT, pause)


def _escalate(ports: Ports, pause: str) -> Any:
    return escalate(ports, pause)


def _capture(ports: Ports, captured: Capture) -> Any:
    """Its pause, and whether it was there before."""
    found = capture(ports, SUPPORT, captured)
    return found.head.pause, found.replayed


VERBS: dict[str, Callable[..., Any]] = {
    "capture": _capture,
    "decide": _decide,
    "claim": _claim,
    "cancel": _cancel,
    "resumed": _resumed,
    "escalate": _escalate,
}
