"""What a decision is judged by is of its last attempt; and what it repeats, it repeats with its verdict."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from local.memory import MemoryTable
from placet.model.canonical import digest, parse
from placet.model.errors import Conflict, Gone
from placet.model.states import CallState, Verdict
from placet.records.ops import Check, ConditionFailed, Op
from placet.service.decide import ATTEMPTS
from tests.gateway import REFUND, Gateway

LESS = '{"order_id":"1182","amount":200.00}'


class Crowded(MemoryTable):
    """A table on which somebody else is quicker for the next `losses` decisions, each of which takes its time."""

    def __init__(self) -> None:
        super().__init__()
        self.losses = 0
        self.takes: Callable[[], None] = lambda: None

    def write(self, ops: list[Op]) -> None:
        if self.losses and any(isinstance(op, Check) for op in ops):
            self.losses -= 1
            self.takes()
            raise ConditionFailed(0, self.get(ops[0].key))
        super().write(ops)


@pytest.fixture
def crowded() -> Gateway:
    return Gateway(table=Crowded())


@pytest.mark.parametrize("losses", [1, ATTEMPTS - 1])
@pytest.mark.parametrize("verdict", [Verdict.ACCEPT, Verdict.EDIT, Verdict.REJECT])
def test_a_deadline_that_passes_between_two_attempts_has_passed(
    crowded: Gateway, losses: int, verdict: Verdict
) -> None:
    head = crowded.shown(REFUND)
    crowded.clock.at_ms = head.deadline_ms - losses
    crowded.table.losses, crowded.table.takes = losses, lambda: crowded.clock.move(0.001)
    edit = {"arguments": LESS, "new_digest": digest(parse(LESS))} if verdict is Verdict.EDIT else {}
    with pytest.raises(Gone) as caught:
        crowded.decide(head, 1, verdict, **edit)
    assert (caught.value.code, crowded.table.losses) == ("deadline_passed", 0)
    assert crowded.head(head.pause).calls[0].state is CallState.PENDING


def test_a_decision_is_of_the_moment_of_its_last_attempt(crowded: Gateway) -> None:
    head = crowded.shown(REFUND)
    began = crowded.clock.now_ms()
    crowded.table.losses, crowded.table.takes = 3, lambda: crowded.clock.move(1)
    answer = crowded.decide(head, 1, Verdict.ACCEPT)
    call = crowded.head(head.pause).calls[0]
    freshness = 1_000 * crowded.policy.classes["money-out"].freshness_s
    event = crowded.table.get(crowded.keys.event(head.pause, "1#decided"))
    assert (answer.at_ms, event["at_ms"], call.until_ms) == (began + 3_000, began + 3_000, began + 3_000 + freshness)


@pytest.mark.parametrize("first", [Verdict.ACCEPT, Verdict.REJECT])
def test_another_verdict_in_the_same_words_repeats_nothing(gateway: Gateway, first: Verdict) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, first, reason="the same words")
    for second in (Verdict.ACCEPT, Verdict.REJECT):
        if second is first:
            assert gateway.decide(head, 1, second, reason="the same words").replayed
            continue
        with pytest.raises(Conflict) as caught:
            gateway.decide(head, 1, second, reason="the same words")
        state = "accepted" if first is Verdict.ACCEPT else "rejected"
        assert (caught.value.code, caught.value.members["state"]) == ("already_decided", state)


@pytest.mark.parametrize("changed", ["reason", "digest", "person", "verdict"])
def test_a_repetition_is_the_same_in_everything(gateway: Gateway, changed: str) -> None:
    head = gateway.shown(REFUND)
    edit = {"arguments": LESS, "new_digest": digest(parse(LESS)), "reason": "half"}
    gateway.decide(head, 1, Verdict.EDIT, **edit)
    assert gateway.decide(head, 1, Verdict.EDIT, **edit).replayed
    other = LESS.replace("200.00", "100.00")
    again = {
        "reason": (Verdict.EDIT, edit | {"reason": "halves"}),
        "digest": (Verdict.EDIT, edit | {"arguments": other, "new_digest": digest(parse(other))}),
        "person": (Verdict.EDIT, edit | {"who": gateway.jonas}),
        "verdict": (Verdict.REJECT, {"reason": "half"}),
    }
    verdict, sent = again[changed]
    with pytest.raises(Conflict) as caught:
        gateway.decide(head, 1, verdict, **sent)
    assert caught.value.code == "already_decided"


def test_a_vote_is_not_repeated_by_a_reject_in_the_same_words(gateway: Gateway) -> None:
    gateway.with_policy(quorum=2)
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT, reason="the same words")
    assert gateway.decide(head, 1, Verdict.ACCEPT, reason="the same words").replayed
    answer = gateway.decide(head, 1, Verdict.REJECT, reason="the same words")
    assert (answer.state, answer.replayed) == (CallState.REJECTED, False)
