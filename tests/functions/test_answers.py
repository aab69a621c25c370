"""Answers field by field, as docs/api.md lists them: what a program reads from them is there, under its name, with its value."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from placet.http.messages import Request
from placet.http.pages import failed
from placet.http.problems import OUR_FAULT, STATUS, document, retry_after_s
from placet.http.routing import direct, serve
from placet.model.canonical import parse
from placet.model.errors import Busy, Conflict, Frozen, NotFound, PlacetError, Refused, TooManyOpen, Unavailable
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


def test_a_problem_has_these_fields(api: Api) -> None:
    answer = of_review(api, "x" * 26)
    assert answer["headers"] == JSON | {"content-type": "application/problem+json"}
    assert json.loads(answer["body"]) == {
        "type": "urn:placet:problem:not_found",
        "title": "Not Found",
        "status": 404,
        "detail": "There is nothing here that you can see.",
        "code": "not_found",
    }


STATUSES = {
    "NotFound": 404,
    "NotNamed": 404,
    "NotAllowed": 403,
    "TooLarge": 413,
    "Invalid": 422,
    "Conflict": 409,
    "Gone": 410,
    "Busy": 503,
    "TooManyOpen": 429,
    "NotYet": 503,
    "Frozen": 503,
    "Parked": 409,
    "Damaged": 409,
    "Lost": 409,
    "Refused": 502,
}


def test_every_kind_of_error_has_its_status() -> None:
    assert {kind.__name__: status for kind, status in STATUS.items()} == STATUSES


@pytest.mark.parametrize("kind", STATUS, ids=lambda kind: kind.__name__)
def test_what_is_our_fault_is_logged_and_what_passes_or_is_the_callers_is_not(kind: type[PlacetError]) -> None:
    """The alarm hangs on this line."""
    logged: list[tuple[str, dict[str, Any]]] = []

    def fail(_: object) -> Any:
        raise error

    own = {"__init__": PlacetError.__init__, "malformed": False}
    error: PlacetError = type("One", (kind,), own)("some_code", "Some words.")
    event = {"routeKey": "GET /x", "rawPath": "/x", "requestContext": {"http": {"method": "GET"}}}
    answer = serve(event, {"GET /x": fail}, lambda name, facts: logged.append((name, facts)))
    ours = STATUSES[kind.__name__] >= 500 and not isinstance(error, Unavailable)
    assert logged == ([("failed", {"route": "GET /x", "code": error.code})] if ours else [])
    assert answer["statusCode"] == document(error)["status"] == STATUSES[kind.__name__]


def test_our_own_fault_has_the_fields_of_a_problem_over_http_and_without_it_and_is_logged() -> None:
    logged: list[tuple[str, str]] = []

    def boom(*_: object) -> Any:
        raise RuntimeError("secret detail")

    def log(name: str, facts: dict[str, Any]) -> None:
        logged.append((name, facts["route"]))

    event = {"routeKey": "GET /x", "rawPath": "/x", "requestContext": {"http": {"method": "GET"}}}
    answer = serve(event, {"GET /x": boom}, log)
    assert answer["statusCode"] == 500
    assert json.loads(answer["body"]) == direct(boom, log)
    found = direct(boom, log)
    assert "secret" not in found.pop("detail")
    assert found == {
        "type": "urn:placet:problem:internal",
        "title": "Internal Server Error",
        "status": 500,
        "code": "internal",
    }
    assert logged == [("failed", "GET /x"), ("failed", "direct"), ("failed", "direct")]


@pytest.mark.parametrize(("kind", "rings"), [(Refused, True), (Conflict, False), (Busy, False)])
def test_without_http_an_error_is_the_same_problem_and_rings_as_there(kind: type[PlacetError], rings: bool) -> None:
    logged: list[str] = []
    error = kind("some_code", "Some words.") if kind is not Busy else Busy("Some words.")

    def fail() -> Any:
        raise error

    assert direct(fail, lambda name, facts: logged.append(facts["code"])) == document(error)
    assert logged == [error.code] * rings


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


REQUEST = Request("GET /inbox", "/inbox", {}, {}, {}, (), b"")


@pytest.mark.parametrize(
    ("error", "status", "says", "later"),
    [
        (Frozen(), 503, "The gateway is held for a restore.", True),
        (Busy("The table is throttled."), 503, "", True),
        (Refused("delivery_refused", "there is no such queue"), 502, "", False),
        (Conflict("already_decided", "Somebody was faster."), 409, "Somebody was faster.", False),
        (None, 500, "", False),
    ],
)
def test_an_error_is_a_page_that_tells_what_is_for_people(
    error: PlacetError | None, status: int, says: str, later: bool
) -> None:
    page = failed(REQUEST, error)
    assert page["statusCode"] == status
    assert ("retry-after" in page["headers"]) == later
    assert says in page["body"]
    if error is not None and not says:
        assert error.detail not in page["body"], "what went wrong inside is for operators"
    assert ("That cannot be shown" in page["body"]) == (status == 409), "it was opened, and nothing was sent"


@pytest.mark.parametrize("error", [Refused("delivery_refused", "no queue"), OSError("disk"), Busy(), NotFound()])
def test_what_fails_in_a_function_that_was_invoked_is_logged_when_it_is_our_fault(error: Exception) -> None:
    logged: list[tuple[str, dict[str, Any]]] = []

    def work() -> dict[str, Any]:
        raise error

    answer = direct(work, lambda name, facts: logged.append((name, facts)))
    ours = not isinstance(error, Busy | NotFound)
    assert [(name, facts["route"]) for name, facts in logged] == ([("failed", "direct")] if ours else [])
    if type(error) is Refused:
        assert logged == [("failed", {"route": "direct", "code": "delivery_refused"})]
    assert answer["status"] == {Refused: 502, OSError: 500, Busy: 503, NotFound: 404}[type(error)]


def test_a_problem_is_a_document_of_these_fields() -> None:
    assert document(Conflict("already_decided", "Somebody was faster.", by="Maria")) == {
        "type": "urn:placet:problem:already_decided",
        "title": "Conflict",
        "status": 409,
        "detail": "Somebody was faster.",
        "code": "already_decided",
        "by": "Maria",
    }
    assert {name: value for name, value in OUR_FAULT.items() if name != "detail"} == {
        "type": "urn:placet:problem:internal",
        "title": "Internal Server Error",
        "status": 500,
        "code": "internal",
    }
    assert (retry_after_s(Busy()), retry_after_s(TooManyOpen("desk", 5, 60))) == (2, 60)
