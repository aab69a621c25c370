"""What is read at the edge of a bound or of a day: of which a change would be noticed nowhere else."""

from __future__ import annotations

import pytest

from placet.model.absences import Absence
from placet.model.errors import Conflict
from placet.model.pauses import Reviewer, call_id
from placet.model.states import Verdict
from placet.policy import Level
from placet.records import writes
from placet.records.ops import Delete
from placet.service import badges, members, people
from placet.service.bounces import bounce, mailbox_of
from placet.service.bounds import _open
from placet.service.extend import extend
from placet.service.reassign import MOST_HANDED, reassign
from placet.service.status import status
from placet.service.sweep import sweep
from tests.gateway import DELETE, REFUND, SUPPORT, Gateway
from tests.unit.leaving import leave
from tests.unit.more_time import HOUR, more


def test_more_time_for_another_reason_is_no_answer_to_the_first(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    more(gateway, head)
    with pytest.raises(Conflict) as refused:
        extend(gateway.ports, gateway.maria, call_id(head.pause, 1), head.deadline_ms + HOUR, "Another reason.")
    assert refused.value.code == "deadline_not_later"


def test_a_badge_remembers_the_newest_sessions() -> None:
    known: dict[str, int] = {}
    for number in range(badges.MOST_SESSIONS + 3):
        known = badges._newest(known, f"session-{number}", 1_000 + number, now_ms=1_000)
    assert set(known) == {f"session-{number}" for number in range(3, badges.MOST_SESSIONS + 3)}
    assert badges._newest(known, "", 0, now_ms=1_000 + badges.MOST_SESSIONS + 1) == {"session-18": 1_018}


def test_a_mail_that_comes_back_marks_whichever_address_of_theirs_it_went_to(gateway: Gateway) -> None:
    people.enter(gateway.ports, "op", ["finance"], Reviewer("maria", "Maria Keller", "m.keller@example.com"))
    assert {"maria@example.com", "m.keller@example.com"} <= members.reviewer(gateway.ports, "maria").addresses
    for address in ("m.keller@example.com", "maria@example.com"):
        told = {
            "eventType": "Complaint",
            "mail": {"destination": [address], "tags": {"placet-person": ["maria"]}},
        }
        assert bounce(gateway.ports, told) == "complained"
        assert mailbox_of(gateway.ports, "maria").address == address


def test_nobody_stands_in_by_a_way_over_somebody_who_left(gateway: Gateway) -> None:
    olga, dee = gateway.person("olga", "Olga", "gardeners"), gateway.person("dee", "Dee", "gardeners")
    leave(gateway, gateway.jonas, olga)
    leave(gateway, olga, dee)
    gateway.shown(REFUND)
    assert "dee" in [note.to for note in gateway.mail.sent]
    gateway.table.write([Delete(gateway.keys.member("olga", "gardeners"))])
    gateway.clock.move(301)
    gateway.mail.sent.clear()
    gateway.shown(REFUND, checkpoint="cp-2")
    assert [note.to for note in gateway.mail.sent] == ["maria"]


def test_at_its_bound_a_call_is_still_handed_to_whom_it_was_handed_to(gateway: Gateway) -> None:
    gateway.with_policy(levels=(Level(("finance",)), Level(("board",), 3_600)))
    for number in range(MOST_HANDED + 1):
        gateway.person(f"b{number:02}", f"B {number}", "board")
    head = gateway.shown(REFUND)
    at = call_id(head.pause, 1)
    for number in range(MOST_HANDED):
        reassign(gateway.ports, gateway.maria, at, to=f"b{number:02}")
    assert reassign(gateway.ports, gateway.maria, at, to="b00").replayed
    with pytest.raises(Conflict) as refused:
        reassign(gateway.ports, gateway.maria, at, to=f"b{MOST_HANDED:02}")
    assert refused.value.code == "reassign_too_often"


def test_a_sweep_sees_that_nobody_is_left_of_three_of_whom_two_may_not(gateway: Gateway) -> None:
    """Quorum two, and three people: the owner of the agent and the requester among them leave one."""
    gateway.with_policy(quorum=2)
    gateway.person("elif", "Elif Demir", "finance")
    people.enter(gateway.ports, "op", ["finance"], Reviewer("olaf", "Olaf Owner", SUPPORT.owner))
    head = gateway.shown(REFUND, requester="elif@example.com")
    assert not head.stuck
    keys = (gateway.keys.member("jonas", "finance"), gateway.keys.group_member("finance", "jonas"))
    gateway.table.write([Delete(key) for key in keys])
    gateway.clock.move(61)
    sweep(gateway.ports)
    assert gateway.head(head.pause).stuck == "too_few_people"


def test_a_pause_is_decided_by_the_deadline_of_its_last_call(gateway: Gateway) -> None:
    head = gateway.shown(REFUND, DELETE)
    more(gateway, head)
    now = gateway.head(head.pause)
    first, second = (call.deadline_ms for call in now.calls)
    assert first != second
    assert now.deadline_ms == min(first, second)
    assert status(gateway.ports, SUPPORT, head.pause).until_ms == max(first, second)


def test_what_a_person_proposes_takes_no_room_of_its_agent() -> None:
    gateway = Gateway()  # whose lists do not lag: an entry is changed here behind its head
    head = gateway.shown(REFUND)
    assert _open(gateway.ports, SUPPORT.name, ["money-out"]) == {"money-out": 1}
    key = gateway.keys.head(head.pause)
    item = gateway.table.items[key]
    for framework, found in (("placet", 0), ("", 1)):
        gateway.table.items[key] = {**item, "card": {**item["card"], "framework": framework}}
        assert _open(gateway.ports, SUPPORT.name, ["money-out"]) == {"money-out": found}


def test_reminders_that_were_due_while_nobody_was_there_are_over(gateway: Gateway) -> None:
    gateway.with_policy(remind_after_s=(1_800, 3_600), deadline_s=4 * 3_600)
    head = gateway.shown(REFUND)
    for who in (gateway.jonas, gateway.maria):
        leave(gateway, who, None)
    gateway.clock.move(61)
    sweep(gateway.ports)
    assert gateway.head(head.pause).stuck == "group_empty"
    gateway.clock.move(2_000)
    gateway.person("fritz", "Fritz Ahn", "finance")
    sweep(gateway.ports)
    now = gateway.head(head.pause)
    assert (now.stuck, now.calls[0].reminded) == ("", 1)


def test_an_absence_is_read_as_it_was_written(gateway: Gateway) -> None:
    now = gateway.clock.now_ms()
    one = Absence("jonas", "Jonas Weber", now, now + HOUR, "", "", "jonas")
    gateway.table.write(writes.put_absence(gateway.keys, one, now))
    head = gateway.shown(REFUND)
    assert [note.to for note in gateway.mail.sent] == ["maria"]
    gateway.decide(head, 1, Verdict.REJECT, gateway.jonas, reason="who is away may still decide")
