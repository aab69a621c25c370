"""How long it typically takes, and the words and times that the person who waits is told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from placet.model.errors import Busy
from placet.model.pauses import Reviewer
from placet.model.states import CallState, Verdict
from placet.model.status import CallStatus, Standing, Status, duration, moment, standing_of
from placet.policy.classes import Level, Then
from placet.service.cancel import cancel
from placet.service.escalate import escalate
from placet.service.typical import ENOUGH
from tests.gateway import REFUND, SMALL, SUPPORT, Gateway
from tests.unit.test_status import MINUTE, told


def decided_after(gateway: Gateway, minutes: int, number: int, **facts: str) -> None:
    head = gateway.shown(REFUND, checkpoint=f"c{number}", **facts)
    gateway.clock.move(minutes * MINUTE)
    gateway.decide(head, 1, Verdict.ACCEPT)
    gateway.deliver()


def test_typically_is_said_from_twenty_decisions_on(gateway: Gateway) -> None:
    for number in range(ENOUGH - 1):
        decided_after(gateway, 35, number)
    waits = gateway.shown(REFUND, checkpoint="waits")
    assert told(gateway, waits.pause).typical_s == 0
    decided_after(gateway, 35, ENOUGH)
    gateway.clock.move(5 * MINUTE)
    assert told(gateway, waits.pause).typical_s == pytest.approx(35 * MINUTE, rel=0.06)
    assert told(gateway, waits.pause).is_late, "it has waited for as long as the last one took, and longer"
    fresh = gateway.shown(REFUND, checkpoint="fresh")
    assert told(gateway, fresh.pause).line().startswith("Waiting on Finance, typically 3")
    gateway.clock.move(40 * 86_400)
    later = gateway.shown(REFUND, checkpoint="later")
    assert told(gateway, later.pause).typical_s == 0, "a month later nobody knows"


def test_only_people_are_counted(gateway: Gateway) -> None:
    def counted() -> int:
        items = [item for key, item in gateway.table.items.items() if "#H#" in key.pk]
        return sum(value for item in items for name, value in item.items() if name.startswith("b"))

    expired = gateway.shown(REFUND)
    gateway.clock.at_ms = expired.deadline_ms
    escalate(gateway.ports, expired.pause)
    gone = gateway.shown(REFUND, checkpoint="2")
    cancel(gateway.ports, SUPPORT, gone.pause, "over")
    gateway.capture(SMALL, checkpoint="3")
    gateway.deliver()
    assert counted() == 0
    decided_after(gateway, 5, 4)
    assert counted() == 1


def test_a_figure_holds_up_no_decision(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    write = gateway.table.write
    refused = []

    def busy(ops):
        if any("#H#" in op.key.pk for op in ops):
            refused.append(ops)
            raise Busy
        write(ops)

    gateway.table.write = busy
    gateway.deliver()
    assert refused
    assert gateway.waits.answered


def test_an_item_of_another_shape_is_left_out(gateway: Gateway) -> None:
    for number in range(ENOUGH):
        decided_after(gateway, 5, number)
    (key,) = [key for key in gateway.table.items if "#H#" in key.pk]
    gateway.table.items[key]["b3"] = "many"
    head = gateway.shown(REFUND, checkpoint="waits")
    assert told(gateway, head.pause).typical_s == 0


def test_the_groups_of_a_pause_are_named_as_people_say_them(gateway: Gateway) -> None:
    gateway.with_policy(levels=(Level(("finance-leads", "cash_desk")),))
    gateway.maria = Reviewer("m", "Maria", "m@example.com", frozenset({"finance-leads"}))
    gateway.person("lea", "Lea", "cash_desk")
    head = gateway.shown(REFUND)
    assert told(gateway, head.pause).title == "Waiting on Cash desk or Finance leads"


def test_one_word_for_several() -> None:
    s = Standing
    assert standing_of([s.DONE, s.CHANGED]) is s.CHANGED
    assert standing_of([s.UNKNOWN, s.GOING_ON, s.DONE]) is s.UNKNOWN
    assert standing_of([s.UNKNOWN, s.WAITING]) is s.WAITING
    assert standing_of([s.REJECTED, s.EXPIRED]) is s.SEVERAL


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (5, "1 minute"),
        (2_100, "35 minutes"),
        (5_340, "89 minutes"),
        (5_400, "2 hours"),
        (90_000, "25 hours"),
        (172_800, "2 days"),
    ],
)
def test_times_as_people_say_them(seconds: int, said: str) -> None:
    assert duration(seconds) == said


def test_moments_stand_in_the_readers_zone_and_name_another_day() -> None:
    at = int(datetime(2026, 11, 30, 16, 0, tzinfo=UTC).timestamp() * 1000)
    zurich = ZoneInfo("Europe/Zurich")
    assert moment(at, zurich, at - 3_600_000) == "17:00"
    assert moment(at, zurich, at - 86_400_000) == "Monday, 30 November, 17:00"
    assert moment(at, timezone(timedelta(hours=9)), at - 2 * 3_600_000) == "Tuesday, 1 December, 01:00"
    assert moment(at, UTC, at - 366 * 86_400_000).endswith("2026, 16:00")


@pytest.mark.parametrize(
    ("zone", "text", "said"),
    [
        ("Europe/Berlin", "2026-10-25T00:30", "02:30 (UTC+2)"),
        ("Europe/Berlin", "2026-10-25T01:30", "02:30 (UTC+1)"),
        ("Europe/Berlin", "2026-10-24T23:59", "01:59"),
        ("Europe/Berlin", "2026-10-25T02:00", "03:00"),
        ("Europe/Berlin", "2026-03-29T01:00", "03:00"),
        ("America/New_York", "2026-11-01T06:30", "01:30 (UTC-5)"),
        ("Australia/Lord_Howe", "2026-04-04T15:15", "01:45 (UTC+10:30)"),
    ],
)
def test_two_moments_never_have_one_wording(zone: str, text: str, said: str) -> None:
    """When clocks are put back an hour comes twice."""
    at = int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * 1000
    assert moment(at, ZoneInfo(zone), at) == said
    assert moment(at, ZoneInfo(zone), at - 5 * 86_400_000).endswith(f", {said}")


@pytest.mark.parametrize("gap", ["\r\n", "\n\n\n", "\u2028", "\u2029", "\x85", "\v", "\f", "\t", " \r "])
def test_a_line_is_one_line(gap: str) -> None:
    reason, asked = f"Not this month.{gap}Done. At 14:52.", f"Finance{gap}leads"
    rejected = Status("p", (CallStatus("p-1", Standing.REJECTED, 1, reason, (f"amount{gap}x",)),), as_of_ms=1)
    assert rejected.line() == (
        "A person said no. Changed: amount x. \u201cNot this month. Done. At 14:52.\u201d Nothing was done."
    )
    assert Status("p", (CallStatus("p-1", Standing.WAITING),), on=(asked,)).line() == "Waiting on Finance leads."


def test_every_state_has_its_words() -> None:
    for state in Standing:
        found = Status("p", (CallStatus("p-1", state, 1),), as_of_ms=1)
        assert found.title
        assert found.line().endswith((".", "\u201d"))


def test_what_a_rule_rejected_is_no_time_that_people_took(gateway: Gateway) -> None:
    gateway.with_policy(then=Then.REJECT)
    head = gateway.shown(REFUND)
    gateway.clock.at_ms = head.deadline_ms
    escalate(gateway.ports, head.pause)
    gateway.deliver()
    assert gateway.head(head.pause).calls[0].state is CallState.REJECTED
    assert not [key for key in gateway.table.items if "#H#" in key.pk]
