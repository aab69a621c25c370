"""extend beside other calls, mails that are owed and calls that are asked for again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from placet.model.errors import Conflict
from placet.model.pauses import call_id
from placet.model.states import CallState, Verdict
from placet.records import writes
from placet.records.heads import Head
from placet.records.ops import Op
from placet.service import operate
from placet.service.extend import extend
from placet.service.notify import mail_again, notify
from placet.service.reassign import reassign
from placet.service.sweep import sweep
from placet.service.undo import undo
from tests.gateway import DELETE, REFUND, Gateway
from tests.unit.more_time import DAY, HOUR, claimed, more, refused


def test_a_listed_pause_keeps_its_place_and_its_age(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.table.write(writes.list_stuck(gateway.keys, head, "wait_failed", gateway.clock.now_ms()))
    listed = gateway.head(head.pause)
    more(gateway, listed)
    now = gateway.head(head.pause)
    assert (now.wpk, now.wsk, now.stuck) == (listed.wpk, listed.wsk, listed.stuck)
    assert now.deadline_ms == head.deadline_ms + HOUR


def test_what_is_still_to_be_mailed_is_mailed_as_soon(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.table.items[gateway.keys.head(head.pause)] |= {
        "mails_missed": ["jonas"],
        "wsk": head.lane + gateway.clock.now_ms() + 60_000,
    }
    more(gateway, gateway.head(head.pause))
    assert gateway.head(head.pause).stands == head.lane + gateway.clock.now_ms() + 60_000


def test_of_several_calls_one_is_given_time_and_the_pause_stands_by_the_nearest(gateway: Gateway) -> None:
    head = gateway.shown(REFUND, DELETE)
    beyond = head.calls[1].deadline_ms - head.calls[0].deadline_ms + HOUR
    more(gateway, head, beyond)
    now = gateway.head(head.pause)
    assert [call.deadline_ms for call in now.calls] == [head.calls[1].deadline_ms + HOUR, head.calls[1].deadline_ms]
    assert now.deadline_ms == now.wsk == head.calls[1].deadline_ms


def meanwhile(gateway: Gateway, action: Callable[[], object]) -> None:
    """`action` happens between the read and the next write."""
    write = gateway.table.write

    def once(ops: list[Op]) -> None:
        gateway.table.write = write  # type: ignore[method-assign]
        action()
        write(ops)

    gateway.table.write = once  # type: ignore[method-assign]


def test_who_a_call_was_just_handed_to_is_mailed_as_soon(gateway: Gateway) -> None:
    gateway.person("lea", "Lea Lang", "finance")
    head = gateway.shown(REFUND)
    gateway.clock.move(600)  # nobody's next mail is held back any more
    gateway.mail.sent.clear()
    meanwhile(gateway, lambda: reassign(gateway.ports, gateway.jonas, call_id(head.pause, 1), to="lea"))
    answer = more(gateway, head)
    now = gateway.head(head.pause)
    assert (now.mails_missed, now.wsk) == (("lea",), gateway.clock.now_ms())
    assert now.deadline_ms == answer.until_ms == head.deadline_ms + HOUR
    assert mail_again(gateway.ports, head.pause) == 0
    assert [note.to for note in gateway.mail.sent] == ["lea"]


def test_mails_that_wait_for_the_old_deadline_do_not_wait_for_the_new_one(gateway: Gateway) -> None:
    """A notify that was given up so shortly before the deadline that the sweep comes at the deadline: now it is called soon."""
    head = gateway.shown(REFUND)
    gateway.table.items[gateway.keys.head(head.pause)]["mails_missed"] = ["jonas"]
    more(gateway, head)
    assert gateway.head(head.pause).wsk == gateway.clock.now_ms() + 60_000


def restored(gateway: Gateway, head: Head) -> Head:
    """The pause as it is shown again after the records were restored to a moment at which it was open."""
    gateway.clock.move(60)
    ports = replace(gateway.ports, epoch=2)
    operate.thaw(ports, "ops/olga")
    sweep(ports)
    again = gateway.show(gateway.head(head.pause))
    assert (again.gen, again.epoch) == (head.gen + 1, 2)
    return again


@pytest.mark.parametrize("who", ["maria", "jonas"])
def test_what_was_shown_anew_is_given_the_same_time_again(gateway: Gateway, who: str) -> None:
    gateway.with_policy(deadline_s=3_600)
    head = gateway.shown(REFUND)
    until = head.deadline_ms + DAY
    more(gateway, head, DAY)
    again = restored(gateway, head)
    assert again.deadline_ms < until
    answer = extend(gateway.ports, getattr(gateway, who), call_id(head.pause, 1), until, "Finance is closed.")
    assert (answer.before_ms, answer.until_ms, answer.replayed) == (again.deadline_ms, until, False)
    now = gateway.head(head.pause)
    assert now.deadline_ms == now.calls[0].deadline_ms == until


def test_what_was_told_before_another_call_was_asked_for_again_is_answered_as_before(gateway: Gateway) -> None:
    gateway.with_policy(deadline_s=20 * 86_400)
    head = gateway.shown(DELETE, REFUND)
    first = more(gateway, head, number=2)
    gateway.decide(head, 1, Verdict.ACCEPT)
    gateway.clock.move(3 * 86_400)
    with pytest.raises(Conflict):
        claimed(gateway, head)
    notify(gateway.ports, head.pause, 2, "token 2")
    assert more(gateway, head, number=2) == replace(first, replayed=True)


def test_beside_a_call_that_is_asked_for_again_a_decision_that_was_taken_back_brings_no_time(gateway: Gateway) -> None:
    """Both are in their second round; one of them was shown long before the other."""
    gateway.with_policy(undo_s=60, deadline_s=5 * 86_400, hard_maximum_s=10 * 86_400, freshness_s=3_600)
    head = gateway.shown(DELETE, REFUND)
    gateway.decide(head, 2, Verdict.ACCEPT)
    undo(gateway.ports, gateway.maria, call_id(head.pause, 2), 1)
    gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT)
    gateway.clock.move(2 * 86_400)
    with pytest.raises(Conflict):
        claimed(gateway, gateway.head(head.pause))
    notify(gateway.ports, head.pause, 2, "token 2")
    now = gateway.head(head.pause)
    assert [(call.round, call.state) for call in now.calls] == [(2, CallState.PENDING)] * 2
    late = head.captured_ms + 10 * DAY - now.calls[1].deadline_ms
    error = refused(gateway, now, number=2, by_ms=late + 1)
    assert (error.code, error.members) == ("deadline_beyond_maximum", {"latest_ms": head.captured_ms + 10 * DAY})
    assert more(gateway, now, late, number=2).until_ms == head.captured_ms + 10 * DAY
