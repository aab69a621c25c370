"""Editing on the pages: what stands against it is shown before anybody confirms, and what was typed is kept whatever happens."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

from placet.model.canonical import digest, parse
from placet.model.pauses import call_id
from placet.model.states import Verdict
from tests.functions.conftest import Api
from tests.gateway import REFUND

EDIT, DECIDE = "POST /reviews/{id}/edit", "POST /reviews/{id}/decide"
HALF = '{"order_id":"1182","amount":120.25}'


def edit(api: Api, head: Any, text: str = HALF, who: str = "maria", **more: str) -> dict[str, Any]:
    """The answer to `Show before and after`."""
    cookie, csrf = api.signed_in(who)
    form = {"csrf": csrf, "revision": "1", "digest": head.calls[0].digest, "arguments": text, "reason": "half", **more}
    answer: dict[str, Any] = api.page("decide", EDIT, cookie, form, pathParameters={"id": call_id(head.pause, 1)})
    return answer


def said(answer: dict[str, Any]) -> str:
    """The page's text."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", answer["body"])))


def decide_edit(api: Api, head: Any, text: str = HALF) -> None:
    api.gateway.decide(
        head, 1, Verdict.EDIT, api.gateway.jonas, arguments=text, new_digest=digest(parse(text)), reason="cap"
    )


def test_an_edit_that_may_be_decided_is_shown_with_the_proposal_beside_it(api: Api) -> None:
    answer = edit(api, api.gateway.shown(REFUND))
    assert answer["statusCode"] == 200
    assert "The agent proposed" in said(answer)
    assert "the call waits, you may decide it" in said(answer)


