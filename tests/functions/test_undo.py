"""Taking a decision back, over JSON and from the page; what agents and the person who waits see meanwhile."""

from __future__ import annotations

import html
import re

import pytest

from placet.model.pauses import call_id
from placet.model.states import CallState, Verdict
from placet.records.heads import Head
from tests.functions.conftest import Api
from tests.functions.test_reviewers import token
from tests.gateway import DELETE, REFUND

JSON, FORM, PAGE = "POST /v1/reviews/{id}/undo", "POST /reviews/{id}/undo", "GET /reviews/{id}"
WINDOW_S = 60


@pytest.fixture
def held(api: Api) -> Head:
    api.gateway.with_policy(undo_s=WINDOW_S)
    head = api.gateway.shown(REFUND)
    api.gateway.decide(head, 1, Verdict.ACCEPT)
    return api.gateway.head(head.pause)


def shown(api: Api, head: Head, cookie: str) -> str:
    body = api.page("review", PAGE, cookie, pathParameters={"id": head.pause})["body"]
    return html.unescape(re.sub(r"<[^>]+>", "", body))


def test_over_json(api: Api, held: Head) -> None:
    path = {"pathParameters": {"id": call_id(held.pause, 1)}, "authorizer": token()}
    seen = api.agent("review", "GET /v1/reviews/{id}", pathParameters={"id": held.pause}, authorizer=token())[1][
        "calls"
    ][0]
    assert (seen["undo_until"], seen["may_undo"], seen["state"]) == (held.held_ms, True, "accepted")
    status, answer = api.agent("decide", JSON, {"revision": 1}, **path)
    assert (status, answer["state"], answer["revision"], answer["undone_by"]) == (200, "pending", 2, "Maria Keller")
    assert answer["digest"] == held.calls[0].digest
    assert api.agent("decide", JSON, {"revision": 1}, **path)[1] == answer | {"replayed": True}
    assert api.agent("decide", JSON, {"revision": 2}, **path)[1]["code"] == "not_decided"


@pytest.mark.parametrize("sent", [{}, None, [], {"revision": "1"}, {"revision": 1.5}, {"revision": 1, "call": 2}])
def test_nonsense_takes_nothing_back(api: Api, held: Head, sent: object) -> None:
    path = {"pathParameters": {"id": call_id(held.pause, 1)}, "authorizer": token()}
    assert api.agent("decide", JSON, sent, **path)[0] in (400, 422)
    assert api.gateway.head(held.pause).open_calls == 0


def test_its_time_over_is_410_and_a_stranger_gets_404(api: Api, held: Head) -> None:
    path = {"pathParameters": {"id": call_id(held.pause, 1)}}
    assert api.agent("decide", JSON, {"revision": 1}, **path, authorizer=token("stranger"))[0] == 404
    api.gateway.clock.move(WINDOW_S)
    status, answer = api.agent("decide", JSON, {"revision": 1}, **path, authorizer=token())
    assert (status, answer["code"], answer["until"]) == (410, "undo_over", held.held_ms)


def test_from_the_page(api: Api, held: Head) -> None:
    cookie, csrf = api.signed_in()
    text = shown(api, held, cookie)
    assert re.search(r"It runs after \d\d:\d\d:\d\d UTC, unless it is taken back before", text)
    form = {"csrf": csrf, "revision-1": "1"}
    answer = api.page("decide", FORM, cookie, form, pathParameters={"id": call_id(held.pause, 1)})
    assert (answer["statusCode"], answer["headers"]["location"]) == (303, f"/reviews/{held.pause}#call-1")
    assert api.gateway.head(held.pause).calls[0].state is CallState.PENDING
    assert "Undo" not in shown(api, held, cookie)


def test_the_second_who_presses_reads_that_it_waits_again(api: Api, held: Head) -> None:
    path = {"pathParameters": {"id": call_id(held.pause, 1)}}
    for who in ("maria", "jonas"):
        cookie, csrf = api.signed_in(who)
        answer = api.page("decide", FORM, cookie, {"csrf": csrf, "revision-1": "1"}, **path)
    assert answer["statusCode"] == 409
    assert "It was taken back already, and waits again." in answer["body"]
    assert "decided anew" not in answer["body"]


