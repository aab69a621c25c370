"""extend: more time for a call, within what its class, its agent and its execution allow; nothing is decided by it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from placet.model.errors import Conflict, Frozen, Gone, Invalid, NotAllowed, NotFound, NotYet
from placet.model.pauses import call_id
from placet.model.states import CallState, Verdict
from placet.policy import Level
from placet.service import operate, review
from placet.service.escalate import escalate
from placet.service.extend import extend
from placet.service.notify import notify
from placet.service.status import status
from placet.service.sweep import sweep
from tests.gateway import DELETE, REFUND, SUPPORT, Gateway
from tests.unit.more_time import DAY, HOUR, claimed, more, refused


def test_the_deadline_moves_and_everything_that_follows_from_it(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    answer = more(gateway, head)
    now = gateway.head(head.pause)
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
    assert status(gateway.ports, SUPPORT, head.pause).until_ms == until
    told = review.detail(gateway.ports, gateway.jonas, head.pause)
    assert [(one.call, one.by, one.before_ms, one.until_ms, one.reason) for one in told.extensions] == [
        (1, "Maria Keller", head.deadline_ms, until, "Finance is closed.")
    ]


def test_the_old_timer_finds_nothing_due_and_is_set_to_the_new_moment(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    more(gateway, head)
    gateway.clock.at_ms = head.deadline_ms
    assert gateway.timers.moments[head.pause] == head.deadline_ms
    assert escalate(gateway.ports, head.pause) == "early"
    assert gateway.timers.moments[head.pause] == head.deadline_ms + HOUR
    gateway.clock.at_ms = head.deadline_ms + HOUR
    assert escalate(gateway.ports, head.pause) == "expired"


def test_a_lost_timer_is_the_sweeps(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    more(gateway, head)
    for at_ms, called in ((head.deadline_ms + 100_000, []), (head.deadline_ms + HOUR + 100_000, ["escalate"])):
        gateway.clock.at_ms = at_ms
        sweep(gateway.ports)
        assert [verb for verb, _ in gateway.verbs.called] == called


def test_a_decision_is_taken_until_the_new_deadline(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    more(gateway, head)
    gateway.clock.at_ms = head.deadline_ms + HOUR - 1
    assert gateway.decide(head, 1, Verdict.ACCEPT).state is CallState.ACCEPTED


def test_asked_again_it_is_answered_as_before_whatever_happened_since(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    first = more(gateway, head)
    assert more(gateway, head) == replace(first, replayed=True)
    gateway.decide(head, 1, Verdict.REJECT)
    assert more(gateway, head) == replace(first, replayed=True)
    assert refused(gateway, head, who=gateway.jonas).code == "already_decided"


def test_more_time_is_given_ten_times_and_by_a_minute_at_least(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    error = refused(gateway, head, by_ms=59_999)
    assert (error.code, error.members["least_ms"]) == ("deadline_not_later", 60_000)
    for number in range(1, 11):
        more(gateway, head, number * 60_000)
    error = refused(gateway, head, by_ms=HOUR, who=gateway.jonas)
    assert (error.code, error.members) == ("extended_too_often", {"limit": 10})
    assert more(gateway, head, 10 * 60_000).replayed


def test_time_only_grows(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    more(gateway, head, 2 * HOUR)
    error = refused(gateway, head, who=gateway.jonas)
    assert isinstance(error, Conflict)
    assert (error.code, error.members) == ("deadline_not_later", {"deadline_ms": head.deadline_ms + 2 * HOUR})


def test_no_further_than_the_class_allows(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    latest = head.notified_ms + 30 * DAY
    error = refused(gateway, head, by_ms=latest - head.deadline_ms + 1)
    assert isinstance(error, Invalid)
    assert (error.code, error.members) == ("deadline_beyond_maximum", {"latest_ms": latest})
    assert review.detail(gateway.ports, gateway.maria, head.pause).calls[0].latest_ms == latest
    assert more(gateway, head, latest - head.deadline_ms).until_ms == latest
    assert review.detail(gateway.ports, gateway.maria, head.pause).calls[0].latest_ms == 0


def test_no_further_than_its_agent_waits(gateway: Gateway) -> None:
    head = gateway.shown(REFUND, wait_at_most_s=600)
    assert head.deadline_ms == head.notified_ms + 600_000
    assert refused(gateway, head, by_ms=1).code == "deadline_beyond_maximum"


def test_no_further_than_the_execution_that_waits(gateway: Gateway) -> None:
    """A deploy lengthens the maximum of the class; what waits was started for the one before."""
    head = gateway.shown(REFUND)
    gateway.with_policy(hard_maximum_s=60 * 86_400)
    assert refused(gateway, head, by_ms=31 * DAY).code == "deadline_beyond_maximum"
    gateway.with_policy(hard_maximum_s=5 * 86_400)
    assert refused(gateway, head, by_ms=6 * DAY).code == "deadline_beyond_maximum"
    assert more(gateway, head, 4 * DAY).until_ms


def test_beside_a_call_that_is_asked_for_again_the_maximum_counts_from_the_capture(gateway: Gateway) -> None:
    gateway.with_policy(deadline_s=20 * 86_400)
    head = gateway.shown(DELETE, REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    gateway.clock.move(3 * 86_400)
    with pytest.raises(Conflict):
        claimed(gateway, head)
    assert refused(gateway, head, number=2).code == "not_shown_yet"
    notify(gateway.ports, head.pause, 2, "token 2")
    late = head.captured_ms + 30 * DAY - head.calls[1].deadline_ms
    assert refused(gateway, head, number=2, by_ms=late + 1).code == "deadline_beyond_maximum"
    assert more(gateway, head, late, number=2).until_ms == head.captured_ms + 30 * DAY


@pytest.mark.parametrize("reason", ["", "  ", "\u200b"])
def test_it_needs_a_reason(gateway: Gateway, reason: str) -> None:
    head = gateway.shown(REFUND)
    with pytest.raises(Invalid) as raised:
        extend(gateway.ports, gateway.maria, call_id(head.pause, 1), head.deadline_ms + HOUR, reason)
    assert raised.value.code == "reason_missing"
    with pytest.raises(Invalid) as raised:
        extend(gateway.ports, gateway.maria, call_id(head.pause, 1), head.deadline_ms + HOUR, "x" * 501)
    assert raised.value.code == "reason_too_long"


def test_who_may_not_decide_gives_no_time(gateway: Gateway) -> None:
    gateway.with_policy(levels=(Level(("finance",)), Level(("leads",), 3_600)))
    lea, olga = gateway.person("lea", "Lea Lang", "leads"), gateway.person("olga", "Olga Brandt", "gardeners")
    head = gateway.shown(REFUND, requester="maria@example.com")
    assert refused(gateway, head).code == "requester_may_not_decide"
    assert isinstance(refused(gateway, head, who=lea), NotFound)
    assert isinstance(refused(gateway, head, who=olga), NotFound)
    elif_ = gateway.shown(REFUND, checkpoint="cp-2")
    gateway.table.items[gateway.keys.head(elif_.pause)]["owner"] = "MARIA@example.com"
    assert isinstance(refused(gateway, elif_), NotAllowed)


def test_not_before_it_is_shown_and_not_after_its_time(gateway: Gateway) -> None:
    head = gateway.capture(REFUND).head
    assert isinstance(refused(gateway, head), NotYet)
    shown = gateway.show(head)
    gateway.clock.at_ms = shown.deadline_ms
    assert isinstance(refused(gateway, shown), Gone)
    escalate(gateway.ports, head.pause)
    assert isinstance(refused(gateway, shown), Gone)


def test_while_an_operator_holds_everything_nothing_moves(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    operate.freeze(gateway.ports, "ops/olga", "restore")
    assert isinstance(refused(gateway, head), Frozen)


def test_who_has_agreed_already_may_give_the_others_time(gateway: Gateway) -> None:
    gateway.with_policy(quorum=2)
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    assert review.detail(gateway.ports, gateway.maria, head.pause).calls[0].latest_ms
    more(gateway, head)
    assert gateway.head(head.pause).calls[0].votes == {"maria": head.calls[0].digest}
