"""Errors as answers: the status of each kind, the fields of a problem, what a person is shown, and which are logged."""

from __future__ import annotations

import json
from typing import Any

import pytest

from placet.http.messages import Request
from placet.http.pages import failed
from placet.http.problems import OUR_FAULT, STATUS, document, retry_after_s
from placet.http.routing import direct, serve
from placet.model.errors import Busy, Conflict, Frozen, NotFound, PlacetError, Refused, TooManyOpen, Unavailable
from tests.functions.conftest import Api
from tests.functions.test_answers import JSON, of_review


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
