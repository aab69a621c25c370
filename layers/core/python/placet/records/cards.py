"""The card of a pause: what lists show of it, from the head or from its entry in the work index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from placet.records.ops import Item
from placet.records.reading import reads, typed


@dataclass(frozen=True)
class Card:
    """What lists show of a pause; all of it is text but lists, `handed` and `kept_out`.

    Attributes:
        why: sentences of the policy's rules that fired.
        effect: the worst that its calls can do.
        kept_out: who has no say in it beside its requester and its owner, by every name that is known of them.
        handed: whether a call of it was handed to somebody whose level is not reached: not everybody of its queue may decide it.
        question: `open` while its agent was asked something about it, `answered` afterwards; empty of most.
    """

    title: str
    tools: tuple[str, ...]
    classes: tuple[str, ...]
    why: tuple[str, ...]
    effect: str
    entity: str
    requester: str
    framework: str
    handed: bool = False
    kept_out: tuple[str, ...] = ()
    question: str = ""


@reads("card of this pause")
def read_card(item: Item) -> Card:
    """The card in an entry of a list. Raises Parked, Damaged: one entry of another shape must not take a whole list away."""
    return card_in(item)


def card_in(item: Item) -> Card:
    """The card in an item that is being read."""
    raw = item["card"]
    card = Card(
        title=raw["title"],
        tools=_list(raw["tools"]),
        classes=_list(raw["classes"]),
        why=_list(raw["why"]),
        effect=raw["effect"],
        entity=raw["entity"],
        requester=raw["requester"],
        framework=raw["framework"],
        handed=raw.get("handed", False),
        kept_out=_names(raw.get("kept_out", {})),
        question=raw.get("question", ""),
    )
    return typed(card)


def _names(raw: Any) -> tuple[str, ...]:
    """The keys of a map: a condition of a write can ask whether a name is among them."""
    if not isinstance(raw, dict):
        raise TypeError("not a map")
    return tuple(sorted(raw))


def _list(raw: Any) -> tuple[str, ...]:
    """A text would fall apart into its letters."""
    if not isinstance(raw, list):
        raise TypeError("not a list")
    return tuple(raw)
