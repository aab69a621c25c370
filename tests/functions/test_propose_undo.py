"""Proposing to take back what ran: from the page, over JSON, and by an operator; the function `resume` makes it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from placet.model.pauses import split_call_id
from placet.model.states import PermitState
from tests.functions.conftest import ACCOUNT, Api
from tests.functions.test_reviewers import token
from tests.undoing import CANCEL, TAKEN_BACK, Desk

JSON, FORM, PAGE = "POST /v1/reviews/{id}/propose-undo", "POST /reviews/{id}/propose-undo", "GET /reviews/{id}"
OPERATORS = "POST /v1/operations/calls/{id}/undo"
OLGA = {
    "iam": {
        "userArn": f"arn:aws:sts::{ACCOUNT}:assumed-role/placet-operator/olga@example.com",
        "accountId": ACCOUNT,
    }
}


def test_over_json(api: Api, desk: Desk) -> None:
    call = desk.ran()
    path: dict[str, Any] = {"pathParameters": {"id": call}, "authorizer": token()}
    status, answer = api.agent("decide", JSON, {}, **path)
    assert (status, answer["call"], answer["tool"], answer["replayed"]) == (201, call, "cancel_refund", False)
    assert api.agent("decide", JSON, {}, **path) == (200, answer | {"replayed": True})
    seen = api.agent(
        "review", "GET /v1/reviews/{id}", pathParameters={"id": answer["undo"]}, authorizer=token("jonas")
    )[1]
    assert (seen["framework"], seen["requester"], seen["calls"][0]["undoes"]) == ("placet", "maria@example.com", call)
    assert api.agent("decide", JSON, {}, **{**path, "authorizer": token("stranger")})[0] == 404
    assert api.agent("decide", JSON, {"by": "jonas"}, **path)[0] == 422


def test_by_an_operator(api: Api, desk: Desk) -> None:
    call = desk.ran()
    path: dict[str, Any] = {"pathParameters": {"id": call}, "authorizer": OLGA}
    status, answer = api.agent("operate", OPERATORS, {}, **path)
    assert (status, answer["tool"]) == (201, "cancel_refund")
    assert desk.head(answer["undo"]).requester == "placet-operator/olga@example.com"
    assert api.agent("operate", OPERATORS, {}, pathParameters={"id": call}, role="somebody")[0] == 403
    assert api.agent("operate", OPERATORS, {}, **{**path, "pathParameters": {"id": "nothing"}})[0] == 404


def test_a_refusal_keeps_its_code_and_members_across_the_two_functions(api: Api, desk: Desk) -> None:
    call = desk.ran(permit=PermitState.FAILED)
    status, answer = api.agent("decide", JSON, {}, pathParameters={"id": call}, authorizer=token())
    assert (status, answer["code"], answer["permit"]) == (409, "undo_not_run", "failed")


def test_from_the_page_and_on_both_pages(api: Api, desk: Desk) -> None:
    call = desk.ran()
    cookie, csrf = api.signed_in()
    first = {"pathParameters": {"id": split_call_id(call)[0]}}
    assert "Propose to take it back" in api.page("review", PAGE, cookie, **first)["body"]
    answer = api.page("decide", FORM, cookie, {"csrf": csrf}, pathParameters={"id": call})
    assert answer["statusCode"] == 303
    undo = answer["headers"]["location"].removeprefix("/reviews/")
    assert f'href="/reviews/{undo}"' in api.page("review", PAGE, cookie, **first)["body"]
    assert (
        f'href="/reviews/{split_call_id(call)[0]}"'
        in api.page("review", PAGE, cookie, pathParameters={"id": undo})["body"]
    )
    desk.tools(replace(TAKEN_BACK, tool="gone"), CANCEL)
    refused = api.page("decide", FORM, cookie, {"csrf": "another"}, pathParameters={"id": call})
    assert refused["statusCode"] == 403


def test_the_page_says_why_it_cannot_be_proposed(api: Api, desk: Desk) -> None:
    call = desk.ran("paid")
    cookie, csrf = api.signed_in()
    answer = api.page("decide", FORM, cookie, {"csrf": csrf}, pathParameters={"id": call})
    assert answer["statusCode"] == 409
    assert "could not make the call of cancel_refund" in answer["body"]
