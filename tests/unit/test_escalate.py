"""What a pause's moments do: people are reminded, more people are asked, and what nobody decided ends; never with a yes."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from placet.model.errors import Busy, Conflict, Gone, NotFound
from placet.model.states import CallState, PermitState, Verdict
from placet.policy import Level, Then, WorkingHours
from placet.records.facts import Fact
from placet.service import review
from placet.service.answers import as_resume
from placet.service.course import reminders_in
from placet.service.escalate import escalate
from placet.service.execute import claim
from placet.service.inbox import inbox
from placet.service.notify import notify
from placet.service.sweep import GRACE_MS, sweep
from tests.gateway import DELETE, REFUND, SUPPORT, Gateway
from tests.unit.levels import HOUR, LEVELS, at, carried, moments


def test_the_moments_stand_in_the_record_when_it_becomes_visible(house: Gateway) -> None:
    captured = house.capture(REFUND).head
    assert captured.calls[0].levels_ms == captured.calls[0].remind_ms == ()
    house.clock.move(HOUR)
    head = house.show(captured)
    call = head.calls[0]
    began = head.notified_ms
    assert began > captured.captured_ms
    assert [at - began for at in call.levels_ms] == [2 * HOUR * 1000, 3 * HOUR * 1000]
    assert [at - began for at in call.remind_ms] == [HOUR * 1000, 2 * HOUR * 1000]
    assert call.deadline_ms - began == 4 * HOUR * 1000
    assert head.wsk == house.timers.moments[head.pause] == began + HOUR * 1000


def test_reminded_widened_and_over_in_order(house: Gateway) -> None:
    head = house.shown(REFUND)
    assert at(house, head, HOUR - 1, "early") == []
    assert moments(house, head) == [HOUR]
    assert at(house, head, HOUR, "reminded") == ["jonas reminded", "maria reminded"]
    assert moments(house, head) == [2 * HOUR]
    assert house.head(head.pause).level == 0
    # A reminder and a level are due at once: whoever is asked by then is mailed, each once.
    assert at(house, head, 2 * HOUR, "widened") == ["jonas reminded", "lea reminded", "maria reminded"]
    assert moments(house, head) == [3 * HOUR]
    now = house.head(head.pause)
    assert (now.level, now.wpk, now.calls[0].level) == (1, house.keys.queue("money-out", 1), 1)
    assert at(house, head, 3 * HOUR, "widened") == ["bea widened"]
    assert moments(house, head) == [4 * HOUR]
    assert at(house, head, 4 * HOUR, "expired") == []
    closed = house.head(head.pause)
    assert (closed.calls[0].state, closed.open_calls) == (CallState.EXPIRED, 0)
    assert not closed.mails_missed
    assert not closed.mails_why


def test_a_timer_that_comes_twice_or_late_does_nothing_twice(house: Gateway) -> None:
    head = house.shown(REFUND)
    assert len(at(house, head, HOUR, "reminded")) == 2
    assert at(house, head, HOUR, "early") == []
    assert at(house, head, HOUR + 1, "early") == []
    assert len(at(house, head, 2 * HOUR, "widened")) == 3
    assert at(house, head, 2 * HOUR, "early") == []


def test_what_is_due_together_is_told_once(house: Gateway) -> None:
    head = house.shown(REFUND)
    assert at(house, head, 3 * HOUR + 60, "widened") == [
        "bea reminded",
        "jonas reminded",
        "lea reminded",
        "maria reminded",
    ]
    now = house.head(head.pause).calls[0]
    assert (now.level, now.reminded) == (2, 2)


def test_a_page_tells_when_people_were_reminded_and_about_which_calls(house: Gateway) -> None:
    head = house.shown(REFUND)
    assert review.detail(house.ports, house.maria, head.pause).reminded == ()
    at(house, head, HOUR, "reminded")
    shown = review.detail(house.ports, house.maria, head.pause)
    assert shown.reminded == ((head.notified_ms + HOUR * 1000, (1,)),)
    assert (shown.calls[0].remind_ms - head.notified_ms, shown.calls[0].asked[0].at_ms) == (
        2 * HOUR * 1000,
        head.notified_ms,
    )


def test_a_reminder_that_nobody_was_to_get_is_not_told() -> None:
    told = [
        Fact("reminded", 7, calls=(2, 3), people=1),
        Fact("reminded", 5, calls=(1,), people=0),
        Fact("widened", 6, calls=(1,), people=2),
        Fact("reminded", 3, calls=(1,), people=4),
    ]
    assert reminders_in(told) == ((3, (1,)), (7, (2, 3)))


def test_who_has_agreed_is_not_reminded(house: Gateway) -> None:
    house.with_policy(quorum=2)
    head = house.shown(REFUND)
    house.decide(head, 1, Verdict.ACCEPT)
    assert at(house, head, HOUR, "reminded") == ["jonas reminded"]


def test_a_later_level_may_decide_once_it_is_reached(house: Gateway) -> None:
    head = house.shown(REFUND)
    lea = house.person("lea", "Lea Lang", "leads")
    assert inbox(house.ports, lea).rows == ()
    with pytest.raises(NotFound):
        house.decide(head, 1, Verdict.ACCEPT, lea)
    at(house, head, 2 * HOUR, "widened")
    assert [row.pause for row in inbox(house.ports, lea).rows] == [head.pause]
    assert [row.pause for row in inbox(house.ports, house.maria).rows] == [head.pause]
    house.decide(house.head(head.pause), 1, Verdict.ACCEPT, lea)


def test_each_call_has_its_own_level(house: Gateway) -> None:
    """Of two classes one is widened: its people may decide its call, and not the other's."""
    general = replace(house.policy.classes["general"], levels=(Level(("approvers",)), Level(("leads",), 20 * HOUR)))
    house.policy = replace(house.policy, classes={**house.policy.classes, "general": general})
    head = house.shown(REFUND, DELETE)
    lea = house.person("lea", "Lea Lang", "leads")
    at(house, head, 2 * HOUR, "widened")
    now = house.head(head.pause)
    assert [call.level for call in now.calls] == [1, 0]
    with pytest.raises(NotFound):
        house.decide(now, 2, Verdict.ACCEPT, lea)
    assert [call.may_decide for call in review.detail(house.ports, lea, head.pause).calls] == [True, False]
    house.decide(now, 1, Verdict.ACCEPT, lea)
    left = house.head(head.pause)
    assert (left.level, left.wpk) == (0, house.keys.queue("general", 0))


