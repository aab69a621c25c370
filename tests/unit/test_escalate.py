"""What a pause's moments do: people are reminded, more people are asked, and what nobody decided ends; never with a yes."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from placet.model.errors import Busy, Conflict, Gone, NotFound
from placet.model.states import CallState, PermitState, Verdict
from placet.policy import Level, Then, WorkingHours
from placet.records.heads import Head
from placet.records.ops import Delete
from placet.service import operate, review
from placet.service.answers import as_resume
from placet.service.escalate import escalate
from placet.service.execute import claim
from placet.service.inbox import inbox
from placet.service.notify import mail_again, notify
from placet.service.sweep import GRACE_MS, sweep
from tests.gateway import DELETE, REFUND, SMALL, SUPPORT, Gateway

HOUR = 3_600
LEVELS = (Level(("finance",)), Level(("leads",), 2 * HOUR), Level(("board",), 3 * HOUR))


@pytest.fixture
def house(gateway: Gateway) -> Gateway:
    """Three levels and two reminders, and people for each level."""
    gateway.person("lea", "Lea Lang", "leads")
    gateway.person("bea", "Bea Baum", "board")
    gateway.with_policy(levels=LEVELS, remind_after_s=(HOUR, 2 * HOUR))
    return gateway


def leave(gateway: Gateway, group: str, *subs: str) -> None:
    for sub in subs:
        keys = (gateway.keys.member(sub, group), gateway.keys.group_member(group, sub))
        gateway.table.write([Delete(key) for key in keys])


def carried(gateway: Gateway) -> None:
    """What the verbs asked each other for is done."""
    while gateway.verbs.called:
        verb, payload = gateway.verbs.called.pop(0)
        {"notify": mail_again, "escalate": escalate}[verb](gateway.ports, payload["pause"])


def at(gateway: Gateway, head: Head, seconds: int, result: str) -> list[str]:
    """The timer fires so long after the pause became visible; who is mailed then, with why."""
    gateway.clock.at_ms = head.notified_ms + 1000 * seconds
    gateway.mail.sent.clear()
    assert escalate(gateway.ports, head.pause) == result
    carried(gateway)
    return sorted(f"{note.to_email.partition('@')[0]} {note.why}" for note in gateway.mail.sent)


def moments(gateway: Gateway, head: Head) -> list[int]:
    return [(moment - head.notified_ms) // 1000 for moment in gateway.timers.moments.values()]


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


# --- nobody left to ask ------------------------------------------------------------------------------------------------


def stuck(gateway: Gateway) -> dict[str, str]:
    return {one.pause: one.reason for one in operate.stuck(gateway.ports)}


def test_an_empty_group_is_passed_at_once(house: Gateway) -> None:
    leave(house, "finance", "maria", "jonas")
    head = house.shown(REFUND)
    assert (head.calls[0].level, head.level) == (1, 1)
    assert [note.to_email for note in house.mail.sent] == ["lea@example.com"]
    assert stuck(house) == {}
    # The later levels come at their moments.
    assert at(house, head, 2 * HOUR, "reminded") == ["lea reminded"]
    assert at(house, head, 3 * HOUR, "widened") == ["bea widened"]


@pytest.mark.parametrize(("requester", "quorum"), [("maria@example.com", 1), ("elif@example.com", 2)])
def test_a_group_of_the_requester_or_of_one_for_two_is_passed(house: Gateway, requester: str, quorum: int) -> None:
    leave(house, "finance", "jonas")
    house.with_policy(quorum=quorum)
    head = house.shown(REFUND, requester=requester)
    assert head.calls[0].level == quorum - 1 or requester == "maria@example.com"
    assert head.calls[0].level == 1
    expected = {"lea@example.com"} | ({"maria@example.com"} if quorum == 2 else set())
    assert {note.to_email for note in house.mail.sent} == expected


@pytest.mark.parametrize(
    ("people", "quorum", "reason"), [((), 1, "group_empty"), (("maria",), 2, "too_few_people"), ((), 2, "group_empty")]
)
def test_nobody_left_anywhere_is_listed_once_with_its_reason(
    gateway: Gateway, people: tuple[str, ...], quorum: int, reason: str
) -> None:
    gateway.with_policy(levels=(Level(("finance",)), Level(("leads",), HOUR)), quorum=quorum, remind_after_s=(HOUR,))
    leave(gateway, "finance", *({"maria", "jonas"} - {*people}))
    head = gateway.shown(REFUND)
    assert stuck(gateway) == {head.pause: reason}
    for _ in range(70):
        gateway.clock.move(60)
        sweep(gateway.ports)
        carried(gateway)
    assert [facts for name, facts in gateway.log if name == "stuck"] == [{"pause": head.pause, "reason": reason}]
    with pytest.raises(Conflict) as caught:
        operate.repair(gateway.ports, "ops", head.pause)
    assert (caught.value.code, caught.value.members) == (reason, {"groups": ["finance", "leads"]})
    assert gateway.head(head.pause).calls[0].level == 0
    # Somebody comes: it stands before them again, and the reminder that nobody could get is not sent on top of that.
    gateway.person("lea", "Lea Lang", "leads")
    gateway.person("tom", "Tom Tal", "leads")
    gateway.mail.sent.clear()
    for _ in range(4):
        sweep(gateway.ports)
        carried(gateway)
        gateway.clock.move(60)
    assert stuck(gateway) == {}
    assert {note.to_email.partition("@")[0] for note in gateway.mail.sent} == {"lea", "tom", *people}
    assert len(gateway.mail.sent) == 2 + len(people)
    gateway.clock.move(600)
    assert escalate(gateway.ports, head.pause) == "early"


def test_its_deadline_ends_what_nobody_could_decide(gateway: Gateway) -> None:
    gateway.with_policy(remind_after_s=(HOUR,))
    leave(gateway, "finance", "maria", "jonas")
    head = gateway.shown(REFUND)
    assert gateway.timers.moments == {head.pause: head.deadline_ms}
    gateway.clock.at_ms = head.deadline_ms
    assert escalate(gateway.ports, head.pause) == "expired"


def test_who_leaves_later_is_found_by_the_sweep(house: Gateway) -> None:
    head = house.shown(REFUND)
    house.clock.move(60)
    leave(house, "finance", "maria", "jonas")
    house.mail.sent.clear()
    sweep(house.ports)
    carried(house)
    now = house.head(head.pause)
    assert (now.calls[0].level, now.wpk) == (1, house.keys.queue("money-out", 1))
    assert [(note.to_email, note.why) for note in house.mail.sent] == [("lea@example.com", "widened")]
    leave(house, "leads", "lea")
    leave(house, "board", "bea")
    sweep(house.ports)
    carried(house)
    assert house.head(head.pause).calls[0].level == 1  # asking nobody is no widening
    assert stuck(house) == {head.pause: "group_empty"}


def test_a_call_that_somebody_can_decide_stays_before_them(house: Gateway) -> None:
    house.with_policy(levels=LEVELS[:1])
    head = house.shown(REFUND, DELETE)
    leave(house, "finance", "maria", "jonas")
    for _ in range(3):
        sweep(house.ports)
        carried(house)
    assert stuck(house) == {}
    assert [row.pause for row in inbox(house.ports, house.maria).rows] == [head.pause]
    house.decide(house.head(head.pause), 2, Verdict.REJECT)
    sweep(house.ports)
    assert stuck(house) == {head.pause: "group_empty"}


def test_beside_what_passed_a_claim_and_a_reminder_do_not_disturb_each_other(house: Gateway) -> None:
    head = house.shown(SMALL, REFUND)
    house.clock.move(HOUR - 60)
    claim(house.ports, SUPPORT, f"{head.pause}-1", head.calls[0].digest, "w")
    assert at(house, head, HOUR, "reminded") == ["jonas reminded", "maria reminded"]
    assert moments(house, head) == [2 * HOUR]
