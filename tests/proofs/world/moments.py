"""The books on moments: no reminder and no level twice, none before it is due, and somebody comes at every next moment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from placet.records.lanes import moment_at
from placet.records.ops import Item

REMINDED, WIDENED = "reminded", "a level asked by time"
PASSED, EMPTIED = "a level passed for want of people", "group emptied"
HAPPENINGS = (REMINDED, WIDENED, PASSED, EMPTIED)
STEPS = {"reminded": ("reminded", "remind_ms"), "widened": ("level", "levels_ms")}


class Moments:
    """Looks at each write of a head; what it finds are sentences. `taken`: what happened since somebody took it away."""

    def __init__(self) -> None:
        self.taken: Counter[str] = Counter()

    def look(self, old: Item | None, new: Item, events: list[Item]) -> Iterator[str]:
        """One write."""
        yield from self._comes(old, new, events)
        told = {event["name"]: event for event in events if event["name"] in STEPS}
        for number, call in new["calls"].items():
            was = old["calls"][number] if old is not None else {}
            for name, (count, plan) in STEPS.items():
                event = told.get(name)
                if old is not None and "stuck" in old and "stuck" not in new and name == "reminded":
                    continue  # what came while it was listed is told by showing it to its people again
                mine = event if event is not None and int(number) in event["calls"] else None
                is_asked_again = bool(was.get("deadline_ms")) and not call.get("deadline_ms")
                if was.get(plan) == call.get(plan) and not is_asked_again:  # else all of it begins again
                    yield from self._step(number, name, was.get(count, 0), call.get(count, 0), call.get(plan, ()), mine)

    def _step(self, number: str, name: str, was: int, now: int, plan: list[int], event: Item | None) -> Iterator[str]:
        """How many reminders were told of a call, or the level that it has; a write tells of those that it adds, and only then."""
        if now < was:
            yield f"call {number}: {name} {was} times, and then {now}"
        elif now == was and event is not None:
            yield f"call {number} was {name} again"
        elif now > was and event is None:
            yield f"call {number} was {name} without its event"
        elif now > was and event is not None:
            due = sum(at <= event["at_ms"] for at in plan)
            if name == "reminded":
                self.taken[REMINDED] += 1
                if now > due:
                    yield f"call {number} was reminded of before it was due"
                return
            self.taken[WIDENED if event["why"] == "after" else PASSED] += 1
            if event["why"] == "after" and len(event["calls"]) == 1 and due <= was:
                yield f"call {number} reached level {now} before its time"

    @staticmethod
    def _comes(old: Item | None, new: Item, events: list[Item]) -> Iterator[str]:
        """Promise 7 of what waits for people: it stands where the sweep looks, no later than its next moment, or at once by the
        clock of whoever wrote; or it is listed."""
        nearest = _nearest(new)
        if not nearest or "stuck" in new or (old is not None and (_nearest(old), old["wsk"]) == (nearest, new["wsk"])):
            return
        comes = moment_at(new["wsk"])
        if comes > max([nearest, *(event["at_ms"] for event in events)]):
            yield f"nobody comes at its next moment, {nearest}: {comes}"


def _nearest(head: Item) -> int:
    shown = (one for one in head["calls"].values() if one["state"] == "pending" and one.get("deadline_ms"))
    return min((_next(one) for one in shown), default=0)


def _next(call: Item) -> int:
    ahead = [call["deadline_ms"]]
    for count, plan in STEPS.values():
        ahead += call.get(plan, [])[call.get(count, 0) :][:1]
    return min(ahead)
