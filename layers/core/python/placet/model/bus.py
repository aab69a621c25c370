"""The one catalogue of bus events: what the gateway tells the world beside it, under names and fields that are a contract.

An event tells that something happened to a pause, never what a call would do: ids, names of agents, classes and tools, times
and levels. No argument, no text of the model, nobody's name or mail address (`by` is the `sub` of a reviewer, `in_place_of` that
of who was away). The JSON Schemas in `bus_schemas/v1` say the same to a consumer; a field may come to a version, and none may go
or change its meaning.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

VERSION = 1
SOURCE = "placet"
SCHEMAS = Path(__file__).with_name("bus_schemas") / "v1"
MOST_NAMES = 20  # of tools in one event; a pause of more has the first of them
LONGEST_NAME = 200  # characters of a name that an agent chose


class Kind(StrEnum):
    """What is told; on the bus its `detail-type` is `placet.<kind>`."""

    CAPTURED = "captured"
    VISIBLE = "visible"
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
    CANCELLED = "cancelled"
    CLAIM_REFUSED = "claim_refused"
    OUTCOME = "outcome"
    REOPENED = "reopened"
    RECONCILED = "reconciled"
    NOT_RUN = "not_run"
    RESUMED = "resumed"
    STUCK = "stuck"
    RELEASED = "released"

    @property
    def detail_type(self) -> str:
        """Its name on the bus."""
        return f"{SOURCE}.{self.value}"


# What every event has.
COMMON = frozenset(
    {
        *("version", "id", "event", "at_ms", "tenant", "pause", "link"),
        *("agent", "framework", "run", "classes", "tools", "level", "open_calls", "captured_ms", "deadline_ms"),
    }
)
# What one of a kind has besides.
FIELDS: Mapping[Kind, frozenset[str]] = {
    Kind.CAPTURED: frozenset({"calls"}),
    Kind.VISIBLE: frozenset(),
    Kind.VOTED: frozenset({"call", "verdict", "by", "in_place_of", "group"}),
    Kind.DECIDED: frozenset({"call", "verdict", "state", "revision", "by", "in_place_of", "group", "held_until_ms"}),
    Kind.UNDONE: frozenset({"call", "revision", "by", "in_place_of", "group"}),
    Kind.UNDO_PROPOSED: frozenset({"call", "undo"}),
    Kind.EXPIRED: frozenset({"calls"}),
    Kind.RULED: frozenset({"call", "state"}),
    Kind.REMINDED: frozenset({"calls"}),
    Kind.WIDENED: frozenset({"calls", "why"}),
    Kind.REASSIGNED: frozenset({"call", "by", "in_place_of", "to", "group"}),
    Kind.EXTENDED: frozenset({"call", "before_ms", "until_ms", "by", "in_place_of", "group"}),
    Kind.COMMENTED: frozenset({"by"}),
    Kind.ASKED: frozenset({"call", "question", "revision", "by", "in_place_of", "group"}),
    Kind.ANSWERED: frozenset({"call", "question", "revision"}),
    Kind.CANCELLED: frozenset({"calls", "claimed", "successor"}),
    Kind.CLAIM_REFUSED: frozenset({"call", "code"}),
    Kind.OUTCOME: frozenset({"call", "permit"}),
    Kind.REOPENED: frozenset({"call", "round"}),
    Kind.RECONCILED: frozenset({"call", "permit"}),
    Kind.NOT_RUN: frozenset({"calls"}),
    Kind.RESUMED: frozenset(),
    Kind.STUCK: frozenset({"reason"}),
    Kind.RELEASED: frozenset({"reason", "did"}),
}
# Stored events that are told, by name, and the bus field under which each field of theirs is: the rest stays in the record.
TOLD: Mapping[str, tuple[Kind, Mapping[str, str]]] = {
    "voted": (
        Kind.VOTED,
        {**{name: name for name in ("call", "verdict", "by", "in_place_of")}, "group": "membership"},
    ),
    "decided": (
        Kind.DECIDED,
        {
            **{name: name for name in ("call", "verdict", "state", "revision", "by", "in_place_of")},
            "group": "membership",
            "held_until_ms": "undo_until_ms",
        },
    ),
    "undo_proposed": (Kind.UNDO_PROPOSED, {"call": "call", "undo": "pause"}),
    "undone": (
        Kind.UNDONE,
        {**{name: name for name in ("call", "revision", "by", "in_place_of")}, "group": "membership"},
    ),
    "expired": (Kind.EXPIRED, {"calls": "calls"}),
    "ruled": (Kind.RULED, {"call": "call", "state": "state"}),
    "reminded": (Kind.REMINDED, {"calls": "calls"}),
    "widened": (Kind.WIDENED, {"calls": "calls", "why": "why"}),
    "reassigned": (
        Kind.REASSIGNED,
        {**{name: name for name in ("call", "by", "in_place_of", "to")}, "group": "to_group"},
    ),
    "extended": (
        Kind.EXTENDED,
        {**{name: name for name in ("call", "before_ms", "until_ms", "by", "in_place_of")}, "group": "membership"},
    ),
    "commented": (Kind.COMMENTED, {"by": "by"}),
    "asked": (
        Kind.ASKED,
        {**{name: name for name in ("call", "question", "revision", "by", "in_place_of")}, "group": "membership"},
    ),
    "answered": (Kind.ANSWERED, {name: name for name in ("call", "question", "revision")}),
    "cancelled": (Kind.CANCELLED, {name: name for name in ("calls", "claimed", "successor")}),
    "claim_refused": (Kind.CLAIM_REFUSED, {"call": "call", "code": "code"}),
    "executed": (Kind.OUTCOME, {"call": "call", "permit": "permit"}),
    "reopened": (Kind.REOPENED, {"call": "call", "round": "round"}),
    "reconciled": (Kind.RECONCILED, {"call": "call", "permit": "permit"}),
    "not_run": (Kind.NOT_RUN, {"calls": "calls"}),
    "repaired": (Kind.RELEASED, {"reason": "reason", "did": "did"}),
}
# Told from the head itself, for the write that makes it has no event.
FROM_THE_HEAD = frozenset({"captured", "resumed", "listed"})
_MAY_LACK = {
    "successor": "",
    "by": "",
    "in_place_of": "",
    "to": "",
    "group": "",
    "why": "",
    "calls": [],
    "claimed": [],
    "held_until_ms": 0,
}


@dataclass(frozen=True)
class BusEvent:
    """One event as it goes onto the bus. Raises ValueError when its fields are not those of the catalogue.

    Attributes:
        detail: JSON values; `id` in it is the same however often it is sent.
    """

    kind: Kind
    detail: Mapping[str, Any]

    def __post_init__(self) -> None:
        if extra := self.detail.keys() ^ (COMMON | FIELDS[self.kind]):
            raise ValueError(f"bus event {self.kind.value}: fields differ from the catalogue: {sorted(extra)}")

    @property
    def id(self) -> str:
        """Its unique name."""
        return str(self.detail["id"])

    @property
    def at_ms(self) -> int:
        """When it happened."""
        return int(self.detail["at_ms"])


def picked(fields: Mapping[str, str], stored: Mapping[str, Any]) -> dict[str, Any]:
    """What a stored event has for the fields of its kind; one that was left out because it was empty is empty here."""
    return {name: stored.get(of, _MAY_LACK.get(name)) for name, of in fields.items()}


def schema_of(kind: Kind) -> dict[str, Any]:
    """The JSON Schema of an event's `detail`."""
    found: dict[str, Any] = json.loads((SCHEMAS / f"{kind.detail_type}.json").read_text("utf-8"))
    return found
