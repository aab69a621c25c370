"""A caller's turn: what is answered at once, what waits, what is refused, and what nobody knows."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from typing import Any

import pytest

from local.bedrock import Fault, Mode, refund_agent
from placet.aws.bedrock import name_of, read
from placet.aws.ids import SystemSecrets
from placet.model.errors import Busy, Conflict, Frozen, Invalid, NotFound
from placet.service import operate
from placet.service.bedrock.invoking import Invocation, invoke
from placet.service.cancel import cancel
from placet.service.ports import TurnFailed
from placet.service.resume import resume
from placet.service.review import detail
from tests.bedrock.crashing import Died, Moment
from tests.bedrock.desk import ONE, TARGET, TTL_S, TWO, desk


def test_text_that_asks_is_an_answer_and_never_a_pause() -> None:
    with desk() as made:
        found = made.say("ask")
        assert (found.status, found.completion) == ("finished", "Shall I proceed?")
        assert made.heads() == []
        assert made.say("yes, proceed").status == "finished"
        assert made.paid() == []


def test_a_run_that_waits_takes_no_text() -> None:
    with desk() as made:
        head = made.asks()
        with pytest.raises(Conflict) as caught:
            made.say("are you there?")
        assert (caught.value.code, caught.value.members["pause"]) == ("run_waits", head.pause)
        assert len(made.runtime.log) == 1


def test_one_turn_at_a_time() -> None:
    with desk() as made:
        port = made.ports.runtime
        assert port is not None
        seen: list[str] = []

        class Slow:
            definition = port.definition

            def turn(self, *args: Any) -> Any:
                with pytest.raises(Conflict) as caught:
                    made.say("meanwhile")
                seen.append(caught.value.code)
                return port.turn(*args)

        made._runtime = Slow()  # type: ignore[assignment]
        assert made.say("hello").status == "finished"
        assert seen == ["run_busy"]


def test_the_same_turn_is_sent_once() -> None:
    with desk() as made:
        first = made.say(ONE, key="turn-1")
        assert made.say(ONE, key="turn-1") == first
        assert len(made.runtime.log) == 1
        assert len(made.heads()) == 1


@pytest.mark.parametrize("fault", [Fault.TRUNCATED, Fault.TRACE_ONLY, Fault.LOST, Fault.STREAM_THROTTLED_AFTER])
def test_a_turn_that_nobody_knows_the_end_of_is_inconclusive_and_never_done(fault: Fault) -> None:
    with desk() as made:
        made.runtime.faults.arm(fault, "text")
        found = made.say(ONE)
        assert (found.status, found.completion) == ("inconclusive", "")
        assert found.code
        assert made.heads() == []
        head = made.asks()
        assert made.runtime.log[-1].request.session == f"{made.run}-r1"
        made.ends(head, 1, "accept")
        made.resumes(head.pause)
        assert made.paid() == [("ORD-7", 50000)]


def test_an_error_inside_the_stream_has_its_name() -> None:
    with desk() as made:
        made.runtime.faults.arm(Fault.STREAM_THROTTLED, "text")
        assert made.say("hello").code == "throttling"
    assert name_of("throttlingException") == name_of("ThrottlingException") == "throttling"
    assert name_of("DependencyFailedException") == "dependency_failed"


def test_a_throttled_turn_was_not_sent_and_may_be_sent_again() -> None:
    with desk() as made:
        made.runtime.faults.arm(Fault.THROTTLED, "text")
        with pytest.raises(Busy):
            made.say(ONE, key="turn-1")
        assert made.say(ONE, key="turn-1").status == "waiting"
        assert made.runtime.log[-1].request.session == made.run


def test_an_agent_that_is_not_there_is_a_clear_refusal() -> None:
    with desk(target=replace(TARGET, agent_id="NOPE000000")) as made, pytest.raises(Conflict) as caught:
        made.say("hello")
    assert (caught.value.code, caught.value.members["bedrock"]) == ("bedrock_refused", "resource_not_found")


@pytest.mark.parametrize(
    ("run", "text", "code"),
    [
        ("x", "hello", "run_invalid"),
        ("a/b", "hello", "run_invalid"),
        ("r" * 91, "hello", "run_invalid"),
        ("conversation-1-r2", "hello", "run_invalid"),
        ("run", " ", "text_invalid"),
    ],
)
def test_bad_input_is_refused_before_anything_is_sent(run: str, text: str, code: str) -> None:
    with desk() as made:
        with pytest.raises(Invalid) as caught:
            made.say(text, run)
        assert caught.value.code == code
        assert made.runtime.log == []


def test_a_frozen_gateway_sends_nothing() -> None:
    with desk() as made:
        operate.freeze(made.ports, "olga", "a restore")
        with pytest.raises(Frozen):
            made.say("hello")
        assert made.runtime.log == []


def test_a_cancelled_pause_is_left_behind_with_its_session() -> None:
    with desk() as made:
        head = made.asks()
        cancel(made.ports, made.agent, head.pause, "the user left")
        assert made.status().status == "cancelled"
        assert made.say("hello").status == "finished"
        assert made.runtime.log[-1].request.session == f"{made.run}-r1"


def test_a_function_that_died_between_the_control_and_the_pause_lost_nothing_but_the_question() -> None:
    with desk() as made:
        ids, made.ids = made.ids, SystemSecrets()  # type: ignore[assignment]
        with pytest.raises(RuntimeError):
            made.say(ONE)
        made.ids = ids
        assert made.status().status == "running"
        made.clock.move(700)
        assert made.status().status == "inconclusive"
        head = made.asks()
        made.ends(head, 1, "accept")
        made.resumes(head.pause)
        assert made.paid() == [("ORD-7", 50000)]


def test_wherever_the_function_dies_the_same_turn_leads_to_one_pause_and_one_effect() -> None:
    died: list[str] = []
    for at, after in itertools.product(range(1, 40), (False, True)):
        with desk() as made:
            moment = Moment(at, after=after)
            asked = Invocation(made.run, ONE, "turn-1")
            try:
                invoke(moment.ports(made.ports), made.agent, asked)
            except Died:
                died.append(moment.calls[-1])
            else:
                break
            made.clock.move(700)
            found = invoke(made.ports, made.agent, asked)
            if found.status == "inconclusive":  # the turn may have reached Bedrock: it is not sent again under its name
                found = made.say(ONE, key="turn-2")
            assert found.status == "waiting", (at, after, moment.calls[-1])
            head = made.seen(found.pause)
            made.ends(head, 1, "accept")
            made.resumes(head.pause)
            assert made.paid() == [("ORD-7", 50000)]
            assert len(made.heads()) == 1
    assert {"table.get", "table.write", "runtime.turn", "ids.pause_id"} <= set(died)


def test_what_an_answer_led_to_is_captured_by_the_one_who_resumes() -> None:
    seen = set()
    for at in range(1, 80):
        with desk() as made:
            head = made.asks("refund ORD-1 50000 then refund ORD-2 60000")
            made.ends(head, 1, "accept")
            moment = Moment(at)
            try:
                resume(moment.ports(made.ports), head.pause)
            except Died:
                pass
            else:
                break
            waits = made.ports.table.get(made.keys.session_run(made.agent.name, made.run)) or {}
            if waits["pause"] == head.pause or len(made.heads()) == 2:
                continue
            with pytest.raises(Conflict) as caught:
                made.say("hello")
            seen.add(caught.value.code)
            made.clock.move(700)
            made.resumes(head.pause)
            child = made.seen(made.status().pause)
            assert (made.parent(child), len(made.heads())) == (head.pause, 2)
    assert seen == {"run_busy"}


def test_a_run_nobody_started_is_absent() -> None:
    with desk() as made, pytest.raises(NotFound):
        made.status("conversation-9")


def test_several_calls_are_answered_together() -> None:
    with desk() as made:
        head = made.asks(TWO)
        made.ends(head, 1, "accept")
        assert made.resumes(head.pause) == "waiting"
        assert len(made.runtime.log) == 1
        made.ends(head, 2, "reject")
        made.resumes(head.pause)
        results = made.runtime.log[-1].request.body["sessionState"]["returnControlInvocationResults"]
        assert len(results) == 2


def test_a_collaborators_call_is_answered_with_its_agent() -> None:
    script = refund_agent(Mode.RESULT, idle_ttl_s=TTL_S)
    theirs = replace(script.actions[0], group="Payouts", function="payOut", verb="payout")
    with desk(script=script.with_collaborator("payments", "COLLAB1234", [theirs])) as made:
        head = made.asks("payout ORD-7 50000")
        (call,) = detail(made.ports, made.maria, head.pause).calls
        assert "Proposed by the collaborator payments." in call.notes
        made.ends(head, 1, "accept")
        assert made.resumes(head.pause) == "delivered"
        request = made.runtime.log[-1].request
        (result,) = request.body["sessionState"]["returnControlInvocationResults"]
        assert result["functionResult"]["agentId"] == "COLLAB1234"
        assert (request.agent, request.session) == ("AGENT12345", made.run)


def test_an_api_call_is_answered_in_its_own_shape() -> None:
    with desk() as made:
        head = made.asks("reverse ORD-7 50000")
        assert head.calls[0].tool == "Orders.POST /orders/{orderId}/refund"
        made.ends(head, 1, "accept")
        made.resumes(head.pause)
        (result,) = made.runtime.log[-1].request.body["sessionState"]["returnControlInvocationResults"]
        answer = result["apiResult"]
        assert (answer["httpMethod"], answer["apiPath"], answer["httpStatusCode"]) == (
            "POST",
            "/orders/{orderId}/refund",
            200,
        )
        assert json.loads(answer["responseBody"]["TEXT"]["body"])["status"] == "done"


@pytest.mark.parametrize(
    ("events", "code"),
    [([], "inconclusive"), ([{"trace": {}}], "inconclusive"), ([{"returnControl": {}}] * 2, "two_controls")],
)
def test_a_stream_that_says_nothing_certain_is_no_turn(events: list[dict[str, Any]], code: str) -> None:
    with pytest.raises(TurnFailed) as caught:
        read(events)
    assert (caught.value.code, caught.value.nothing_done) == (code, False)
