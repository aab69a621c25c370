"""Who may decide at the moment of a write: read from the items as they are then, and knows nothing of the product's code for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from placet.records.keys import Key, Keys
from placet.records.ops import Item
from tests.proofs.timing.presence import are_enough
from tests.proofs.world.cast import BOARD, EVERYBODY, GROUP

STOOD_IN = "decided in another's place"
HANDED = "handed on"
LEVELS = {GROUP: 0, BOARD: 1}  # from which on a group may decide, by every policy that is ever deployed
STEPS = 3  # on which a right is handed on at most


class Rightful:
    """Looks at what a write says of people; what it finds are sentences."""

    def __init__(self, keys: Keys, items: Callable[[], dict[Key, Item]]) -> None:
        self._keys, self._items = keys, items

    def by_whom(self, event: Item) -> Iterator[str]:
        """A decision, a vote, or one that is taken back: by somebody with the right to, and neither requester nor owner."""
        by, away, at_ms = event["by"], event.get("in_place_of", ""), event["at_ms"]
        head = self._items()[self._keys.head(event["pk"].rpartition("#")[2])]
        if not self._is_member(away or by, event["membership"]):
            yield (
                f"{by} decided in the place of {away}, who left" if away else f"{by} decided and was no member any more"
            )
        way = self._way(away, by, at_ms) if away else [by]
        if not way:
            yield f"{by} decided in the place of {away}, who did not lead to them"
        if any(not self._groups(one) for one in way[1:]):
            yield f"{by} decided in the place of {away}, by somebody who left"
        kept_out = {head.get("requester", ""), head.get("owner", "")}
        if any({one, f"{one}@example.com"} & kept_out for one in way):
            yield f"{by} decided his own request"
        call, group = head["calls"][str(event["call"])], event["membership"]
        handed = {f"U#{away or by}", f"G#{group}"} & call.get("handed", {}).keys()
        if call.get("level", 0) < LEVELS[group] and not handed and event["name"] != "undone":
            yield f"{by} of {group} decided on level {call.get('level', 0)}"
        if (to := event.get("to")) and {to, f"{to}@example.com"} & kept_out:
            yield f"{by} handed it to {to}, who asked for it or owns its agent"

    def handed(self, old: Item | None, new: Item, events: list[Item]) -> Iterator[str]:
        """A call is handed to nobody of whom no event says so, and stands where whoever it was handed to finds it."""
        told = {
            (one["call"], f"U#{one['to']}" if one.get("to") else f"G#{one['to_group']}") for one in _reassigned(events)
        }
        for number, call in new["calls"].items():
            known = old["calls"][number].get("handed", {}).keys() if old is not None else set()
            for name in call.get("handed", {}).keys() - known - {one for at, one in told if at == int(number)}:
                yield f"call {number} is handed to {name}, and no event says so"
        shown = [one for one in new["calls"].values() if one["state"] == "pending" and one.get("deadline_ms")]
        if "#Q#" not in new.get("wpk", "") or {one["class"] for one in shown} != {"levels"}:
            return  # of the others a deploy gives levels and takes them away
        level, at = max(_seen(one) for one in shown), int(new["wpk"].rpartition("#")[0].rpartition(".")[2])
        if at < level:
            yield f"it stands where those of level {at} look, and those of level {level} may decide it"

    def counted(self, old: Item | None, new: Item, events: list[Item]) -> Iterator[str]:
        """A call that is decided: every vote that counts is that of somebody who could give it now, and nobody has two."""
        for event in events:
            if event["name"] != "decided" or event["verdict"] == "reject" or old is None:
                continue
            number, call = event["call"], new["calls"][str(event["call"])]
            if call.get("quorum", 1) == 1:
                continue
            votes = {sub: call.get("for", {}).get(sub, "") for sub in call["votes"]}
            if not are_enough([*votes.items()], call["quorum"]):
                yield f"call {number} was decided by {votes}, of {call['quorum']}"
            for sub, away in votes.items():
                way = self._way(away, sub, event["at_ms"]) if away else [sub]
                own = self._groups(away or sub)
                handed = {f"U#{away or sub}", *(f"G#{one}" for one in own)} & call.get("handed", {}).keys()
                reached = own if handed else self._groups(away or sub, call.get("level", 0))
                if not way or not reached or any(not self._groups(one) for one in way):
                    yield f"call {number} was decided by {sub}'s vote{f' for {away}' * bool(away)}, who has no right to it"

    def _is_member(self, sub: str, group: str) -> bool:
        return self._keys.member(sub, group) in self._items()

    def _groups(self, sub: str, level: int = 1) -> list[str]:
        return [one for one in EVERYBODY[sub].groups if LEVELS[one] <= level and self._is_member(sub, one)]

    def _way(self, away: str, to: str, at_ms: int) -> list[str]:
        """From somebody who is away to who decides in their place; empty when it does not lead there."""
        way = [away]
        for _ in range(STEPS):
            absence = self._items().get(self._keys.absence(way[-1]), {})
            if not absence.get("from_ms", 0) <= at_ms < absence.get("until_ms", 0) or not absence.get("delegate"):
                return []
            way.append(absence["delegate"])
            if way[-1] == to:
                return way
        return []


def _reassigned(events: list[Item]) -> list[Item]:
    return [event for event in events if event["name"] == "reassigned"]


def _seen(call: Item) -> int:
    """The highest level that an open call has reached, or was handed to."""
    return max([call.get("level", 0), *(one["level"] for one in call.get("handed", {}).values())])
