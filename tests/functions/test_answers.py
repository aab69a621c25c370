"""Answers field by field, as docs/api.md lists them: what a program reads from them is there, under its name, with its value."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from placet.model.canonical import parse
from placet.model.states import Verdict
from placet.records.heads import Head
from tests.functions.conftest import BASE, Api
from tests.functions.test_reviewers import token
from tests.gateway import REFUND

JSON = {"content-type": "application/json", "cache-control": "no-store", "x-content-type-options": "nosniff"}
STATIC = Path(__file__).parents[2] / "layers/core/python/placet/web/static"


def read(api: Api, head: Head) -> dict[str, Any]:
    """What a reviewer reads of a pause."""
    return dict(json.loads(of_review(api, head.pause)["body"]))


def of_review(api: Api, pause: str) -> dict[str, Any]:
    return api.send("review", "GET /v1/reviews/{id}", authorizer=token(), pathParameters={"id": pause})


def test_a_review_has_these_fields(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    found = read(api, head)
    (call,) = found.pop("calls")
    assert found == {
        "pause": head.pause,
        "run": "thread-1",
        "agent": "support-agent",
        "framework": "langchain",
        "requester": "elif@example.com",
        "not_compared": [],
        "entity": "order:1182",
        "asked_at": head.captured_ms,
        "deadline": head.deadline_ms,
        "policy_version": api.gateway.ports.policy.version,
        "says": "",
        "confidence": None,
        "numbers": {},
        "evidence": [
            {
                "title": "Order",
                "source": "get_order",
                "trusted": True,
                "text": "total 240.50",
                "origin": "",
                "cut": 0,
            }
        ],
        "extensions": [],
        "earlier": [],
        "nobody_there": False,
        "questions": [],
        "comments": [],
    }
    assert call.pop("schema")["required"] == ["order_id", "amount"]
    assert call == {
        "call": f"{head.pause}-1",
        "tool": "issue_refund",
        "title": "Refund 240.5 for order 1182",
        "state": "pending",
        "revision": 1,
        "digest": head.calls[0].digest,
        "arguments": '{"order_id":"1182","amount":240.5}',
        "class": "money-out",
        "effect": "never",
        "why": [{"rule": "money-out/over-limit", "sentence": "The amount is over 100.00."}],
        "known": [],
        "observed": False,
        "sampled": False,
        "deadline": head.deadline_ms,
        "then": "expire",
        "latest_deadline": head.notified_ms + 30 * 86_400_000,
        "may_ask": True,
        "may_decide": True,
        "why_not": "",
        "in_place_of": "",
        "handed": [],
        "asked": [{"groups": ["finance"], "at": head.notified_ms, "reached": True}],
        "reminds_at": None,
        "may_edit": True,
        "type_to_accept": ["amount", "240.5"],
        "quorum": 1,
        "votes": 0,
        "unreadable": [],
        "notes": [],
        "undo_until": 0,
        "may_undo": False,
        "undo_tool": "",
        "undone_by": [],
        "undoes": "",
        "decided": None,
    }


def test_the_agents_word_in_numbers_is_answered_as_it_was_written(api: Api) -> None:
    said = parse('{"confidence": 0.40, "numbers": {"rows": 4120, "cost": 0.250}}')
    head = api.gateway.shown(REFUND, **said)
    body = of_review(api, head.pause)["body"]
    assert '"confidence":0.40,"numbers":{"rows":4120,"cost":0.250}' in body.replace(", ", ",").replace(": ", ":")


def test_a_review_that_is_decided_says_by_whom(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    api.gateway.decide(head, 1, Verdict.ACCEPT)
    (call,) = read(api, head)["calls"]
    assert (call["state"], call["may_decide"], call["decided"]["by"]) == ("accepted", False, "Maria Keller")


def test_the_inbox_has_these_fields(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    answer = api.send("review", "GET /v1/reviews", authorizer=token())
    assert answer["headers"] == JSON
    assert json.loads(answer["body"]) == {
        "reviews": [
            {
                "pause": head.pause,
                "title": "Refund 240.5 for order 1182",
                "tools": ["issue_refund"],
                "entity": "order:1182",
                "classes": ["money-out"],
                "why": ["The amount is over 100.00"],
                "requester": "elif@example.com",
                "agent": "support-agent",
                "framework": "langchain",
                "effect": "never",
                "open_calls": 1,
                "question": "",
                "may_decide": True,
                "why_not": "",
                "asked_at": head.captured_ms,
                "deadline": head.deadline_ms,
            }
        ],
        "more": False,
        "next": "",
    }


def test_where_a_run_stands_has_these_fields(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    assert api.agent("pick_up", "GET /v1/runs/{id}", pathParameters={"id": "thread-1"}) == (
        200,
        {
            "run": "thread-1",
            "agent": "support-agent",
            "status": "waiting",
            "say": "A colleague in finance has to agree to this first.",
            "pause": head.pause,
            "completion": None,
            "cut": False,
            "code": None,
            "why": None,
            "pauses": [head.pause],
            "more": False,
        },
    )


def test_nothing_is_said_to_the_user_once_nobody_is_asked(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    api.gateway.decide(head, 1, Verdict.ACCEPT)
    assert api.agent("pick_up", "GET /v1/pauses/{id}", pathParameters={"id": head.pause})[1]["say"] == ""


def test_a_field_that_comes_twice_in_a_form_decides_nothing(api: Api) -> None:
    """Which of the two a reader would take is nobody's to guess."""
    cookie, csrf = api.signed_in()
    headers = {"content-type": "application/x-www-form-urlencoded", "origin": BASE}
    body = urlencode([("csrf", csrf), ("csrf", csrf)])
    found = api.page("sign_in", "POST /sign-out", cookie, body=body, headers=headers)
    assert found["statusCode"] == 400
    assert api.page("review", "GET /inbox", cookie)["statusCode"] == 200, "nobody was signed out"


def test_an_asset_is_sent_as_bytes(api: Api) -> None:
    found = api.page("review", "GET /static/{name}", pathParameters={"name": "placet.css"})
    assert found["isBase64Encoded"] is True
    assert base64.b64decode(found["body"]) == (STATIC / "placet.css").read_bytes()


def test_a_form_of_another_type_is_refused(api: Api) -> None:
    cookie, csrf = api.signed_in()
    found = api.page("sign_in", "POST /sign-out", cookie, {"csrf": csrf}, headers={"content-type": "text/plain"})
    assert found["statusCode"] == 400
    assert api.page("review", "GET /inbox", cookie)["statusCode"] == 200, "nobody was signed out"
