"""Time that counts: the hours in which somebody is there, and the moment at which so much of it has passed. Pure.

A minute counts when the clock on the wall shows working hours in it. So a day on which clocks are changed may have an hour more or
less, as it has for the people who work on it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from enum import IntEnum

from placet.policy.zones import zone_of

MIDNIGHT = time(0)
_DAY = timedelta(days=1)
_A_YEAR_FROM_MS = (
    1_767_225_600_000  # 2026-01-01, UTC: whichever, for zones change their clocks in every year or in none
)
_MOST_DAYS = 800  # looked at; longer than a run may wait, so that holidays for ever end too


class Day(IntEnum):
    """A day of the week, as `date.weekday` counts."""

    MONDAY = 0
    TUESDAY = 1
    WEDNESDAY = 2
    THURSDAY = 3
    FRIDAY = 4
    SATURDAY = 5
    SUNDAY = 6


WEEKDAYS = frozenset(day for day in Day if day < Day.SATURDAY)


@dataclass(frozen=True)
class WorkingHours:
    """When somebody is there to decide.

    Attributes:
        zone: name of a time zone, `Europe/Berlin`, in these letters; its clock changes are followed.
        opens, closes: on each of these days, hours and minutes of that zone; midnight as `closes` is the end of the day.
        holidays: dates on which nobody is there.
    """

    zone: str
    opens: time = time(9)
    closes: time = time(17)
    days: frozenset[Day] = WEEKDAYS
    holidays: frozenset[date] = frozenset()

    def __post_init__(self) -> None:
        for field in ("opens", "closes"):
            value: object = getattr(self, field)
            if not isinstance(value, time) or value.tzinfo is not None or value.second or value.microsecond:
                raise ValueError(f"working hours: {field} is hours and minutes, written time(9, 30), and is {value!r}")
        if self.closes != MIDNIGHT and self.closes <= self.opens:
            raise ValueError(f"working hours: closes is {self.closes}, which is not after opens at {self.opens}")
        if not isinstance(self.days, set | frozenset) or not self.days or not all(_is_day(day) for day in self.days):
            raise ValueError(f"working hours: days is a set of Day, written {{Day.MONDAY}}, and is {self.days!r}")
        if not isinstance(self.holidays, set | frozenset) or not all(map(_is_date, self.holidays)):
            raise ValueError(f"working hours: holidays is a set of date(2026, 12, 25), and is {self.holidays!r}")
        if not isinstance(self.zone, str) or not _is_zone(self.zone):
            raise ValueError(f"working hours: zone is the name of a time zone, Europe/Berlin, and is {self.zone!r}")


def moment_after(start_ms: int, seconds: int, hours: WorkingHours | None) -> int:
    """The first moment (ms) at which `seconds` of these hours have passed since `start_ms`; of all hours when it is None.

    Where so much never passes, because of holidays without end, it is the end of the last day that is looked at, over two years on.
    """
    if hours is None or seconds <= 0:
        return start_ms + 1000 * max(seconds, 0)
    left = 1000 * seconds
    for opens, closes in _stretches(hours, start_ms):
        at = max(opens, start_ms)
        if closes - at >= left:
            return at + left
        left -= max(closes - at, 0)
    zone = zone_of(hours.zone)
    return _ms(_at(_first_day(start_ms, zone) + _MOST_DAYS * _DAY, MIDNIGHT, zone))


def least_s(seconds: int, hours: WorkingHours | None) -> int:
    """How long it takes by the clock at least, from the best of moments, until `seconds` of these hours have passed.

    That is from an opening on; a year of them is looked at, for the changes of the clock, and holidays only make it longer.
    """
    if hours is None or seconds <= 0:
        return max(seconds, 0)
    plain = replace(hours, holidays=frozenset())
    openings = (opens for opens, _ in itertools.islice(_stretches(plain, _A_YEAR_FROM_MS), 53 * len(plain.days)))
    return min(moment_after(opens, seconds, plain) - opens for opens in openings) // 1000


def is_working(at_ms: int, hours: WorkingHours) -> bool:
    """Whether the clock on the wall shows working hours at a moment."""
    return _counts(datetime.fromtimestamp(at_ms / 1000, UTC).astimezone(zone_of(hours.zone)), hours)


def _stretches(hours: WorkingHours, start_ms: int) -> Iterator[tuple[int, int]]:
    """Stretches (ms) that count, in order, from the day before a moment on."""
    zone = zone_of(hours.zone)
    first = _first_day(start_ms, zone)
    for number in range(_MOST_DAYS):
        day = first + number * _DAY
        marks = sorted(_marks(day, hours, zone))
        for begins, ends in itertools.pairwise(marks):
            if _counts(begins.astimezone(zone), hours):
                yield _ms(begins), _ms(ends)


def _first_day(start_ms: int, zone: tzinfo) -> date:
    """The day that is looked at first: the one before a moment's."""
    return datetime.fromtimestamp(start_ms / 1000, UTC).astimezone(zone).date() - _DAY


def _marks(day: date, hours: WorkingHours, zone: tzinfo) -> set[datetime]:
    """The moments (UTC) of one day between which nothing changes: its ends, opening and closing, and a change of the clock."""
    begins, ends = _at(day, MIDNIGHT, zone), _at(day + _DAY, MIDNIGHT, zone)
    inner = {_at(day, clock, zone, fold) for clock in (hours.opens, hours.closes) for fold in (0, 1)}
    if begins.astimezone(zone).utcoffset() != ends.astimezone(zone).utcoffset():
        inner.add(_change(begins, ends, zone))
    return {begins, ends} | {mark for mark in inner if begins < mark < ends}


def _change(begins: datetime, ends: datetime, zone: tzinfo) -> datetime:
    """The moment between two at which the clock is changed, to the second."""
    low, high, before = int(begins.timestamp()), int(ends.timestamp()), begins.astimezone(zone).utcoffset()
    while high - low > 1:
        middle = (low + high) // 2
        same = datetime.fromtimestamp(middle, UTC).astimezone(zone).utcoffset() == before
        low, high = (middle, high) if same else (low, middle)
    return datetime.fromtimestamp(high, UTC)


def _at(day: date, clock: time, zone: tzinfo, fold: int = 0) -> datetime:
    return datetime.combine(day, clock, tzinfo=zone).replace(fold=fold).astimezone(UTC)


def _counts(local: datetime, hours: WorkingHours) -> bool:
    clock = local.time()
    if local.weekday() not in hours.days or local.date() in hours.holidays or clock < hours.opens:
        return False
    return clock < hours.closes or hours.closes == MIDNIGHT


def _ms(moment: datetime) -> int:
    return int(moment.timestamp()) * 1000


def _is_day(value: object) -> bool:
    return isinstance(value, Day)


def _is_date(value: object) -> bool:
    return isinstance(value, date) and not isinstance(value, datetime)


def _is_zone(name: str) -> bool:
    try:
        zone_of(name)
    except ValueError:
        return False
    return True
