"""A mistake comes to whoever can mend it: what the model wrote to the model, what its developer wrote to the developer."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from langchain_core.messages import ToolMessage

from placet.client import GatewayRefused, NotCapturable, NotTaken, said
from placet.client.langchain import Finished, Waiting, gate, refusals
from placet.frameworks.langchain import reading as langchain
from placet.http.bodies import checked
from placet.http.bodies.agents import CaptureBody, EvidenceBody, FactsBody
from placet.model import limits
from placet.model.errors import Invalid
from placet.policy.facts import Origin
from tests.frameworks.langchain.scene import config, refund

PIECE = {"title": "Order", "source": "shop", "trusted": True, "text": "240.00", "origin": "tool"}
SLIPS: list[tuple[dict[str, Any], str]] = [
    ({"evidence": "because"}, "evidence: is a str and no list of pieces"),
    ({"evidence": [PIECE, "because"]}, "evidence/1: is a str"),
    ({"evidence": [PIECE | {"txt": "240.00"}]}, "evidence/0/txt: is none of"),
    ({"evidence": [PIECE | {"text": 240}]}, "evidence/0/text: is a int"),
    ({"evidence": [PIECE | {"trusted": "yes"}]}, "evidence/0/trusted"),
    ({"evidence": [PIECE | {"origin": "shop"}]}, "evidence/0/origin: is none of user, tool, retrieved, agent"),
    ({"evidence": [PIECE | {"cut": -1}]}, "evidence/0/cut"),
    ({"entity": 1182}, "entity: is a int and no text"),
    ({"entity": "o" * 257}, "entity: has 257 characters"),
    ({"requester": "elif@example.com, maria@example.com"}, "requester: is one person"),
    ({"requester": None, "facts": {"modle": "m"}}, "facts/modle: is none of"),
    ({"facts": "gpt"}, "facts: is a str"),
    ({"facts": {"model": 4}}, "facts/model: is a int"),
    ({"says": 1}, "says: is a int"),
    ({"wait_at_most_s": 0}, "wait_at_most_s"),
    ({"wait_at_most_s": 1.5}, "wait_at_most_s"),
    ({"confidence": 90}, "confidence: is no number from 0 to 1"),
    ({"confidence": "high"}, "confidence"),
    ({"numbers": {"rows": "many"}}, "numbers/rows: is no number"),
    ({"numbers": [1]}, "numbers: is a list"),
    ({"numbers": {f"n{number}": 1 for number in range(21)}}, "numbers: has 21 numbers"),
]


@pytest.mark.parametrize(("about", "says"), SLIPS, ids=[says for _, says in SLIPS])
def test_what_the_developer_says_wrongly_of_a_run_is_raised_before_it_starts(scene, about, says):
    one = scene([refund(1, 240.0)])
    with pytest.raises(NotTaken) as caught:
        one.run(**about)
    assert caught.value.code == "field_invalid"
    assert says in str(caught.value)
    assert "Nothing was started. (" in str(caught.value)
    assert "Mend the call of run." in str(caught.value)
    assert one.agent.get_state(config("t1")).values == {}


@pytest.mark.parametrize("about", [about for about, _ in SLIPS], ids=[says for _, says in SLIPS])
def test_the_gateway_takes_none_of_it_either(about):
    """So that the SDK is no stricter than what it stands for."""
    body = {"framework": "langchain", "run": "r", "native": {}, **{k: v for k, v in about.items() if v is not None}}
    with pytest.raises(Invalid):
        checked(CaptureBody, body)


def test_the_names_and_limits_are_the_gateways():
    assert tuple(EvidenceBody.model_fields) == said.PIECE
    assert tuple(FactsBody.model_fields) == said.FACTS
    assert {*Origin, ""} == {*said.ORIGINS} == {*get_args(EvidenceBody.model_fields["origin"].annotation)}
    assert (said.MOST_NUMBERS, refusals.MOST_CALLS) == (limits.MOST_NUMBERS, langchain.MAX_CALLS)


def test_everything_that_is_right_is_taken(scene):
    one = scene([refund(1, 240.0)])
    about = {"entity": "order:1182", "requester": "Elif <elif@example.com>", "evidence": [PIECE], "says": "so"}
    more = {"facts": {"model": "m"}, "wait_at_most_s": 60, "confidence": 0.5, "numbers": {"rows": 4120}}
    assert isinstance(one.run(**about, **more), Waiting)


def test_a_config_without_a_thread_is_told(scene):
    one = scene([refund(1, 240.0)])
    with pytest.raises(NotCapturable, match=r'pass \{"configurable": \{"thread_id"'):
        one.approvals.run(one.agent, {"messages": []}, {})


def refusing(one: Any, code: str, status: int = 422, **members: Any) -> None:
    """The gateway refuses every capture."""
    send = one.fake.send

    def refuses(method, path, body=None):
        if path == "/v1/pauses":
            raise GatewayRefused(status, code, "It is not taken.", members)
        return send(method, path, body)

    one.fake.send, one.fake.taken = refuses, send


@pytest.mark.parametrize(
    ("code", "members", "todo"),
    [
        ("schema_invalid", {"problems": [{"at": "#/type", "problem": "is no type"}]}, refusals.PAUSED),
        ("schema_too_complex", {"problems": [{"at": "#", "problem": "takes too long"}]}, refusals.PAUSED),
        ("framework_differs", {}, refusals.PAUSED),
        ("native_invalid", {}, refusals.PAUSED),
        ("body_too_large", {}, refusals.PAUSED),
        ("json_too_deep", {}, refusals.PAUSED),
        ("unknown_field", {"problems": [{"at": "evidence/0/txt", "problem": "not known"}]}, refusals.KEPT),
        ("unknown_field", {"problems": [{"at": "confidence", "problem": "not known"}]}, refusals.PAUSED),
        ("field_invalid", {"problems": [{"at": "requester", "problem": "is one person"}]}, refusals.KEPT),
    ],
)
def test_what_no_model_can_mend_is_raised_and_the_run_stays_paused(scene, code, members, todo):
    one = scene([refund(1, 240.0)])
    refusing(one, code, **members)
    with pytest.raises(NotTaken) as caught:
        one.run()
    assert caught.value.code == code
    assert str(caught.value).startswith(f"{code}: It is not taken.")
    assert str(caught.value).endswith(todo)
    for problem in members.get("problems", []):
        assert f"{problem['at']}: {problem['problem']}" in str(caught.value)
    assert one.agent.get_state(config("t1")).interrupts
    one.fake.send = one.fake.taken
    assert isinstance(one.approvals.recover(one.agent)["t1"], Waiting)


def deep(levels: int) -> Any:
    return [deep(levels - 1)] if levels else "x"


@pytest.mark.parametrize(
    ("code", "status", "turn"),
    [
        ("arguments_break_schema", 422, [refund(1, 240.0)]),
        ("native_invalid", 422, [refund(number, 240.0) for number in range(1, 12)]),
        ("body_too_large", 413, [refund(1, 240.0, "9" * 140_000)]),
        ("json_too_deep", 400, [refund(1, deep(60))]),
    ],
)
def test_what_the_model_wrote_it_is_told_and_not_that_somebody_said_no(scene, code, status, turn):
    one = scene(turn, "I am sorry.")
    refusing(one, code, status)
    outcome = one.run()
    assert isinstance(outcome, Finished)
    results = [item for item in outcome.values["messages"] if isinstance(item, ToolMessage)]
    assert len(results) == len(turn)
    for result in results:
        assert (result.status, one.ran) == ("error", [])
        assert result.text.startswith("No person was asked and the call was not run: ")
        assert "ejected" not in result.text


def told(one: Any) -> str:
    (result,) = [item for item in one.agent.get_state(config("t1")).values["messages"] if isinstance(item, ToolMessage)]
    return str(result.text)


@pytest.mark.parametrize(
    ("state", "text"),
    [
        ("expired", "Nobody decided."),
        ("rejected", "User rejected the tool call for `issue_refund` with reason: Too much."),
    ],
)
def test_the_model_hears_of_a_person_only_when_one_said_no(scene, state, text):
    one = scene([refund(1, 240.0)], "I am sorry.")
    one.run()
    (name,) = one.fake.pending()
    one.fake.decide(name, state, reason="Too much." if state == "rejected" else "")
    (pause,) = one.decided()
    one.approvals.resume(one.agent, pause)
    assert told(one) == text


def test_words_that_langchain_puts_before_would_be_seen(scene, monkeypatch):
    """The planted bug: the sentence of LangChain's middleware stands."""
    monkeypatch.setattr(gate, "_in_its_own_words", lambda tool, result: result)
    with pytest.raises(AssertionError, match="User rejected"):
        test_the_model_hears_of_a_person_only_when_one_said_no(scene, "expired", "Nobody decided.")