def test_a_call_that_a_colleague_decided_is_no_call_to_confirm(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    api.gateway.decide(head, 1, Verdict.ACCEPT, api.gateway.jonas)
    answer = edit(api, head)
    assert answer["statusCode"] == 409
    assert "Jonas Weber decided" in said(answer)
    assert "Accept as edited" not in answer["body"]
    assert "120.25" in said(answer), "what was typed is there to be copied"


def test_a_colleagues_edit_is_no_proposal_of_the_agent(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    decide_edit(api, head, '{"order_id":"1182","amount":200.00}')
    answer = edit(api, head)
    assert answer["statusCode"] == 409
    assert "edit: amount 200.00 (was 240.5)" in said(answer)
    assert "The agent proposed" not in said(answer)


def test_a_call_that_is_over_is_no_call_to_confirm(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    api.gateway.clock.at_ms = head.calls[0].deadline_ms
    answer = edit(api, head)
    assert answer["statusCode"] == 410
    assert "The time to decide ended" in said(answer)
    assert "120.25" in said(answer)


@pytest.mark.parametrize(
    ("facts", "says"),
    [({"requester": "maria@example.com"}, "acts for you"), ({}, "")],
)
def test_ones_own_request_is_no_call_to_confirm(api: Api, facts: dict[str, str], says: str) -> None:
    answer = edit(api, api.gateway.shown(REFUND, **facts))
    assert answer["statusCode"] == (409 if says else 200)
    assert says in said(answer)


def test_a_page_of_an_earlier_revision_is_told_so(api: Api) -> None:
    answer = edit(api, api.gateway.shown(REFUND), digest="0" * 64)
    assert answer["statusCode"] == 409
    assert "The call changed while you read it." in said(answer)


@pytest.mark.parametrize(
    ("text", "status", "says"),
    [
        ('{"order_id":"1182","amount":620,25}', 422, "write 620.25"),
        ('{"order_id":"1183","amount":2}', 422, "The policy fixes order_id"),
        (f'{{"order_id":"1182","amount":2,"x":"{"y" * 250_000}"}}', 422, "x"),
    ],
)
def test_an_edit_that_is_refused_keeps_what_was_typed(api: Api, text: str, status: int, says: str) -> None:
    answer = edit(api, api.gateway.shown(REFUND), text)
    assert answer["statusCode"] == status
    assert says in said(answer)
    assert text in unescape(answer["body"])


def test_an_edit_that_its_class_does_not_allow_keeps_what_was_typed(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    api.gateway.with_policy(may_edit=False)
    answer = edit(api, head)
    assert answer["statusCode"] == 403
    assert HALF in unescape(answer["body"])


def test_a_reason_that_is_too_long_is_kept_whole_and_said_before_the_confirm_page(api: Api) -> None:
    answer = edit(api, api.gateway.shown(REFUND), reason="r" * 501)
    assert answer["statusCode"] == 422
    assert "501 characters; at most 500" in said(answer)
    assert "r" * 501 in answer["body"]


def test_ones_own_second_window_is_told_of_oneself(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    api.gateway.decide(head, 1, Verdict.ACCEPT, api.gateway.maria)
    cookie, csrf = api.signed_in()
    form = {"csrf": csrf, "decision": "reject", "revision": "1", "digest": head.calls[0].digest, "own": "No."}
    answer = api.page("decide", DECIDE, cookie, form, pathParameters={"id": call_id(head.pause, 1)})
    assert answer["statusCode"] == 409
    assert "You decided just now. What you sent now was not taken." in said(answer)
    assert "Nothing that you sent has had an effect" not in said(answer)


@pytest.mark.parametrize(("over_ms", "may"), [(-1, True), (0, False), (59_000, False)])
def test_what_is_over_by_the_clock_is_over_everywhere(api: Api, over_ms: int, may: bool) -> None:
    head = api.gateway.shown(REFUND)
    cookie, _ = api.signed_in()
    api.gateway.clock.at_ms = head.calls[0].deadline_ms + over_ms
    token = {"jwt": {"claims": {"sub": "maria", "token_use": "access"}}}
    path = {"pathParameters": {"id": head.pause}}
    page = api.page("review", "GET /reviews/{id}", cookie, **path)["body"]
    assert ("/decide" in page) is may
    assert ("The time to decide ended" in page) is not may
    one = api.agent("review", "GET /v1/reviews/{id}", authorizer=token, **path)[1]["calls"][0]
    assert one["may_decide"] is may
    (row,) = api.agent("review", "GET /v1/reviews", authorizer=token)[1]["reviews"]
    assert (row["may_decide"], row["open_calls"]) == (may, int(may))
    inbox = said(api.page("review", "GET /inbox", cookie))
    assert ("1 call waits for you" in inbox) is may


@pytest.mark.parametrize(
    ("requester", "owner", "says"),
    [
        ("maria@example.com", False, "acts for you"),
        ("elif@example.com", True, "You answer for this agent"),
        ("elif@example.com", False, ""),
    ],
)
def test_what_somebody_else_has_to_decide_is_not_counted_as_waiting(
    api: Api, requester: str, owner: bool, says: str
) -> None:
    api.gateway.shown(REFUND, requester=requester)
    who = "owner" if owner else "maria"
    if owner:
        api.gateway.person("owner", "Olga Owner", "finance")
    cookie, _ = api.signed_in(who)
    text = said(api.page("review", "GET /inbox", cookie))
    assert ("1 call waits for you" in text) is (not says)
    assert says in text


def test_of_several_calls_only_those_count_that_are_open_by_the_clock(api: Api) -> None:
    head = api.gateway.shown(REFUND, ("delete_records", {"table": "contacts", "where": "x"}))
    early, late = sorted(call.deadline_ms for call in head.calls)
    assert early < late, "two classes, two deadlines"
    for at_ms, count in ((early - 1, 2), (early, 1), (late, 0)):
        api.gateway.clock.at_ms = at_ms
        token = {"jwt": {"claims": {"sub": "maria", "token_use": "access"}}}
        (row,) = api.agent("review", "GET /v1/reviews", authorizer=token)[1]["reviews"]
        assert (row["open_calls"], row["may_decide"]) == (count, count > 0)


def test_who_is_in_no_group_reads_which_account_is_signed_in(api: Api) -> None:
    cookie, _ = api.signed_in("nora")
    text = said(api.page("review", "GET /inbox", cookie))
    assert "You are signed in with the account nora" in text
    assert "ask the person who runs Placet" in text