def test_a_call_that_is_asked_for_again_moves_nobody_elses_moments(house: Gateway) -> None:
    head = house.shown(REFUND, DELETE)
    house.decide(head, 1, Verdict.ACCEPT)
    sibling = house.head(head.pause).calls[1]
    house.clock.move(25 * HOUR)
    house.table.items[house.keys.head(head.pause)]["calls"]["2"]["deadline_ms"] += 48 * HOUR * 1000
    sibling = house.head(head.pause).calls[1]
    with pytest.raises(Conflict):
        claim(house.ports, SUPPORT, f"{head.pause}-1", head.calls[0].digest, "w")
    notify(house.ports, head.pause, 2, "token 2")
    again = house.head(head.pause)
    assert again.calls[1] == sibling
    first = again.calls[0]
    assert (first.level, first.reminded, first.round) == (0, 0, 2)
    assert first.remind_ms[0] == again.notified_ms + HOUR * 1000


def test_a_deploy_moves_nobodys_moments(house: Gateway) -> None:
    head = house.shown(REFUND)
    house.with_policy(levels=LEVELS[:1], remind_after_s=(60,), deadline_s=2 * HOUR)
    assert at(house, head, 90, "early") == []
    assert len(at(house, head, HOUR, "reminded")) == 2
    assert at(house, head, 2 * HOUR, "widened") == ["jonas reminded", "maria reminded"]  # the level has nobody any more
    assert at(house, head, 3 * HOUR + 1, "widened") == []
    assert house.head(head.pause).deadline_ms == head.deadline_ms
    assert at(house, head, 4 * HOUR, "expired") == []


def test_a_record_without_a_plan_has_its_deadline(house: Gateway) -> None:
    """As every release before wrote it."""
    head = house.shown(REFUND)
    call = house.table.items[house.keys.head(head.pause)]["calls"]["1"]
    for name in ("levels_ms", "remind_ms"):
        del call[name]
    assert at(house, head, 3 * HOUR, "early") == []
    assert moments(house, head) == [4 * HOUR]
    assert at(house, head, 4 * HOUR, "expired") == []


