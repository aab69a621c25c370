"""Inline agents: the whole definition is sent with every call, and an answer is sent with the one that asked."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from placet.service.bedrock.turns import run_of
from tests.bedrock.desk import TARGET, Desk

DEFINITION: dict[str, Any] = {
    "foundationModel": "anthropic.claude-3-5-sonnet-20241022-v2:0",
    "instruction": "You pay refunds, and you never promise one before it is paid.",
    "promptOverrideConfiguration": {"promptConfigurations": [{"inferenceConfiguration": {"temperature": 0.5}}]},
    "actionGroups": [
        {
            "actionGroupName": "Refunds",
            "actionGroupExecutor": {"customControl": "RETURN_CONTROL"},
            "functionSchema": {
                "functions": [
                    {
                        "name": "issueRefund",
                        "parameters": {
                            "orderId": {"type": "string", "required": True},
                            "amountCents": {"type": "integer", "required": True},
                        },
                    }
                ]
            },
        }
    ],
}
INLINE = replace(TARGET, agent_id="", alias_id="", definition="refunds")


@dataclass
class Inline(Desk):
    """A desk whose agent is defined by a file."""

    deployed: dict[str, Any] = field(default_factory=lambda: copy.deepcopy(DEFINITION))

    def definition(self, name: str) -> str:
        return {"refunds": json.dumps(self.deployed)}[name]


@pytest.fixture
def made() -> Any:
    found = Inline(target=INLINE)
    yield found
    found.server.stop()


@pytest.mark.parametrize(
    ("how", "paid"), [("accept", [("ORD-7", 50000)]), ("edit", [("ORD-7", 30000)]), ("reject", [])]
)
def test_an_inline_agent_is_answered_with_its_definition(made: Inline, how: str, paid: list[tuple[str, int]]) -> None:
    head = made.asks("refund ORD-7 50000")
    made.ends(head, 1, how)
    assert made.resumes(head.pause) == "delivered"
    assert made.paid() == paid
    first, answer = (one.request.body for one in made.runtime.log)
    assert answer["inlineSessionState"]["invocationId"]
    assert answer["idleSessionTTLInSeconds"] == INLINE.session_ttl_s
    assert (answer["actionGroups"], answer["foundationModel"]) == (first["actionGroups"], first["foundationModel"])
    assert made.status().status == "finished"


def test_the_answer_has_the_definition_that_asked_also_after_a_deploy(made: Inline) -> None:
    head = made.asks("refund ORD-7 50000")
    made.deployed["instruction"] = "You are somebody else by now, and you were deployed this morning."
    made.ends(head, 1, "accept")
    made.resumes(head.pause)
    assert made.runtime.log[-1].request.body["instruction"] == DEFINITION["instruction"]


def test_late_the_inline_agent_is_told_in_a_new_session(made: Inline) -> None:
    head = made.asks("refund ORD-7 50000")
    made.late()
    made.ends(head, 1, "accept")
    made.resumes(head.pause)
    assert made.paid() == [("ORD-7", 50000)]
    found = run_of(made.ports, made.agent, made.run)
    assert found is not None
    assert found.session == f"{made.run}-r1"
    assert made.runtime.log[-1].request.session == found.session
