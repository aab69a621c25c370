"""Questions about a call and their answers, over the API and from its page: who, what is kept, what the agent gets."""

from __future__ import annotations

import json
from typing import Any

import pytest

from placet.model.pauses import call_id
from placet.model.states import Verdict
from placet.records.heads import Head
from tests.functions.conftest import BASE, Api
from tests.functions.test_reviewers import token
from tests.gateway import DELETE, REFUND

ASK, FORM, ANSWER = "POST /v1/reviews/{id}/ask", "POST /reviews/{id}/ask", "POST /v1/pauses/{id}/answer"
PIECE = {
    "title": "Terms",
    "source": "wiki/9",
    "trusted": False,
    "text": "30 <b>days</b>",
    "origin": "retrieved",
    "cut": 7,
}
HOSTILE = "<script>alert(1)</script>\u202e"


def ask(api: Api, head: Head, sub: str = "maria", **body: Any) -> Any:
    sent = {"text": "Which order?", "revision": 1, **body}
    return api.agent("decide", ASK, sent, pathParameters={"id": call_id(head.pause, 1)}, authorizer=token(sub))


def answer(api: Api, head: Head, **body: Any) -> Any:
    sent = {"call": call_id(head.pause, 1), "question": 1, "text": "Order 1182.", "evidence": [PIECE], **body}
    return api.agent("capture", ANSWER, sent, pathParameters={"id": head.pause})


def press(api: Api, head: Head, form: dict[str, str], csrf: str = "", sub: str = "maria") -> dict[str, Any]:
    cookie, own = api.signed_in(sub)
    sent = {"csrf": csrf or own, "decision": "ask", **form}
    answer: dict[str, Any] = api.page("decide", FORM, cookie, sent, pathParameters={"id": call_id(head.pause, 1)})
    return answer


def page(api: Api, head: Head, sub: str = "maria") -> str:
    cookie, _ = api.signed_in(sub)
    return str(api.page("review", "GET /reviews/{id}", cookie, pathParameters={"id": head.pause})["body"])


def agents(api: Api, head: Head) -> Any:
    return api.agent("pick_up", "GET /v1/pauses/{id}", pathParameters={"id": head.pause})[1]["questions"]


def test_a_question_and_its_answer_over_json(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    now = api.gateway.clock.now_ms()
    status, told = ask(api, head)
    call = call_id(head.pause, 1)
    asked = {"call": call, "question": 1, "revision": 1, "asked_by": "Maria Keller", "asked_at": now}
    asked["by_whom"] = {"name": "Maria Keller", "in_place_of": None}
    assert (status, told) == (200, {**asked, "replayed": False})
    assert ask(api, head)[1] == {**asked, "replayed": True}
    question = {"call": call, "question": 1, "group": "finance", "at": now, "revision": 1, "text": "Which order?"}
    assert agents(api, head) == [question]
    status, told = answer(api, head)
    done = {"call": call, "question": 1, "revision": 2, "at": api.gateway.clock.now_ms()}
    assert (status, told) == (200, {**done, "replayed": False})
    assert answer(api, head)[1] == {**done, "replayed": True}
    assert agents(api, head) == []
    found = api.send("review", "GET /v1/reviews/{id}", authorizer=token(), pathParameters={"id": head.pause})
    (shown,) = json.loads(found["body"])["questions"]
    told = {"at": done["at"], "revision": 2, "text": "Order 1182.", "evidence": [PIECE]}
    mine = {"call": call, "question": 1, "by": "Maria Keller", "by_you": True, "at": now, "revision": 1}
    mine["by_whom"] = {"name": "Maria Keller", "in_place_of": None}
    assert shown == {**mine, "text": "Which order?", "answer": told}
    lists = api.send("review", "GET /v1/reviews", authorizer=token())
    assert [row["question"] for row in json.loads(lists["body"])["reviews"]] == ["answered"]


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"text": " "}, 422, "text_missing"),
        ({"text": "x" * 1_001}, 422, "text_too_long"),
        ({"text": "x" * 4_001}, 422, "field_invalid"),
        ({"text": 7}, 422, "field_invalid"),
        ({"revision": 2}, 409, "revision_differs"),
        ({"revision": 0}, 422, "field_invalid"),
        ({"revision": "1"}, 422, "field_invalid"),
        ({"by": "jonas"}, 422, "unknown_field"),
        ({"sub": "olga"}, 404, "not_found"),
    ],
)
def test_what_is_no_question_is_told(api: Api, changes: dict[str, Any], status: int, code: str) -> None:
    head = api.gateway.shown(REFUND)
    found, told = ask(api, head, **changes)
    assert (found, told["code"]) == (status, code)
    assert api.gateway.head(head.pause) == head


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"text": ""}, 422, "text_missing"),
        ({"text": "x" * 4_001}, 422, "text_too_long"),
        ({"text": "x" * 16_001}, 422, "field_invalid"),
        ({"question": 2}, 404, "not_found"),
        ({"question": "1"}, 422, "field_invalid"),
        ({"call": "nothing"}, 404, "not_found"),
        ({"call": "a" * 26 + "-1"}, 404, "not_found"),
        ({"arguments": "{}"}, 422, "unknown_field"),
        ({"evidence": [PIECE] * 21}, 422, "field_invalid"),
        ({"evidence": [{**PIECE, "origin": "god"}]}, 422, "field_invalid"),
        ({"evidence": [{**PIECE, "text": "x" * 20_001}]}, 422, "field_invalid"),
    ],
)
def test_what_is_no_answer_is_told(api: Api, changes: dict[str, Any], status: int, code: str) -> None:
    head = api.gateway.shown(REFUND)
    ask(api, head)
    before = api.gateway.head(head.pause)
    found, told = answer(api, head, **changes)
    assert (found, told["code"]) == (status, code)
    assert api.gateway.head(head.pause) == before


