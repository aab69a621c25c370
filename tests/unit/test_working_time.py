"""Working time, against a slow oracle that looks at every minute: weekends, holidays, both clock changes, odd hours and zones."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from importlib.resources import files
from pathlib import Path
from zoneinfo import ZoneInfo, reset_tzpath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placet.policy.working_time import WEEKDAYS, Day, WorkingHours, is_working, moment_after
from tests.zones import packaged_zones

MINUTE = 60_000
BERLIN = WorkingHours("Europe/Berlin")
# Clock changes on Sundays by an hour, by half an hour, at midnight, and none; days that are not seven hours west of UTC.
ZONES = ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "Asia/Kolkata", "Africa/Cairo")
# Around the changes of 2026, and in between.
DAYS = (date(2026, 3, 6), date(2026, 3, 27), date(2026, 4, 2), date(2026, 4, 22), date(2026, 7, 1), date(2026, 9, 3))
AUTUMN = (date(2026, 10, 2), date(2026, 10, 23), date(2026, 10, 28), date(2026, 10, 30))


def _ms(text: str, zone: str = "Europe/Berlin") -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp()) * 1000


def _counts(at_ms: int, hours: WorkingHours) -> bool:
    """What the clock on the wall shows; written here once more, in other words."""
    wall = datetime.fromtimestamp(at_ms / 1000, ZoneInfo(hours.zone))
    minutes, opens = wall.hour * 60 + wall.minute, hours.opens.hour * 60 + hours.opens.minute
    closes = hours.closes.hour * 60 + hours.closes.minute or 24 * 60
    return wall.isoweekday() - 1 in hours.days and wall.date() not in hours.holidays and opens <= minutes < closes


def oracle(start_ms: int, minutes: int, hours: WorkingHours) -> int:
    """The moment at which so many minutes have counted, one minute at a time."""
    at = start_ms
    while minutes:
        minutes -= _counts(at, hours)
        at += MINUTE
    return at


@st.composite
def hours_of(draw: st.DrawFn) -> WorkingHours:
    opens = draw(st.integers(0, 23 * 60))
    closes = draw(st.one_of(st.just(24 * 60), st.integers(opens + 60, 24 * 60)))
    days = draw(st.frozensets(st.sampled_from(Day), min_size=1))
    holidays = draw(st.frozensets(st.sampled_from([day + timedelta(n) for day in DAYS + AUTUMN for n in range(4)])))
    clock = [time(minute // 60 % 24, minute % 60) for minute in (opens, closes)]
    return WorkingHours(draw(st.sampled_from(ZONES)), clock[0], clock[1], days, holidays)


@settings(max_examples=60, deadline=None)
@given(hours_of(), st.sampled_from(DAYS + AUTUMN), st.integers(0, 5 * 1440), st.integers(1, 240))
def test_as_minute_by_minute(hours: WorkingHours, day: date, offset: int, minutes: int) -> None:
    start = int(datetime.combine(day, time(0), UTC).timestamp()) * 1000 + offset * MINUTE
    assert moment_after(start, 60 * minutes, hours) == oracle(start, minutes, hours)


@settings(max_examples=40, deadline=None)
@given(hours_of(), st.sampled_from(DAYS + AUTUMN), st.integers(0, 10**9), st.integers(0, 10**5), st.integers(0, 10**5))
def test_two_spans_are_one_after_the_other(hours: WorkingHours, day: date, ms: int, one: int, two: int) -> None:
    start = int(datetime.combine(day, time(0), UTC).timestamp()) * 1000 + ms
    halfway = moment_after(start, one, hours)
    assert moment_after(halfway, two, hours) == moment_after(start, one + two, hours) or not one or not two
    assert start <= halfway <= moment_after(start, one + two, hours)


@pytest.mark.parametrize(
    ("start", "hours", "after"),
    [
        ("2026-11-30T14:00", 1, "2026-11-30T15:00"),
        ("2026-11-30T16:00", 1, "2026-11-30T17:00"),  # the end of the day, not the beginning of the next
        ("2026-11-30T16:00", 2, "2026-12-01T10:00"),
        ("2026-12-04T16:30", 1, "2026-12-07T09:30"),  # over a weekend
        ("2026-12-05T11:00", 8, "2026-12-07T17:00"),  # asked on a Saturday
        ("2026-12-24T16:00", 2, "2026-12-28T10:00"),  # Christmas is a holiday here
        ("2026-03-27T16:00", 2, "2026-03-30T10:00"),  # the clock went forward in between
        ("2026-10-23T16:00", 2, "2026-10-26T10:00"),  # and back
    ],
)
def test_a_week_in_berlin(start: str, hours: int, after: str) -> None:
    christmas = WorkingHours("Europe/Berlin", holidays=frozenset({date(2026, 12, 25)}))
    assert moment_after(_ms(start), hours * 3600, christmas) == _ms(after)


def test_a_working_night_has_an_hour_more_or_less_when_the_clock_is_changed() -> None:
    night = WorkingHours("Europe/Berlin", time(1), time(5), frozenset(Day))
    assert moment_after(_ms("2026-03-29T00:00"), 3 * 3600, night) == _ms("2026-03-29T05:00")
    assert moment_after(_ms("2026-10-25T00:00"), 5 * 3600, night) == _ms("2026-10-25T05:00")


def test_without_hours_every_second_counts() -> None:
    assert moment_after(7, 90, None) == 90_007
    assert moment_after(7, 0, BERLIN) == 7


def test_milliseconds_are_kept_within_the_hours() -> None:
    start = _ms("2026-11-30T14:00") + 137
    assert moment_after(start, 60, BERLIN) == start + 60_000
    assert moment_after(_ms("2026-11-30T08:00") + 137, 60, BERLIN) == _ms("2026-11-30T09:01")


def test_holidays_for_ever_end_too() -> None:
    never = WorkingHours("Europe/Berlin", holidays=frozenset(date(2026, 1, 1) + timedelta(n) for n in range(2_000)))
    assert moment_after(_ms("2026-11-30T14:00"), 60, never) == _ms("2029-02-06T00:00")


def test_what_one_working_day_cannot_hold_ends_with_the_last_day_that_is_looked_at() -> None:
    holidays = frozenset(date(2026, 12, 1) + timedelta(n) for n in range(2_000))
    once = WorkingHours("Europe/Berlin", holidays=holidays)
    assert moment_after(_ms("2026-11-30T14:00"), 3 * 3600, once) == _ms("2026-11-30T17:00")
    assert moment_after(_ms("2026-11-30T14:00"), 3 * 3600 + 1, once) == _ms("2029-02-06T00:00")


@pytest.mark.parametrize(
    ("zone", "opens", "closes", "start", "hours", "after"),
    [
        # 02:30 does not come on this day: work begins when the clock jumps to three.
        ("Europe/Berlin", time(2, 30), time(8), "2026-03-29T00:00", 1, "2026-03-29T04:00"),
        ("Europe/Berlin", time(0), time(2, 30), "2026-03-29T00:00", 2, "2026-03-29T03:00"),
        # And here it comes twice, half an hour of work before the clock goes back.
        ("Europe/Berlin", time(2, 30), time(8), "2026-10-25T00:00", 1, "2026-10-25T03:00"),
        ("Europe/Berlin", time(2, 30), time(2, 45), "2026-10-25T00:00", 0.5, "2026-10-25T02:45+01:00"),
        # The clock goes forward at midnight, from Saturday to Sunday: half past twelve does not come, and no minute counts twice.
        ("America/Santiago", time(0, 30), time(0), "2026-09-05T22:00", 3, "2026-09-06T02:00"),
    ],
)
def test_on_the_day_of_a_change_exactly_what_the_clock_shows_counts(
    zone: str, opens: time, closes: time, start: str, hours: float, after: str
) -> None:
    every_day = WorkingHours(zone, opens, closes, frozenset(Day))
    due = datetime.fromisoformat(after)
    expected = int(due.timestamp() * 1000) if due.tzinfo else _ms(after, zone)
    assert moment_after(_ms(start, zone), int(hours * 3600), every_day) == expected


def test_a_midnight_that_comes_twice_ends_its_day_the_first_time() -> None:
    saturdays = WorkingHours("America/Havana", time(20), time(0), frozenset({Day.SATURDAY}))
    start = _ms("2024-11-02T20:00", "America/Havana")  # a year that is over: no release of the zones changes it
    assert moment_after(start, 5 * 3600, saturdays) == _ms("2024-11-09T21:00", "America/Havana")


def test_each_day_is_its_own_day_of_the_week() -> None:
    for offset, day in enumerate(Day):  # the 30th of November 2026 is a Monday
        hours = WorkingHours("Europe/Berlin", days=frozenset({day}))
        noons = [_ms("2026-11-30T12:00") + n * 86_400_000 for n in range(7)]
        assert [is_working(noon, hours) for noon in noons] == [n == offset for n in range(7)]


def test_a_single_second_waits_for_the_hours_too() -> None:
    assert moment_after(_ms("2026-11-30T08:00"), 1, BERLIN) == _ms("2026-11-30T09:00") + 1000


def test_whether_it_is_working_time() -> None:
    assert is_working(_ms("2026-11-30T09:00"), BERLIN)
    assert not is_working(_ms("2026-11-30T17:00"), BERLIN)
    assert not is_working(_ms("2026-11-29T12:00"), BERLIN)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"zone": "Europe/Berlim"}, "zone is the name of a time zone"),
        ({"zone": "Europe"}, "zone is the name of a time zone"),
        ({"zone": "../etc/passwd"}, "zone is the name of a time zone"),
        ({"zone": ""}, "zone is the name of a time zone"),
        ({"zone": None}, "zone is the name of a time zone"),
        ({"opens": "09:00"}, "opens is hours and minutes"),
        ({"opens": time(9, 0, 1)}, "opens is hours and minutes"),
        ({"opens": time(9, tzinfo=UTC)}, "opens is hours and minutes"),
        ({"closes": 17}, "closes is hours and minutes"),
        ({"closes": time(9)}, "closes is 09:00:00, which is not after opens"),
        ({"closes": time(8)}, "closes is 08:00:00, which is not after opens"),
        ({"days": frozenset()}, "days is a set of Day"),
        ({"days": {"monday"}}, "days is a set of Day"),
        ({"days": {0}}, "days is a set of Day"),
        ({"days": "monday"}, "days is a set of Day"),
        ({"holidays": ["2026-12-25"]}, "holidays is a set of date"),
        ({"holidays": frozenset({"2026-12-25"})}, "holidays is a set of date"),
        ({"holidays": frozenset({datetime(2026, 12, 25, tzinfo=UTC)})}, "holidays is a set of date"),
    ],
    ids=repr,
)
def test_hours_that_nobody_can_keep_are_refused(wrong: dict, said: str) -> None:
    with pytest.raises(ValueError, match=f"^working hours: {said}"):
        WorkingHours(**{"zone": "Europe/Berlin", **wrong})


@pytest.mark.parametrize(
    "zone",
    [
        "localtime",
        "posix/Europe/Berlin",
        "right/Europe/Berlin",
        "posixrules",
        "europe/berlin",
        "Europe/Paris",
        "Europe",
    ],
)
def test_a_zone_that_only_this_machine_has_is_none(
    zone: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The machine of the synth knows it, here because its folder of zones has that name; the functions never do."""
    machine = tmp_path / "machine"
    known = machine / zone
    known.parent.mkdir(parents=True)
    with packaged_zones(tmp_path_factory.mktemp("layer")):
        data = files("tzdata").joinpath("zoneinfo", "Europe", "Berlin").read_bytes()
        known.write_bytes(data)
        reset_tzpath([str(machine)])
        try:
            ZoneInfo.no_cache(zone)
            with pytest.raises(ValueError, match="zone is the name of a time zone"):
                WorkingHours(zone)
            berlin = WorkingHours("Europe/Berlin")  # which this machine does not have
            assert moment_after(_ms("2026-10-23T16:00"), 2 * 3600, berlin) == _ms("2026-10-26T10:00")
        finally:
            reset_tzpath()


def test_midnight_is_the_end_of_the_day() -> None:
    late = WorkingHours("Europe/Berlin", time(22), time(0), WEEKDAYS)
    assert moment_after(_ms("2026-12-04T23:00"), 2 * 3600, late) == _ms("2026-12-07T23:00")
