"""A Bedrock run on the gateway's own services, and the events that Bedrock invokes an action-group Lambda with after CONFIRM."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

from placet import wiring
from placet.client import Gateway
from placet.frameworks import adapter_of
from placet.model.pauses import Capture, call_id
from placet.model.registry import Registry
from placet.model.states import PermitState, Verdict
from placet.policy import Policy
from placet.service.capture import capture
from placet.service.notify import notify
from tests.frameworks.bedrock.handlers import Handlers
from tests.gateway import ON_BEDROCK
from tests.gateway import Gateway as Services

INVOCATION = "67326e2c-a761-43bf-b9a1-0da9321e8c8a-uc-result"
Parameter = tuple[str, str, str]
REFUND: tuple[Parameter, ...] = (
    ("orderId", "string", "ORD-7"),
    ("amount", "number", "50.00"),
    ("notify", "boolean", "false"),
    ("items", "array", "[1, 2.50]"),
)


def parameters(*given: Parameter) -> list[dict[str, str]]:
    """As Bedrock writes them."""
    return [dict(zip(("name", "type", "value"), one, strict=True)) for one in given]


def function(*given: Parameter, name: str = "issueRefund") -> dict[str, Any]:
    """A call of a function schema, as a control shows it."""
    source = {
        "actionGroup": "Refunds", "function": name, "parameters": parameters(*(given or REFUND)),
        "actionInvocationType": "USER_CONFIRMATION", "agentId": "AGENT12345",
    }  # fmt: skip
    return {"functionInvocationInput": source}


def operation(*given: Parameter) -> dict[str, Any]:
    """A call of an OpenAPI schema: the order in the path, the rest in the body."""
    order, *rest = given or REFUND
    source = {
        "actionGroup": "Refunds", "httpMethod": "POST", "apiPath": "/orders/{orderId}/refund",
        "parameters": parameters(order),
        "requestBody": {"content": {"application/json": {"properties": parameters(*rest)}}},
        "actionInvocationType": "USER_CONFIRMATION", "agentId": "AGENT12345",
    }  # fmt: skip
    return {"apiInvocationInput": source}


@dataclass
class Scene:
    """Every call is put before a person here."""

    services: Services = field(default_factory=Services)
    handlers: Handlers = field(default_factory=lambda: Handlers(ON_BEDROCK.role))

    def __post_init__(self) -> None:
        classes = list(self.services.policy.classes.values())
        self.services.policy = Policy.of(version="1", classes=classes, tools=[], unknown_class="general")

    @property
    def gateway(self) -> Gateway:
        """The SDK's gateway, on the handlers of this process."""
        return Gateway(transport=self.handlers)

    def paused(self, *inputs: dict[str, Any], run: str = "run-1") -> str:
        """Capture a control; the pause's id."""
        native = {"session": run, "return_control": {"invocationId": INVOCATION, "invocationInputs": list(inputs)}}
        read = adapter_of("bedrock").read(run, native)
        made = Capture(ON_BEDROCK.name, "bedrock", run, read, json.dumps(native), by="invoke_agent")
        head = capture(self.services.ports, ON_BEDROCK, made).head
        self.services.deliver()
        notify(self.services.ports, head.pause, head.gen, f"token of {head.pause}")
        self.services.deliver()
        return head.pause

    def accepted(self, *inputs: dict[str, Any], run: str = "run-1") -> str:
        """Capture a control and have every call accepted as proposed."""
        pause = self.paused(*inputs, run=run)
        for number in range(1, len(inputs) + 1):
            self.services.decide(self.services.head(pause), number, Verdict.ACCEPT)
        return pause

    def permit(self, pause: str, number: int = 1) -> PermitState:
        """Of a call."""
        call = self.services.head(pause).call(number)
        assert call is not None
        return call.permit

    def result(self, pause: str, number: int = 1) -> str:
        """What was reported of a call."""
        permit = self.permit(pause, number).value
        event = self.services.table.get(self.services.keys.event(pause, f"{number}#{permit}"))
        return str(event["result"])

    def attributes(self, pause: str) -> dict[str, str]:
        """The session attributes that Placet sends with the answer that confirms."""
        head = self.services.head(pause)
        calls = [{"call": call_id(pause, one.number), "tool": one.tool, "digest": one.digest} for one in head.calls]
        return {"placet_pause": pause, "placet_calls": json.dumps(calls)}


def invoked(proposed: dict[str, Any], attributes: dict[str, str]) -> dict[str, Any]:
    """The event of an action-group Lambda for a proposed call (message version 1.0)."""
    ((_, source),) = proposed.items()
    call = {name: value for name, value in source.items() if name not in ("actionInvocationType", "agentId")}
    return {
        "messageVersion": "1.0",
        "agent": {"name": "refund-desk", "id": "AGENT12345", "alias": "TSTALIASID", "version": "1"},
        "inputText": "refund order ORD-7",
        "sessionId": "run-1",
        **call,
        "sessionAttributes": {"customer": "c-17", **attributes},
        "promptSessionAttributes": {"locale": "en"},
    }


def context(request: str = "8f5e2c1a-0000-4000-8000-000000000001") -> SimpleNamespace:
    """What a handler needs of Lambda's context."""
    return SimpleNamespace(aws_request_id=request)


def wire(monkeypatch: Any, scene: Scene) -> None:
    """Let the handlers work on the scene's services."""
    registry = Registry((replace(ON_BEDROCK, bedrock=replace(ON_BEDROCK.bedrock, verified=True)),))
    monkeypatch.setattr(wiring, "ports", lambda *names: replace(scene.services.ports, registry=registry))
