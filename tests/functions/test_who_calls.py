"""Who calls, by each part of what API Gateway says; which form is ours; which page of a list; and what no answer can hold."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from placet.http import pages
from placet.http.bodies import checked
from placet.http.identity import OfAnotherSession, agent_of, api_reviewer, check_form, operator_of
from placet.http.messages import Request, json_answer, read, see_other
from placet.http.paging import Asked, page_asked
from placet.http.problems import RETRY_AFTER_S, retry_after_s
from placet.http.routing import MOST_BYTES, fitting, problem
from placet.http.turns import InvokeBody
from placet.model.errors import Busy, Invalid, NotAllowed, TooLarge, TooManyOpen
from placet.model.limits import LONGEST_NAME, MOST_EVIDENCE
from placet.model.registry import Registry
from placet.service.sessions import Session
from tests.functions.conftest import ACCOUNT, BASE, role_arn
from tests.gateway import ON_BEDROCK, SUPPORT, Gateway

ARN = role_arn(SUPPORT.role)


@pytest.fixture
def gateway() -> Gateway:
    return Gateway()


def request(iam: dict[str, Any] | None = None, account: str = ACCOUNT, **given: Any) -> Request:
    """A request under a role."""
    empty = Request("GET /x", "/x", {}, {}, {}, (), b"", {"iam": iam} if iam else {}, account)
    return replace(empty, **given)


def signed(arn: str, account: str = ACCOUNT) -> dict[str, str]:
    return {"userArn": arn, "accountId": account}


def test_an_agent_is_known_by_its_role_whatever_its_session_is_called(gateway: Gateway) -> None:
    assert agent_of(gateway.ports, request(signed(ARN))) == SUPPORT
    assert agent_of(gateway.ports, request(signed(ARN + "/more"))) == SUPPORT
    assert agent_of(gateway.ports, request(signed(ARN), account="")) == SUPPORT, "the gateway did not say its account"


@pytest.mark.parametrize(
    "iam",
    [
        None,
        {},
        {"userArn": ARN},
        signed(ARN.replace(SUPPORT.role, "another-role")),
        signed(ARN.replace("assumed-role", "role")),
        signed(ARN.replace("assumed-role/", "assumed-role:")),
        signed(ARN.replace(":sts:", ":iam:")),
        signed(f"arn:aws:sts::{ACCOUNT}"),
        signed(f"aws:sts::{ACCOUNT}:assumed-role/{SUPPORT.role}/x"),
        signed(role_arn(SUPPORT.role, "999999999999")),
        signed(ARN, "999999999999"),
        signed(role_arn(SUPPORT.role, "999999999999"), "999999999999"),
    ],
)
def test_who_is_not_an_assumed_role_of_our_own_account_is_no_agent(gateway: Gateway, iam: dict[str, str]) -> None:
    for asked in (agent_of, lambda ports, one: agent_of(ports, one, acting=True)):
        with pytest.raises(NotAllowed) as refused:
            asked(gateway.ports, request(iam))
        assert refused.value.code == "agent_unknown"
    with pytest.raises(NotAllowed) as refused:
        operator_of(frozenset({SUPPORT.role}), request(iam))
    assert refused.value.code == "operator_unknown"


def test_the_role_of_an_agents_own_functions_acts_for_it_where_that_is_asked_for_and_nowhere_else(
    gateway: Gateway,
) -> None:
    assert ON_BEDROCK.bedrock is not None
    acting = replace(ON_BEDROCK, bedrock=replace(ON_BEDROCK.bedrock, action_role="placet-actions"))
    ports = replace(gateway.ports, registry=Registry((acting,)))
    theirs = request(signed(role_arn("placet-actions")))
    assert agent_of(ports, theirs, acting=True) == acting
    assert agent_of(ports, request(signed(ARN)), acting=True) == acting
    with pytest.raises(NotAllowed):
        agent_of(ports, theirs)


def test_an_operator_is_named_by_role_and_the_name_they_chose() -> None:
    olga = request(signed(f"arn:aws:sts::{ACCOUNT}:assumed-role/ops/olga"))
    assert operator_of(frozenset({"ops"}), olga) == "ops/olga"
    for nobody in (frozenset[str](), frozenset({"olga"}), frozenset({"ops/olga"})):
        with pytest.raises(NotAllowed):
            operator_of(nobody, olga)


@pytest.mark.parametrize(
    "claims",
    [None, {}, {"sub": "maria"}, {"token_use": "access"}, {"token_use": "access", "sub": ""}]
    + [{"token_use": use, "sub": "maria"} for use in ("id", "", "Access")],
)
def test_a_reviewer_needs_an_access_token_with_a_sub(gateway: Gateway, claims: dict[str, str] | None) -> None:
    with pytest.raises(NotAllowed) as refused:
        api_reviewer(gateway.ports, request(authorizer={"jwt": {"claims": claims}} if claims is not None else {}))
    assert refused.value.code == "access_token_needed"
    token = {"jwt": {"claims": {"token_use": "access", "sub": "maria"}}}
    assert api_reviewer(gateway.ports, request(authorizer=token)) == gateway.maria


SESSION = Session("maria", "secret", 0)


@pytest.mark.parametrize("headers", [{}, {"origin": BASE}, {"origin": f"{BASE}/"}, {"sec-fetch-site": "none"}])
def test_a_form_of_our_own_page_counts(headers: dict[str, str]) -> None:
    check_form(SESSION, request(headers=headers), {"csrf": "secret"}, BASE)
    check_form(SESSION, request(headers=headers), {"csrf": "secret"}, f"{BASE}/")
    for csrf in ({}, {"csrf": ""}, {"csrf": "Secret"}, {"csrf": "secret "}):
        with pytest.raises(OfAnotherSession):
            check_form(SESSION, request(headers=headers), csrf, BASE)


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "cross-site", "origin": BASE},
    ],
)
def test_a_form_of_another_page_does_not_count_although_it_knows_the_secret(headers: dict[str, str]) -> None:
    with pytest.raises(NotAllowed) as refused:
        check_form(SESSION, request(headers=headers), {"csrf": "secret"}, BASE)
    assert refused.value.code == "form_foreign"
    assert not isinstance(refused.value, OfAnotherSession)


@pytest.mark.parametrize(
    ("query", "asked"),
    [({}, Asked(50, "")), ({"limit": "1"}, Asked(1, "")), ({"limit": "100", "after": "c"}, Asked(100, "c"))],
)
def test_a_page_has_fifty_rows_or_as_many_as_are_asked_for(query: dict[str, str], asked: Asked) -> None:
    assert page_asked(request(query=query)) == asked


@pytest.mark.parametrize("limit", ["0", "101", "-1", "ten", "1.5", " 1"])
def test_a_page_has_from_one_to_a_hundred_rows(limit: str) -> None:
    with pytest.raises(Invalid) as refused:
        page_asked(request(query={"limit": limit}))
    assert (refused.value.code, refused.value.members) == ("limit_invalid", {"limit": 100})


def test_a_list_may_have_bounds_of_its_own() -> None:
    assert page_asked(request(), 5, 7) == Asked(5, "")
    assert page_asked(request(query={"limit": "7"}), 5, 7).limit == 7
    with pytest.raises(Invalid):
        page_asked(request(query={"limit": "8"}), 5, 7)


def test_an_answer_that_lambda_cannot_hand_over_is_not_cut() -> None:
    empty = len(json.dumps(json_answer({}) | {"body": ""}).encode())
    fits = json_answer({}) | {"body": "x" * (MOST_BYTES - empty)}
    assert fitting(fits) == fits
    with pytest.raises(TooLarge) as refused:
        fitting(fits | {"body": fits["body"] + "x"})
    assert refused.value.code == "answer_too_large"
    with pytest.raises(TooLarge):
        fitting(json_answer({}) | {"body": "\x00" * (MOST_BYTES // 6 + 1)})


def test_what_passes_says_when_to_ask_again() -> None:
    assert retry_after_s(Busy()) == RETRY_AFTER_S == 2
    full = TooManyOpen("support-agent", 100, 7)
    assert retry_after_s(full) == 7
    assert problem(request(), full)["headers"]["retry-after"] == "7"
    assert problem(request(), Busy())["headers"]["retry-after"] == "2"
    assert "retry-after" not in problem(request(), Invalid("x", "y"))["headers"]
    shown = pages.page("text")
    assert pages.later(shown, Invalid("x", "y")) is shown
    assert pages.later(shown, Busy())["headers"]["retry-after"] == "2"


def test_a_redirect_is_kept_by_nobody() -> None:
    assert see_other("/inbox") == {
        "statusCode": 303,
        "headers": {"location": "/inbox", "cache-control": "no-store"},
        "cookies": [],
        "body": "",
    }
    assert see_other("/", ["a=b"], {"x": "y"})["cookies"] == ["a=b"]
    assert see_other("/", ["a=b"], {"x": "y"})["headers"]["x"] == "y"


def test_an_event_is_read_whatever_it_leaves_out() -> None:
    least = read({"routeKey": "GET /x"})
    assert least == Request("GET /x", "/", {}, {}, {}, ("",), b"", {}, "")
    full = read(
        {
            "routeKey": "POST /x",
            "rawPath": "/x/\ud800",
            "headers": {"Content-Type": "text/plain", "Cookie": "a=1;b=2"},
            "pathParameters": {"id": "p"},
            "queryStringParameters": {"q": "\ud800"},
            "body": "eA==",
            "isBase64Encoded": True,
            "requestContext": {"authorizer": {"iam": {}}, "accountId": ACCOUNT},
        }
    )
    assert (full.target, full.path, full.query) == ("/x/?", {"id": "p"}, {"q": "?"})
    assert (full.headers["content-type"], full.cookies) == ("text/plain", ("a=1", "b=2"))
    assert (full.body, full.authorizer, full.account) == (b"x", {"iam": {}}, ACCOUNT)
    assert read({"routeKey": "POST /x", "body": "?", "isBase64Encoded": True}).body is None
    assert read({"routeKey": "POST /x", "body": "?", "cookies": ["a=1"]}).cookies == ("a=1",)


TURN = {"run": "r", "text": "t"}


@pytest.mark.parametrize(
    ("field", "taken", "refused"),
    [
        ("run", "r" * LONGEST_NAME, "r" * (LONGEST_NAME + 1)),
        ("run", "r", ""),
        ("text", "t" * 100_000, "t" * 100_001),
        ("text", "t", ""),
        ("key", "k" * LONGEST_NAME, "k" * (LONGEST_NAME + 1)),
        (
            "evidence",
            [{"title": "t", "text": "x"}] * MOST_EVIDENCE,
            [{"title": "t", "text": "x"}] * (MOST_EVIDENCE + 1),
        ),
        ("wait_at_most_s", 1, 0),
        ("confidence", 1, 2),
    ],
)
def test_a_turn_has_these_bounds(field: str, taken: Any, refused: Any) -> None:
    checked(InvokeBody, {**TURN, field: taken})
    with pytest.raises(Invalid):
        checked(InvokeBody, {**TURN, field: refused})


def test_a_turn_is_what_was_handed_in() -> None:
    least = checked(InvokeBody, TURN).invocation()
    assert (least.run, least.text, least.key, least.about.entity, least.about.evidence) == ("r", "t", "", "", ())
    said = {"entity": "order:1", "requester": "elif@example.com", "wait_at_most_s": 60, "confidence": 1}
    most = checked(
        InvokeBody, {**TURN, **said, "key": "k", "numbers": {"rows": 3}, "facts": {"model": "m"}}
    ).invocation()
    about = most.about
    assert (most.key, about.entity, about.requester, about.wait_at_most_s) == ("k", "order:1", "elif@example.com", 60)
    assert (about.confidence, dict(about.numbers), about.facts["model"]) == (1, {"rows": 3}, "m")
