"""Immutable bodies: what was captured, and what an edit made of a call. Stored as one exact JSON text each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from placet.model.canonical import digest, exact_text, parse_stored
from placet.model.pauses import Capture, Evidence, Number, ProposedCall
from placet.records.keys import Keys
from placet.records.ops import Item
from placet.records.reading import reads
from placet.records.texts import VERSIONS, Stored, content_of, stored

NOTHING: Mapping[int, tuple[str, ...]] = {}


@dataclass(frozen=True)
class Body:
    """The immutable part of a pause.

    Attributes:
        fired: (rule id, sentence) pairs by call number.
        ref: what the framework needs to find the paused place again.
        known: what rules knew of the past when they judged, in sentences by call number.
        confidence, numbers, before: the agent's word, as it was written.
    """

    digest: str
    calls: tuple[ProposedCall, ...]
    ref: dict[str, str]
    native: Any
    evidence: tuple[Evidence, ...]
    says: str
    entity: str
    facts: dict[str, str]
    policy_version: str
    fired: dict[int, tuple[tuple[str, str], ...]]
    known: dict[int, tuple[str, ...]] = field(default_factory=dict)
    confidence: Number | None = None
    numbers: dict[str, Number] = field(default_factory=dict)
    before: str | None = None

    def call(self, number: int) -> ProposedCall:
        """One proposed call by its number."""
        return self.calls[number - 1]


def body_content(
    capture: Capture,
    policy_version: str,
    fired: dict[int, tuple[tuple[str, str], ...]],
    known: Mapping[int, tuple[str, ...]] = NOTHING,
) -> dict[str, Any]:
    """The JSON value of a captured pause's body; `known` as in `Body`."""
    return {
        "calls": [_call_content(call) for call in capture.native.calls],
        "schemas": {call.tool: call.schema for call in capture.native.calls},  # once per tool: ten calls may share one
        "ref": dict(capture.native.ref),
        "native": parse_stored(capture.native_text),
        "evidence": [evidence_content(one) for one in capture.evidence],
        "says": capture.says,
        "entity": capture.entity,
        "facts": dict(capture.facts),
        **({} if capture.confidence is None else {"confidence": capture.confidence}),
        **({"numbers": dict(capture.numbers)} if capture.numbers else {}),
        **({} if capture.before is None else {"before": capture.before}),
        "policy_version": policy_version,
        "fired": {str(number): [list(pair) for pair in pairs] for number, pairs in fired.items()},
        **({"known": {str(number): list(said) for number, said in known.items()}} if known else {}),
    }


def evidence_content(one: Evidence) -> dict[str, Any]:
    """The JSON value of a piece of evidence; what nobody said of it is left out, as earlier releases wrote it."""
    said = {"origin": one.origin, "cut": one.cut}
    told = {name: value for name, value in said.items() if value}
    return {"title": one.title, "source": one.source, "trusted": one.trusted, "text": one.text, **told}


def put_body(keys: Keys, pause: str, content: dict[str, Any], at_ms: int) -> Stored:
    """The item of a captured pause's body."""
    key = keys.body(pause, digest(content))
    item = {**key._asdict(), "kind": "BODY", "at_ms": at_ms}
    return stored(item, f"{keys.tenant}/{pause}/{digest(content)}", exact_text(content))


@reads("body of this pause", VERSIONS)
def read_body(item: Item, fetched: str | None, named: str) -> Body:
    """The body in a stored item, whose digest is the one named. Raises Parked, Damaged, Lost."""
    content = content_of(item, fetched)
    if digest(content) != named:
        raise ValueError("not the body that its head names")
    return Body(
        digest=named,
        calls=tuple(_read_call(call, content.get("schemas", {})) for call in content["calls"]),
        ref=content["ref"],
        native=content["native"],
        evidence=tuple(Evidence(**one) for one in content["evidence"]),
        says=content["says"],
        entity=content["entity"],
        facts=content["facts"],
        policy_version=content["policy_version"],
        fired={int(number): tuple((one[0], one[1]) for one in pairs) for number, pairs in content["fired"].items()},
        known={int(number): tuple(said) for number, said in content.get("known", {}).items()},
        confidence=content.get("confidence"),
        numbers=content.get("numbers", {}),
        before=content.get("before"),
    )


def put_revision(
    keys: Keys, pause: str, number: int, revision: int, arguments: dict[str, Any], by: str, at_ms: int
) -> Stored:
    """The item of an edit: the exact arguments of one call's new revision, under their digest."""
    key = keys.revision(pause, number, revision, digest(arguments))
    item = {**key._asdict(), "kind": "REVISION", "call": number, "rev": revision, "by": by, "at_ms": at_ms}
    return stored(item, f"{keys.tenant}/{pause}/{number}-{revision}-{digest(arguments)}", exact_text(arguments))


@reads("edit of this call", VERSIONS)
def read_revision(item: Item, fetched: str | None, named: str) -> dict[str, Any]:
    """The exact arguments in a stored revision, whose digest is the one named. Raises Parked, Damaged, Lost."""
    arguments: dict[str, Any] = content_of(item, fetched)
    if digest(arguments) != named:
        raise ValueError("not the arguments that its head names")
    return arguments


def _call_content(call: ProposedCall) -> dict[str, Any]:
    return {
        "number": call.number,
        "framework_call_id": call.framework_call_id,
        "interrupt_id": call.interrupt_id,
        "tool": call.tool,
        "arguments": call.arguments,
        "schema_digest": digest(call.schema),
        "takes_key": call.takes_key,
        **({"unreadable": [list(pair) for pair in call.unreadable]} if call.unreadable else {}),
    }


def _read_call(raw: dict[str, Any], schemas: dict[str, Any]) -> ProposedCall:
    """The first release kept the schema beside each call."""
    return ProposedCall(
        number=raw["number"],
        framework_call_id=raw["framework_call_id"],
        interrupt_id=raw["interrupt_id"],
        tool=raw["tool"],
        arguments=raw["arguments"],
        schema=raw.get("schema", schemas.get(raw["tool"])),
        takes_key=raw["takes_key"],
        unreadable=tuple((one[0], one[1]) for one in raw.get("unreadable", ())),
    )
