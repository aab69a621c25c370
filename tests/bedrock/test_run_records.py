"""The record of a run, field by field, as it goes; and what the agent is told of calls that the policy forbids by now."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from placet.model.errors import Busy, Conflict
from placet.policy import Threshold
from placet.records.ops import Put
from placet.records.runs import Run, RunState, put_run
from placet.service.bedrock import continuing
from placet.service.bedrock.invoking import Invocation, invoke
from placet.service.bedrock.turns import run_of
from placet.service.ports import TurnFailed
from tests.bedrock.desk import ONE, TTL_S, TWO, Desk, desk

ANSWER_S = 20  # a turn may still come back for so long after its session's time


def run_in(made: Desk) -> Run:
    found = run_of(made.ports, made.agent, made.run)
    assert found is not None
    return found


def test_a_run_is_recorded_as_it_goes() -> None:
    with desk() as made:
        now = made.clock.now_ms()
        made.say("hello")
        said = Run(
            agent="refund-desk",
            run="conversation-1",
            session="conversation-1",
            opened=0,
            broken=False,
            turn=1,
            state=RunState.FINISHED,
            until_ms=now + 1000 * (TTL_S + ANSWER_S),
            last_ms=now,
            completed=1,
            mark="secret-1",
            ttl_s=TTL_S,
        )
        assert run_in(made) == said
        head = made.asks(ONE)
        asked = replace(said, turn=2, state=RunState.WAITING, pause=head.pause, chain=1, mark="secret-2")
        assert run_in(made) == asked
        made.ends(head, 1, "accept")
        made.resumes(head.pause)
        answered = replace(asked, turn=3, state=RunState.FINISHED, pause="", completed=3, mark="secret-6")
        assert run_in(made) == answered
        head = made.asks("refund ORD-8 50000")
        assert run_in(made).chain == 1, "counted from the caller's last text on"
        made.late()
        later = made.clock.now_ms()
        made.ends(head, 1, "reject")
        made.resumes(head.pause)
        assert run_in(made) == replace(
            answered,
            session="conversation-1-r1",
            opened=1,
            turn=5,
            until_ms=later + 1000 * (TTL_S + ANSWER_S),
            last_ms=later,
            completed=5,
            mark=run_in(made).mark,
        )


def test_pauses_that_follow_each_other_make_a_chain() -> None:
    with desk(behaves={"stubborn": True}) as made:
        head = made.asks()
        made.late()
        made.ends(head, 1, "accept")
        made.resumes(head.pause)
        assert run_in(made).chain == 2


@pytest.mark.parametrize(("before", "later"), [(0, 0), (0, 1), (1, 2)])
def test_the_control_of_a_record_from_before_the_turn_was_kept_is_sought_in_every_turn(before: int, later: int) -> None:
    with desk() as made:
        for _ in range(before):
            made.say("hello")
        head = made.asks(ONE)
        made.forgets("turn", head)
        run = run_in(made)
        made.table.write([Put(put_run(made.keys, replace(run, turn=run.turn + later)))])
        made.ends(made.head(head.pause), 1, "reject")
        assert made.resumes(head.pause) == "delivered"


def forbids(made: Desk, above: int) -> None:
    """From now on the policy denies larger refunds."""
    tool = "Refunds.issueRefund"
    rule = Threshold("money-out/never", "Nobody refunds so much.", "amountCents", Decimal(above))
    changed = replace(made.policy.tools[tool], denies=(rule,))
    made.policy = replace(made.policy, tools={**made.policy.tools, tool: changed})


def told(made: Desk) -> list[dict[str, Any]]:
    """What the last answer says of each call."""
    results = made.runtime.log[-1].request.body["sessionState"]["returnControlInvocationResults"]
    return [json.loads(one["functionResult"]["responseBody"]["TEXT"]["body"]) for one in results]


def test_what_the_policy_forbids_since_it_was_accepted_is_not_run_and_told_so() -> None:
    with desk() as made:
        head = made.asks(TWO)
        made.ends(head, 1, "accept")
        made.ends(made.head(head.pause), 2, "accept")
        forbids(made, 55_000)
        assert made.resumes(head.pause) == "delivered"
        assert made.paid() == [("ORD-1", 50000)]
        assert [(one["status"], one["note"]) for one in told(made)] == [
            ("done", "It was run once. Do not call it again."),
            (
                "denied",
                "The policy forbids this call. It was not run, and asking again will not help. Do not call it again.",
            ),
        ]


def test_what_a_person_rejected_stays_rejected_whatever_the_policy_forbids() -> None:
    with desk() as made:
        head = made.asks(TWO)
        made.ends(head, 1, "reject")
        made.ends(made.head(head.pause), 2, "accept")
        forbids(made, 40_000)
        assert made.resumes(head.pause) == "delivered"
        assert made.paid() == []
        assert [(one["status"], one.get("reason")) for one in told(made)] == [
            ("rejected", "not this one"),
            ("denied", None),
        ]


def test_an_agent_that_pauses_too_often_after_one_text_is_refused_and_its_session_used_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(continuing, "LONGEST_CHAIN", 1)
    with desk(behaves={"stubborn": True}) as made:
        head = made.asks()
        made.late()
        made.ends(head, 1, "accept")
        made.resumes(head.pause)
        run = run_in(made)
        why = "The agent paused 1 times after one text."
        assert (run.state, run.code, run.why, run.broken) == (RunState.FAILED, "chain_too_long", why, True)
        assert (run.pause, run.posts, run.chain) == ("", 0, 1)
        assert run.tell.endswith(why)
        assert ("failed", {"agent": "refund-desk", "code": "chain_too_long"}) in made.log
        assert len(made.heads()) == 1


class Fails:
    """A runtime that takes no turn."""

    def __init__(self, inner: Any, failure: TurnFailed) -> None:
        self.definition, self._failure = inner.definition, failure

    def turn(self, *given: Any) -> Any:
        """Never a result."""
        raise self._failure


@pytest.mark.parametrize(
    ("failure", "raises", "state", "broken"),
    [
        (TurnFailed("throttling", nothing_done=True), Busy, RunState.FAILED, False),
        (TurnFailed("access_denied", nothing_done=True), Conflict, RunState.FAILED, False),
        (TurnFailed("response_lost", nothing_done=False), None, RunState.INCONCLUSIVE, True),
    ],
    ids=lambda one: getattr(one, "code", None),
)
def test_a_turn_that_fails_is_recorded_with_whether_anything_was_done(
    failure: TurnFailed, raises: type[Exception] | None, state: RunState, broken: bool
) -> None:
    with desk() as made:
        ports = replace(made.ports, runtime=Fails(made.ports.runtime, failure))
        asked = Invocation(made.run, ONE, key="key-1")
        if raises is None:
            assert invoke(ports, made.agent, asked).code == failure.code
        else:
            with pytest.raises(raises):
                invoke(ports, made.agent, asked)
        run = run_in(made)
        assert (run.state, run.code, run.broken) == (state, failure.code, broken)
        assert run.key == ("" if failure.nothing_done else "key-1"), "what was not taken in may be asked again"
        told = {"agent": "refund-desk", "code": failure.code, "nothing_done": failure.nothing_done}
        assert made.log == [("turn_failed", told)]
