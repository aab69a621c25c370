"""extend: more time for a call, within what its class, its agent and its execution allow; nothing is decided by it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from placet.model.errors import Conflict, Frozen, Gone, Invalid, NotAllowed, NotFound, NotYet, PlacetError
from placet.model.pauses import Reviewer, call_id
from placet.model.states import CallState, Verdict
from placet.policy import Level
from placet.records import writes
from placet.records.heads import Head
from placet.records.ops import Op
from placet.service import operate, review
from placet.service.escalate import escalate
from placet.service.execute import claim
from placet.service.extend import Extended, extend
from placet.service.notify import mail_again, notify
from placet.service.reassign import reassign
from placet.service.status import status
from placet.service.sweep import sweep
from placet.service.undo import undo
from tests.gateway import DELETE, REFUND, SUPPORT, Gateway

HOUR, DAY = 3_600_000, 86_400_000


@pytest.fixture
def house() -> Gateway:
    return Gateway()


def more(house: Gateway, head: Head, by_ms: int = HOUR, who: Reviewer | None = None, number: int = 1) -> Extended:
    until = head.calls[number - 1].deadline_ms + by_ms
    return extend(house.ports, who or house.maria, call_id(head.pause, number), until, "Finance is closed.")


def refused(house: Gateway, head: Head, **how: Any) -> PlacetError:
    before = house.head(head.pause)
    with pytest.raises(PlacetError) as raised:
        more(house, head, **how)
    assert house.head(head.pause) == before
    return raised.value


def test_the_deadline_moves_and_everything_that_follows_from_it(house: Gateway) -> None:
    head = house.shown(REFUND)
    answer = more(house, head)
    now = house.head(head.pause)
    until = head.deadline_ms + HOUR
    assert (answer.before_ms, answer.until_ms, answer.by, answer.replayed) == (
        head.deadline_ms,
        until,
        "Maria Keller",
        False,
    )
    assert (now.deadline_ms, now.calls[0].deadline_ms, now.wsk) == (until, until, until)
    assert replace(now, deadline_ms=0, wsk=0, calls=(), said=False) == replace(head, deadline_ms=0, wsk=0, calls=())
    assert replace(now.calls[0], deadline_ms=0) == replace(head.calls[0], deadline_ms=0)
    assert status(house.ports, SUPPORT, head.pause).until_ms == until
    told = review.detail(house.ports, house.jonas, head.pause)
    assert [(one.call, one.by, one.before_ms, one.until_ms, one.reason) for one in told.extensions] == [
        (1, "Maria Keller", head.deadline_ms, until, "Finance is closed.")
    ]


def test_the_old_timer_finds_nothing_due_and_is_set_to_the_new_moment(house: Gateway) -> None:
    head = house.shown(REFUND)
    more(house, head)
    house.clock.at_ms = head.deadline_ms
    assert house.timers.moments[head.pause] == head.deadline_ms
    assert escalate(house.ports, head.pause) == "early"
    assert house.timers.moments[head.pause] == head.deadline_ms + HOUR
    house.clock.at_ms = head.deadline_ms + HOUR
    assert escalate(house.ports, head.pause) == "expired"


def test_a_lost_timer_is_the_sweeps(house: Gateway) -> None:
    head = house.shown(REFUND)
    more(house, head)
    for at_ms, called in ((head.deadline_ms + 100_000, []), (head.deadline_ms + HOUR + 100_000, ["escalate"])):
        house.clock.at_ms = at_ms
        sweep(house.ports)
        assert [verb for verb, _ in house.verbs.called] == called


def test_a_decision_is_taken_until_the_new_deadline(house: Gateway) -> None:
    head = house.shown(REFUND)
    more(house, head)
    house.clock.at_ms = head.deadline_ms + HOUR - 1
    assert house.decide(head, 1, Verdict.ACCEPT).state is CallState.ACCEPTED


def test_asked_again_it_is_answered_as_before_whatever_happened_since(house: Gateway) -> None:
    head = house.shown(REFUND)
    first = more(house, head)
    assert more(house, head) == replace(first, replayed=True)
    house.decide(head, 1, Verdict.REJECT)
    assert more(house, head) == replace(first, replayed=True)
    assert refused(house, head, who=house.jonas).code == "already_decided"


def test_more_time_is_given_ten_times_and_by_a_minute_at_least(house: Gateway) -> None:
    head = house.shown(REFUND)
    error = refused(house, head, by_ms=59_999)
    assert (error.code, error.members["least_ms"]) == ("deadline_not_later", 60_000)
    for number in range(1, 11):
        more(house, head, number * 60_000)
    error = refused(house, head, by_ms=HOUR, who=house.jonas)
    assert (error.code, error.members) == ("extended_too_often", {"limit": 10})
    assert more(house, head, 10 * 60_000).replayed


def test_time_only_grows(house: Gateway) -> None:
    head = house.shown(REFUND)
    more(house, head, 2 * HOUR)
    error = refused(house, head, who=house.jonas)
    assert isinstance(error, Conflict)
    assert (error.code, error.members) == ("deadline_not_later", {"deadline_ms": head.deadline_ms + 2 * HOUR})


def test_no_further_than_the_class_allows(house: Gateway) -> None:
    head = house.shown(REFUND)
    latest = head.notified_ms + 30 * DAY
    error = refused(house, head, by_ms=latest - head.deadline_ms + 1)
    assert isinstance(error, Invalid)
    assert (error.code, error.members) == ("deadline_beyond_maximum", {"latest_ms": latest})
    assert review.detail(house.ports, house.maria, head.pause).calls[0].latest_ms == latest
    assert more(house, head, latest - head.deadline_ms).until_ms == latest
    assert review.detail(house.ports, house.maria, head.pause).calls[0].latest_ms == 0


def test_no_further_than_its_agent_waits(house: Gateway) -> None:
    head = house.shown(REFUND, wait_at_most_s=600)
    assert head.deadline_ms == head.notified_ms + 600_000
    assert refused(house, head, by_ms=1).code == "deadline_beyond_maximum"


def test_no_further_than_the_execution_that_waits(house: Gateway) -> None:
    """A deploy lengthens the maximum of the class; what waits was started for the one before."""
    head = house.shown(REFUND)
    house.with_policy(hard_maximum_s=60 * 86_400)
    assert refused(house, head, by_ms=31 * DAY).code == "deadline_beyond_maximum"
    house.with_policy(hard_maximum_s=5 * 86_400)
    assert refused(house, head, by_ms=6 * DAY).code == "deadline_beyond_maximum"
    assert more(house, head, 4 * DAY).until_ms


def test_beside_a_call_that_is_asked_for_again_the_maximum_counts_from_the_capture(house: Gateway) -> None:
    house.with_policy(deadline_s=20 * 86_400)
    head = house.shown(DELETE, REFUND)
    house.decide(head, 1, Verdict.ACCEPT)
    house.clock.move(3 * 86_400)
    with pytest.raises(Conflict):
        _claim(house, head)
    assert refused(house, head, number=2).code == "not_shown_yet"
    notify(house.ports, head.pause, 2, "token 2")
    late = head.captured_ms + 30 * DAY - head.calls[1].deadline_ms
    assert refused(house, head, number=2, by_ms=late + 1).code == "deadline_beyond_maximum"
    assert more(house, head, late, number=2).until_ms == head.captured_ms + 30 * DAY


def _claim(house: Gateway, head: Head) -> object:
    return claim(house.ports, SUPPORT, call_id(head.pause, 1), head.calls[0].digest, "w-1")


@pytest.mark.parametrize("reason", ["", "  ", "\u200b"])
def test_it_needs_a_reason(house: Gateway, reason: str) -> None:
    head = house.shown(REFUND)
    with pytest.raises(Invalid) as raised:
        extend(house.ports, house.maria, call_id(head.pause, 1), head.deadline_ms + HOUR, reason)
    assert raised.value.code == "reason_missing"
    with pytest.raises(Invalid) as raised:
        extend(house.ports, house.maria, call_id(head.pause, 1), head.deadline_ms + HOUR, "x" * 501)
    assert raised.value.code == "reason_too_long"


def test_who_may_not_decide_gives_no_time(house: Gateway) -> None:
    house.with_policy(levels=(Level(("finance",)), Level(("leads",), 3_600)))
    lea, olga = house.person("lea", "Lea Lang", "leads"), house.person("olga", "Olga Brandt", "gardeners")
    head = house.shown(REFUND, requester="maria@example.com")
    assert refused(house, head).code == "requester_may_not_decide"
    assert isinstance(refused(house, head, who=lea), NotFound)
    assert isinstance(refused(house, head, who=olga), NotFound)
    elif_ = house.shown(REFUND, checkpoint="cp-2")
    house.table.items[house.keys.head(elif_.pause)]["owner"] = "MARIA@example.com"
    assert isinstance(refused(house, elif_), NotAllowed)


def test_not_before_it_is_shown_and_not_after_its_time(house: Gateway) -> None:
    head = house.capture(REFUND).head
    assert isinstance(refused(house, head), NotYet)
    shown = house.show(head)
    house.clock.at_ms = shown.deadline_ms
    assert isinstance(refused(house, shown), Gone)
    escalate(house.ports, head.pause)
    assert isinstance(refused(house, shown), Gone)


def test_while_an_operator_holds_everything_nothing_moves(house: Gateway) -> None:
    head = house.shown(REFUND)
    operate.freeze(house.ports, "ops/olga", "restore")
    assert isinstance(refused(house, head), Frozen)


def test_who_has_agreed_already_may_give_the_others_time(house: Gateway) -> None:
    house.with_policy(quorum=2)
    head = house.shown(REFUND)
    house.decide(head, 1, Verdict.ACCEPT)
    assert review.detail(house.ports, house.maria, head.pause).calls[0].latest_ms
    more(house, head)
    assert house.head(head.pause).calls[0].votes == {"maria": head.calls[0].digest}


def test_a_listed_pause_keeps_its_place_and_its_age(house: Gateway) -> None:
    head = house.shown(REFUND)
    house.table.write(writes.list_stuck(house.keys, head, "wait_failed", house.clock.now_ms()))
    listed = house.head(head.pause)
    more(house, listed)
    now = house.head(head.pause)
    assert (now.wpk, now.wsk, now.stuck) == (listed.wpk, listed.wsk, listed.stuck)
    assert now.deadline_ms == head.deadline_ms + HOUR


def test_what_is_still_to_be_mailed_is_mailed_as_soon(house: Gateway) -> None:
    head = house.shown(REFUND)
    house.table.items[house.keys.head(head.pause)] |= {
        "mails_missed": ["jonas"],
        "wsk": head.lane + house.clock.now_ms() + 60_000,
    }
    more(house, house.head(head.pause))
    assert house.head(head.pause).stands == head.lane + house.clock.now_ms() + 60_000


def test_of_several_calls_one_is_given_time_and_the_pause_stands_by_the_nearest(house: Gateway) -> None:
    head = house.shown(REFUND, DELETE)
    beyond = head.calls[1].deadline_ms - head.calls[0].deadline_ms + HOUR
    more(house, head, beyond)
    now = house.head(head.pause)
    assert [call.deadline_ms for call in now.calls] == [head.calls[1].deadline_ms + HOUR, head.calls[1].deadline_ms]
    assert now.deadline_ms == now.wsk == head.calls[1].deadline_ms


def meanwhile(house: Gateway, action: Callable[[], object]) -> None:
    """`action` happens between the read and the next write."""
    write = house.table.write

    def once(ops: list[Op]) -> None:
        house.table.write = write  # type: ignore[method-assign]
        action()
        write(ops)

    house.table.write = once  # type: ignore[method-assign]


def test_who_a_call_was_just_handed_to_is_mailed_as_soon(house: Gateway) -> None:
    house.person("lea", "Lea Lang", "finance")
    head = house.shown(REFUND)
    house.clock.move(600)  # nobody's next mail is held back any more
    house.mail.sent.clear()
    meanwhile(house, lambda: reassign(house.ports, house.jonas, call_id(head.pause, 1), to="lea"))
    answer = more(house, head)
    now = house.head(head.pause)
    assert (now.mails_missed, now.wsk) == (("lea",), house.clock.now_ms())
    assert now.deadline_ms == answer.until_ms == head.deadline_ms + HOUR
    assert mail_again(house.ports, head.pause) == 0
    assert [note.to for note in house.mail.sent] == ["lea"]


def test_mails_that_wait_for_the_old_deadline_do_not_wait_for_the_new_one(house: Gateway) -> None:
    """A notify that was given up so shortly before the deadline that the sweep comes at the deadline."""
    head = house.shown(REFUND)
    house.table.items[house.keys.head(head.pause)]["mails_missed"] = ["jonas"]
    more(house, head)
    assert house.head(head.pause).wsk == head.deadline_ms


def restored(house: Gateway, head: Head) -> Head:
    """The pause as it is shown again after the records were restored to a moment at which it was open."""
    house.clock.move(60)
    ports = replace(house.ports, epoch=2)
    operate.thaw(ports, "ops/olga")
    sweep(ports)
    again = house.show(house.head(head.pause))
    assert (again.gen, again.epoch) == (head.gen + 1, 2)
    return again


@pytest.mark.parametrize("who", ["maria", "jonas"])
def test_what_was_shown_anew_is_given_the_same_time_again(house: Gateway, who: str) -> None:
    house.with_policy(deadline_s=3_600)
    head = house.shown(REFUND)
    until = head.deadline_ms + DAY
    more(house, head, DAY)
    again = restored(house, head)
    assert again.deadline_ms < until
    answer = extend(house.ports, getattr(house, who), call_id(head.pause, 1), until, "Finance is closed.")
    assert (answer.before_ms, answer.until_ms, answer.replayed) == (again.deadline_ms, until, False)
    now = house.head(head.pause)
    assert now.deadline_ms == now.calls[0].deadline_ms == until


def test_what_was_told_before_another_call_was_asked_for_again_is_answered_as_before(house: Gateway) -> None:
    house.with_policy(deadline_s=20 * 86_400)
    head = house.shown(DELETE, REFUND)
    first = more(house, head, number=2)
    house.decide(head, 1, Verdict.ACCEPT)
    house.clock.move(3 * 86_400)
    with pytest.raises(Conflict):
        _claim(house, head)
    notify(house.ports, head.pause, 2, "token 2")
    assert more(house, head, number=2) == replace(first, replayed=True)


def test_beside_a_call_that_is_asked_for_again_a_decision_that_was_taken_back_brings_no_time(house: Gateway) -> None:
    """Both are in their second round; one of them was shown long before the other."""
    house.with_policy(undo_s=60, deadline_s=5 * 86_400, hard_maximum_s=10 * 86_400, freshness_s=3_600)
    head = house.shown(DELETE, REFUND)
    house.decide(head, 2, Verdict.ACCEPT)
    undo(house.ports, house.maria, call_id(head.pause, 2), 1)
    house.decide(house.head(head.pause), 1, Verdict.ACCEPT)
    house.clock.move(2 * 86_400)
    with pytest.raises(Conflict):
        _claim(house, house.head(head.pause))
    notify(house.ports, head.pause, 2, "token 2")
    now = house.head(head.pause)
    assert [(call.round, call.state) for call in now.calls] == [(2, CallState.PENDING)] * 2
    late = head.captured_ms + 10 * DAY - now.calls[1].deadline_ms
    error = refused(house, now, number=2, by_ms=late + 1)
    assert (error.code, error.members) == ("deadline_beyond_maximum", {"latest_ms": head.captured_ms + 10 * DAY})
    assert more(house, now, late, number=2).until_ms == head.captured_ms + 10 * DAY
