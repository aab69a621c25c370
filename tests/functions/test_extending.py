"""More time for a call, over the API and from its page: who, until when, and what is kept of what was typed beside it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from placet.model.pauses import call_id
from placet.records.heads import Head
from tests.functions.conftest import Api
from tests.functions.test_reviewers import token
from tests.gateway import DELETE, REFUND

EXTEND, FORM = "POST /v1/reviews/{id}/extend", "POST /reviews/{id}/extend"
HOUR = 3_600_000


def extend(api: Api, head: Head, body: Any, sub: str = "maria") -> Any:
    return api.agent("decide", EXTEND, body, pathParameters={"id": call_id(head.pause, 1)}, authorizer=token(sub))


def press(api: Api, head: Head, form: dict[str, str], csrf: str = "", sub: str = "maria") -> dict[str, Any]:
    cookie, own = api.signed_in(sub)
    sent = {"csrf": csrf or own, "decision": "extend", **form}
    answer: dict[str, Any] = api.page("decide", FORM, cookie, sent, pathParameters={"id": call_id(head.pause, 1)})
    return answer


def test_more_time_over_json(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    body = {"until_ms": head.deadline_ms + HOUR, "reason": "Finance is closed."}
    status, answer = extend(api, head, body)
    assert status == 200
    assert answer.pop("extended_at") == api.gateway.clock.now_ms()
    assert answer == {
        "call": call_id(head.pause, 1),
        "deadline": head.deadline_ms + HOUR,
        "before": head.deadline_ms,
        "extended_by": "Maria Keller",
        "by_whom": {"name": "Maria Keller", "in_place_of": None},
        "replayed": False,
    }
    assert extend(api, head, body)[1]["replayed"] is True
    found = api.send("review", "GET /v1/reviews/{id}", authorizer=token(), pathParameters={"id": head.pause})
    told = json.loads(found["body"])
    assert told["deadline"] == head.deadline_ms + HOUR
    assert told["extensions"] == [
        {
            "call": call_id(head.pause, 1),
            "by": "Maria Keller",
            "by_whom": {"name": "Maria Keller", "in_place_of": None},
            "at": api.gateway.clock.now_ms(),
            "before": head.deadline_ms,
            "deadline": head.deadline_ms + HOUR,
            "reason": "Finance is closed.",
        }
    ]


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"until_ms": 1}, 409, "deadline_not_later"),
        ({"until_ms": 2**52}, 422, "deadline_beyond_maximum"),
        ({"until_ms": -1}, 422, "field_invalid"),
        ({"until_ms": "soon"}, 422, "field_invalid"),
        ({"until_ms": True}, 422, "field_invalid"),
        ({"reason": " "}, 422, "reason_missing"),
        ({"reason": "x" * 501}, 422, "reason_too_long"),
        ({"by": "jonas"}, 422, "unknown_field"),
    ],
)
def test_what_is_no_later_moment_is_told(api: Api, changes: dict[str, Any], status: int, code: str) -> None:
    head = api.gateway.shown(REFUND)
    found, answer = extend(api, head, {"until_ms": head.deadline_ms + HOUR, "reason": "later", **changes})
    assert (found, answer["code"]) == (status, code)
    assert api.gateway.head(head.pause) == head


def test_a_stranger_sees_nothing(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    assert extend(api, head, {"until_ms": head.deadline_ms + HOUR, "reason": "later"}, sub="olga")[0] == 404


def test_from_the_page_and_the_page_tells_it(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    answer = press(api, head, {"until-1": str(head.deadline_ms + HOUR), "why-1": "Finance <b>is</b> closed."})
    assert (answer["statusCode"], answer["headers"]["location"]) == (303, f"/reviews/{head.pause}#call-1")
    cookie, _ = api.signed_in("jonas")
    page = api.page("review", "GET /reviews/{id}", cookie, pathParameters={"id": head.pause})["body"]
    assert "It was given more time by Maria Keller" in page
    assert "Finance &lt;b&gt;is&lt;/b&gt; closed." in page


def test_a_mistake_is_told_at_its_field_and_everything_typed_is_kept(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    answer = press(api, head, {"until-1": "", "why-1": "later", "own-1": "I think no."})
    assert answer["statusCode"] == 422
    assert "Choose until when." in answer["body"]
    assert "later</textarea>" in answer["body"]
    assert "I think no.</textarea>" in answer["body"]
    answer = press(api, head, {"until-1": str(head.deadline_ms + HOUR), "why-1": ""})
    assert answer["statusCode"] == 422
    assert "More time needs a reason" in answer["body"]
    assert api.gateway.head(head.pause) == head


def test_what_was_typed_for_a_decision_is_kept_when_there_is_more_time(api: Api) -> None:
    head = api.gateway.shown(REFUND, DELETE)
    answer = press(api, head, {"until-1": str(head.deadline_ms + HOUR), "why-1": "later", "own-2": "I think no."})
    assert answer["statusCode"] == 200
    assert "Call 1 has more time. What you typed is kept below." in answer["body"]
    assert "I think no.</textarea>" in answer["body"]
    assert "later</textarea>" not in answer["body"]


def test_a_call_without_others_has_no_number(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    answer = press(api, head, {"until-1": str(head.deadline_ms + HOUR), "why-1": "later", "own-1": "I think no."})
    assert answer["statusCode"] == 200
    assert "It has more time. What you typed is kept below." in answer["body"]


def test_a_form_of_an_earlier_session_gives_no_time(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    sent = {"until-1": str(head.deadline_ms + HOUR), "why-1": "later"}
    cookie, _ = api.signed_in()
    path = {"pathParameters": {"id": call_id(head.pause, 1)}}
    headers = {"content-type": "application/x-www-form-urlencoded", "origin": "https://placet.example"}
    own = {"headers": {**headers, "sec-fetch-site": "same-origin"}}
    answer = api.page("decide", FORM, cookie, {"csrf": "of another", **sent}, **path, **own)
    assert (answer["statusCode"], api.gateway.head(head.pause)) == (403, head)
    assert "later</textarea>" in answer["body"]


def test_what_was_decided_meanwhile_is_told(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    api.gateway.clock.at_ms = head.deadline_ms
    answer = press(api, head, {"until-1": str(head.deadline_ms + HOUR), "why-1": "later"})
    assert answer["statusCode"] == 410