def test_an_answer_that_comes_too_late_is_told_and_nothing_with_it(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    ask(api, head)
    api.gateway.decide(head, 1, Verdict.REJECT)
    status, told = answer(api, head)
    assert (status, told["code"]) == (409, "answer_too_late")
    assert "Maria" not in json.dumps(told)


def test_a_question_from_the_page_stands_there_with_its_answer_as_text(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    assert 'name="question-1"' in page(api, head)
    found = press(api, head, {"question-1": HOSTILE, "seen-1": "1"})
    assert (found["statusCode"], found["headers"]["location"]) == (303, f"/reviews/{head.pause}#questions")
    html = page(api, head, "jonas")
    assert "Maria Keller" in html
    assert "No answer yet" in html
    answer(api, head, text=HOSTILE, evidence=[{**PIECE, "text": HOSTILE}])
    html = page(api, head)
    assert "The agent answered" in html
    assert "Handed in by the agent" in html
    assert html.count("&lt;script&gt;alert(1)&lt;/script&gt;") == 3
    assert "<script>" not in html
    assert "\u202e" not in html
    assert "left out at least 7 characters" in html
    assert 'name="revision-1" value="2"' in html


@pytest.mark.parametrize(
    ("form", "status", "says"),
    [
        ({"question-1": " ", "seen-1": "1"}, 422, "Nobody can see anything of this text."),
        ({"question-1": "x" * 1_001, "seen-1": "1"}, 422, "It has 1001 characters"),
        ({"question-1": "Why?", "seen-1": "2"}, 409, "Look at it again."),
        ({"question-1": "Why?"}, 422, "Open the page again."),
        ({"question-1": "Why?", "seen-1": "x"}, 422, "Open the page again."),
    ],
)
def test_a_mistake_is_shown_at_its_field_with_everything_kept(
    api: Api, form: dict[str, str], status: int, says: str
) -> None:
    head = api.gateway.shown(REFUND, DELETE)
    found = press(api, head, {**form, "own-2": "Not these.", "comment": "Hm."})
    assert found["statusCode"] == status
    assert says in found["body"]
    assert 'href="#question-1"' in found["body"]
    for kept in (form["question-1"], "Not these.", "Hm."):
        assert kept in found["body"]
    assert api.gateway.head(head.pause) == head


def test_what_was_typed_beside_a_question_is_kept(api: Api) -> None:
    head = api.gateway.shown(REFUND, DELETE)
    found = press(api, head, {"question-1": "Why?", "seen-1": "1", "own-2": "Not these."})
    assert (found["statusCode"], "Your question is recorded." in found["body"]) == (200, True)
    assert "Not these." in found["body"]
    assert ">\nWhy?</textarea>" not in found["body"]
    assert api.gateway.head(head.pause).calls[0].questions.asked == 1


def test_a_form_of_an_earlier_session_asks_nothing_and_a_foreign_one_is_refused(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    cookie, csrf = api.signed_in("maria")
    sent = {"decision": "ask", "question-1": "Why?", "seen-1": "1"}
    path = {"pathParameters": {"id": call_id(head.pause, 1)}}
    kind = {"content-type": "application/x-www-form-urlencoded"}
    own = {"headers": {**kind, "sec-fetch-site": "same-origin", "origin": BASE}}
    found = api.page("decide", FORM, cookie, {"csrf": "of another", **sent}, **path, **own)
    assert (found["statusCode"], "Why?" in found["body"]) == (403, True)
    other = {"headers": {**kind, "sec-fetch-site": "cross-site", "origin": "https://evil.example"}}
    for token_of_form in (csrf, "of another"):
        found = api.page("decide", FORM, cookie, {"csrf": token_of_form, **sent}, **path, **other)
        assert (found["statusCode"], "Why?" in found["body"]) == (403, False)
    assert api.gateway.head(head.pause) == head


def test_who_may_not_ask_is_told_and_a_decided_call_says_how_it_ended(api: Api) -> None:
    own = api.gateway.shown(REFUND, requester="maria@example.com")
    form = {"question-1": "Why?", "seen-1": "1"}
    assert 'name="question-1"' not in page(api, own)
    assert press(api, own, form)["statusCode"] == 403
    head = api.gateway.shown(REFUND, checkpoint="cp-2")
    api.gateway.decide(head, 1, Verdict.REJECT, api.gateway.jonas)
    found = press(api, head, form)
    assert (found["statusCode"], "Jonas Weber decided" in found["body"]) == (409, True)
    assert "question to the agent: “Why?”" in found["body"], "what was typed is given back"
    late = api.gateway.shown(REFUND, checkpoint="cp-3")
    api.gateway.clock.at_ms = late.deadline_ms
    found = press(api, late, form)
    assert (found["statusCode"], "Your question was not asked." in found["body"]) == (410, True)


def test_the_inbox_says_that_a_question_is_open_and_that_it_is_answered(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    cookie, _ = api.signed_in("jonas")
    said = lambda: api.page("review", "GET /inbox", cookie)["body"]  # noqa: E731
    assert "was asked about it" not in said()
    ask(api, head)
    assert "The agent was asked about it and has not answered." in said()
    answer(api, head)
    assert "The agent has answered a question about it." in said()
