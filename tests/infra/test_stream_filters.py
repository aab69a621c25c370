"""Write × filter: which record of which write wakes dispatch. Images are those of data-model.md, before and after."""

from __future__ import annotations

from typing import Any

import pytest

from infra.constructs.bus import TOLD
from infra.constructs.stream import EDGES

HEAD = {"pk": {"S": "T#main#P#p"}, "sk": {"S": "HEAD"}, "state": {"S": "open"}, "open_calls": {"N": "2"}}
ONE_LEFT = {**HEAD, "open_calls": {"N": "1"}}
CLOSED = {**HEAD, "state": {"S": "closed"}, "open_calls": {"N": "0"}}
HELD = {**CLOSED, "held_ms": {"N": "9"}}
TOKEN = {"pk": {"S": "T#main#K#p"}, "sk": {"S": "TOKEN#1"}, "kind": {"S": "TOKEN"}, "token": {"S": "…"}}
EVENT = {"pk": {"S": "T#main#P#p"}, "sk": {"S": "E#0#decided"}, "kind": {"S": "EVENT"}}
BODY = {"pk": {"S": "T#main#P#p"}, "sk": {"S": "BODY#ab"}, "kind": {"S": "BODY"}}
SESSION = {"pk": {"S": "T#main#S#h"}, "sk": {"S": "SESSION"}, "ttl": {"N": "1"}}
NEW, LAST, LATE, CANCELLED, HELD_NO_MORE = (name for name, _ in EDGES)

# write, image before, image after, edges that it is
WRITES: list[tuple[str, dict[str, Any] | None, dict[str, Any] | None, list[str]]] = [
    ("capture: body", None, BODY, []),
    ("capture: head", None, HEAD, [NEW]),
    ("capture: every call passed", None, CLOSED, []),
    ("notify: into the queue", HEAD, {**HEAD, "wpk": {"S": "T#main#Q#money.0#0"}}, []),
    ("notify: token before the decision", None, TOKEN, []),
    ("notify: token after the decision, at once", None, {**TOKEN, "answer_now": {"S": "1"}}, [LATE]),
    ("notify: token after the decision, marked", TOKEN, {**TOKEN, "answer_now": {"S": "1"}}, [LATE]),
    ("notify again: a newer token", {**TOKEN, "answer_now": {"S": "1"}}, {**TOKEN, "answer_now": {"S": "1"}}, []),
    ("decide: one of two", HEAD, ONE_LEFT, []),
    ("decide: the last", ONE_LEFT, CLOSED, [LAST]),
    ("decide: event", None, EVENT, []),
    ("vote", HEAD, {**HEAD, "votes": {"M": {}}}, []),
    ("decide: the last, which may be taken back", ONE_LEFT, HELD, [LAST]),
    ("undo", HELD, ONE_LEFT, [HELD_NO_MORE]),
    ("undo: beside an open call", ONE_LEFT, HEAD, []),
    ("escalate: the hold ends", HELD, CLOSED, [HELD_NO_MORE]),
    ("resume: done, of a pause that was held", HELD, {**CLOSED, "state": {"S": "ended"}}, [HELD_NO_MORE]),
    ("TTL removes a held head", HELD, None, []),
    ("expire: all at once", HEAD, CLOSED, [LAST]),
    ("escalate: next level", HEAD, {**HEAD, "level": {"N": "1"}}, []),
    ("dispatch: mends the index entry", CLOSED, {**CLOSED, "wpk": {"S": "T#main#W#out#a#0"}}, []),
    ("resume: lease", CLOSED, {**CLOSED, "lease_until_ms": {"N": "1"}}, []),
    ("resume: done", CLOSED, {**CLOSED, "state": {"S": "ended"}}, []),
    ("claim", CLOSED, {**CLOSED, "permit": {"S": "claimed"}}, []),
    ("outcome", CLOSED, {**CLOSED, "permit": {"S": "done"}}, []),
    ("next generation", HEAD, {**HEAD, "gen": {"N": "2"}}, []),
    ("stuck list", HEAD, {**HEAD, "wpk": {"S": "T#main#W#stuck#0"}}, []),
    ("cancel: calls open", HEAD, {**CLOSED, "cancelled": {"S": "x"}}, [LAST, CANCELLED]),
    ("cancel: none open", CLOSED, {**CLOSED, "cancelled": {"S": "x"}}, [CANCELLED]),
    ("after a cancel", {**CLOSED, "cancelled": {"S": "x"}}, {**CLOSED, "cancelled": {"S": "x"}, "gen": {"N": "2"}}, []),
    ("TTL removes a session", SESSION, None, []),
    ("TTL removes a closed head", CLOSED, None, []),
    ("sign in", None, SESSION, []),
]


