"""The one catalogue of events: every fact that is written down has its name and its fields here.

An event is stored beside the change it tells, in the same transaction, under a key that is unique per fact.
`fields` are what an event of this name carries besides `at_ms`; arguments never, digests where they matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

# What a run is told of a call that the rule of its class rejected: neither a person's no nor "nobody decided".
BY_RULE = "Nobody decided in time, and the rule of its class is to reject then. It was not run; no person said no."


class EventName(StrEnum):
    """What can happen to a pause."""

    CAPTURED = "captured"
    VOTED = "voted"
    DECIDED = "decided"
    UNDONE = "undone"
    UNDO_PROPOSED = "undo_proposed"
    EXPIRED = "expired"
    RULED = "ruled"
    REMINDED = "reminded"
    WIDENED = "widened"
    REASSIGNED = "reassigned"
    EXTENDED = "extended"
    COMMENTED = "commented"
    ASKED = "asked"
    ANSWERED = "answered"
    CLAIM_REFUSED = "claim_refused"
    EXECUTED = "executed"
    REOPENED = "reopened"
    RECONCILED = "reconciled"
    CANCELLED = "cancelled"
    RESUMED = "resumed"
    NOT_RUN = "not_run"
    LISTED = "listed"
    REPAIRED = "repaired"
    FROZEN = "frozen"


CATALOGUE: dict[EventName, frozenset[str]] = {
    EventName.CAPTURED: frozenset({"agent", "run", "calls"}),
    EventName.VOTED: frozenset(
        {
            "call",
            "verdict",
            "by",
            "by_name",
            "in_place_of",
            "in_place_of_name",
            "membership",
            "digest",
            "revision",
            "shown_at_ms",
        }
    ),
    EventName.DECIDED: frozenset(
        {
            "call",
            "state",
            "verdict",
            "by",
            "by_name",
            "in_place_of",
            "in_place_of_name",
            "membership",
            "before",
            "digest",
            "revision",
            "reason",
            "shown_at_ms",
            "undo_until_ms",
        }
    ),
    EventName.UNDONE: frozenset(
        {"call", "by", "by_name", "in_place_of", "in_place_of_name", "membership", "digest", "revision", "round"}
    ),
    EventName.UNDO_PROPOSED: frozenset({"call", "pause", "tool", "by"}),
    EventName.EXPIRED: frozenset({"calls", "deadline_ms"}),
    EventName.RULED: frozenset({"call", "state", "deadline_ms", "reason"}),
    EventName.REMINDED: frozenset({"calls", "people"}),
    EventName.WIDENED: frozenset({"calls", "level", "why"}),
    EventName.REASSIGNED: frozenset(
        {
            *("call", "by", "by_name", "in_place_of", "in_place_of_name", "membership"),
            *("to", "to_name", "to_group"),
        }
    ),
    EventName.EXTENDED: frozenset(
        {
            *("call", "by", "by_name", "in_place_of", "in_place_of_name", "membership"),
            *("before_ms", "until_ms", "reason"),
        }
    ),
    EventName.COMMENTED: frozenset({"by", "by_name", "marks", "text"}),
    EventName.ASKED: frozenset(
        {
            *("call", "by", "by_name", "in_place_of", "in_place_of_name", "membership"),
            *("question", "revision", "marks", "text"),
        }
    ),
    EventName.ANSWERED: frozenset({"call", "question", "revision", "digest", "agent"}),
    EventName.CLAIM_REFUSED: frozenset({"call", "code", "worker", "digest"}),
    EventName.EXECUTED: frozenset({"call", "permit", "worker", "result"}),
    EventName.REOPENED: frozenset({"call", "round", "worker"}),
    EventName.RECONCILED: frozenset({"call", "permit", "by", "evidence"}),
    EventName.CANCELLED: frozenset({"calls", "reason", "successor", "claimed"}),
    EventName.RESUMED: frozenset({"agent"}),
    EventName.NOT_RUN: frozenset({"calls"}),
    EventName.LISTED: frozenset({"reason"}),
    EventName.REPAIRED: frozenset({"by", "reason", "did"}),
    EventName.FROZEN: frozenset({"by", "reason"}),
}


@dataclass(frozen=True)
class Event:
    """One fact. Raises ValueError when its fields are not those of the catalogue, so that no event grows in secret."""

    name: EventName
    at_ms: int
    fields: dict[str, Any]

    def __post_init__(self) -> None:
        if extra := self.fields.keys() ^ CATALOGUE[self.name]:
            raise ValueError(f"event {self.name.value}: fields differ from the catalogue: {sorted(extra)}")
