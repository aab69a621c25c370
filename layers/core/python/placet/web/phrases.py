"""Times, spans, numbers and names as a reader says them. The zone is UTC and always said."""

from __future__ import annotations

from datetime import UTC, datetime, time

from placet.frameworks import framework as described
from placet.model import numerals

MINUTE, HOUR, DAY = 60, 3_600, 86_400

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def framework(name: str) -> str:
    """A framework as people name it; an unknown one as it is named."""
    try:
        return described(name).title
    except KeyError:
        return name


def span(seconds: int) -> str:
    """`2 d 21 h`, `2 h 14 min`, `19 min`, `40 s`: the two largest units, rounded down."""
    seconds = max(0, seconds)
    if seconds < MINUTE:
        return f"{seconds} s"
    if seconds < HOUR:
        return f"{seconds // MINUTE} min"
    if seconds < DAY:
        return _two(seconds // HOUR, "h", seconds % HOUR // MINUTE, "min")
    return _two(seconds // DAY, "d", seconds % DAY // HOUR, "h")


def left(deadline_ms: int, now_ms: int) -> str:
    """`2 h 14 min left`, or `over`. Rounded down: nobody is promised a minute that is not there."""
    seconds = (deadline_ms - now_ms) // 1000
    return f"{span(seconds)} left" if seconds > 0 else "over"


def ago(then_ms: int, now_ms: int) -> str:
    """`41 min ago`, `just now`; empty when the time is not known (0)."""
    if not then_ms:
        return ""
    seconds = (now_ms - then_ms) // 1000
    if seconds < 10:
        return "just now"
    return f"{span(seconds).split(' ')[0]} {span(seconds).split(' ')[1]} ago"


def clock(at_ms: int) -> str:
    """`14:46`."""
    return f"{_at(at_ms):%H:%M}"


def clock_s(at_ms: int) -> str:
    """`14:46:03`."""
    return f"{_at(at_ms):%H:%M:%S}"


def day_clock(at_ms: int, now_ms: int) -> str:
    """`17:00` on the same day, `Thu 3 Dec, 12:00` on another, with the year when that differs."""
    at, now = _at(at_ms), _at(now_ms)
    if at.date() == now.date():
        return clock(at_ms)
    year = "" if at.year == now.year else f" {at.year}"
    return f"{_DAYS[at.weekday()]} {at.day} {_MONTHS[at.month - 1]}{year}, {clock(at_ms)}"


def until(at_ms: int, now_ms: int) -> str:
    """`today 17:00 UTC`, `Thu 3 Dec, 12:00 UTC`."""
    today = "today " if _at(at_ms).date() == _at(now_ms).date() else ""
    return f"{today}{day_clock(at_ms, now_ms)} UTC"


def full(at_ms: int) -> str:
    """`Mon 30 Nov 2026, 17:00 UTC`: for mails, which are read on any day."""
    at = _at(at_ms)
    return f"{_DAYS[at.weekday()]} {at.day} {_MONTHS[at.month - 1]} {at.year}, {clock(at_ms)} UTC"


def field(at_ms: int) -> str:
    """`2026-11-30T17:00`, as a field for a moment holds it."""
    return f"{_at(at_ms):%Y-%m-%dT%H:%M}"


def clock_time(at: time) -> str:
    """`08:00`."""
    return f"{at:%H:%M}"


def iso(at_ms: int) -> str:
    """`2026-11-30T17:00:00Z`, for `<time datetime>`."""
    return f"{_at(at_ms):%Y-%m-%dT%H:%M:%SZ}"


def same_day(one_ms: int, other_ms: int) -> bool:
    """Whether both lie on one day of UTC."""
    return _at(one_ms).date() == _at(other_ms).date()


def number(text: str) -> str:
    """A number as it is read, `1,240.00` for `1240.00`; anything that is not a plain decimal comes back as it is."""
    return numerals.grouped(text)


_WHOSE = {
    "user": "Not trusted: the user's own words, says the agent",
    "tool": "Not trusted: the result of an earlier call, says the agent",
    "retrieved": "Not trusted: a text that was looked up, says the agent",
    "agent": "Not trusted: the agent's own words",
}


def whose(origin: str) -> str:
    """Whose words a piece of evidence is that is not the customer's own system's."""
    return _WHOSE.get(origin, "Not trusted: anybody could have written this")


def many(count: int, one: str, several: str = "") -> str:
    """`1 call`, `1,914 calls`."""
    return f"{number(str(count))} {one if count == 1 else several or one + 's'}"


def which(number: int, several: bool) -> str:
    """`call 2`, or `it` where the pause has no other."""
    return f"call {number}" if several else "it"


def listed(numbers: list[int], one: str) -> str:
    """`call 1`, `calls 1, 3 and 4`."""
    *first, last = map(str, numbers)
    return f"{one}s {', '.join(first)} and {last}" if first else f"{one} {last}"


def _two(large: int, large_unit: str, small: int, small_unit: str) -> str:
    return f"{large} {large_unit} {small} {small_unit}" if small else f"{large} {large_unit}"


def _at(at_ms: int) -> datetime:
    return datetime.fromtimestamp(at_ms / 1000, UTC)
