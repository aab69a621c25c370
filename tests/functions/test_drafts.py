"""Words that a person typed survive every press: each verb, each field, and whatever comes between page and press.

A page is opened, every field of its form is filled with words of its own, something happens meanwhile, a button is pressed as
a browser presses it. Afterwards each text was either taken by that press, or stands in a field of the page that came.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from html import unescape
from typing import Any

import pytest

from placet.model.pauses import call_id, split_call_id
from placet.model.states import Verdict
from placet.records.heads import Head
from placet.service.undo import undo
from placet.web import typed
from tests.functions.conftest import Api
from tests.functions.test_kept import mail, press, said
from tests.gateway import REFUND
from tests.questioned import answers, asks
from tests.undoing import Desk
from tests.web.reading import forms_of

HALF = '{"subject":"Half of it","to":"a@example.com"}'
KEPT_BELOW = "What you typed is kept below."
CLOSED, CHANGED, LOST, ANOTHER, REFUSED, TAKEN = "closed", "changed", "lost", "another", "refused", "taken"
OUTCOMES = (TAKEN, REFUSED, CLOSED, CHANGED, LOST, ANOTHER)
TOO_LONG = "x" * 1_200
STATUS = {TAKEN: {200, 303}, LOST: {403}, ANOTHER: {403}, REFUSED: {410, 422}}


@dataclass
class Form:
    """A form of a page as a browser holds it, and what a person typed into it."""

    action: str
    sent: dict[str, str]
    words: dict[str, str]


def shown(api: Api) -> Head:
    """A pause of two mails and a refund that is accepted and can be taken back."""
    api.gateway.with_policy(undo_s=600)
    head = api.gateway.shown(mail("a@example.com"), mail("b@example.com"), REFUND)
    api.gateway.decide(head, 3, Verdict.ACCEPT)
    return api.gateway.head(head.pause)


def texts_of(html: str) -> list[tuple[str, str, bool]]:
    """(name, text, whether it can be changed) of every field on a page that holds text."""
    found = []
    for attributes, text in re.findall(r"<textarea([^>]*)>\n(.*?)</textarea>", html, re.DOTALL):
        name = re.search(r' name="([^"]+)"', attributes)
        found.append((name.group(1) if name else "", unescape(text), "readonly" not in attributes))
    for tag in re.findall(r'<input id="typed[^>]*>', html):
        name, value = re.search(r' name="([^"]+)"', tag), re.search(r' value="([^"]*)"', tag)
        assert name
        assert value
        found.append((name.group(1), unescape(value.group(1)), True))
    return found


def held(html: str, form_id: str) -> dict[str, str]:
    """What a browser would send of a form: its hidden fields and what stands in its texts; nothing is chosen or ticked."""
    form, fields = next(
        (form, fields) for form, fields in forms_of(html) if form_id in (form.get("id"), form["action"])
    )
    names = {field["name"] for field in fields}
    sent = {field["name"]: field["value"] for field in fields if field.get("type") == "hidden"}
    return {**sent, **{name: text for name, text, _ in texts_of(html) if name in names}, "": form["action"]}


def filled(html: str, form_id: str, **right: str) -> Form:
    """Every text of a form with words of its own; `right` says what else stands in a field."""
    sent = held(html, form_id)
    action = sent.pop("")
    names = [name for name, _, _ in texts_of(html) if name in sent]
    words = {name: right.get(name, f"Words for {name}, <b>{number}</b>.") for number, name in enumerate(names)}
    return Form(action, {**sent, **words}, words)


def pause_form(api: Api, head: Head, cookie: str, **right: str) -> Form:
    html = api.page("review", "GET /reviews/{id}", cookie, pathParameters={"id": head.pause})["body"]
    return filled(html, "decisions", **right)


def edit_form(api: Api, head: Head, cookie: str, **right: str) -> Form:
    path = {"id": call_id(head.pause, 1)}
    html = api.page("review", "GET /reviews/{id}/edit", cookie, pathParameters=path)["body"]
    return filled(html, f"/reviews/{path['id']}/edit", **{"arguments": HALF, **right})


def confirm_form(api: Api, head: Head, cookie: str, **right: str) -> Form:
    asked = edit_form(api, head, cookie)
    html = press(api, head, "POST /reviews/{id}/edit", cookie, asked.sent)["body"]
    form = filled(html, "accept-form-1", **{"typed-1": "Half of it", **right})
    carried = {name: asked.words[name] for name in ("arguments", "reason")}
    return Form(form.action, {**form.sent, **carried}, {**form.words, **carried})


@dataclass
class Verb:
    """How a verb is pressed.

    Attributes:
        of: makes the form. right: what has to stand in fields for it to be taken; wrong: for which it is refused.
        chosen: what else is sent. number: of the call it is about.
    """

    of: Callable[..., Form]
    route: str
    takes: str
    right: dict[str, str]
    wrong: dict[str, str]
    chosen: dict[str, str]
    number: int = 1


VERBS = {
    "accept": Verb(pause_form, "decide", "accept", {"typed-1": "a@example.com"}, {}, {"decision": "accept"}),
    "reject": Verb(pause_form, "decide", "reject", {}, {"own-1": TOO_LONG}, {"decision": "reject", "reason-1": "own"}),
    "preview": Verb(edit_form, "edit", "", {}, {"arguments": "{"}, {}),
    "edit": Verb(confirm_form, "decide", "edit", {}, {"typed-1": "no"}, {"decision": "edit"}),
    "ask": Verb(pause_form, "ask", "ask", {}, {"question-1": TOO_LONG}, {"decision": "ask"}),
    "extend": Verb(pause_form, "extend", "extend", {}, {"why-1": TOO_LONG}, {"decision": "extend"}),
    "comment": Verb(pause_form, "comment", "comment", {}, {"comment": TOO_LONG}, {"decision": "comment"}),
    "undo": Verb(pause_form, "undo", "undo", {}, {}, {"undo": "3"}, 3),
    "look": Verb(pause_form, "decide", "", {}, {}, {"decision": "look"}),
}


def meanwhile(api: Api, head: Head, verb: Verb, outcome: str) -> None:
    """What comes between the page and the press."""
    gateway = api.gateway
    if outcome == CLOSED:
        gateway.decide(head, 1, Verdict.REJECT, gateway.jonas)
    elif outcome == CHANGED and verb.route == "undo":
        undo(gateway.ports, gateway.jonas, call_id(head.pause, 3), 1)
        gateway.decide(gateway.head(head.pause), 3, Verdict.REJECT, gateway.jonas)
    elif outcome == CHANGED:
        asks(gateway, head, who=gateway.jonas)
        answers(gateway, head)
    elif outcome == REFUSED and verb.route == "undo":
        gateway.clock.move(700)


def pressed(api: Api, name: str, outcome: str) -> tuple[Form, Any, str, Head]:
    """A verb, pressed: its form, the answer, the cookie, the pause."""
    verb, head = VERBS[name], shown(api)
    cookie, _ = api.signed_in()
    form = verb.of(api, head, cookie, **(verb.wrong if outcome == REFUSED else verb.right))
    latest = api.gateway.head(head.pause).deadline_ms + 3_600_000
    meanwhile(api, head, verb, outcome)
    if outcome in (LOST, ANOTHER):
        cookie = "" if outcome == LOST else api.signed_in()[0]
    sent = {**form.sent, **verb.chosen, **({"until-1": str(latest)} if name == "extend" else {})}
    answer = press(api, head, f"POST /reviews/{{id}}/{verb.route}", cookie, sent, verb.number)
    return form, answer, cookie, head


def check(form: Form, answer: Any, takes: str, number: int) -> None:
    """Every text was taken or stands on the page, no name stands twice, and what the page says of it is true."""
    took = {name for name in form.words if typed.split(name)[0] in (typed.TAKES[takes] if takes else ())}
    took = {name for name in took if typed.split(name)[1] in ("", str(number))}
    rest = {name: text for name, text in form.words.items() if name not in took}
    if answer["statusCode"] == 303:
        assert not rest, f"gone: {sorted(rest)}"
        return
    there = texts_of(answer["body"])
    gone = sorted(name for name, text in rest.items() if text not in [other for _, other, _ in there])
    assert not gone, f"gone: {gone}"
    names = [name for name, _, _ in there if name]
    assert len(names) == len(set(names)), "a form whose field stands twice is refused"
    if KEPT_BELOW in said(answer):
        assert not set(rest.values()) - {text for _, text, can in there if can}, "said to be kept, and in no field"


def walk(api: Api, name: str, outcome: str) -> None:
    """One verb with one outcome; a page that offers to take the words along is followed too."""
    form, answer, cookie, head = pressed(api, name, outcome)
    verb = VERBS[name]
    assert answer["statusCode"] in STATUS.get(outcome, {200, 303, 409, 422})
    done = answer["statusCode"] in STATUS[TAKEN]
    check(form, answer, verb.takes if done else "", verb.number)
    if 'id="kept"' not in answer["body"]:
        return
    sent = held(answer["body"], "kept")
    route = f"POST /reviews/{{id}}/{sent.pop('').rpartition('/')[2]}"
    again = press(api, head, route, cookie, sent, verb.number)
    assert again["statusCode"] == 200
    check(form, again, "", verb.number)


def test_undo_of_a_pause_that_is_closed_keeps_a_comment(api: Api) -> None:
    head = shown(api)
    for number in (1, 2):
        api.gateway.decide(head, number, Verdict.ACCEPT)
    cookie, _ = api.signed_in()
    html = api.page("review", "GET /reviews/{id}", cookie, pathParameters={"id": head.pause})["body"]
    form = filled(html, "beside")
    assert list(form.words) == ["comment"]
    answer = press(api, head, "POST /reviews/{id}/undo", cookie, form.sent, 3)
    check(form, answer, "undo", 3)
    assert f"The decision on call 3 is taken back. {KEPT_BELOW}" in said(answer)


def test_a_proposal_to_take_a_call_back_keeps_a_comment(desk: Desk, api: Api) -> None:
    pause, _ = split_call_id(desk.ran())
    head = desk.head(pause)
    cookie, _ = api.signed_in()
    html = api.page("review", "GET /reviews/{id}", cookie, pathParameters={"id": pause})["body"]
    form = filled(html, "beside")
    answer = press(api, head, "POST /reviews/{id}/propose-undo", cookie, form.sent)
    check(form, answer, "propose-undo", 1)
    assert f"It is proposed to take it back. {KEPT_BELOW}" in said(answer)
    assert "It was proposed to take this back" in said(answer)


@pytest.mark.parametrize(
    ("name", "outcome"),
    [(name, outcome) for name in VERBS for outcome in OUTCOMES if (name, outcome) != ("look", REFUSED)],
)
def test_nothing_that_was_typed_is_gone(api: Api, name: str, outcome: str) -> None:
    walk(api, name, outcome)


def test_every_field_of_the_list_is_walked_over(api: Api) -> None:
    """So that a field which is added to the pages is not left out of the walks."""
    head = shown(api)
    cookie, _ = api.signed_in()
    forms = [make(api, head, cookie) for make in (pause_form, edit_form, confirm_form)]
    assert {typed.split(name)[0] for form in forms for name in form.words} == {*typed.OF_FORM, *typed.OF_CALL}


@pytest.mark.parametrize("field", [*typed.OF_CALL, "comment"])
def test_a_field_that_is_not_in_the_list_is_found_missing(
    api: Api, monkeypatch: pytest.MonkeyPatch, field: str
) -> None:
    monkeypatch.delitem(typed.OF_CALL if field in typed.OF_CALL else typed.OF_FORM, field)
    with pytest.raises(AssertionError, match=f"gone: .*'{field}"):
        walk(api, "accept" if field != "typed" else "reject", CHANGED)


def test_a_press_that_keeps_only_what_is_of_other_calls_is_found(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    left = typed.left

    def others(form: dict[str, str], press: str, number: int) -> dict[str, str]:
        return {name: text for name, text in left(form, press, number).items() if typed.split(name)[1] not in ("", "1")}

    monkeypatch.setattr(typed, "left", others)
    with pytest.raises(AssertionError, match=re.escape("gone: ['comment', 'question-1', 'why-1']")):
        walk(api, "reject", TAKEN)


def test_a_page_that_says_kept_of_words_without_a_field_is_found(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("placet.web.pages.without_field", lambda *given: {})
    with pytest.raises(AssertionError, match=r"gone: .*'own-1'"):
        walk(api, "comment", CLOSED)


def test_what_is_said_is_made_from_the_page(api: Api) -> None:
    _, answer, _, _ = pressed(api, "comment", CLOSED)
    told = "Your comment is recorded. What you typed is kept below; what has no field here any more stands there to be copied."
    assert told in said(answer)
