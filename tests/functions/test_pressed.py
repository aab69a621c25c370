"""What a press of a form's button comes to, by what the form says: which call it is of, what it decides, what is shown of it."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

from placet.model.canonical import digest, parse
from placet.model.errors import Invalid, NotAllowed
from placet.model.states import CallState
from tests.functions.conftest import Api
from tests.functions.test_kept import DECIDE, EDIT, HALF, fields, mail, open_calls, press, said
from tests.gateway import DELETE, REFUND


def form_of(head: Any, csrf: str, number: int = 1, **more: str) -> dict[str, str]:
    """A form about one call, with what its page showed."""
    return {"csrf": csrf, "shown_at": "", "revision": "1", "digest": head.calls[number - 1].digest, **more}


def decided(api: Api, head: Any, number: int = 1) -> dict[str, Any]:
    """The event of a decision."""
    return dict(api.gateway.table.get(api.gateway.keys.event(head.pause, f"{number}#decided")) or {})


@pytest.mark.parametrize("route", [DECIDE, EDIT])
def test_a_call_that_its_pause_does_not_have_is_absent(api: Api, route: str) -> None:
    head = api.gateway.shown(REFUND)
    cookie, csrf = api.signed_in()
    form = form_of(head, csrf, decision="accept", arguments=HALF, reason="half")
    assert press(api, head, route, cookie, form, number=7)["statusCode"] == 404


@pytest.mark.parametrize(
    "wrong", [{"decision": "respond"}, {"decision": ""}, {"revision": "one"}, {"revision": ""}, {"revision": "-1"}]
)
def test_a_form_that_does_not_say_what_to_decide_decides_nothing_and_is_shown_again(
    api: Api, wrong: dict[str, str]
) -> None:
    head = api.gateway.shown(REFUND)
    cookie, csrf = api.signed_in()
    answer = press(api, head, DECIDE, cookie, {**form_of(head, csrf, decision="accept", typed="240.5"), **wrong})
    assert (answer["statusCode"], open_calls(api, head)) == (422, 1)
    assert "The form did not say what to decide. Open the page again." in said(answer)


def test_a_form_about_the_second_call_decides_that_one(api: Api) -> None:
    head = api.gateway.shown(REFUND, DELETE)
    cookie, csrf = api.signed_in()
    form = form_of(head, csrf, 2, decision="reject", reason="own", own="Not these.")
    assert press(api, head, DECIDE, cookie, form, number=2)["statusCode"] == 303
    assert [call.state for call in api.gateway.head(head.pause).calls] == [CallState.PENDING, CallState.REJECTED]
    assert decided(api, head, 2)["reason"] == "Not these."


def test_a_mistake_in_the_form_of_one_of_several_calls_is_told_at_that_call(api: Api) -> None:
    head = api.gateway.shown(mail("a@example.com"), mail("b@example.com"))
    cookie, csrf = api.signed_in()
    for number in (1, 2):
        form = form_of(head, csrf, number, decision="accept", typed="nobody")
        answer = press(api, head, DECIDE, cookie, form, number=number)
        assert (answer["statusCode"], open_calls(api, head)) == (422, 2)
        assert re.findall(r'<a href="#typed-(\d)">What you typed is not', answer["body"]) == [str(number)]


def test_a_page_that_is_asked_for_again_has_what_was_typed_for_its_own_call(api: Api) -> None:
    head = api.gateway.shown(REFUND, DELETE)
    cookie, csrf = api.signed_in()
    form = form_of(head, csrf, 2, decision="look", own="of the second")
    answer = press(api, head, DECIDE, cookie, form, number=2)
    assert (answer["statusCode"], open_calls(api, head)) == (200, 2)
    assert "Nothing was decided. What you typed is kept below." in said(answer)
    assert fields(answer)["own-2"] == "of the second"
    assert not fields(answer).get("own-1")


def test_an_edit_that_is_looked_at_again_has_what_was_typed(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    cookie, csrf = api.signed_in()
    form = {"csrf": csrf, "decision": "look", "arguments": HALF, "reason": "r" * 501}
    answer = press(api, head, EDIT, cookie, form)
    assert answer["statusCode"] == 200, "neither what it shows nor its length is judged"
    assert fields(answer) == {"arguments": HALF, "reason": "r" * 501}


def test_an_edit_is_decided_as_it_was_confirmed_with_the_moment_at_which_it_was_shown(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    cookie, csrf = api.signed_in()
    shown = press(api, head, EDIT, cookie, form_of(head, csrf, arguments=HALF, reason="half of it"))
    assert "half of it" in said(shown)
    hidden = {
        name: unescape(value)
        for name, value in re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', shown["body"])
    }
    assert hidden["new_digest"] == digest(parse(HALF))
    made_ms = api.gateway.clock.now_ms()
    api.gateway.clock.move(30)
    typed = {"typed": "120.25", "decision": "edit"}
    assert press(api, head, DECIDE, cookie, {**hidden, **typed})["statusCode"] == 303
    event = decided(api, head)
    assert (event["verdict"], event["reason"], event["shown_at_ms"]) == ("edit", "half of it", made_ms)
    assert api.gateway.head(head.pause).calls[0].digest == digest(parse(HALF))


def test_an_edit_that_is_not_taken_when_it_is_confirmed_is_there_to_be_changed(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    cookie, csrf = api.signed_in()
    text = '{"order_id":"1182","amount":"much"}'
    form = form_of(head, csrf, decision="edit", arguments=text, reason="half", new_digest="0" * 64, typed="much")
    answer = press(api, head, DECIDE, cookie, form)
    assert (answer["statusCode"], open_calls(api, head)) == (422, 1)
    assert fields(answer)["arguments"] == text
    assert "amount: " in said(answer), "and where it is wrong is said"


@pytest.mark.parametrize("error", [Invalid("of_tomorrow", "It cannot be taken."), NotAllowed("not_now", "Not yours.")])
def test_a_decision_that_is_not_taken_is_shown_with_why(api: Api, error: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    head = api.gateway.shown(REFUND)
    cookie, csrf = api.signed_in()

    def refuse(*given: Any) -> None:
        raise error

    monkeypatch.setattr("placet.http.deciding.decide", refuse)
    form = form_of(head, csrf, decision="reject", reason="own", own="Mine.")
    answer = press(api, head, DECIDE, cookie, form)
    assert answer["statusCode"] == (422 if isinstance(error, Invalid) else 403)
    assert error.detail in said(answer)
    assert fields(answer)["own-1"] == "Mine."


def test_a_lost_race_shows_what_was_sent_under_plain_names(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    cookie, csrf = api.signed_in("jonas")
    won = form_of(head, csrf, decision="reject", reason="own", own="First.")
    assert press(api, head, DECIDE, cookie, won)["statusCode"] == 303
    cookie, csrf = api.signed_in()
    sent = {"csrf": csrf, "decision": "reject", "reason-1": "2", "own-1": "Second words.", "revision-1": "1"}
    lost = press(api, head, DECIDE, cookie, {**sent, "digest-1": head.calls[0].digest})
    assert lost["statusCode"] == 409
    assert "Second words." in said(lost)
    assert "The arguments do not fit the evidence." in said(lost)
