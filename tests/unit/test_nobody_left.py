"""A level of which nobody is left to ask is passed; with nobody left at all, the pause is listed and its deadline still ends it."""

from __future__ import annotations

import pytest

from placet.model.errors import Conflict
from placet.model.states import Verdict
from placet.policy import Level
from placet.records.ops import Delete
from placet.service import operate
from placet.service.escalate import escalate
from placet.service.execute import claim
from placet.service.inbox import inbox
from placet.service.sweep import sweep
from tests.gateway import DELETE, REFUND, SMALL, SUPPORT, Gateway
from tests.unit.levels import HOUR, LEVELS, at, carried, moments


def leave(gateway: Gateway, group: str, *subs: str) -> None:
    for sub in subs:
        keys = (gateway.keys.member(sub, group), gateway.keys.group_member(group, sub))
        gateway.table.write([Delete(key) for key in keys])


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
