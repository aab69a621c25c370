"""The books on moments: nobody is reminded or asked before it is due or twice, and every open pause has a next moment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from placet.records.ops import Item
from tests.proofs.stateful.house import House
from tests.proofs.stateful.standing_in import decidable, enough, next_moment


@dataclass
class Moments:
    """What was seen to happen.

    Attributes:
        widened: by call, how often a later level was asked.
        reminded: by pause, at how many steps reminders were told.
        mails: by pause and person, their mails that remind; `read`: how many of the outbox are counted.
    """

    widened: Counter[str] = field(default_factory=Counter)
    reminded: Counter[str] = field(default_factory=Counter)
    mails: Counter[tuple[str, str]] = field(default_factory=Counter)
    read: int = 0

    def moved(self, house: House, name: str, old: dict[str, Any], call: dict[str, Any], head: Item) -> Iterator[str]:
        """A call of a pause that was there before; what happened to it."""
        if not (old.get("deadline_ms") and call.get("deadline_ms")) or old.get("round", 1) != call.get("round", 1):
            return
        if head["gen"] > 1 and any(old.get(name) != call.get(name) for name in ("levels_ms", "remind_ms")):
            return  # it was shown anew
        level, was = call.get("level", 0), old.get("level", 0)
        assert level >= was, f"7: {name} went back from level {was} to {level}"
        assert call.get("reminded", 0) >= old.get("reminded", 0), f"7: {name} forgets its reminders"
        if level > was:
            yield from self._widened(house, name, call, head, was)
        if call.get("reminded", 0) > old.get("reminded", 0):
            yield "reminded"
            self.reminded[head["pk"].rpartition("#")[2]] += 1
            due = sum(at <= house.now_ms for at in call["remind_ms"])
            assert call["reminded"] <= due, f"7: {name} is reminded of before it is due"

    def _widened(self, house: House, name: str, call: dict[str, Any], head: Item, was: int) -> Iterator[str]:
        self.widened[name] += 1
        yield "widened"
        by_time = max(was, sum(at <= house.now_ms for at in call.get("levels_ms", ())))
        passed = range(by_time, call["level"])
        if passed:
            yield "a level passed for want of people"
        for level in passed:
            assert not enough(house, head, call, level), f"7: {name} passed level {level}, which can decide it"

    def agrees(self, house: House, pause: str, head: Item, record: dict[str, Item]) -> None:
        """What the record and the outbox say of it; and that somebody comes at its next moment."""
        if "#Q#" in head.get("wpk", "") and "stuck" not in head:
            shown = [one for one in head["calls"].values() if one["state"] == "pending" and one.get("deadline_ms")]
            comes = head["wsk"] % 10**14  # before it stands the agent's lane
            nearest = min((next_moment(one) for one in shown), default=comes)
            assert comes <= max(nearest, house.now_ms), (
                f"7: nobody comes at the next moment of {pause}, {nearest}: {comes}"
            )
        sent = house.gateway.mail.sent
        for note in sent[self.read :]:
            self.mails[note.pause, note.to] += note.why == "reminded"
        self.read = len(sent)
        for sub in house.people:
            mails = self.mails[pause, sub]
            assert mails <= self.reminded[pause], f"7: {sub} was reminded of {pause} {mails} times"
        facts = [fact for name, fact in record.items() if name.startswith("E#widened#")]
        for number in head["calls"]:
            asked = sum(int(number) in one["calls"] for one in facts)
            seen = self.widened[f"{pause}-{number}"]
            assert asked == seen, f"9: {pause}-{number} reached {seen} levels, {asked} are on record"

    def asked_others(self, house: House) -> None:
        """7, after a sweep and what it asks for: where the people of a level cannot decide, those who can are asked."""
        for pause, head in house.heads().items():
            claimed = any(one.get("permit", {}).get("state") == "claimed" for one in head["calls"].values())
            waits = (
                "#Q#" in head.get("wpk", "") and "stuck" not in head and head["epoch"] == house.epoch and not claimed
            )
            if not waits or not decidable(house, head):
                continue
            for number, call in head["calls"].items():
                if (
                    call["state"] == "pending"
                    and call.get("deadline_ms", 0) > house.now_ms
                    and enough(house, head, call, 99)
                ):
                    at = call.get("level", 0)
                    assert enough(house, head, call, at), (
                        f"7: nobody of level {at} can decide {pause}-{number}, and no other is asked"
                    )