def test_a_mistake_of_the_developer_that_is_told_to_the_model_would_be_seen(scene, monkeypatch):
    """The planted bug: whatever the gateway refuses is declined."""
    monkeypatch.setattr("placet.client.langchain.capturing.is_the_models", lambda state, error: True)
    one = scene(*[[refund(number, 240.0)] for number in range(9)])
    refusing(one, "schema_invalid")
    with pytest.raises(NotCapturable, match="proposes calls again"):
        one.run()


def test_a_tool_that_the_policy_does_not_name_is_said_when_the_agent_starts(scene, caplog):
    one = scene("hello")
    said = [record.getMessage() for record in caplog.records if "names no tool" in record.getMessage()]
    assert said == ["the policy names no tool send_email: each of its calls waits for a person."]
    caplog.clear()
    one.fake.gates = {"get_orders": "free", "issue_refund": "pause", "send_email": "pause"}
    one.gate()
    (told,) = [record.getMessage() for record in caplog.records]
    assert told.endswith(
        "no tool get_order: each of its calls waits for a person. It names get_orders; is that the same?"
    )


def test_a_function_for_evidence_that_gives_a_misspelt_piece_stops_nothing(scene):
    one = scene([refund(1, 240.0)])
    one.approvals = one.gate(evidence=lambda values: [PIECE | {"txt": "240.00"}])
    one.agent = one.make(one.approvals)
    assert isinstance(one.run(), Waiting)
    (pause,) = one.fake.pauses.values()
    assert "Could not be had: evidence" in json.dumps(pause["body"]["evidence"])
