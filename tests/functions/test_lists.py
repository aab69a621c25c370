"""Lists through the handlers: pages that lead to everything, cursors and limits that are judged, and the links of the page."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from placet import wiring
from placet.model.states import Verdict
from placet.policy import Sample
from placet.service.stuck import list_stuck
from tests.asking import policy_of
from tests.functions.conftest import ACCOUNT, Api, role_arn
from tests.gateway import REFUND

ALL = 55
OPERATOR = {"iam": {"userArn": role_arn("placet-operator"), "accountId": ACCOUNT}}
AGENT = {"iam": {"userArn": role_arn("placet-support-agent"), "accountId": ACCOUNT}}
REVIEWER = {"jwt": {"claims": {"token_use": "access", "sub": "maria"}}}
# Of each list: function, route, who asks, what else is asked, where its rows are.
LISTS: dict[str, tuple[str, str, dict[str, Any], dict[str, str], str]] = {
    "reviews": ("review", "GET /v1/reviews", REVIEWER, {}, "reviews"),
    "resumes": ("pick_up", "GET /v1/resumes", AGENT, {}, "resumes"),
    "stuck": ("operate", "GET /v1/operations/stuck", OPERATOR, {}, "stuck"),
    "samples": ("operate", "GET /v1/operations/samples", OPERATOR, {}, "pauses"),
    "find": ("operate", "GET /v1/operations/find", OPERATOR, {"of": "order:1182"}, "pauses"),
}


@pytest.fixture(autouse=True)
def _operators(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wiring, "operators", lambda: frozenset({"placet-operator"}))


def filled(api: Api, kind: str) -> set[str]:
    """So many pauses that stand on a list."""
    made = set()
    if kind == "samples":
        api.gateway.policy = policy_of(Sample("test/sample", "Looked at afterwards.", 1))
        return {api.gateway.capture(REFUND, checkpoint=f"cp-{number}").head.pause for number in range(ALL)}
    for number in range(ALL):
        head = api.gateway.shown(REFUND, checkpoint=f"cp-{number}")
        made.add(head.pause)
        if kind == "resumes":
            api.gateway.decide(head, 1, Verdict.REJECT)
        if kind == "stuck":
            list_stuck(api.gateway.ports, api.gateway.head(head.pause), "wait_failed")
    return made


def asked(api: Api, kind: str, **query: str) -> tuple[int, dict[str, Any]]:
    function, route, who, more, _ = LISTS[kind]
    answer = api.send(function, route, authorizer=who, queryStringParameters={**more, **query} or None)
    return answer["statusCode"], json.loads(answer["body"])


@pytest.mark.parametrize("kind", LISTS)
def test_every_row_is_reached(api: Api, kind: str) -> None:
    made, seen, after = filled(api, kind), [], ""
    for _ in range(ALL):
        status, page = asked(api, kind, limit="20", **({"after": after} if after else {}))
        assert (status, page["more"]) == (200, bool(page["next"]))
        seen += [row["pause"] for row in page[LISTS[kind][4]]]
        after = page["next"]
        if not after:
            break
    assert (len(seen), set(seen)) == (ALL, made)


@pytest.mark.parametrize("kind", LISTS)
@pytest.mark.parametrize("after", ["x", "%00", "\u00e9", "a" * 5_000, "Zm9vLmJhci5iYXo"])
def test_a_cursor_that_no_page_gave_is_no_server_error(api: Api, kind: str, after: str) -> None:
    status, problem = asked(api, kind, after=after)
    assert (status, problem["code"]) == (422, "cursor_invalid")


@pytest.mark.parametrize("kind", LISTS)
@pytest.mark.parametrize("limit", ["0", "101", "-1", "1e2", "\u0661", "9" * 30, "x", " 5"])
def test_a_limit_is_a_number_that_a_page_may_have(api: Api, kind: str, limit: str) -> None:
    status, problem = asked(api, kind, limit=limit)
    assert (status, problem["code"]) == (422, "limit_invalid")
    assert problem["limit"] in (25, 100)


def test_a_cursor_is_of_one_list(api: Api) -> None:
    filled(api, "resumes")
    _, page = asked(api, "resumes")
    for kind in ("reviews", "stuck", "find"):
        assert asked(api, kind, after=page["next"])[0] == 422


def test_the_inbox_page_leads_to_everything_and_back(api: Api) -> None:
    made, (cookie, _) = filled(api, "reviews"), api.signed_in()
    seen: list[str] = []
    link, pages = "", []
    while True:
        query = {"after": link.partition("=")[2]} if link else None
        answer = api.page("review", "GET /inbox", cookie, queryStringParameters=query)
        assert answer["statusCode"] == 200
        pages.append(answer["body"])
        seen += re.findall(r'href="/reviews/(\w+)"', answer["body"])
        onward = re.search(r'href="(/inbox\?after=[\w-]+)"', answer["body"])
        if onward is None:
            break
        link = onward.group(1)
    assert (len(seen), set(seen), len(pages)) == (ALL, made, 2)
    assert "More than 50 calls wait for you" in pages[0]
    assert "5 later calls wait for you" in pages[1]
    assert '<a href="/inbox">First page</a>' in pages[1]
    assert '<a href="/inbox">First page</a>' not in pages[0]


def test_a_bad_cursor_is_told_on_a_page(api: Api) -> None:
    cookie, _ = api.signed_in()
    answer = api.page("review", "GET /inbox", cookie, queryStringParameters={"after": "<script>"})
    assert (answer["statusCode"], "<script>" in answer["body"]) == (422, False)


def test_whoever_has_a_cursor_sees_only_what_is_theirs(api: Api) -> None:
    """A place in a list is no right: a stranger who sends it sees an empty inbox."""
    filled(api, "reviews")
    _, page = asked(api, "reviews")
    api.gateway.person("sam", "Sam", "nobody")
    answer = api.send(
        "review",
        "GET /v1/reviews",
        authorizer={"jwt": {"claims": {"token_use": "access", "sub": "sam"}}},
        queryStringParameters={"after": page["next"]},
    )
    assert json.loads(answer["body"])["reviews"] == []
