"""Inline agents: the whole deployed definition is sent with every call, and nothing that a record holds."""

from __future__ import annotations

import copy
import hashlib
import json
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from placet.records.heads import Head
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

    def keeps_whole(self, head: Head, text: str) -> None:
        """Put a definition's text into what is stored, as earlier releases did."""
        self.rewrites(head, lambda native: native.update(definition=text))


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


def test_a_record_holds_the_name_and_the_digest_of_a_definition_and_not_its_text(made: Inline) -> None:
    head = made.asks("refund ORD-7 50000")
    text = made.definition("refunds")
    assert made.native(head)["definition"] == {"name": "refunds", "sha256": hashlib.sha256(text.encode()).hexdigest()}
    assert not any("never promise" in str(item) for item in made.table.items.values())


@pytest.mark.parametrize(("how", "paid"), [("accept", [("ORD-7", 50000)]), ("reject", [])])
def test_after_a_deploy_of_another_definition_its_session_is_left_and_the_deployed_agent_is_told(
    made: Inline, how: str, paid: list[tuple[str, int]]
) -> None:
    head = made.asks("refund ORD-7 50000")
    made.deployed["instruction"] = "You are somebody else by now, and you were deployed this morning."
    made.ends(head, 1, how)
    assert made.resumes(head.pause) == "delivered"
    assert made.paid() == paid
    last = made.runtime.log[-1].request
    assert (last.session, last.body["instruction"]) == (f"{made.run}-r1", made.deployed["instruction"])
    assert "invocationId" not in last.body["inlineSessionState"]
    assert made.status().status == "finished"


def test_a_record_of_a_release_that_kept_the_whole_text_is_answered_in_its_session(made: Inline) -> None:
    head = made.asks("refund ORD-7 50000")
    made.keeps_whole(head, made.definition("refunds"))
    made.ends(made.head(head.pause), 1, "accept")
    assert made.resumes(head.pause) == "delivered"
    assert made.session == made.run


def test_a_definition_in_a_record_is_never_sent(made: Inline) -> None:
    """Whoever could write one would choose model and instruction of an agent."""
    head = made.asks("refund ORD-7 50000")
    made.keeps_whole(head, json.dumps(DEFINITION | {"foundationModel": "somebody.elses-model"}))
    made.ends(made.head(head.pause), 1, "accept")
    assert made.resumes(head.pause) == "delivered"
    assert {one.request.body["foundationModel"] for one in made.runtime.log} == {DEFINITION["foundationModel"]}


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
