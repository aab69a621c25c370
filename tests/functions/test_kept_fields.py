"""Every field in which a person writes is given back by a form that was not taken, under its label and to its own route."""

from __future__ import annotations

import re
from typing import Any

import pytest

from placet import wiring
from placet.http import pages, routing
from placet.model.errors import Busy
from placet.model.pauses import call_id
from placet.web import typed
from tests.functions.conftest import Api
from tests.functions.test_kept import OURS, fields, press, said
from tests.gateway import REFUND
from tests.web.gallery import PAGES
from tests.web.reading import forms_of

WORDS = 'Ask <b>first</b>, "please".'
TYPED = [*typed.OF_FORM, *(f"{name}-1" for name in typed.OF_CALL)]
BESIDE = {"comment": "comment", "question-1": "ask", "why-1": "extend"}


def typed_in_pages() -> tuple[set[str], set[str]]:
    """(fields in which a person writes, all other fields) of the forms about calls on every page, without the numbers."""
    written, others = set(), set()
    for page in PAGES.values():
        for form, found in forms_of(page()):
            if not form.get("action", "").startswith("/reviews/"):
                continue
            for field in found:
                is_text = field["tag"] == "textarea" or (
                    field["tag"] == "input" and field.get("type", "text") == "text"
                )
                (written if is_text else others).add(field["name"])
    return written, others


def test_every_field_of_every_page_is_kept_and_what_is_written_has_its_label() -> None:
    written, others = typed_in_pages()
    assert {name.partition("-")[0] for name in written} == {*typed.OF_FORM, *typed.OF_CALL}
    known = {**typed.texts(dict.fromkeys(written, "x")), **typed.beside(dict.fromkeys(others, "x"))}
    unknown = (written | others) - set(known)
    assert unknown <= {"whom", "undo"}, "a hand-on is chosen from a list, and a press of Undo is its route"


@pytest.mark.parametrize("cookie", ["", "of an earlier session"])
@pytest.mark.parametrize("verb", ["decide", "edit", "undo", "comment", "ask", "extend"])
@pytest.mark.parametrize("name", TYPED)
def test_a_form_that_met_the_end_of_its_session_is_given_back(api: Api, name: str, verb: str, cookie: str) -> None:
    head = api.gateway.shown(REFUND)
    answer = press(api, head, f"POST /reviews/{{id}}/{verb}", cookie, {"csrf": "x", name: WORDS})
    assert answer["statusCode"] == 403
    assert "You are signed out, and nothing was decided" in said(answer)
    assert fields(answer) == {name: WORDS}
    assert f'action="/reviews/{call_id(head.pause, 1)}/{verb}"' in answer["body"]


def test_a_pause_that_nobody_has_is_signed_out_too(api: Api) -> None:
    path = {"id": call_id("a" * 26, 1)}
    form = {"csrf": "x", "comment": "x"}
    answer = api.page("decide", "POST /reviews/{id}/comment", "", form, pathParameters=path, headers=OURS)
    assert (answer["statusCode"], fields(answer)) == (403, {"comment": "x"})


@pytest.mark.parametrize(("name", "verb"), BESIDE.items())
def test_what_met_a_failure_is_sent_again_to_its_own_route_and_decides_nothing(
    api: Api, monkeypatch: pytest.MonkeyPatch, name: str, verb: str
) -> None:
    def busy(*given: Any) -> None:
        raise Busy

    head = api.gateway.shown(REFUND)
    cookie, csrf = api.signed_in()
    until = api.gateway.head(head.pause).calls[0].deadline_ms + 60_000
    form = {"csrf": csrf, "decision": verb, "seen-1": "1", "until-1": str(until), name: "Why so much?"}
    with monkeypatch.context() as failing:
        failing.setattr(f"placet.http.talking.{verb}", busy)
        answer = press(api, head, f"POST /reviews/{{id}}/{verb}", cookie, form)
    assert (answer["statusCode"], "Send it again" in said(answer)) == (503, True)
    action = re.findall(r'<form class="form or" method="post" action="/reviews/[^"]+/(\w+)"', answer["body"])
    assert action == [verb]
    hidden = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', answer["body"]))
    again = press(api, head, f"POST /reviews/{{id}}/{action[0]}", cookie, hidden | fields(answer))
    assert again["statusCode"] in (200, 303)
    assert api.gateway.head(head.pause).open_calls == 1


@pytest.mark.parametrize("failed", [pages.failed, None], ids=["page", "problem"])
def test_an_error_in_showing_an_error_is_answered_and_logged(
    monkeypatch: pytest.MonkeyPatch, failed: routing.Failed | None
) -> None:
    def broken(*given: Any) -> Any:
        raise KeyError("comment")

    monkeypatch.setattr(pages, "kept_of", broken)
    monkeypatch.setattr(routing, "problem", broken)
    lines: list[tuple[str, dict[str, Any]]] = []
    event = {"routeKey": "GET /x"}
    answer = routing.serve(event, {"GET /x": broken}, lambda name, facts: lines.append((name, facts)), failed)
    assert answer["statusCode"] == 500
    assert ("our fault" in answer["body"]) == (failed is not None)
    assert [(name, facts["route"], facts["error"]) for name, facts in lines] == [
        ("failed", "GET /x", "KeyError"),
        ("failed", "GET /x", "KeyError from KeyError"),
    ]
    assert routing.serve({}, {}, wiring.log, failed)["statusCode"] == 500
