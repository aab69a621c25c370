"""Our own limits, one below, at and one above, through the handlers: the documented code, and never half a record."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from placet.aws.expressions import to_wire
from placet.frameworks.langchain.reading import LONGEST_NAME, MAX_CALLS
from placet.model.canonical import MAX_BODY_BYTES, MAX_DEPTH, MAX_NUMBER_CHARACTERS, digest, exact_text, parse
from placet.model.limits import MAX_REASON
from placet.model.pauses import call_id
from placet.model.states import PermitState, Verdict
from placet.records.texts import INLINE_BYTES, content_of
from placet.service.execute import MAX_RESULT
from placet.service.operate import MAX_EVIDENCE
from tests.cost.units import item_size
from tests.functions.conftest import Api, api  # noqa: F401 - a fixture
from tests.functions.test_reviewers import token
from tests.gateway import DELETE, REFUND, SMALL, native

CAPTURE, DECISION = "POST /v1/pauses", "POST /v1/reviews/{id}/decision"
ITEM_BYTES = 400 * 1024  # what DynamoDB takes
EDGE = pytest.mark.parametrize("over", [-1, 0, 1])
Refused = tuple[int, str]
TAKEN = (201, "")


def body(*calls: tuple[str, dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {"framework": "langchain", "run": "thread-1", "native": native(*(calls or (REFUND,))), **more}


def captured(api: Api, sent: Any) -> Refused:  # noqa: F811
    """What capture says; and whatever it says, all or nothing is stored, in items that DynamoDB takes."""
    before = set(api.gateway.table.items)
    status, answer = api.agent("capture", CAPTURE, sent)
    new = [item for key, item in api.gateway.table.items.items() if key not in before]
    pauses = {item["kind"] for item in new if item["kind"] != "LIST"}  # a work list's name outlives what stood on it
    assert pauses == ({"BODY", "FIND", "HEAD"} if status == 201 else set())
    for item in new:
        assert item_size(to_wire(item)) < ITEM_BYTES
    if status == 201:
        readable(api, answer["pause"])
    return status, answer.get("code", "")


def readable(api: Api, pause: str) -> None:  # noqa: F811
    """What was taken is shown, decided and released."""
    api.gateway.deliver()
    status, _ = api.agent("pick_up", "GET /v1/pauses/{id}", None, pathParameters={"id": pause})
    assert status == 200
    path = {"pathParameters": {"id": pause}, "authorizer": token()}
    assert api.agent("review", "GET /v1/reviews/{id}", None, **path)[0] == 200


def text_of(size: int, sent: dict[str, Any]) -> str:
    """The body as exactly so many bytes: what the agent says fills it up, in pieces of evidence that are not too long."""
    pieces = [{"title": f"{number}", "text": "x" * 20_000} for number in range(13)]
    sent = {**sent, "evidence": pieces, "says": ""}
    left = size - len(json.dumps(sent).encode())
    return json.dumps({**sent, "says": "y" * left})


@EDGE
def test_a_body(api: Api, over: int) -> None:  # noqa: F811
    text = text_of(MAX_BODY_BYTES + over, body())
    assert len(text.encode()) == MAX_BODY_BYTES + over
    assert captured(api, text) == ((413, "body_too_large") if over > 0 else TAKEN)


@EDGE
def test_the_depth_of_a_body(api: Api, over: int) -> None:  # noqa: F811
    deep: Any = 1
    for _ in range(MAX_DEPTH + over - 6):  # the arguments' own object is the sixth level of a body
        deep = [deep]
    assert captured(api, body(("ask_bank", {"deep": deep}))) == ((400, "json_too_deep") if over > 0 else TAKEN)


@EDGE
@pytest.mark.parametrize("shape", ["9", "0.", "1e-", "-"])
def test_the_length_of_a_number(api: Api, over: int, shape: str) -> None:  # noqa: F811
    number = shape + "1".rjust(MAX_NUMBER_CHARACTERS + over - len(shape), "0" if shape in ("0.", "1e-") else "1")
    text = json.dumps(body(("ask_bank", {"n": "HERE"}))).replace('"HERE"', number)
    assert captured(api, text) == ((400, "json_number") if over > 0 else TAKEN)


@EDGE
def test_the_pieces_of_evidence(api: Api, over: int) -> None:  # noqa: F811
    pieces = [{"title": "t", "text": "x"}] * (20 + over)
    assert captured(api, body(evidence=pieces)) == ((422, "field_invalid") if over > 0 else TAKEN)


FIELDS: list[tuple[str, int, Callable[[str], dict[str, Any]]]] = [
    ("run", 256, lambda text: body(run=text)),
    ("entity", 256, lambda text: body(entity=text)),
    ("requester", 256, lambda text: body(requester=text)),
    ("says", 20_000, lambda text: body(says=text)),
    ("title", 200, lambda text: body(evidence=[{"title": text, "text": "x"}])),
    ("source", 256, lambda text: body(evidence=[{"title": "t", "source": text, "text": "x"}])),
    ("text", 20_000, lambda text: body(evidence=[{"title": "t", "text": text}])),
    ("model", 256, lambda text: body(facts={"model": text})),
]


@EDGE
@pytest.mark.parametrize(("limit", "made"), [one[1:] for one in FIELDS], ids=[one[0] for one in FIELDS])
@pytest.mark.parametrize("letter", ["x", "\N{GRINNING FACE}"], ids=["letters", "emoji"])
def test_the_fields_of_a_capture(
    api: Api,  # noqa: F811
    over: int,
    limit: int,
    made: Callable[[str], dict[str, Any]],
    letter: str,
) -> None:
    assert captured(api, made(letter * (limit + over))) == ((422, "field_invalid") if over > 0 else TAKEN)


NAMES: list[tuple[str, Callable[[dict[str, Any], str], None]]] = [
    ("tool", lambda pause, text: pause["interrupts"][0]["value"].update(name=text)),
    ("call", lambda pause, text: pause["interrupts"][0]["value"].update(tool_call_id=text)),
    ("interrupt", lambda pause, text: pause["interrupts"][0].update(id=text)),
    ("checkpoint", lambda pause, text: pause.update(checkpoint_id=text)),
    ("namespace", lambda pause, text: pause.update(checkpoint_ns=text)),
]


@EDGE
@pytest.mark.parametrize("name", [name for _, name in NAMES], ids=[label for label, _ in NAMES])
def test_the_names_of_a_pause(api: Api, over: int, name: Callable[[dict[str, Any], str], None]) -> None:  # noqa: F811
    sent = body()
    name(sent["native"], "\N{GRINNING FACE}" * (LONGEST_NAME + over))
    assert captured(api, sent) == ((422, "native_invalid") if over > 0 else TAKEN)


@EDGE
def test_the_calls_of_a_pause(api: Api, over: int) -> None:  # noqa: F811
    calls = [(f"{'t' * 250}{number}", {"number": number}) for number in range(MAX_CALLS + over)]
    assert captured(api, body(*calls)) == ((422, "native_invalid") if over > 0 else TAKEN)


def test_ten_calls_of_a_tool_with_a_large_schema(api: Api) -> None:  # noqa: F811
    sent = body(*[("ask_bank", {"number": number}) for number in range(MAX_CALLS)])
    sent["native"]["tools"] = {"ask_bank": {"schema": {"type": "object", "description": "d" * 200_000}}}
    assert captured(api, sent) == TAKEN


@EDGE
def test_a_text_that_just_fits_into_the_table(api: Api, over: int) -> None:  # noqa: F811
    def stored(padding: int) -> dict[str, Any]:
        sent = body(("ask_bank", {}), says="x" * padding, run=f"run-{padding}")
        pause = api.agent("capture", CAPTURE, sent)[1]["pause"]
        readable(api, pause)
        return dict(api.gateway.table.get(api.gateway.keys.body(pause, api.gateway.head(pause).body)))

    rest = len(exact_text(content_of(stored(1), None)).encode()) - 1
    item = stored(INLINE_BYTES - rest + over)
    assert ("packed" in item, "place" in item) == (over <= 0, over > 0)


@EDGE
def test_a_reason(api: Api, over: int) -> None:  # noqa: F811
    head = api.gateway.shown(REFUND)
    before = copy.deepcopy(api.gateway.table.items)
    sent = {"decision": "reject", "revision": 1, "digest": head.calls[0].digest, "reason": "é" * (MAX_REASON + over)}
    path = {"pathParameters": {"id": call_id(head.pause, 1)}, "authorizer": token()}
    status, answer = api.agent("decide", DECISION, sent, **path)
    assert (status, answer.get("code")) == ((422, "reason_too_long") if over > 0 else (200, None))
    assert (api.gateway.table.items == before) == (over > 0)


@EDGE
def test_the_depth_of_an_edit(api: Api, over: int) -> None:  # noqa: F811
    head = api.gateway.shown(DELETE)
    levels = MAX_DEPTH + over - 1
    text = '{"table":"contacts","where":' + "[" * levels + "]" * levels + "}"
    shown = {"revision": 1, "digest": head.calls[0].digest, "reason": "so"}
    new = "0" * 64 if over > 0 else digest(parse(text))
    path = {"pathParameters": {"id": call_id(head.pause, 1)}, "authorizer": token()}
    sent = {"decision": "edit", "arguments": text, "new_digest": new, **shown}
    status, answer = api.agent("decide", DECISION, sent, **path)
    assert (status, answer.get("code")) == ((422, "json_too_deep") if over > 0 else (200, None))
    readable(api, head.pause)
    if over <= 0:
        claim = {"digest": new, "worker": "w"}
        named = {"pathParameters": {"id": call_id(head.pause, 1)}}
        assert api.agent("execute", "POST /v1/calls/{id}/claim", claim, **named)[1]["arguments"] == text


@EDGE
@pytest.mark.parametrize("letter", ["x", "\N{GRINNING FACE}"], ids=["letters", "emoji"])
def test_a_result(api: Api, over: int, letter: str) -> None:  # noqa: F811
    head = api.gateway.capture(SMALL).head
    named = {"pathParameters": {"id": call_id(head.pause, 1)}}
    api.agent("execute", "POST /v1/calls/{id}/claim", {"digest": head.calls[0].digest, "worker": "w"}, **named)
    before = copy.deepcopy(api.gateway.table.items)
    sent = {"worker": "w", "permit": "done", "result": letter * (MAX_RESULT + over)}
    status, answer = api.agent("execute", "POST /v1/calls/{id}/outcome", sent, **named)
    assert (status, answer.get("code")) == ((422, "result_too_long") if over > 0 else (200, None))
    assert (api.gateway.table.items == before) == (over > 0)


@EDGE
def test_the_name_of_a_worker(api: Api, over: int) -> None:  # noqa: F811
    head = api.gateway.shown(REFUND)
    worker = "\N{GRINNING FACE}" * (128 + over)
    named = {"pathParameters": {"id": call_id(head.pause, 1)}}
    sent = {"digest": "0" * 64, "worker": worker}
    status, answer = api.agent("execute", "POST /v1/calls/{id}/claim", sent, **named)
    assert (status, answer["code"]) == ((422, "field_invalid") if over > 0 else (409, "call_not_approved"))
    keys = [key for key in api.gateway.table.items if worker in key.sk]
    assert all(len(key.sk.encode()) <= 1_024 for key in keys), "DynamoDB takes sort keys of 1,024 bytes"
    assert len(keys) == (0 if over > 0 else 1), "a refused claim leaves its trace"


@EDGE
def test_the_evidence_of_an_operator(api: Api, over: int) -> None:  # noqa: F811
    from placet.model.errors import Invalid
    from placet.service.operate import reconcile

    head = api.gateway.shown(REFUND)
    api.gateway.decide(head, 1, Verdict.ACCEPT)
    item = api.gateway.table.items[api.gateway.keys.head(head.pause)]
    item["calls"]["1"]["permit"] |= {"state": PermitState.UNKNOWN.value, "worker": "w"}
    before = copy.deepcopy(api.gateway.table.items)
    evidence = "é" * (MAX_EVIDENCE + over)
    if over > 0:
        with pytest.raises(Invalid, match="Evidence"):
            reconcile(api.gateway.ports, "olga", call_id(head.pause, 1), PermitState.DONE, evidence)
    else:
        reconcile(api.gateway.ports, "olga", call_id(head.pause, 1), PermitState.DONE, evidence)
    assert (api.gateway.table.items == before) == (over > 0)
