"""A pause is what its framework proposed: an agent hands in its own framework's, and what the gateway captures itself nobody."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from placet import wiring
from placet.frameworks import frameworks, handed_in, is_by_gateway
from placet.model.errors import Invalid
from placet.model.pauses import Agent, BedrockTarget
from placet.model.registry import Registry
from placet.service.origin import check_origin, is_answerable
from tests.functions.conftest import Api, api  # noqa: F401 - a fixture
from tests.gateway import BILLING, REFUND, SUPPORT, Gateway, native

DESK = Agent(
    "refund-desk",
    "placet-refund-desk",
    "o@example.com",
    "bedrock",
    bedrock=BedrockTarget("AGENT12345", "TSTALIASID", "", "placet-refund-executor", 600),
)
AGENTS = (SUPPORT, BILLING, DESK)
CONTROL = {
    "invocationId": "forged-1",
    "invocationInputs": [
        {
            "functionInvocationInput": {
                "actionGroup": "Refunds",
                "function": "issueRefund",
                "actionInvocationType": "RESULT",
                "agentId": "AGENT12345",
                "parameters": [{"name": "orderId", "type": "string", "value": "FORGED-1"}],
            }
        }
    ],
}
FORGED = {
    "session": "thread-1",
    "parent": "",
    "agent_id": "AGENT12345",
    "alias_id": "TSTALIASID",
    "region": "us-east-1",
    "return_control": CONTROL,
}


@pytest.mark.parametrize("framework", [*frameworks(), "Bedrock", " langchain", "crewai", ""])
@pytest.mark.parametrize("agent", AGENTS, ids=lambda one: one.name)
def test_nobody_hands_in_what_another_framework_proposed(api: Api, agent: Agent, framework: str) -> None:  # noqa: F811
    ports = replace(api.gateway.ports, registry=Registry(AGENTS))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wiring, "ports", lambda *names: ports)
        shape = native(REFUND) if framework == "langchain" else FORGED
        body = {"framework": framework, "run": "thread-1", "native": shape}
        status, answer = api.agent("capture", "POST /v1/pauses", body, role=agent.role)
    heads = [item for item in api.gateway.table.items.values() if item.get("kind") in ("HEAD", "BODY")]
    if framework == agent.framework and framework in handed_in():
        assert status == 201
        return
    wanted = "framework_differs" if framework in handed_in() else "framework_unknown"
    assert (status, answer["code"]) == (422, wanted)
    assert heads == []


def test_a_verb_captures_the_gateways_own_frameworks_and_no_other() -> None:
    check_origin(DESK, "bedrock", by="invoke_agent")
    for agent, framework, by in (
        (DESK, "bedrock", ""),
        (SUPPORT, "langchain", "invoke_agent"),
        (SUPPORT, "bedrock", "x"),
    ):
        with pytest.raises(Invalid) as refused:
            check_origin(agent, framework, by)
        assert refused.value.code in ("framework_unknown", "framework_differs")


def test_capture_asks_itself_whose_a_pause_is() -> None:
    """Whoever calls it: no route and no verb has to have asked before."""
    gateway = Gateway()
    with pytest.raises(Invalid) as refused:
        gateway.capture(REFUND, agent=DESK)
    assert refused.value.code == "framework_differs"
    assert not [item for item in gateway.table.items.values() if item.get("kind") in ("HEAD", "BODY")]


@pytest.mark.parametrize("framework", [*frameworks(), "of tomorrow"])
@pytest.mark.parametrize("agent", AGENTS, ids=lambda one: one.name)
def test_a_stored_pause_is_answered_by_its_own_kind_of_agent(agent: Agent, framework: str) -> None:
    assert is_answerable(agent, framework) is (is_by_gateway(framework) == (agent is DESK))


def test_the_registry_says_what_an_agent_is_built_with(monkeypatch: pytest.MonkeyPatch) -> None:
    entry: dict[str, Any] = {"name": "a", "role": "r", "target": {"kind": "pick_up"}}
    told = {**entry, "name": "b", "role": "q", "framework": "openai"}
    target = {"kind": "bedrock", "agent_id": "A", "alias_id": "B", "executor": "x", "session_ttl_s": 60}
    desk = {**entry, "name": "c", "role": "s", "target": target}
    monkeypatch.setenv("PLACET_AGENTS", json.dumps([entry, told, desk]))
    assert [one.framework for one in wiring.registry().agents] == ["langchain", "openai", "bedrock"]