@pytest.mark.parametrize(("seconds", "mails"), [(HOUR, 2), (2 * HOUR, 3), (3 * HOUR, 4)])
def test_a_lost_timer_costs_two_minutes(house: Gateway, seconds: int, mails: int) -> None:
    head = house.shown(REFUND)
    house.mail.sent.clear()
    house.clock.at_ms = head.notified_ms + 1000 * seconds
    sweep(house.ports)
    if seconds == HOUR:  # the first moment is not lost yet: a timer may be a minute late
        assert house.verbs.called == []
        house.clock.at_ms += GRACE_MS
        sweep(house.ports)
    assert [verb for verb, _ in house.verbs.called] == ["escalate"]
    carried(house)
    assert len(house.mail.sent) == mails


def test_mails_that_were_not_sent_the_sweep_has_sent_and_nobody_gets_two(house: Gateway) -> None:
    head = house.shown(REFUND)
    house.mail.sent.clear()
    house.clock.at_ms = head.notified_ms + HOUR * 1000

    def busy(verb: str, payload: dict) -> None:
        raise Busy

    real, house.verbs.call = house.verbs.call, busy  # type: ignore[method-assign]
    assert escalate(house.ports, head.pause) == "reminded"
    house.verbs.call = real  # type: ignore[method-assign]
    assert moments(house, head) == [2 * HOUR]  # the timer is set all the same
    assert ("mail_later", {"pause": head.pause, "code": "busy"}) in house.log
    house.clock.move(60)
    assert sweep(house.ports).mailed == 1
    carried(house)
    house.clock.move(60)
    sweep(house.ports)
    carried(house)
    assert sorted(note.to_email for note in house.mail.sent) == ["jonas@example.com", "maria@example.com"]


def test_a_rule_may_reject_and_says_so(house: Gateway) -> None:
    house.with_policy(then=Then.REJECT)
    head = house.shown(REFUND)
    assert house.head(head.pause).calls[0].then == "reject"
    house.with_policy(then=Then.EXPIRE)  # a deploy changes nothing of what waits
    assert at(house, head, 4 * HOUR, "expired") == []
    closed = house.head(head.pause)
    assert (closed.calls[0].state, closed.calls[0].permit) == (CallState.REJECTED, PermitState.NONE)
    (told,) = as_resume(house.ports, closed)["calls"]
    assert (told["state"], told["decided_by"], told["by_rule"]) == ("rejected", None, True)
    assert "no person said no" in told["reason"]
    assert told["native"]["message"] == told["reason"]
    with pytest.raises(Gone):
        house.decide(head, 1, Verdict.REJECT)


def test_of_two_calls_one_expires_and_one_is_rejected(house: Gateway) -> None:
    house.with_policy(then=Then.REJECT, deadline_s=24 * HOUR)
    head = house.shown(REFUND, DELETE)
    assert at(house, head, 24 * HOUR, "expired") == []
    closed = house.head(head.pause)
    assert [call.state for call in closed.calls] == [CallState.REJECTED, CallState.EXPIRED]
    told = as_resume(house.ports, closed)["calls"]
    assert [one.get("by_rule") for one in told] == [True, None]
    assert [call.decided.by_rule for call in review.detail(house.ports, house.maria, head.pause).calls] == [True, False]


def _berlin(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo("Europe/Berlin")).timestamp()) * 1000


def test_working_hours_count_and_the_clock_bounds_them(house: Gateway) -> None:
    house.with_policy(hours=WorkingHours("Europe/Berlin"))
    house.clock.at_ms = _berlin("2026-12-04T16:00") - 1  # a Friday
    call = house.shown(REFUND).calls[0]
    assert call.remind_ms == (_berlin("2026-12-04T17:00"), _berlin("2026-12-07T10:00"))
    assert call.levels_ms == (_berlin("2026-12-07T10:00"), _berlin("2026-12-07T11:00"))
    assert call.deadline_ms == _berlin("2026-12-07T12:00")
    house.clock.at_ms = _berlin("2026-12-04T16:00") - 1
    soon = house.shown(REFUND, checkpoint="cp-2", wait_at_most_s=2 * HOUR).calls[0]
    assert soon.deadline_ms == _berlin("2026-12-04T18:00")  # the run keeps no longer, whatever the class counts
    assert (len(soon.remind_ms), soon.levels_ms) == (1, ())
