"""What a verb does when others are quicker every time, when a service does not answer, and when something is gone meanwhile."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from placet.model.errors import Busy
from placet.model.states import Verdict
from placet.policy import Level
from placet.policy.evaluate import questions_of
from placet.policy.facts import MOST_QUESTIONS, Facts, Of, Seen
from placet.records.keys import Key
from placet.records.ops import ConditionFailed, Op
from placet.service import operate
from placet.service.bedrock.continuing import is_captured
from placet.service.cancel import ATTEMPTS, cancel, supersede
from placet.service.digests import send_digest
from placet.service.lost_wait import lost_wait
from placet.service.rights import Rights, standing_votes
from placet.service.standing import hindrance
from placet.service.stuck import list_stuck
from placet.service.timer import set_timer
from placet.service.work_lists import every_list
from tests.asking import policy_of
from tests.gateway import REFUND, SUPPORT, Gateway
from tests.unit.test_digests import APART_S, flood, mailed


class Lost:
    """Every write of a pause's head is one that others were quicker at, so many times; `meanwhile` is what they did."""

    def __init__(self, gateway: Gateway, times: int, meanwhile: Any = None) -> None:
        self._inner, self._meanwhile, self.left = gateway.table, meanwhile, times
        gateway.table = self

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def write(self, ops: list[Op]) -> None:
        """Lose, or write."""
        if self.left and any(op.key.sk == "HEAD" for op in ops):
            self.left -= 1
            if self._meanwhile is not None:
                self._meanwhile()
            raise ConditionFailed(0, None)
        self._inner.write(ops)


@pytest.mark.parametrize(("lost", "tried_on"), [(ATTEMPTS - 1, True), (ATTEMPTS, False)])
def test_a_cancellation_that_meets_others_is_tried_again_and_then_busy(
    gateway: Gateway, lost: int, tried_on: bool
) -> None:
    head = gateway.shown(REFUND)
    table = Lost(gateway, lost)
    if tried_on:
        assert cancel(gateway.ports, SUPPORT, head.pause, "over") == ("cancelled", [])
    else:
        with pytest.raises(Busy):
            cancel(gateway.ports, SUPPORT, head.pause, "over")
    assert (table.left, bool(gateway.head(head.pause).cancelled)) == (0, tried_on)


def test_a_pause_that_others_withdrew_while_its_successor_wanted_to_is_closed_for_it(gateway: Gateway) -> None:
    older, newer = gateway.shown(REFUND), gateway.shown(REFUND, checkpoint="cp-2")
    others = replace(gateway)

    def withdrawn() -> None:
        cancel(others.ports, SUPPORT, older.pause, "by somebody else")

    Lost(gateway, 1, withdrawn)
    assert supersede(gateway.ports, SUPPORT, "thread-1", newer.pause) == [older.pause]
    assert gateway.head(older.pause).cancelled == "by somebody else"


