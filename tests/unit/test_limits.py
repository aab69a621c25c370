"""What is taken in can be read back, at every way in; what could not be read back is not stored."""

from __future__ import annotations

import json
from typing import Any

import pytest

from placet.frameworks import adapter_of
from placet.model.canonical import (
    MAX_DEPTH,
    STORED_BYTES,
    STORED_DEPTH,
    check_stored,
    digest,
    exact_text,
    parse,
    parse_stored,
)
from placet.model.errors import Invalid, PlacetError, TooLarge
from placet.model.pauses import Agent, Capture, call_id
from placet.model.states import Verdict
from placet.records.runs import LONGEST_COMPLETION, Run, put_completion, read_completion
from placet.records.texts import stored
from placet.service.capture import capture
from placet.service.execute import claim
from placet.service.resume import pick_up
from placet.service.review import detail
from tests.gateway import ON_BEDROCK, SUPPORT, Gateway


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


def whole_way(gateway: Gateway, pause: str, agent: Agent = SUPPORT) -> str:
    """The exact arguments that a permit releases, after page, decision and pick-up."""
    head = gateway.head(pause)
    call = detail(gateway.ports, gateway.maria, pause).calls[0]
    gateway.decide(head, 1, Verdict.ACCEPT)
    assert pick_up(gateway.ports, agent)[0]["calls"][0]["arguments"] == call.text
    return claim(gateway.ports, agent, call_id(pause, 1), call.digest, "w").arguments


def shown(gateway: Gateway, framework: str, native: dict[str, Any]) -> str:
    from placet.service.notify import notify

    made = Capture(
        agent=SUPPORT.name,
        framework=framework,
        run="r",
        native=adapter_of(framework).read("r", native),
        native_text=exact_text(native),
        by="invoke_agent" if framework == "bedrock" else "",
    )
    pause = capture(gateway.ports, ON_BEDROCK if made.by else SUPPORT, made).head.pause
    gateway.deliver()
    notify(gateway.ports, pause, 1, "t")
    return pause


def bedrock(depth: int) -> dict[str, Any]:
    deep = {"name": "x", "type": "array", "value": nested(depth)}
    asked = {"actionGroup": "G", "function": "f", "actionInvocationType": "RESULT", "parameters": [deep]}
    control = {"invocationId": "i", "invocationInputs": [{"functionInvocationInput": asked}]}
    return {"session": "s", "return_control": control}


@pytest.mark.parametrize("depth", [1, 58, 59, 60, 61, 62, 63, 64, 65, 200])
def test_an_array_that_bedrock_nests_is_shown_decided_and_released(gateway: Gateway, depth: int) -> None:
    pause = shown(gateway, "bedrock", bedrock(depth))
    call = detail(gateway.ports, gateway.maria, pause).calls[0]
    if depth <= MAX_DEPTH:
        assert whole_way(gateway, pause, ON_BEDROCK) == '{"x":' + nested(depth) + "}"
    else:  # it stays the text that it came as, and nobody can accept it
        assert call.unreadable
        gateway.decide(gateway.head(pause), 1, Verdict.REJECT)
        assert pick_up(gateway.ports, ON_BEDROCK)[0]["calls"][0]["state"] == "rejected"


@pytest.mark.parametrize("size", [1_000, 262_142, 262_143, 300_000])
def test_a_long_text_of_bedrock_is_shown_or_can_only_be_rejected(gateway: Gateway, size: int) -> None:
    native = bedrock(1)
    parameter = native["return_control"]["invocationInputs"][0]["functionInvocationInput"]["parameters"][0]
    parameter["value"] = '["' + "x" * (size - 2) + '"]'
    pause = shown(gateway, "bedrock", native)
    assert bool(detail(gateway.ports, gateway.maria, pause).calls[0].unreadable) == (size > 262_142)
    gateway.decide(gateway.head(pause), 1, Verdict.REJECT)
    assert pick_up(gateway.ports, ON_BEDROCK)[0]["calls"][0]["state"] == "rejected"


@pytest.mark.parametrize("depth", [56, 59, 60])
def test_what_a_request_nests_is_shown_decided_and_released(gateway: Gateway, depth: int) -> None:
    """The request itself is read with its own limit: {"native": {"interrupts": [{"value": {"args": {"x": …}}}]}}."""
    deep = f'{{"x":{nested(depth)}}}'
    value = f'{{"type":"tool_approval","tool_call_id":"c","name":"delete_records","args":{deep}}}'
    ends = '"checkpoint_ns":"","checkpoint_id":"cp","tools":{}'
    text = f'{{"mode":"per_call","interrupts":[{{"id":"{1:032x}","value":{value}}}],{ends}}}'
    if depth + 5 > MAX_DEPTH:
        with pytest.raises(Invalid):
            parse(text)
        return
    assert whole_way(gateway, shown(gateway, "langchain", parse(text))) == deep


def test_an_edit_of_the_deepest_arguments_is_released(gateway: Gateway) -> None:
    pause = gateway.shown(("delete_records", {"table": "contacts", "where": "x"})).pause
    text = '{"table":"contacts","x":' + nested(MAX_DEPTH - 1) + "}"
    head = gateway.head(pause)
    gateway.decide(head, 1, Verdict.EDIT, arguments=text, new_digest=digest(parse(text)))
    assert pick_up(gateway.ports, SUPPORT)[0]["calls"][0]["arguments"] == text


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (nested(STORED_DEPTH), ""),
        (nested(STORED_DEPTH + 1), "json_too_deep"),
        ('"' + "x" * (STORED_BYTES - 2) + '"', ""),
        ('"' + "x" * (STORED_BYTES - 1) + '"', "body_too_large"),
        (f'"{chr(0xD800)}"', "json_surrogate"),
    ],
    ids=["deepest", "too deep", "longest", "too long", "half of a pair"],
)
def test_what_is_written_is_what_can_be_read(text: str, code: str) -> None:
    if not code:
        assert stored({}, "name", text).text in (text, "")
        assert exact_text(parse_stored(text)) == text
        assert len(digest(parse_stored(text))) == 64
        return
    with pytest.raises((Invalid, TooLarge)) as caught:
        stored({}, "name", text)
    assert caught.value.code == code
    with pytest.raises((PlacetError, UnicodeEncodeError)):
        parse_stored(text.encode().decode())


def test_what_older_releases_could_write_is_read() -> None:
    """Arguments of 64 levels, one more for their names, and those of a body around them."""
    text = json.dumps({"calls": [{"arguments": {"x": json.loads(nested(64))}}]})
    check_stored(text)
    assert json.dumps(parse_stored(text)) == text


@pytest.mark.parametrize("character", ["x", "\x01", "\u00e9", "\U0001f600", '"'])
def test_the_longest_completion_is_read_back(gateway: Gateway, character: str) -> None:
    said = character * (LONGEST_COMPLETION + 1)
    kept = put_completion(gateway.keys, Run("a", "r", "s"), 1, said, 0)
    found = read_completion(kept.item, kept.text or None)
    assert found.cut
    assert said.startswith(found.text)
    assert len(found.text) > LONGEST_COMPLETION // 2
