"""Who asks is judged before what is asked: a stranger learns nothing of a body, a form or an id, on any route."""

from __future__ import annotations

from typing import Any

import pytest

from placet import wiring
from tests.functions.calling import OPEN, OPERATOR, Called, every_route, good, headers, identity, strangers
from tests.functions.conftest import Api
from tests.gateway import REFUND

ROUTES = every_route()
CLOSED = [called for called in ROUTES if called.who != "open"]
CODES = {"agent": "agent_unknown", "operator": "operator_unknown", "token": "access_token_needed"}
BROKEN: dict[str, dict[str, Any]] = {
    "no body": {"body": ""},
    "no json": {"body": "{"},
    "no object": {"body": "[]"},
    "an unknown field": {"body": '{"sudo": true}'},
    "too deep": {"body": "[" * 100},
    "too large": {"body": '"' + "x" * 300_000 + '"'},
    "no base64": {"body": "%%%", "isBase64Encoded": True},
    "no utf-8": {"body": "/w==", "isBase64Encoded": True},
    "no content type": {"body": "{}", "headers": {}},
    "another content type": {"body": "{}", "headers": {"content-type": "text/plain"}},
    "too many fields": {"body": "a=1&" * 2_000, "headers": {"content-type": "application/x-www-form-urlencoded"}},
    "an odd id": {"body": "{}", "pathParameters": {"id": "x" * 5_000, "agent": "x" * 5_000, "name": "x"}},
    "an id of digits": {"body": "{}", "pathParameters": {"id": "a-" + "9" * 5_000, "agent": "9", "name": "9"}},
}


@pytest.fixture(autouse=True)
def _operator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wiring, "operators", lambda: frozenset({OPERATOR}))


def told(called: Called, answer: dict[str, Any]) -> bool:
    """Whether the answer says that the caller is nobody for this route, and nothing else."""
    if called.who == "page":
        return answer["statusCode"] == 303 and answer["headers"]["location"].startswith("/sign-in?next=")
    return answer["statusCode"] == 403 and f'"code":"{CODES[called.who]}"' in answer["body"]


@pytest.mark.parametrize("called", CLOSED, ids=str)
def test_a_stranger_with_a_broken_body_is_told_of_the_stranger(api: Api, called: Called) -> None:
    head = api.gateway.shown(REFUND)
    before = {key: dict(item) for key, item in api.gateway.table.items.items()}
    given = good(called, head, "csrf")
    for who, caller in strangers(called.who).items():
        for what, broken in BROKEN.items():
            sent = {"headers": headers(called), "pathParameters": given["path"], **caller, **broken}
            assert told(called, api.send(called.function, called.route, **sent)), (who, what)
    assert api.gateway.table.items == before


@pytest.mark.parametrize("called", [one for one in CLOSED if one.route.startswith("POST ")], ids=str)
def test_the_one_it_is_for_is_told_of_the_body(api: Api, called: Called) -> None:
    head = api.gateway.shown(REFUND)
    cookie, _ = api.signed_in()
    path = good(called, head, "")["path"]
    caller = identity(called.who, cookie)
    answer = api.send(called.function, called.route, **caller, headers=headers(called), pathParameters=path, body="%ff")
    assert answer["statusCode"] in (400, 422), answer


def test_the_walk_knows_every_route_and_what_is_open() -> None:
    assert {called.route for called in ROUTES if called.who == "open"} == OPEN
    assert {called.who for called in ROUTES} == {"agent", "operator", "token", "page", "open"}
    assert len(ROUTES) == len({called.route for called in ROUTES}) >= 30
