"""The code in docs/bedrock.md runs, and its shapes are those of the registry, the policy and AWS."""

from __future__ import annotations

import json
import tomllib

import botocore.session
import pytest
from botocore.validate import ParamValidator

from infra.registry import Agent
from placet.client import current_permit
from placet.client.bedrock import Finished, verifying
from placet.model.canonical import parse
from placet.model.states import PermitState
from placet.policy import Policy
from placet.policy.evaluate import rule_on
from tests.docs.reading import ROOT, blocks
from tests.frameworks.bedrock.scene import Scene, context, function, invoked
from tests.frameworks.bedrock.test_running import Scripted, said
from tests.frameworks.serving import served
from tests.gateway import Gateway as Services

PAGE = ROOT / "docs/bedrock.md"
EXECUTOR, POLICY, TALK, ACTION = blocks(PAGE, "python")
(GROUP,), ((ENTRY,),) = (
    [json.loads(text) for text in blocks(PAGE, "json")],
    [tomllib.loads(text)["agents"] for text in blocks(PAGE, "toml")],
)
REFUND = (("orderId", "string", "1182"), ("amountCents", "integer", "24000"))


class Payments:
    """Pays once per key; refuses orders it does not know."""

    class Refused(Exception):
        pass

    def __init__(self) -> None:
        self.paid: dict[str, tuple[str, int]] = {}

    def refund(self, order: str, cents: int, key: str = "") -> str:
        if order != "1182":
            raise self.Refused("no such order")
        self.paid.setdefault(key or current_permit().idempotency_key, (order, cents))
        return f"R-{len(self.paid)}"


def ran(text: str, **names: object) -> dict:
    exec(text, names)  # noqa: S102 - our own documentation
    return names


def test_the_action_group_is_one_that_aws_takes() -> None:
    shape = botocore.session.Session().get_service_model("bedrock-agent").operation_model("CreateAgentActionGroup")
    report = ParamValidator().validate(GROUP, shape.input_shape)
    assert not report.has_errors(), report.generate_report()
    assert GROUP["actionGroupExecutor"]["customControl"] == "RETURN_CONTROL"


def test_the_registry_takes_the_entry_and_the_readme_shows_the_same() -> None:
    assert blocks(ROOT / "README.md", "toml") == blocks(PAGE, "toml")
    agent = Agent(**ENTRY)
    assert (agent.kind, agent.target["agent_id"]) == ("bedrock", GROUP["agentId"])


@pytest.mark.parametrize(("cents", "looked_at"), [("10000", False), ("10001", True)])
def test_the_policy_knows_the_function(cents: str, looked_at: bool) -> None:
    tool = ran(POLICY)["ISSUE_REFUND"]
    (schema,) = GROUP["functionSchema"]["functions"]
    assert tool.name == f"{GROUP['actionGroupName']}.{schema['name']}"
    policy = Policy.of(
        version="1", classes=list(Services().policy.classes.values()), tools=[tool], unknown_class="general"
    )
    arguments = parse(json.dumps({"orderId": "1182", "amountCents": int(cents)}))
    assert rule_on(policy, tool.name, arguments).review is looked_at


def test_the_executor_pays_once_per_key_and_says_what_certainly_was_not_done() -> None:
    payments = Payments()
    handler = ran(EXECUTOR, payments=payments)["handler"]
    order = {
        "call": "p-1", "pause": "p", "run": "chat-4711", "agent": "refund-desk", "tool": "Refunds.issueRefund",
        "arguments": {"orderId": "1182", "amountCents": 24000}, "digest": "0" * 64, "idempotency_key": "placet-p-1",
    }  # fmt: skip
    assert handler(order, None) == {"ok": True, "result": "Paid, receipt R-1."}
    assert handler(order, None) == {"ok": True, "result": "Paid, receipt R-1."}
    assert payments.paid == {"placet-p-1": ("1182", 24000)}
    unknown = {**order, "arguments": {"orderId": "9", "amountCents": 1}}
    assert handler(unknown, None) == {"ok": False, "result": "It was not paid: no such order"}
    assert handler({**order, "tool": "Refunds.other"}, None)["ok"] is False
    assert all(f'"{name}"' in PAGE.read_text() for name in order)


def test_the_verified_action_runs_what_was_confirmed_and_nothing_else(scene: Scene, monkeypatch) -> None:
    monkeypatch.setattr(verifying, "_gateway", lambda: scene.gateway)
    payments = Payments()
    handler = ran(ACTION, payments=payments)["issue_refund"]
    pause = scene.accepted(function(*REFUND))
    event = invoked(function(*REFUND), scene.attributes(pause))
    answer = handler(event, context())
    assert answer["response"]["functionResponse"]["responseBody"]["TEXT"]["body"] == "Paid, receipt R-1."
    handler(event, context())
    handler(invoked(function(REFUND[0], ("amountCents", "integer", "1")), scene.attributes(pause)), context())
    assert payments.paid == {f"placet-{pause}-1": ("1182", 24000)}
    other = (("orderId", "string", "9"), REFUND[1])
    refused = scene.accepted(function(*other), run="run-2")
    handler(invoked(function(*other), scene.attributes(refused)), context())
    assert (scene.permit(pause), scene.permit(refused)) == (PermitState.DONE, PermitState.FAILED)


def test_the_talk_with_the_agent_runs(monkeypatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "made-up")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    scripted = Scripted(said("waiting", pause="p", say="A person decides."), said("finished", completion="Refunded."))
    heard: list[str] = []
    with served(scripted) as url:
        monkeypatch.setenv("PLACET_URL", url)
        names = ran(TALK, tell_user=heard.append)
        names["gateway"]._transport._pool.close()
    assert heard == ["A person decides.", "Refunded."]
    assert names["standing"] == Finished("run-1", "Refunded.")
    assert [path for _, path, _ in scripted.sent] == ["/v1/agents/refund-desk/invoke", "/v1/runs/chat-4711"]
