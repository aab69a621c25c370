"""The kinds of approvals that are counted: the steps of each, what it may take at most, and what that comes to in money."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from infra.estimate import PRICES


@dataclass(frozen=True)
class Step:
    """One step: the function that does it, while this part of the play goes on.

    Attributes:
        after: below the line: what an approval takes beside the way from capture to its last report.
    """

    name: str
    phase: str
    function: str
    after: bool = False


@dataclass(frozen=True)
class Kind:
    """One kind of approval.

    Attributes:
        last: what its way ends with.
        targets: the most that it may take, by column.
    """

    name: str
    last: str
    steps: tuple[Step, ...]
    targets: Mapping[str, float] = field(default_factory=dict)


_CAPTURED = (Step("capture", "capture", "capture"),)
_SHOWN = (Step("stream (new head)", "capture", "dispatch"), Step("notify", "capture", "notify"))
_LOOKED = (Step("inbox", "inbox", "review"), Step("detail", "detail", "review"))
_DECIDED = (
    Step("decide", "decide", "decide"),
    Step("stream (closed)", "decide", "dispatch"),
    Step("resume", "decide", "resume"),
)
_PICKED_UP = (Step("pick-up", "pick-up", "pick_up"),)
_EXECUTED = (Step("claim", "claim", "execute"), Step("outcome", "outcome", "execute"))
_PAGE = (Step("page after decide", "decide", "review", after=True),)
_TIMER = (Step("timer, later", "timer", "escalate", after=True),)
_WENT_ON = (Step("run went on", "run went on", "execute", after=True),)
_ENDED = (Step("run went on", "run went on", "execute"),)

ACCEPTED = Kind(
    "accepted",
    "outcome",
    (*_CAPTURED, *_SHOWN, *_LOOKED, *_DECIDED, *_PICKED_UP, *_EXECUTED, *_PAGE, *_WENT_ON, *_TIMER),
    {"wru": 25, "rru": 32, "lambda": 11, "transitions": 4, "schedules": 1, "http": 7, "events": 4},
)
EDITED = Kind(
    "edited",
    "outcome",
    (
        *_CAPTURED,
        *_SHOWN,
        *_LOOKED,
        Step("form", "form", "review"),
        Step("preview", "preview", "decide"),
        *_DECIDED,
        *_PICKED_UP,
        *_EXECUTED,
        *_PAGE,
        *_WENT_ON,
        *_TIMER,
    ),
    {"wru": 26, "rru": 51, "lambda": 13, "transitions": 4, "schedules": 1, "http": 9, "events": 4},
)
REJECTED = Kind(
    "rejected",
    "run went on",
    (*_CAPTURED, *_SHOWN, *_LOOKED, *_DECIDED, *_PICKED_UP, *_ENDED, *_PAGE, *_TIMER),
    {"wru": 22, "rru": 29, "lambda": 10, "transitions": 4, "schedules": 1, "http": 6, "events": 4},
)
EXPIRED = Kind(
    "expired",
    "run went on",
    (
        *_CAPTURED,
        *_SHOWN,
        Step("timer", "decide", "escalate"),
        Step("stream (closed)", "decide", "dispatch"),
        Step("resume", "decide", "resume"),
        *_PICKED_UP,
        *_ENDED,
    ),
    {"wru": 19, "rru": 15.5, "lambda": 8, "transitions": 4, "schedules": 1, "http": 3, "events": 4},
)
BEDROCK = Kind(
    "Bedrock",
    "answer",
    (
        Step("turn", "capture", "invoke_agent"),
        *_SHOWN,
        *_LOOKED,
        *_DECIDED,
        *_PAGE,
        Step("asks for the run", "run went on", "pick_up", after=True),
        *_TIMER,
    ),
    {"wru": 34, "rru": 48.5, "lambda": 8, "transitions": 4, "schedules": 1, "http": 4, "events": 5},
)
KINDS = {kind.name: kind for kind in (ACCEPTED, EDITED, REJECTED, EXPIRED, BEDROCK)}


def micro_usd(total: Mapping[str, float]) -> int:
    """What the counts come to at the list prices, in millionths of a dollar; without mails, whose price is the mail's own."""
    return round(sum(total[column] * price for column, price in PRICES["micro_usd"].items()))
