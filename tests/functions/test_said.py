"""What an agent says beside its calls: evidence with origins, confidence, numbers, the tool before; and what is no such thing."""

from __future__ import annotations

import json

import pytest

from placet.records.bodies import Body, read_body
from tests.functions.conftest import Api
from tests.gateway import REFUND, native

CAPTURE = "POST /v1/pauses"


def sent(more: str) -> str:
    """A capture with these members, written as they are."""
    text = json.dumps({"framework": "langchain", "run": "thread-1", "native": native(REFUND)})
    return f"{text[:-1]}, {more}}}"


def stored(api: Api, pause: str) -> Body:
    table, keys = api.gateway.table, api.gateway.keys
    digest = table.items[keys.head(pause)]["body"]
    return read_body(table.items[keys.body(pause, digest)], None, digest)


def test_numbers_are_kept_as_they_were_written(api: Api) -> None:
    status, answer = api.agent(
        "capture", CAPTURE, sent('"confidence": 0.90, "numbers": {"cost": 1.50, "rows": 3}, "before": ""')
    )
    assert status == 201
    body = stored(api, answer["pause"])
    assert (str(body.confidence), {name: str(one) for name, one in body.numbers.items()}) == (
        "0.90",
        {"cost": "1.50", "rows": "3"},
    )
    assert body.before == ""


def test_what_an_earlier_sdk_sends_is_taken_and_nobody_says_more(api: Api) -> None:
    status, answer = api.agent(
        "capture", CAPTURE, sent('"evidence": [{"title": "t", "source": "s", "trusted": false, "text": "x"}]')
    )
    assert status == 201
    body = stored(api, answer["pause"])
    assert (body.evidence[0].origin, body.evidence[0].cut) == ("", 0)
    assert (body.confidence, body.numbers, body.before, body.known) == (None, {}, None, {})


@pytest.mark.parametrize("edge", ["0", "1", "1.0", "0.0000001", "null"])
def test_a_confidence_is_from_nought_to_one(api: Api, edge: str) -> None:
    assert api.agent("capture", CAPTURE, sent(f'"confidence": {edge}'))[0] == 201


@pytest.mark.parametrize(
    "wrong",
    [
        '"confidence": 1.0000000000000000000001',
        '"confidence": -0.1',
        '"confidence": -1e-300',
        '"confidence": "0.5"',
        '"confidence": true',
        '"confidence": [0.5]',
        '"confidence": 0.' + "1" * 70,
        '"numbers": {"rows": "3"}',
        '"numbers": {"rows": null}',
        '"numbers": {"rows": true}',
        '"numbers": {"": 3}',
        '"numbers": {"rows": 1' + "0" * 64 + "}",
        '"numbers": {' + ", ".join(f'"n{number}": 1' for number in range(21)) + "}",
        '"numbers": [1]',
        '"before": 1.5',
        f'"before": "{"x" * 257}"',
        '"evidence": [{"title": "t", "text": "x", "origin": "system"}]',
        '"evidence": [{"title": "t", "text": "x", "cut": -1}]',
        '"evidence": [{"title": "t", "text": "x", "cut": 1.5}]',
        '"evidence": [{"title": "t", "text": "x", "cut": true}]',
    ],
)
def test_what_is_no_such_thing_is_refused_and_nothing_is_stored(api: Api, wrong: str) -> None:
    status, answer = api.agent("capture", CAPTURE, sent(wrong))
    assert (status, answer["code"]) == (422, "field_invalid"), answer
    assert not [item for item in api.gateway.table.items.values() if item["kind"] == "HEAD"]
