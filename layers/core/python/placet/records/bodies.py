"""Immutable bodies: what was captured, and what an edit made of a call. Stored as one exact JSON text each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from placet.model.canonical import digest, exact_text, parse
from placet.model.errors import Parked
from placet.model.pauses import Capture, Evidence, ProposedCall
from placet.records.keys import SCHEMA_VERSION, Keys
from placet.records.ops import Item

MAX_CONTENT_BYTES = 350_000  # a DynamoDB item holds 400 KB; keys and attribute names need the rest.
CONTENT_LIMIT = 10 * MAX_CONTENT_BYTES


@dataclass(frozen=True)
class Body:
    """The immutable part of a pause.

    Attributes:
        fired: (rule id, sentence) pairs by call number.
        ref: what the framework needs to find the paused place again.
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

    def call(self, number: int) -> ProposedCall:
        """One proposed call by its number."""
        return self.calls[number - 1]


def body_content(
    capture: Capture, policy_version: str, fired: dict[int, tuple[tuple[str, str], ...]]
) -> dict[str, Any]:
    """The JSON value of a captured pause's body."""
    return {
        "calls": [_call_content(call) for call in capture.native.calls],
        "ref": dict(capture.native.ref),
        "native": parse(capture.native_text),
        "evidence": [
            {"title": one.title, "source": one.source, "trusted": one.trusted, "text": one.text}
            for one in capture.evidence
        ],
        "says": capture.says,
        "entity": capture.entity,
        "facts": dict(capture.facts),
        "policy_version": policy_version,
        "fired": {str(number): [list(pair) for pair in pairs] for number, pairs in fired.items()},
    }


def put_body(keys: Keys, pause: str, content: dict[str, Any], run: str, at_ms: int) -> Item:
    """The item of a captured pause's body; found by its run."""
    text, sum_ = exact_text(content), digest(content)
    return {
        **keys.body(pause, sum_)._asdict(),
        "schema_version": SCHEMA_VERSION,
        "kind": "BODY",
        "fpk": keys.run(run),
        "content": text,
        "at_ms": at_ms,
    }


def read_body(item: Item) -> Body:
    """The body in a stored item. Raises Parked for an unknown schema version."""
    if item.get("schema_version") != SCHEMA_VERSION:
        raise Parked(item.get("schema_version"))
    content = parse(item["content"], max_bytes=CONTENT_LIMIT)
    return Body(
        digest=digest(content),
        calls=tuple(_read_call(call) for call in content["calls"]),
        ref=content["ref"],
        native=content["native"],
        evidence=tuple(Evidence(**one) for one in content["evidence"]),
        says=content["says"],
        entity=content["entity"],
        facts=content["facts"],
        policy_version=content["policy_version"],
        fired={int(number): tuple((one[0], one[1]) for one in pairs) for number, pairs in content["fired"].items()},
    )


def put_revision(
    keys: Keys, pause: str, number: int, revision: int, arguments: dict[str, Any], by: str, at_ms: int
) -> Item:
    """The item of an edit: the exact arguments of one call's new revision, under their digest."""
    return {
        **keys.revision(pause, number, revision, digest(arguments))._asdict(),
        "schema_version": SCHEMA_VERSION,
        "kind": "REVISION",
        "call": number,
        "rev": revision,
        "content": exact_text(arguments),
        "by": by,
        "at_ms": at_ms,
    }


def read_revision(item: Item) -> dict[str, Any]:
    """The exact arguments in a stored revision. Raises Parked for an unknown schema version."""
    if item.get("schema_version") != SCHEMA_VERSION:
        raise Parked(item.get("schema_version"))
    arguments: dict[str, Any] = parse(item["content"], max_bytes=CONTENT_LIMIT)
    return arguments


def _call_content(call: ProposedCall) -> dict[str, Any]:
    return {
        "number": call.number,
        "framework_call_id": call.framework_call_id,
        "interrupt_id": call.interrupt_id,
        "tool": call.tool,
        "arguments": call.arguments,
        "schema": call.schema,
        "schema_digest": digest(call.schema),
        "takes_key": call.takes_key,
    }


def _read_call(raw: dict[str, Any]) -> ProposedCall:
    return ProposedCall(
        number=raw["number"],
        framework_call_id=raw["framework_call_id"],
        interrupt_id=raw["interrupt_id"],
        tool=raw["tool"],
        arguments=raw["arguments"],
        schema=raw["schema"],
        takes_key=raw["takes_key"],
    )
