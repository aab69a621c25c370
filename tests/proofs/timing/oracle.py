"""When what has to happen, by a walk through the minutes; knows the policy's numbers and nothing of the product's code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from placet.policy import ActionClass, WorkingHours

MINUTE = 60_000


@dataclass(frozen=True)
class Expected:
    """The moments (ms) of one call: of each reminder, of each later level, and the last one."""

    reminds: tuple[int, ...]
    widens: tuple[int, ...]
    over: int
    over_a_change: bool
    over_a_holiday: bool


def expected(action_class: ActionClass, visible_ms: int) -> Expected:
    """What is due of a call of this class that became visible then."""
    widens = [one.after_s for one in action_class.levels[1:]]
    wanted = sorted({*action_class.remind_after_s, *widens, action_class.deadline_s})
    if action_class.hours is None:
        at = {seconds: visible_ms + 1000 * seconds for seconds in wanted}
    else:
        at = _walked(action_class.hours, visible_ms, wanted)
    over = at[action_class.deadline_s]
    hours = action_class.hours
    return Expected(
        tuple(at[one] for one in action_class.remind_after_s),
        tuple(at[one] for one in widens),
        over,
        hours is not None and _offset(hours, visible_ms) != _offset(hours, over),
        hours is not None and any(visible_ms < _midnight(hours, day) < over for day in hours.holidays),
    )


def _walked(hours: WorkingHours, start_ms: int, wanted: Sequence[int]) -> dict[int, int]:
    zone, at, counted, found = ZoneInfo(hours.zone), start_ms, 0, {}
    left = list(wanted)
    while left:
        until = (at // MINUTE + 1) * MINUTE
        if _is_open(hours, datetime.fromtimestamp(at / 1000, zone)):
            while left and counted + until - at >= 1000 * left[0]:
                found[left[0]] = at + 1000 * left[0] - counted
                left.pop(0)
            counted += until - at
        at = until
    return found


def _is_open(hours: WorkingHours, wall: datetime) -> bool:
    minutes = 60 * wall.hour + wall.minute
    opens, closes = (60 * one.hour + one.minute for one in (hours.opens, hours.closes))
    return wall.weekday() < 5 and wall.date() not in hours.holidays and opens <= minutes < closes


def _offset(hours: WorkingHours, at_ms: int) -> object:
    return datetime.fromtimestamp(at_ms / 1000, ZoneInfo(hours.zone)).utcoffset()


def _midnight(hours: WorkingHours, day: object) -> int:
    return int(datetime.fromisoformat(f"{day}T00:00").replace(tzinfo=ZoneInfo(hours.zone)).timestamp() * 1000)
