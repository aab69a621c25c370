"""Sessions of the runtime: what a prompt proposes, what an answer does, what is remembered and for how long."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from local.bedrock import Agent, BedrockRuntime, BedrockServer, Mode, refund_agent
from local.bedrock.agents import TELL
from tests.local.bedrock_talk import Talk, refund, reverse

AGENTS = (
    refund_agent(),
    refund_agent(Mode.CONFIRM, "CONFIRM123"),
    refund_agent(Mode.CONFIRM_AND_RESULT, "BOTH123456"),
    refund_agent(Mode.CONFIRM, "OBEYS12345", complies=True),
    refund_agent(Mode.CONFIRM, "STUBBORN12", stubborn=True),
    refund_agent(Mode.AT_ONCE, "ATONCE1234"),
    Agent("SUPERVISOR", "TSTALIASID", ()).with_collaborator("mailer", "MAILER1234", [TELL]),
)


class Bedrock:
    """A running runtime and clients for its agents."""

    def __init__(self, runtime: BedrockRuntime, url: str) -> None:
        self.runtime = runtime
        self._url = url

    def talk(self, agent: str = "AGENT12345") -> Talk:
        return Talk(self._url, agent)


@pytest.fixture
def bedrock() -> Iterator[Bedrock]:
    runtime = BedrockRuntime(AGENTS)
    with BedrockServer(runtime) as server:
        yield Bedrock(runtime, server.url)


def values(call: dict[str, Any]) -> dict[str, str]:
    return {one["name"]: one["value"] for one in call["parameters"]}


def test_equal_calls_come_in_one_control_and_no_more_than_five(bedrock: Bedrock) -> None:
    prompt = "refund " + " ".join(f"ORD-{number} {number}00" for number in range(1, 8))
    turn = bedrock.talk().say("s1", prompt)
    assert [values(call)["amountCents"] for call in turn.calls] == ["100", "200", "300", "400", "500"]
    assert {call["function"] for call in turn.calls} == {"issueRefund"}


def test_equal_calls_take_their_results_in_the_order_of_the_list(bedrock: Bedrock) -> None:
    talk = bedrock.talk("CONFIRM123")
    invocation = talk.say("s1", "refund ORD-1 100 ORD-2 200 ORD-3 300").invocation
    turn = talk.answer("s1", invocation, refund("DENY"), refund("CONFIRM"), refund("DENY", "no"))
    assert turn.text == "ORD-1: not done; ORD-2: done; ORD-3: not done (no)"
    assert [one.arguments["orderId"] for one in bedrock.runtime.executed] == ["ORD-2"]


def test_different_calls_come_in_one_control_and_are_answered_in_any_order(bedrock: Bedrock) -> None:
    talk = bedrock.talk()
    turn = talk.say("s1", 'refund ORD-1 100 and reverse ORD-2 200 and tell kim "It is out"')
    kinds = [next(iter(one)) for one in turn.control["invocationInputs"]]
    assert kinds == ["functionInvocationInput", "apiInvocationInput", "functionInvocationInput"]
    _, api, mail = turn.calls
    assert (api["httpMethod"], api["apiPath"]) == ("POST", "/orders/{orderId}/refund")
    assert api["parameters"] == [{"name": "orderId", "type": "string", "value": "ORD-2"}]
    assert api["requestBody"]["content"]["application/json"]["properties"] == [
        {"name": "amountCents", "type": "integer", "value": "200"},
        {"name": "rate", "type": "number", "value": "1.50"},
    ]
    told = {
        "functionResult": {"actionGroup": "Mail", "function": "tellCustomer", "responseBody": {"TEXT": {"body": "c"}}}
    }
    ended = talk.answer("s1", turn.invocation, reverse(body="b"), told, refund(body="a"))
    assert ended.text == f"ORD-1: a; ORD-2: b; {values(mail)['to']}: c"


def test_a_chained_pause_comes_after_the_answer_under_a_new_id(bedrock: Bedrock) -> None:
    talk = bedrock.talk()
    first = talk.say("s1", "refund ORD-1 100 then refund ORD-2 200")
    assert len(first.calls) == 1
    second = talk.answer("s1", first.invocation, refund(body="paid"))
    assert values(second.calls[0])["orderId"] == "ORD-2"
    assert second.invocation != first.invocation
    assert talk.answer("s1", second.invocation, refund(body="paid too")).text == "ORD-1: paid; ORD-2: paid too"


@pytest.mark.parametrize("kind", ["boolean", "integer", "number", "array"])
def test_values_that_nobody_can_decode(bedrock: Bedrock, kind: str) -> None:
    wrong = {"boolean": "yes", "integer": "5e3", "number": "five hundred", "array": "[{itemName=item1, quantity=2}]"}
    (call,) = bedrock.talk().say(f"s-{kind}", f"bad {kind}").calls
    given = call["parameters"] + call.get("requestBody", {"content": {}})["content"].get("application/json", {}).get(
        "properties", []
    )
    assert {"type": kind, "value": wrong[kind]} in [{"type": one["type"], "value": one["value"]} for one in given]


@pytest.mark.parametrize(
    ("what", "missing"), [("", "actionInvocationType"), ("function", "function"), ("invocation", "invocationId")]
)
def test_a_control_can_lack_what_the_model_marks_as_optional(bedrock: Bedrock, what: str, missing: str) -> None:
    turn = bedrock.talk().say("s1", f"untyped {what}")
    assert missing not in {**turn.control, **turn.calls[0]}
    assert {**turn.control, **turn.calls[0]}.keys() >= {"invocationInputs", "actionGroup", "agentId"}


def test_a_question_in_words_is_no_pause(bedrock: Bedrock) -> None:
    talk = bedrock.talk()
    assert talk.say("s1", "ask").text == "Shall I proceed?"
    assert talk.say("s1", "hello").text == "How can I help?"
    assert "amountCents" in talk.say("s1", "refund ORD-1").text
    assert bedrock.runtime.unanswered() == []


def test_told_no_with_another_call_an_obedient_agent_proposes_exactly_that(bedrock: Bedrock) -> None:
    talk = bedrock.talk("OBEYS12345")
    first = talk.say("s1", "refund ORD-1 5000")
    other = 'Not so. Propose again with {"amountCents": 3000, "notify": false, "items": [1, {"a": 1.50}]} please.'
    second = talk.answer("s1", first.invocation, refund("DENY", other))
    assert values(second.calls[0]) == {
        "orderId": "ORD-1",
        "amountCents": "3000",
        "notify": "false",
        "items": '[1, {"a": 1.5}]',
    }
    assert talk.answer("s1", second.invocation, refund("DENY", "never {mind}")).text.endswith("not done (never {mind})")


def test_it_proposes_nothing_again_that_it_is_told_not_to(bedrock: Bedrock) -> None:
    talk = bedrock.talk("OBEYS12345")
    first = talk.say("s1", "refund ORD-1 5000 ORD-2 300")
    said = {"status": "changed", "note": "Call it again now with exactly these.", "arguments": '{"amountCents":3000}'}
    done = {"status": "done", "note": "It was run once. Do not call it again.", "arguments": '{"amountCents":200}'}
    second = talk.answer("s1", first.invocation, refund("DENY", json.dumps(said)), refund("DENY", json.dumps(done)))
    assert [values(call)["amountCents"] for call in second.calls] == ["3000"]
    assert talk.answer("s1", second.invocation, refund("CONFIRM")).text.endswith("; ORD-1: done")


def test_told_no_another_agent_only_says_so(bedrock: Bedrock) -> None:
    talk = bedrock.talk("CONFIRM123")
    first = talk.say("s1", "refund ORD-1 5000")
    turn = talk.answer("s1", first.invocation, refund("DENY", 'propose {"amountCents": 3000}'))
    assert turn.text == 'ORD-1: not done (propose {"amountCents": 3000})'


def test_a_stubborn_agent_proposes_the_same_again_once(bedrock: Bedrock) -> None:
    talk = bedrock.talk("STUBBORN12")
    first = talk.say("run-1", "refund ORD-1 5000")
    again = talk.answer("run-1", first.invocation, refund("DENY"))
    assert again.calls == first.calls
    assert talk.answer("run-1", again.invocation, refund("DENY")).text == "ORD-1: not done; ORD-1: not done"
    later = talk.say("run-1-r1", "The refund of ORD-1 was made.")
    assert later.calls == first.calls
    assert later.invocation not in (first.invocation, again.invocation)
    assert talk.answer("run-1-r1", later.invocation, refund("DENY")).text.startswith("Noted: The refund of ORD-1")
    assert talk.say("run-1-r1", "The refund of ORD-1 was made.").text == "How can I help?"
    assert talk.say("run-2", "The refund of ORD-1 was made.").text.startswith("Noted")


def test_the_pause_of_a_collaborator_is_answered_with_its_agent_id_only(bedrock: Bedrock) -> None:
    talk = bedrock.talk("SUPERVISOR")
    turn = talk.say("s1", "tell kim hello")
    assert (turn.calls[0]["agentId"], turn.calls[0]["collaboratorName"]) == ("MAILER1234", "mailer")
    told = {"actionGroup": "Mail", "function": "tellCustomer", "responseBody": {"TEXT": {"body": "x"}}}
    for wrong in ({}, {"agentId": "SUPERVISOR"}):
        assert talk.answer("s1", turn.invocation, {"functionResult": told | wrong}).error == "ValidationException"
    assert talk.answer("s1", turn.invocation, {"functionResult": told | {"agentId": "MAILER1234"}}).text == "kim: x"


def test_answers_are_counted_and_open_pauses_listed(bedrock: Bedrock) -> None:
    talk = bedrock.talk()
    invocation = talk.say("s1", "refund ORD-1 100 ORD-2 200").invocation
    ((session, pause),) = bedrock.runtime.unanswered()
    assert (session, pause.invocation, len(pause.control.proposals)) == ("s1", invocation, 2)
    assert talk.answer("s1", invocation, refund(body="a")).error == "ValidationException"
    assert [pause.invocation for _, pause in bedrock.runtime.unanswered()] == [invocation]
    assert talk.answer("s1", invocation, refund(body="a"), refund(body="b")).text == "ORD-1: a; ORD-2: b"
    assert talk.answer("s1", invocation, refund(body="a"), refund(body="b")).error == "ValidationException"
    count = bedrock.runtime.answers[invocation]
    assert (count.accepted, count.refused) == (1, 2)
    assert bedrock.runtime.unanswered() == []


def test_an_idle_session_is_forgotten_and_begins_anew(bedrock: Bedrock) -> None:
    talk = bedrock.talk()
    talk.say("s1", "hello", {"sessionAttributes": {"who": "kim"}})
    invocation = talk.say("s1", "refund ORD-1 100").invocation
    bedrock.runtime.forward(599)
    assert talk.say("s1", "still there?").error == "ConflictException"
    bedrock.runtime.forward(599)
    assert talk.say("s1", "still there?").error == "ConflictException", "the last request restarted the idle clock"
    bedrock.runtime.forward(601)
    assert bedrock.runtime.unanswered() == []
    assert talk.answer("s1", invocation, refund(body="late")).error == "ValidationException"
    assert talk.say("s1", "still there?").text == "Noted: still there?"


def test_time_can_pass_for_one_session_only(bedrock: Bedrock) -> None:
    talk = bedrock.talk()
    talk.say("s1", "refund ORD-1 100")
    talk.say("s2", "refund ORD-2 200")
    bedrock.runtime.forward(601, "s1")
    assert [session for session, _ in bedrock.runtime.unanswered()] == ["s2"]


def test_the_log_has_every_request_and_what_became_of_it(bedrock: Bedrock) -> None:
    talk = bedrock.talk()
    state = {"sessionAttributes": {"a": "1"}, "promptSessionAttributes": {"b": "2"}}
    talk.say("s1", "refund ORD-1 100", state)
    talk.answer("s1", "unknown", refund(body="x"))
    talk.say("s1", "hello")
    bedrock.talk("NOBODY1234").say("s1", "hello")
    became = [(one.request.session, one.became) for one in bedrock.runtime.log]
    assert became == [
        ("s1", "pause"),
        ("s1", "ValidationException"),
        ("s1", "ConflictException"),
        ("s1", "ResourceNotFoundException"),
    ]
    assert bedrock.runtime.log[0].request.body == {"inputText": "refund ORD-1 100", "sessionState": state}


def test_an_ended_session_and_a_request_without_text(bedrock: Bedrock) -> None:
    talk = bedrock.talk()
    assert talk.say("s1", "hello").text == "Noted: hello"
    assert talk.say("s1", "bye", endSession=True).text == "Session ended."
    assert talk.say("s1", "hello").text == "Noted: hello"
    assert talk.say("s1", "").error == "ValidationException"
    assert talk.say("a/b", "hello").error == "ValidationException"


def test_a_trace_comes_before_the_rest_when_it_is_asked_for(bedrock: Bedrock) -> None:
    turn = bedrock.talk().say("s1", "refund ORD-1 100", enableTrace=True)
    assert [next(iter(one)) for one in turn.events] == ["trace", "returnControl"]
    assert turn.events[0]["trace"]["sessionId"] == "s1"
