"""The books on decisions that may be taken back: until when, what happens meanwhile, and who rightly does it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from placet.model.errors import PlacetError
from placet.records.ops import Item
from placet.service.undo import Undone
from tests.proofs.stateful.standing_in import Right

if TYPE_CHECKING:
    from tests.proofs.stateful.answers import Moment

GONE_ON = ("offered", "done")
NO_HINDRANCE = {"vote_given"}  # a vote is no decision, and says nothing of whom it is taken back by


@dataclass
class Windows:
    """What was written down.

    Attributes:
        until: by pause and call, until when its decision may be taken back.
        seen: the digest that its decider saw.
        undone: who took which revision of it back.
    """

    until: dict[tuple[str, int], int] = field(default_factory=dict)
    seen: dict[tuple[str, int], str] = field(default_factory=dict)
    undone: set[tuple[str, int, str, int]] = field(default_factory=set)

    def decided(self, at: Moment, may_run: bool, seen: str) -> None:
        """A call was closed by a person."""
        place, window = (at.pause, at.number), at.oracle.house.undo_ms(at.call["class"])
        self.until.pop(place, None)
        if may_run and window:
            self.until[place], self.seen[place] = at.oracle.house.now_ms + window, seen

    def open_ms(self, pause: str) -> int:
        """Until when one of the decisions of a pause may be taken back; 0 when none ever could."""
        return max((until for (name, _), until in self.until.items() if name == pause), default=0)

    def moved(self, pause: str, before: Item, after: Item, now_ms: int) -> Iterator[str]:
        """3, after a step: nothing is handed out or claimed while a decision may be taken back. What happened."""
        if "cancelled" in after or before["resume_state"] in GONE_ON:
            return
        early = self.open_ms(pause) > now_ms
        assert not (early and after["resume_state"] in GONE_ON), (
            f"3: {pause} is handed out while a decision of it may be taken back"
        )
        for number, call in after["calls"].items():
            claimed = call.get("permit", {}).get("state") == "claimed"
            early = self.until.get((pause, int(number)), 0) > now_ms
            assert not (claimed and early), f"3: {pause}-{number} is claimed while its decision may be taken back"
            again = claimed and any(one[:2] == (pause, int(number)) for one in self.undone)
            yield from ["decided again and claimed"] * again
        if self.open_ms(pause) and after["resume_state"] in GONE_ON:
            yield "taken up after the hold"
        if "held_ms" in before and "held_ms" not in after and after["resume_state"] == "due":
            yield "the hold ended"

    def ended(self, heads: dict[str, Item]) -> None:
        """7, at the end of everything: no run is held any more."""
        for pause, head in heads.items():
            held = "held_ms" in head and not head["open_calls"] and "cancelled" not in head
            assert not held or head["resume_state"] == "done", f"7: the hold of {pause} never ended"

    def is_held(self, at: Moment) -> bool:
        """Whether the call of a moment may be taken back then."""
        handed = at.head["resume_state"] in GONE_ON or "cancelled" in at.head
        return not handed and self.until.get((at.pause, at.number), 0) > at.oracle.house.now_ms


def judge_undo(at: Moment, sub: str, revision: int, found: list[Right], answer: Undone | PlacetError) -> None:
    """3, 8, 10: a decision was rightly taken back, or rightly not."""
    books, against = (
        at.oracle.windows,
        [one.hindrances(at.oracle.house, at.head, at.call, {}, sub) for one in found] or [{"not_found"}],
    )
    place = (at.pause, at.number)
    if isinstance(answer, PlacetError):
        assert at.unchanged(), f"10: refused with {answer.code}, and something changed"
        no_right = set().union(*against) if all(against) else set()
        assert answer.code in _refusals(at, revision) | no_right, f"10: {answer.code} is not so: {at.call}"
        return
    if answer.replayed:
        assert at.unchanged(), "10: a replayed answer, and something changed"
        assert (*place, sub, revision) in books.undone, "10: replayed to another"
        return
    wrong = _refusals(at, revision)
    assert not wrong, f"8: {sub} took a decision back although {wrong}"
    assert any(one <= NO_HINDRANCE for one in against), f"8: {sub} took a decision back although {against}"
    now: dict[str, Any] = at.now
    stands = (now["state"], now["rev"], now.get("votes", {}), now["digest"])
    assert stands == ("pending", revision + 1, {}, books.seen[place]), f"5: it was taken back and is {now}"
    assert at.after[at.pause]["resume_state"] == "not_due", f"3: the run of {at.pause} is to go on undecided"
    books.undone.add((*place, sub, revision))
    del books.until[place]


def _refusals(at: Moment, revision: int) -> set[str]:
    """Everything that speaks against it, whoever does it."""
    call, head, books = at.call, at.head, at.oracle.windows
    yes = call["state"] in ("accepted", "edited")
    facts = {
        "frozen": at.oracle.frozen,
        "call_cancelled": "cancelled" in head and "successor" not in head,
        "call_superseded": "cancelled" in head and "successor" in head,
        "revision_differs": call["rev"] != revision,
        "not_decided": call["state"] == "pending",
        "no_undo": call["state"] != "pending" and not (yes and (at.pause, at.number) in books.until),
        "epoch_differs": at.restored,
        "undo_over": yes and not books.is_held(at),
    }
    return {code for code, holds in facts.items() if holds}
