"""The oracle: its own books of decisions and effects, and what must hold of the table after every step.

The numbers are those of the ten invariants: 1 one decision per call, 2 one effect per call, 3 an effect has a yes before it,
4 what ran is what was decided, 5 what was decided is what was shown, 6 no effect without a yes, 7 every pause ends or is listed,
8 who decided was allowed to, 9 the record is complete and equal to the state, 10 no answer contradicts the state.
It shares no code with the model: the tables of moves are written down here again. Moments and people: `moments`, `standing_in`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from placet.records.ops import Item
from tests.proofs.stateful.deployed import LEVELS
from tests.proofs.stateful.house import House
from tests.proofs.stateful.moments import Moments
from tests.proofs.stateful.standing_in import decidable, level_seen
from tests.proofs.stateful.windows import Windows

YES = ("accepted", "edited", "passed")
CALL_MOVES = {
    *(("pending", after) for after in ("accepted", "edited", "rejected", "expired", "cancelled", "superseded")),
    *((before, "pending") for before in YES),
}
PERMIT_MOVES = {
    *((None, "free"), ("free", None), ("free", "claimed"), ("free", "unknown"), ("claimed", "free")),
    *(("claimed", after) for after in ("done", "failed", "unknown")),
    *(("unknown", after) for after in ("done", "failed")),
}


@dataclass(frozen=True)
class Effect:
    """A successful claim: from here on the tool may have acted."""

    worker: str
    digest: str
    at_ms: int


@dataclass
class Oracle:
    """The books."""

    house: House
    effects: dict[tuple[str, int], list[Effect]] = field(default_factory=lambda: defaultdict(list))
    decided: dict[tuple[str, int, int], tuple[str, str, str]] = field(default_factory=dict)
    votes: dict[tuple[str, int, int], dict[str, tuple[str, str]]] = field(default_factory=lambda: defaultdict(dict))
    extended: dict[tuple[str, int, int], set[tuple[str, int]]] = field(default_factory=lambda: defaultdict(set))
    asked: dict[tuple[str, int], list[tuple[str, str, int]]] = field(default_factory=lambda: defaultdict(list))
    answered: dict[tuple[str, int], dict[int, str]] = field(default_factory=lambda: defaultdict(dict))
    handed: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    shortened: bool = False
    frozen: bool = False
    taken: Counter[str] = field(default_factory=Counter)
    told: Moments = field(default_factory=Moments)
    windows: Windows = field(default_factory=Windows)

    def step(self, before: dict[str, Item], after: dict[str, Item]) -> None:
        """After every step: only legal moves, and a table that agrees with itself and with the books."""
        for pause, head in after.items():
            if head is not before.get(pause):
                self._moved(pause, before.get(pause), head)
                if head.get("stuck") != (before.get(pause) or {}).get("stuck"):
                    self.listed_rightly(pause, head)
                    self.taken["listed for want of people"] += head.get("stuck") in ("group_empty", "too_few_people")
                self._agrees(pause, head)

    def _moved(self, pause: str, before: Item | None, after: Item) -> None:
        for number, call in after["calls"].items():
            old = before["calls"][number] if before else None
            self._call_moved(f"{pause}-{number}", old, call, after)
        if before is None:
            return
        self.taken.update(self.windows.moved(pause, before, after, self.house.now_ms))
        # Its moments begin anew, or a deploy took the level away.
        shown_anew = not before.get("notified_ms") or before["gen"] != after["gen"]
        shown_anew = shown_anew or LEVELS in self.house.deployed.changes
        for name in ("gen", "fence", "epoch"):
            assert after[name] >= before[name], f"7: {name} of {pause} went back"
        still = max((level_seen(call) for call in after["calls"].values() if call["state"] == "pending"), default=0)
        assert shown_anew or after["level"] >= min(before["level"], still), f"7: level of {pause} went back"
        assert "cancelled" not in before or "cancelled" in after, f"6: {pause} is not cancelled any more"
        went_on = before["resume_state"] == "done"
        assert not went_on or after["resume_state"] == "done", f"7: the run of {pause} went on and is due again"

    def _call_moved(self, name: str, old: dict[str, Any] | None, call: dict[str, Any], head: Item) -> None:
        was, now = (old["state"] if old else None), call["state"]
        permit_was = old.get("permit", {}).get("state") if old else None
        permit = call.get("permit", {}).get("state")
        if old is None:
            assert now in ("pending", "passed", "denied"), f"3: {name} begins {now}"
            assert (permit == "free") == (now == "passed"), f"3: {name} is {now} and its permit {permit}"
            return
        self.taken.update(self.told.moved(self.house, name, old, call, head))
        by_nobody = call.get("handed", {}).keys() - self.handed[name]
        assert not by_nobody, f"8: {name} was handed to {by_nobody}, by nobody"
        if was != now:
            self.taken[f"call {was} -> {now}"] += 1
            assert (was, now) in CALL_MOVES, f"1: {name} went from {was} to {now}"
        if permit_was != permit:
            self.taken[f"permit {permit_was} -> {permit}"] += 1
            assert (permit_was, permit) in PERMIT_MOVES, f"2: the permit of {name} went from {permit_was} to {permit}"
        if (permit_was, permit) == ("claimed", "free"):
            assert call.get("takes_key"), f"2: {name} takes no key and may run again"
        if now == "pending" and was in YES:
            assert call["round"] == old.get("round", 1) + 1, f"1: {name} is asked again in the same round"
            assert (permit_was, permit) == ("free", None), f"2: {name} is asked again with its permit {permit_was}"
        if old["digest"] != call["digest"]:
            undone = was in YES and now == "pending"  # the arguments are judged where it is taken back
            assert (call["rev"], was == "pending" or undone) == (old["rev"] + 1, True), (
                f"5: the arguments of {name} changed"
            )
        same_wait = old.get("deadline_ms", 0) and call.get("deadline_ms", 0) and was == now == "pending"
        if same_wait and old["deadline_ms"] != call["deadline_ms"]:
            pause, number = name.rsplit("-", 1)
            given = {until_ms for _, until_ms in self.extended[pause, int(number), call.get("round", 1)]}
            moved = call["deadline_ms"] in given and call["deadline_ms"] > old["deadline_ms"]
            assert moved or head["gen"] > 1, f"6: the deadline of {name} moved"

    def _agrees(self, pause: str, head: Item) -> None:
        calls = head["calls"].items()
        pending = sum(call["state"] == "pending" for _, call in calls)
        assert head["open_calls"] == pending, f"9: {pause} counts {head['open_calls']} open calls of {pending}"
        assert (head["state"] == "open") == (pending > 0), f"9: {pause} is {head['state']} with {pending} pending"
        self._listed(pause, head)
        facts = {key.sk: item for key, item in self.house.gateway.table.items.items() if key.pk == head["pk"]}
        self.told.agrees(self.house, pause, head, facts)
        for number, call in calls:
            self._recorded(f"{pause}-{number}", int(number), call, facts)
            self._ran(pause, int(number), call)
        assert ("cancelled" in head) == ("E#cancelled" in facts), f"9: {pause}: cancelled is not on record"

    def _listed(self, pause: str, head: Item) -> None:
        """7: whatever is not over has a place where somebody looks."""
        stuck = self.house.gateway.keys.stuck()
        permits = {call.get("permit", {}).get("state") for call in head["calls"].values()}
        place = head.get("wpk", "")
        assert ("stuck" in head) == (place == stuck), f"7: {pause} is stuck {head.get('stuck')!r} and on {place!r}"
        with_people = head["open_calls"] and ("#Q#" in place or "#W#new#" in place)
        assert "unknown" not in permits or place == stuck or with_people, (
            f"7: {pause} has an unknown and is on {place!r}"
        )
        assert "claimed" not in permits or place, f"7: {pause} has a permit out and is on no list"
        assert head["state"] == "ended" or place, f"7: {pause} is {head['state']} and on no list"
        assert head["state"] != "closed" or "#W#" in place, f"7: {pause} is closed and on {place!r}"
        self._seen(pause, head)

    def _seen(self, pause: str, head: Item) -> None:
        """7: whoever may decide an open call, or was handed it, finds it; but where a deploy took their level away."""
        self.shortened = self.shortened or LEVELS in self.house.deployed.changes
        if "#Q#" not in head.get("wpk", "") or self.shortened:
            return
        level = max((level_seen(call) for call in head["calls"].values() if call["state"] == "pending"), default=0)
        at = int(head["wpk"].rpartition("#")[0].rpartition(".")[2])
        assert at >= level, f"7: {pause} stands where people of level {at} look, and those of level {level} may decide"

    def _recorded(self, name: str, number: int, call: dict[str, Any], facts: dict[str, Item]) -> None:
        """9: every end of a call and of a permit is on record, and says the same."""
        turn = "" if call.get("round", 1) == 1 else f"#{call['round']}"
        fact = facts.get(f"E#{number}#decided{turn}")
        state, permit = call["state"], call.get("permit", {}).get("state")
        if state in ("accepted", "edited", "rejected"):
            assert fact is not None, f"9: {name} is {state}, and no decision is on record"
            assert fact["state"] == state, f"9: {name} is {state}, its record says {fact}"
            assert state == "rejected" or fact["digest"] == call["digest"], f"9: {name}: the record has other arguments"
            book = self.decided.get((name.partition("-")[0], number, call.get("round", 1)))
            assert (book or [""])[0] == fact["by"], f"1: {name} was decided and its decider was not told so"
        else:
            assert fact is None, f"1: {name} is {state} and has a decision on record"
        if state == "expired":
            told = [one for one in facts.values() if one.get("name") == "expired" and number in one["calls"]]
            assert len(told) == 1, f"9: {name} expired, {len(told)} records"
        if permit in ("done", "failed"):
            names = (f"E#{number}#{permit}", f"E#{number}#reconciled")
            assert any(one in facts and facts[one]["permit"] == permit for one in names), (
                f"9: {name}: no {permit} on record"
            )

    def _ran(self, pause: str, number: int, call: dict[str, Any]) -> None:
        """2, 3, 6: effects by the oracle's own ledger."""
        ran = self.effects.get((pause, number), [])
        assert len(ran) <= 1 or call.get("takes_key"), f"2: {pause}-{number} ran {len(ran)} times"
        assert not ran or call["state"] in YES, f"6: {pause}-{number} ran and is {call['state']}"
        claimed = call.get("permit", {}).get("state") in ("claimed", "done", "failed")
        assert ran or not claimed or head_epoch_raised(self.house), f"3: {pause}-{number} was claimed by nobody"

    def swept(self, before: dict[str, Item]) -> None:
        """7, after a sweep: what waits for people stands where one of today's people looks.

        By the books' own groups: a deploy may have taken class or level away since the pause got there.
        """
        books, keys = self.house.deployed.groups, self.house.gateway.keys
        queues = {keys.queue(name, level) for name, groups in books.items() for level in groups.values()}
        several = {keys.queue("several.", level) for groups in books.values() for level in groups.values()}
        for pause, head in self.house.heads().items():
            if "#Q#" not in head.get("wpk", "") or not head["open_calls"] or head["epoch"] < self.house.epoch:
                continue
            assert head["wpk"] in queues | several, f"7: {pause} waits in {head['wpk']}, which nobody reads any more"
            if before[pause].get("wpk") != head["wpk"]:
                continue  # it was moved just now, and is looked at in a minute
            assert decidable(self.house, head), f"7: {pause} waits in {head['wpk']}, and nobody is there to decide it"

    def listed_rightly(self, pause: str, head: Item) -> None:
        """7: a reason that names a deploy or people is so when it is given."""
        open_classes = {call["class"] for call in head["calls"].values() if call["state"] == "pending"}
        wrong = {
            "agent_gone": self.house.deployed.agents.by_name(head["agent"]) is not None,
            "class_gone": bool(open_classes & self.house.deployed.groups.keys()),
            "group_empty": decidable(self.house, head),
            "too_few_people": decidable(self.house, head),
        }
        assert not wrong.get(head.get("stuck", ""), False), (
            f"7: {pause} is listed as {head['stuck']}, and that is not so"
        )

    def repair_told(self, pause: str, code: str) -> None:
        """10: what a repair lacks is really not there."""
        head = self.house.heads()[pause]
        if code == "agent_gone":
            assert self.house.deployed.agents.by_name(head["agent"]) is None, "10: its agent is there"
        if code == "class_gone":
            pending = {call["class"] for call in head["calls"].values() if call["state"] == "pending"}
            assert not pending & self.house.deployed.groups.keys(), "10: its class is there"

    def ended(self) -> None:
        """7, at the end of everything: each pause has ended, or is on the stuck list with a reason."""
        self.windows.ended(self.house.heads())
        for pause, head in self.house.heads().items():
            listed = "stuck" in head and head.get("wpk") == self.house.gateway.keys.stuck()
            permits = {call.get("permit", {}).get("state") for call in head["calls"].values()}
            over = head["state"] == "ended" and not permits & {"claimed", "unknown"}
            self.taken["ended" if over else f"listed: {head.get('stuck')}"] += 1
            assert over or listed, f"7: {pause} is {head['state']}, on {head.get('wpk')!r}, permits {permits}"


def head_epoch_raised(house: House) -> bool:
    """After a restore a person may settle what this ledger never saw."""
    return house.epoch > 1
