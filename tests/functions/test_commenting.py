"""Comments over the API and from the page: hostile text is shown as text, and nothing typed beside it is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest

from placet.model.pauses import call_id
from placet.records.heads import Head
from tests.functions.conftest import Api
from tests.functions.test_reviewers import token
from tests.gateway import REFUND

COMMENT, FORM = "POST /v1/reviews/{id}/comments", "POST /reviews/{id}/comment"
HOSTILE = "<script>alert(1)</script> \u202ereversed {{ 7 * 7 }}"


def say(api: Api, head: Head, body: Any, sub: str = "maria") -> Any:
    return api.agent("decide", COMMENT, body, pathParameters={"id": head.pause}, authorizer=token(sub))


def press(api: Api, head: Head, form: dict[str, str], sub: str = "maria") -> dict[str, Any]:
    cookie, csrf = api.signed_in(sub)
    path = {"pathParameters": {"id": call_id(head.pause, 1)}}
    answer: dict[str, Any] = api.page("decide", FORM, cookie, {"csrf": csrf, "decision": "comment", **form}, **path)
    return answer


def test_over_json_and_in_the_record(api: Api) -> None:
    head, now = api.gateway.shown(REFUND), api.gateway.clock.now_ms
    expected = {"pause": head.pause, "comment": 1, "at": now(), "replayed": False}
    assert say(api, head, {"text": HOSTILE}) == (200, expected)
    assert say(api, head, {"text": HOSTILE}) == (200, expected | {"replayed": True})
    found = api.send("review", "GET /v1/reviews/{id}", authorizer=token("jonas"), pathParameters={"id": head.pause})
    told = json.loads(found["body"])["comments"]
    assert told == [{"by": "Maria Keller", "by_you": False, "at": now(), "text": HOSTILE}]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"text": " "}, 422, "text_missing"),
        ({"text": "x" * 1_001}, 422, "text_too_long"),
        ({"text": "x" * 4_001}, 422, "field_invalid"),
        ({"text": 7}, 422, "field_invalid"),
        ({}, 422, "field_invalid"),
        ({"text": "x", "by": "jonas"}, 422, "unknown_field"),
    ],
)
def test_what_is_no_comment_is_told(api: Api, body: Any, status: int, code: str) -> None:
    found, answer = say(api, api.gateway.shown(REFUND), body)
    assert (found, answer["code"]) == (status, code)


def test_a_stranger_says_nothing(api: Api) -> None:
    assert say(api, api.gateway.shown(REFUND), {"text": "hello"}, sub="olga")[0] == 404


def test_from_the_page_it_is_text_and_stands_with_name_and_time(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    answer = press(api, head, {"comment": HOSTILE})
    assert (answer["statusCode"], answer["headers"]["location"]) == (303, f"/reviews/{head.pause}#comments")
    cookie, _ = api.signed_in("jonas")
    page = api.page("review", "GET /reviews/{id}", cookie, pathParameters={"id": head.pause})["body"]
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script>" not in page
    assert "\u202e" not in page
    assert "{{ 7 * 7 }}" in page
    assert "<bdi>Maria Keller</bdi>" in page


def test_what_was_typed_for_a_decision_is_kept(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    answer = press(api, head, {"comment": "I called them.", "own-1": "I think no."})
    assert answer["statusCode"] == 200
    assert "Your comment is recorded. What you typed is kept below." in answer["body"]
    assert "I think no.</textarea>" in answer["body"]
    assert api.gateway.head(head.pause).calls == head.calls


def test_a_mistake_is_told_at_its_field(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    answer = press(api, head, {"comment": "x" * 1_001, "own-1": "I think no."})
    assert answer["statusCode"] == 422
    assert 'href="#comment"' in answer["body"]
    assert f"{'x' * 1_001}</textarea>" in answer["body"]
    assert "I think no.</textarea>" in answer["body"]


def test_a_form_of_an_earlier_session_says_nothing(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    cookie, _ = api.signed_in()
    path = {"pathParameters": {"id": call_id(head.pause, 1)}}
    headers = {"content-type": "application/x-www-form-urlencoded", "origin": "https://placet.example"}
    own = {"headers": {**headers, "sec-fetch-site": "same-origin"}}
    answer = api.page("decide", FORM, cookie, {"csrf": "of another", "comment": "I called them."}, **path, **own)
    assert answer["statusCode"] == 403
    assert "I called them.</textarea>" in answer["body"]
    cookie, _ = api.signed_in("jonas")
    page = api.page("review", "GET /reviews/{id}", cookie, pathParameters={"id": head.pause})["body"]
    assert "I called them." not in page
