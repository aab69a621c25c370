"""The event that Bedrock invokes an action-group Lambda with, and the answer it takes (message version 1.0)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from placet.client.bedrock.decoding import digest_in
from placet.client.errors import NotExact, NotRun
from placet.client.exact import to_text
from placet.client.records import Call

PAUSE, CALLS = "placet_pause", "placet_calls"
LONGEST = (
    10_000  # characters of a body, escaped: Bedrock refuses answers over 25 KB, and then the tool has acted already
)
CUT = " […]"


@dataclass(frozen=True)
class Action:
    """One call as Bedrock runs it.

    Attributes:
        tool: the name that the policy knows it by: `Refunds.issueRefund`, `Refunds.POST /orders/{id}/refund`.
        parameters: as they came; properties: of the request body of an API call.
        echoed: what the answer has to name again; an API call has an `apiPath`.
        kept: session attributes as they came; an answer without them might drop them.
    """

    tool: str
    parameters: list[Any]
    properties: list[Any]
    attributes: Mapping[str, Any]
    echoed: dict[str, str]
    kept: dict[str, Any]

    @classmethod
    def of(cls, event: Mapping[str, Any]) -> Action:
        """Raises NotRun when it is not an event of an action group."""
        names = {name: event[name] for name in ("actionGroup", "function", "apiPath", "httpMethod") if event.get(name)}
        group, called = names.get("actionGroup"), names.get("function")
        if "apiPath" in names and "httpMethod" in names:
            called = f"{str(names['httpMethod']).upper()} {names['apiPath']}"
        if not group or not called:
            raise NotRun("This is not an event of a Bedrock action group; nothing was run.")
        kept = {name: _mapping(event.get(name)) for name in ("sessionAttributes", "promptSessionAttributes")}
        return cls(f"{group}.{called}", *_given(event), kept["sessionAttributes"], names, kept)

    @property
    def digest(self) -> str:
        """Of the arguments. Raises NotExact when they have no certain reading."""
        return digest_in(self.parameters, self.properties)

    @property
    def confirmed(self) -> tuple[Call, ...]:
        """The calls that Placet confirmed with the answer that made Bedrock run this one; empty when it confirmed none."""
        pause = self.attributes.get(PAUSE)
        try:
            listed = json.loads(self.attributes.get(CALLS) or "[]")
            calls = [Call(one["call"], one["tool"], "", "", "accepted", digest=one["digest"]) for one in listed]
        except (ValueError, TypeError, KeyError, RecursionError):
            return ()
        return tuple(one for one in calls if pause and str(one.call).startswith(f"{pause}-"))

    def answer(self, body: Any, status: int = 200) -> dict[str, Any]:
        """The response with `body` for the model, a text or a JSON value. `status` counts for API calls only.

        It never carries a `responseState`: FAILURE ends the whole turn with an error, which takes the answers of the other calls
        with it and leaves the gateway in doubt whether something ran, and REPROMPT invites the model to try once more.
        """
        if "apiPath" in self.echoed:
            made = {"httpStatusCode": status, "responseBody": {"application/json": {"body": as_json(body)}}}
        else:
            made = {"functionResponse": {"responseBody": {"TEXT": {"body": as_text(body)}}}}
        return {"messageVersion": "1.0", "response": {**self.echoed, **made}, **self.kept}


def as_text(value: Any) -> str:
    """What the model reads: a text as it is, other values as JSON; always fit to be sent."""
    if isinstance(value, str):
        return _fitting(value)
    try:
        return _fitting(to_text(value))
    except NotExact:
        return _fitting(repr(value))


def as_json(value: Any) -> str:
    """The same as JSON text, for API calls; a value that is no JSON, or is too long, becomes a JSON string."""
    try:
        whole = to_text(value)
    except NotExact:
        return to_text(as_text(value))
    return whole if len(json.dumps(whole)) <= LONGEST else to_text(as_text(value))


def _fitting(text: str) -> str:
    """Cut to what Bedrock takes; half of a surrogate pair, which cannot be sent, becomes a question mark."""
    whole = text.encode("utf-8", "replace").decode()
    cut = whole
    while len(json.dumps(cut)) > LONGEST:
        cut = cut[: len(cut) * 9 // 10]
    return whole if cut == whole else cut + CUT


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _given(event: Mapping[str, Any]) -> tuple[list[Any], list[Any]]:
    """Parameters, and of an API call the properties of its body. Raises NotRun for another shape."""
    try:
        content = (event.get("requestBody") or {}).get("content") or {}
        bodies = [one.get("properties") or [] for one in content.values()]
        given, properties = list(event.get("parameters") or []), [one for body in bodies for one in body]
    except (AttributeError, TypeError):
        raise NotRun("The parameters of the event have a shape that is not known; nothing was run.") from None
    if len(bodies) > 1:
        raise NotRun("The request body has two content types; nothing was run.")
    return given, properties
