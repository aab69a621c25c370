"""A `returnControl` of a Bedrock agent as calls (botocore 1.44, `bedrock-agent-runtime` 2023-07-26).

One invocation id for one to five calls, and no id per call: a call is known by its place. Only `actionGroup` is required by the
service's model, so everything else that a decision hangs on is asked for here, and its absence refuses the pause.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from placet.frameworks.bedrock import FRAMEWORK
from placet.frameworks.bedrock.decoding import Decoded, decode, schema_of
from placet.model.argument_places import BODY, PARAMETERS
from placet.model.canonical import is_text
from placet.model.errors import Invalid
from placet.model.ids import joined, joined_before
from placet.model.pauses import NativePause, ProposedCall

MAX_CALLS = FRAMEWORK.most_calls
RESULT, CONFIRMATION, BOTH = "RESULT", "USER_CONFIRMATION", "USER_CONFIRMATION_AND_RESULT"
MODES = (RESULT, CONFIRMATION, BOTH)
LONGEST_NAME = 256  # names go into the head, which every decision writes


@dataclass(frozen=True)
class Asked:
    """One call of a control, as the answer has to name it again.

    Attributes:
        mode: RESULT, USER_CONFIRMATION or USER_CONFIRMATION_AND_RESULT.
        function: of a function call, else empty; method, path: of an API call, else empty, the method in the letters it came in.
        agent_id: of the agent that proposed it; a collaborator's is not the invoked agent's.
        content: the content type of an API call's body, empty when it has none.
    """

    number: int
    mode: str
    action_group: str
    function: str
    method: str
    path: str
    agent_id: str
    collaborator: str
    decoded: Decoded
    content: str = ""

    @property
    def tool(self) -> str:
        """The name that the policy knows it by."""
        return f"{self.action_group}.{self.function or f'{self.method.upper()} {self.path}'}"

    @property
    def group(self) -> tuple[str, str]:
        """Calls with the same group have answers that Bedrock cannot tell apart."""
        return self.agent_id, self.tool


def asked_in(control: Any) -> tuple[Asked, ...]:
    """The calls of a control, in its order. Raises Invalid `native_invalid`."""
    if not isinstance(control, dict):
        raise Invalid("native_invalid", "return_control must be an object.", field="returnControl")
    inputs = control.get("invocationInputs")
    if not isinstance(inputs, list) or not 1 <= len(inputs) <= MAX_CALLS:
        need = f"invocationInputs must be a list of 1 to {MAX_CALLS}."
        raise Invalid("native_invalid", need, field="invocationInputs")
    return tuple(_asked(number, one) for number, one in enumerate(inputs, start=1))


def operation(asked: Asked, arguments: dict[str, Any]) -> dict[str, Any]:
    """An API call with decided arguments, each where the operation takes it; what was not given is not in it.

    Args:
        arguments: by name, the proposed ones or those of an edit.
    """
    found: dict[str, Any] = {PARAMETERS: {}, BODY: {}}
    for name, value in arguments.items():
        for place, own in asked.decoded.places[name]:
            found[place][own] = value
    return {"httpMethod": asked.method, "apiPath": asked.path, "contentType": asked.content, **found}


def read(run: str, native: dict[str, Any]) -> NativePause:
    """The calls of a control that was captured with its session."""
    control = native.get("return_control", {})
    asked = asked_in(control)
    session = _text(native, "session", required=True)
    invocation = _text(control, "invocationId", required=True)
    ref = {"session": session, "invocation_id": invocation, "parent": _text(native, "parent")}
    calls = tuple(_proposed(invocation, one, native.get("takes_key") is True) for one in asked)
    return NativePause(joined(session, invocation), ref, calls, joined_before(session, invocation))


def _proposed(invocation: str, asked: Asked, takes_key: bool) -> ProposedCall:
    place = f"{invocation}#{asked.number}"
    return ProposedCall(
        number=asked.number,
        framework_call_id=place,
        interrupt_id=place,
        tool=asked.tool,
        arguments=asked.decoded.arguments,
        schema=schema_of(asked.decoded),
        takes_key=takes_key and asked.mode != CONFIRMATION,  # the executor takes one; what Bedrock runs itself does not
        unreadable=asked.decoded.unreadable,
    )


def _asked(number: int, one: Any) -> Asked:
    kinds = {"functionInvocationInput", "apiInvocationInput"}
    if not isinstance(one, dict) or len(one) != 1 or not kinds & one.keys():
        need = "An invocation input is neither a function nor an API call."
        raise Invalid("native_invalid", need, field="invocationInputs")
    ((kind, source),) = one.items()
    if not isinstance(source, dict):
        raise Invalid("native_invalid", "An invocation input must be an object.", field="invocationInputs")
    is_function = kind == "functionInvocationInput"
    mode = _text(source, "actionInvocationType", required=True)
    if mode not in MODES:
        need = f"actionInvocationType {mode!r} is not one of {', '.join(MODES)}."
        raise Invalid("native_invalid", need, field="actionInvocationType")
    return Asked(
        number=number,
        mode=mode,
        action_group=_text(source, "actionGroup", required=True),
        function=_text(source, "function", required=True) if is_function else "",
        method="" if is_function else _text(source, "httpMethod", required=True),
        path="" if is_function else _text(source, "apiPath", required=True),
        agent_id=_text(source, "agentId"),
        collaborator=_text(source, "collaboratorName"),
        decoded=decode(*_given(source)),
        content=_content_type(source),
    )


def _given(source: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    """Parameters, and of an API call the properties of its body."""
    found = source.get("parameters", [])
    body = source.get("requestBody", {})
    content = body.get("content", {}) if isinstance(body, dict) else None
    if not isinstance(found, list) or not isinstance(content, dict) or len(content) > 1:
        need = "parameters must be a list, and a request body has one content type."
        raise Invalid("native_invalid", need, field="parameters")
    properties: Any = []
    for one in content.values():
        properties = one.get("properties", []) if isinstance(one, dict) else None
        if not isinstance(properties, list):
            need = "The properties of a request body must be a list."
            raise Invalid("native_invalid", need, field="requestBody")
    return found, properties


def _content_type(source: dict[str, Any]) -> str:
    """Of a request body that `_given` has looked at."""
    return next(iter(source.get("requestBody", {}).get("content", {})), "")


def _text(source: dict[str, Any], field: str, *, required: bool = False) -> str:
    value: Any = source.get(field, "")
    if required and value in ("", None):
        raise Invalid("native_invalid", f"{field} is missing.", field=field)
    if not is_text(value) or len(value) > LONGEST_NAME:
        need = "must be" if required else "may be"
        told = f"{field} {need} text of at most {LONGEST_NAME} characters."
        raise Invalid("native_invalid", told, field=field)
    return value
