"""The judge of a simulation: sees every write at once, knows the promises, and keeps its own book of what was claimed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from placet.model.states import CallState, PermitState
from placet.model.transitions import CALL_MOVES, PERMIT_MOVES
from placet.records.keys import Key, Keys
from placet.records.ops import Item
from tests.proofs.world.agents import Effect, doubled
from tests.proofs.world.moments import HAPPENINGS, Moments
from tests.proofs.world.rightful import HANDED, STOOD_IN, Rightful

PAUSE_MOVES = {("open", "closed"), ("closed", "ended"), ("open", "ended"), ("closed", "open")}

ALL_MOVES = (
    {f"call {state.value} {move.value}" for state, move in CALL_MOVES}
    | {f"permit {state.value} {move.value}" for state, move in PERMIT_MOVES}
    | {f"pause {old} {new}" for old, new in PAUSE_MOVES}
    | {*HAPPENINGS, STOOD_IN, HANDED}
)

_TOLD = {
    "accepted": "decided",
    "edited": "decided",
    "rejected": "decided",
    "expired": "expired",
    "cancelled": "cancelled",
    "superseded": "cancelled",
    "pending": "reopened|undone",
}


class Oracle:
    """Looks at each write. `violations` are sentences; `taken` counts the moves of the transition tables."""

    def __init__(self, keys: Keys, items: Callable[[], dict[Key, Item]]) -> None:
        self.violations: list[str] = []
        self.taken: Counter[str] = Counter()
        self.claims: set[tuple[str, str, str]] = set()
        self._rightful, self._moments = Rightful(keys, items), Moments()

    def look(self, changes: list[tuple[Item | None, Item | None]]) -> None:
        """One write, as old and new images."""
        events = [new for _, new in changes if new is not None and new["kind"] == "EVENT"]
        for old, new in changes:
            if new is not None and new["kind"] == "HEAD":
                self._head(old, new, events)
                self._judged(new, self._rightful.counted(old, new, events))
                self._judged(new, self._rightful.handed(old, new, events))
                self._judged(new, self._moments.look(old, new, events))
        for event in events:
            if event["name"] in ("decided", "voted", "undone", "reassigned"):
                self.taken[STOOD_IN] += "in_place_of" in event and event["name"] != "reassigned"
                self.taken[HANDED] += event["name"] == "reassigned"
                self._judged(event, self._rightful.by_whom(event))
        self.taken += self._moments.taken
        self._moments.taken.clear()

    def _judged(self, item: Item, found: Iterable[str]) -> None:
        for sentence in found:
            self._wrong(item["pk"].rpartition("#")[2], sentence)

    def _head(self, old: Item | None, new: Item, events: list[Item]) -> None:
        pause = new["pk"].rpartition("#")[2]
        pending = sum(call["state"] == "pending" for call in new["calls"].values())
        if new["open_calls"] != pending:
            self._wrong(pause, f"open_calls is {new['open_calls']}, {pending} calls are pending")
        if pending and new["state"] != "open":
            self._wrong(pause, f"is {new['state']} while {pending} calls are pending")
        self._place(pause, new)
        if old is None:
            return
        if old["state"] != new["state"]:
            self._moved(pause, "pause", old["state"], new["state"], (old["state"], new["state"]) in PAUSE_MOVES)
        for number, call in new["calls"].items():
            self._call(pause, number, old["calls"][number], call, events)
            self._permit(pause, number, old["calls"][number], new)

    def _place(self, pause: str, head: Item) -> None:
        """Promise 7, at every moment: what is not over is on a list of the work index."""
        if "wpk" in head:
            return
        if head["state"] != "ended":
            self._wrong(pause, f"is {head['state']} and on no list")
        for number, call in head["calls"].items():
            if (state := call.get("permit", {}).get("state")) in ("claimed", "unknown"):
                self._wrong(pause, f"permit {number} is {state} and on no list")

    def _call(self, pause: str, number: str, old: Item, new: Item, events: list[Item]) -> None:
        if old["state"] == new["state"]:
            return
        was, is_now = CallState(old["state"]), CallState(new["state"])
        move = next((one for (state, one), to in CALL_MOVES.items() if (state, to) == (was, is_now)), None)
        self._moved(pause, "call", was.value, move.value if move else is_now.value, move is not None)
        told = [
            event for event in events if event["name"] in _TOLD[is_now.value].split("|") and _about(event, int(number))
        ]
        if len(told) != 1:
            self._wrong(pause, f"call {number} became {is_now.value} without its event")
            return
        self._in_time(pause, number, old, new, told[0])

    def _in_time(self, pause: str, number: str, old: Item, new: Item, event: Item) -> None:
        """Deadlines by the writer's own clock; what was shown is what was decided, or the edit of it."""
        if event["name"] == "expired" and event["at_ms"] < old["deadline_ms"]:
            self._wrong(pause, f"call {number} expired before its deadline")
        if event["name"] == "undone":
            self._taken_back(pause, number, old, event)
        if event["name"] != "decided":
            return
        if event["at_ms"] >= old["deadline_ms"]:
            self._wrong(pause, f"call {number} was decided at or after its deadline")
        if event["before"] != old["digest"] or event["digest"] != new["digest"]:
            self._wrong(pause, f"call {number}: shown, decided and stored digests differ")
        if event["verdict"] != "edit" and event["digest"] != event["before"]:
            self._wrong(pause, f"call {number}: other arguments without an edit")

    def _taken_back(self, pause: str, number: str, old: Item, event: Item) -> None:
        """In time, by the writer's own clock, and nothing that was out."""
        self.taken["call taken back"] += 1
        if event["at_ms"] >= old.get("undo_ms", 0):
            self._wrong(pause, f"call {number} was taken back after its time")
        if old.get("permit", {}).get("state") != "free":
            self._wrong(pause, f"call {number} was taken back when its permit was out")

    def _permit(self, pause: str, number: str, old: Item, head: Item) -> None:
        new = head["calls"][number]
        was = PermitState(old.get("permit", {}).get("state", "none"))
        is_now = PermitState(new.get("permit", {}).get("state", "none"))
        if was is is_now:
            return
        move = next((one for (state, one), to in PERMIT_MOVES.items() if (state, to) == (was, is_now)), None)
        self._moved(pause, "permit", was.value, move.value if move else is_now.value, move is not None)
        if is_now is not PermitState.CLAIMED:
            return
        if not CallState(new["state"]).may_run or "cancelled" in head:
            self._wrong(
                pause, f"call {number} was claimed while {new['state']}{' and cancelled' * ('cancelled' in head)}"
            )
        if new["permit"]["at_ms"] < new.get("undo_ms", 0) and head["resume_state"] != "offered":
            self._wrong(pause, f"call {number} was claimed while its decision could be taken back")
        self.claims.add((f"{pause}-{number}", new["permit"]["worker"], new["digest"]))

    def effects(self, ledger: list[Effect], where: Any = "") -> None:
        """What was done outside, held against what was claimed."""
        for call in doubled(ledger):
            self._wrong(call, "had two effects")
        for one in ledger:
            if (one.call, one.worker, one.digest) not in self.claims:
                self._wrong(one.call, f"{one.worker} acted without a claim on these arguments")

    def _moved(self, pause: str, what: str, was: str, move: str, legal: bool) -> None:
        self.taken[f"{what} {was} {move}"] += 1
        if not legal:
            self._wrong(pause, f"{what}: no move from {was} to {move}")

    def _wrong(self, what: str, sentence: str) -> None:
        self.violations.append(f"{what}: {sentence}")


def _about(event: Item, number: int) -> bool:
    return number in event["calls"] if "calls" in event else event.get("call") == number