def test_the_button_is_there_for_whoever_may_press_it_and_while_they_may(api: Api, held: Head) -> None:
    assert "Undo" in shown(api, held, api.signed_in("jonas")[0])
    api.gateway.clock.move(WINDOW_S)
    text = shown(api, held, api.signed_in()[0])
    assert "Undo" not in text
    assert "It has not run yet" in text


@pytest.mark.parametrize("form", [{}, {"revision-1": "x"}, {"revision-1": "7"}, {"revision-2": "1"}])
def test_a_form_that_does_not_say_what_it_means_takes_nothing_back(api: Api, held: Head, form: dict[str, str]) -> None:
    cookie, csrf = api.signed_in()
    answer = api.page("decide", FORM, cookie, {"csrf": csrf, **form}, pathParameters={"id": call_id(held.pause, 1)})
    assert answer["statusCode"] in (409, 422)
    assert api.gateway.head(held.pause).open_calls == 0


def test_a_form_of_another_session_or_site_takes_nothing_back(api: Api, held: Head) -> None:
    cookie, _ = api.signed_in()
    form = {"csrf": "of another", "revision-1": "1"}
    path = {"pathParameters": {"id": call_id(held.pause, 1)}}
    assert api.page("decide", FORM, cookie, form, **path)["statusCode"] == 403
    own = {
        "content-type": "application/x-www-form-urlencoded",
        "origin": "https://placet.example",
        "sec-fetch-site": "same-origin",
    }
    again = api.page("decide", FORM, cookie, form, **path, headers=own)
    assert again["statusCode"] == 403
    assert "nothing was taken back" in again["body"]
    assert api.gateway.head(held.pause).open_calls == 0


def test_what_was_typed_for_another_call_is_kept(api: Api) -> None:
    api.gateway.with_policy(undo_s=WINDOW_S)
    head = api.gateway.shown(REFUND, DELETE)
    api.gateway.decide(head, 1, Verdict.ACCEPT)
    cookie, csrf = api.signed_in()
    form = {
        "csrf": csrf,
        "revision-1": "1",
        "revision-2": "1",
        "digest-2": head.calls[1].digest,
        "own-2": "not this table",
    }
    answer = api.page("decide", FORM, cookie, form, pathParameters={"id": call_id(head.pause, 1)})
    assert answer["statusCode"] == 200
    assert "not this table" in answer["body"]
    assert "is taken back" in answer["body"]
    assert api.gateway.head(head.pause).open_calls == 2


def test_to_its_agent_it_waits_and_to_who_waits_nothing_is_done_yet(api: Api, held: Head) -> None:
    path = {"pathParameters": {"id": held.pause}}
    pause = api.agent("pick_up", "GET /v1/pauses/{id}", **path)[1]
    assert (pause["state"], pause["held_until"]) == ("waiting", held.held_ms)
    assert {name: pause["calls"][0].get(name) for name in ("state", "held_until", "digest", "native")} == {
        "state": "pending",
        "held_until": held.held_ms,
        "digest": None,
        "native": None,
    }
    told = api.agent("pick_up", "GET /v1/pauses/{id}/status", **path)[1]
    assert (told["state"], told["held_until"]) == ("waiting", held.held_ms)
    claim = {"digest": held.calls[0].digest, "worker": "w"}
    status, refused = api.agent(
        "execute", "POST /v1/calls/{id}/claim", claim, pathParameters={"id": call_id(held.pause, 1)}
    )
    assert (status, refused["code"], refused["until"]) == (409, "call_held", held.held_ms)
    api.gateway.clock.move(WINDOW_S)
    pause = api.agent("pick_up", "GET /v1/pauses/{id}", **path)[1]
    assert (pause["state"], pause["calls"][0]["state"], "held_until" in pause) == ("decided", "accepted", False)
    assert api.agent("pick_up", "GET /v1/pauses/{id}/status", **path)[1]["held_until"] is None