def test_a_wait_is_lost_again_when_others_were_quicker(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    table = Lost(gateway, 1)
    assert lost_wait(gateway.ports, head.pause, "wait_failed") == "visible"
    assert gateway.log[-1] == ("wait_lost", {"pause": head.pause, "reason": "wait_failed"})
    table.left = 3
    assert lost_wait(gateway.ports, head.pause, "wait_failed") == "went_on"
    gateway.decide(gateway.head(head.pause), 1, Verdict.REJECT)
    table.left = 1
    assert lost_wait(gateway.ports, head.pause, "resume_failed") == "listed"
    assert gateway.head(head.pause).stuck == "resume_failed"


def test_a_pause_is_listed_once_and_told_once(gateway: Gateway) -> None:
    head = gateway.capture(REFUND).head
    table = Lost(gateway, 1)
    gateway.log.clear()
    assert list_stuck(gateway.ports, head, "wait_failed") is False
    assert gateway.log == []
    assert list_stuck(gateway.ports, head, "wait_failed") is True
    assert gateway.log == [("stuck", {"pause": head.pause, "reason": "wait_failed"})]
    assert list_stuck(gateway.ports, gateway.head(head.pause), "other") is False
    assert table.left == 0


def test_a_timer_that_cannot_be_set_is_told_and_costs_nothing_else(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    assert set_timer(gateway.ports, head) is True

    def busy(pause: str, at_ms: int) -> None:
        raise Busy

    gateway.timers.set = busy  # type: ignore[method-assign]
    gateway.log.clear()
    assert set_timer(gateway.ports, head) is False
    assert gateway.log == [("timer_not_set", {"pause": head.pause, "code": "busy"})]
    assert set_timer(gateway.ports, replace(head, calls=())) is False


def test_the_name_of_a_list_that_cannot_be_read_is_told_and_hides_no_other(gateway: Gateway) -> None:
    before = every_list(gateway.ports, ())
    assert every_list(gateway.ports, ["of tomorrow"]) == before
    assert gateway.log[-1] == ("unreadable", {"what": "name of a work list", "list": "of tomorrow"})


def test_a_mail_of_what_waits_that_is_refused_is_told_and_not_owed_any_more(gateway: Gateway) -> None:
    flood(gateway, 2)
    gateway.clock.move(APART_S)
    gateway.mail.digest = lambda note: False  # type: ignore[method-assign]
    assert send_digest(gateway.ports, "maria") is False
    assert ("mail_not_sent", {"person": "maria"}) in gateway.log
    assert send_digest(gateway.ports, "maria") is False
    assert mailed(gateway) == (1, 0)


def test_a_mail_of_what_waits_is_not_sent_beside_another(gateway: Gateway) -> None:
    flood(gateway, 2)
    gateway.clock.move(APART_S)
    real, beside = gateway.mail.digest, []

    def digest(note: Any) -> bool:
        beside.append(send_digest(gateway.ports, "maria"))
        return real(note)

    gateway.mail.digest = digest  # type: ignore[method-assign]
    assert send_digest(gateway.ports, "maria") is True
    assert (beside, mailed(gateway)) == ([False], (1, 1))


def test_a_call_of_another_group_says_so_before_anything_else(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    found = hindrance(head, head.calls[0], None, gateway.maria, {}, gateway.clock.now_ms())
    assert found is not None
    assert (found.code, found.says) == ("other_group", "Another group decides this call.")


def test_who_has_agreed_is_told_that_another_person_is_needed(gateway: Gateway) -> None:
    gateway.with_policy(quorum=2, levels=(Level(("finance",)),))
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    now = gateway.head(head.pause)
    right = Rights(gateway.ports, gateway.maria).of(now, now.calls[0])
    standing = standing_votes(gateway.ports, now, now.calls[0])
    found = hindrance(now, now.calls[0], right, gateway.maria, standing, gateway.clock.now_ms())
    assert found is not None
    assert found.code == "agreed_already"


@pytest.mark.parametrize(("over_ms", "entered"), [(0, (1, False)), (1, (0, True))])
def test_pauses_enter_a_new_epoch_for_as_long_as_there_is_time(
    gateway: Gateway, over_ms: int, entered: tuple[int, bool]
) -> None:
    head = gateway.shown(REFUND)
    ports = replace(gateway.ports, epoch=2)
    get_many = gateway.table.get_many

    def slow(keys: list[Key]) -> Any:
        gateway.clock.at_ms += operate.BUDGET_MS + over_ms
        return get_many(keys)

    gateway.table.get_many = slow
    assert operate.enter_epoch(ports) == entered
    assert gateway.head(head.pause).epoch == (2 if entered[0] else head.epoch)


def test_a_pause_that_cannot_be_read_is_captured_and_one_that_is_absent_is_not(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    assert is_captured(gateway.ports, head.pause) is True
    gateway.table.items[gateway.keys.head(head.pause)]["schema_version"] = 99
    assert is_captured(gateway.ports, head.pause) is True
    assert is_captured(gateway.ports, "a" * 26) is False


@pytest.mark.parametrize("many", [MOST_QUESTIONS - 1, MOST_QUESTIONS, MOST_QUESTIONS + 1])
def test_a_call_is_asked_at_most_so_many_questions_about_and_each_once(many: int) -> None:
    class Curious:
        id, sentence = "test/curious", "It wants to know."

        def asks(self, arguments: dict[str, Any], facts: Facts) -> list[Seen]:
            return 2 * [Seen(Of.AGENT, "a", str(number)) for number in range(many)]

        def fires(self, arguments: dict[str, Any], facts: Facts) -> bool:
            return False

    asked = questions_of(policy_of(Curious()), "issue_refund", {})
    assert [one.key for one in asked if isinstance(one, Seen)] == [str(n) for n in range(min(many, MOST_QUESTIONS))]


def test_of_a_listed_pause_the_timer_rings_for_its_deadline_alone(gateway: Gateway) -> None:
    gateway.with_policy(remind_after_s=(60,))
    head = gateway.shown(REFUND)
    assert gateway.timers.moments[head.pause] == gateway.clock.now_ms() + 60_000 < head.deadline_ms
    assert list_stuck(gateway.ports, head, "wait_failed")
    assert set_timer(gateway.ports, gateway.head(head.pause))
    assert gateway.timers.moments[head.pause] == head.deadline_ms