def matches(pattern: Any, record: Any) -> bool:
    """AWS's rules for the operators we use; a missing parent counts as a missing leaf."""
    if isinstance(pattern, dict):
        return all(
            matches(inner, record.get(key) if isinstance(record, dict) else None) for key, inner in pattern.items()
        )
    return any(_leaf(one, record) for one in pattern)


def _leaf(rule: Any, value: Any) -> bool:
    if isinstance(rule, dict) and "exists" in rule:
        return (value is not None) == rule["exists"]
    if isinstance(rule, dict) and "prefix" in rule:
        return isinstance(value, str) and value.startswith(rule["prefix"])
    if isinstance(rule, dict):
        return value is not None and value not in rule["anything-but"]
    return bool(value == rule)


@pytest.mark.parametrize(("write", "before", "after", "edges"), WRITES, ids=[one[0] for one in WRITES])
def test_a_write_is_an_edge_or_wakes_nobody(write: str, before: Any, after: Any, edges: list[str]) -> None:
    image = after or before
    record = {"Keys": {key: image[key] for key in ("pk", "sk")}}
    record |= ({"OldImage": before} if before else {}) | ({"NewImage": after} if after else {})
    assert [name for name, edge in EDGES if matches(edge, record)] == edges


def test_no_write_of_dispatch_wakes_dispatch() -> None:
    own = [edges for write, _, _, edges in WRITES if write.startswith(("dispatch", "next generation"))]
    assert own == [[], []]


def test_a_repeated_write_is_no_edge() -> None:
    """The same image before and after: what a retried update leaves in the stream."""
    for _, _, after, _ in WRITES:
        if after:
            keys = {key: after[key] for key in ("pk", "sk")}
            record = {"Keys": keys, "OldImage": after, "NewImage": after}
            assert not [name for name, edge in EDGES if matches(edge, record)]


SHOWN = {**HEAD, "notified_ms": {"N": "5"}}
ENDED = {**CLOSED, "resume_state": {"S": "done"}}
OFFERED = {**CLOSED, "resume_state": {"S": "offered"}}
STUCK = {**HEAD, "stuck": {"S": "group_empty"}}
FACT, STORED, VISIBLE, WENT_ON, LISTED = (name for name, _ in TOLD)

# write, image before, image after, what publish is woken for
TELLING: list[tuple[str, dict[str, Any] | None, dict[str, Any] | None, list[str]]] = [
    ("capture: body", None, BODY, []),
    ("capture: head", None, HEAD, [STORED]),
    ("capture: every call passed", None, CLOSED, [STORED]),
    ("notify", HEAD, SHOWN, [VISIBLE]),
    ("notify: mails went", SHOWN, {**SHOWN, "mails_missed": {"L": []}}, []),
    ("decide: event", None, EVENT, [FACT]),
    ("decide: head", SHOWN, {**SHOWN, "open_calls": {"N": "0"}}, []),
    ("resume: lease", {**CLOSED, "resume_state": {"S": "due"}}, OFFERED, []),
    ("resume: done", OFFERED, ENDED, [WENT_ON]),
    ("after it went on", ENDED, {**ENDED, "gen": {"N": "2"}}, []),
    ("stuck list", HEAD, STUCK, [LISTED]),
    ("stuck, another write", STUCK, {**STUCK, "gen": {"N": "2"}}, []),
    ("claim", CLOSED, {**CLOSED, "permit": {"S": "claimed"}}, []),
    ("token", None, TOKEN, []),
    ("sign in", None, SESSION, []),
    ("TTL", CLOSED, None, []),
]


@pytest.mark.parametrize(("write", "before", "after", "edges"), TELLING, ids=[one[0] for one in TELLING])
def test_publish_is_woken_for_what_it_tells(write: str, before: Any, after: Any, edges: list[str]) -> None:
    image = after or before
    record = {"Keys": {key: image[key] for key in ("pk", "sk")}}
    record |= ({"OldImage": before} if before else {}) | ({"NewImage": after} if after else {})
    assert [name for name, edge in TOLD if matches(edge, record)] == edges
