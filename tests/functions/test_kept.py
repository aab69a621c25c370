"""What somebody typed is never gone: not with the session, not with another sign-in, not beside another press."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

from placet.model.errors import Busy, Invalid, PlacetError
from placet.model.pauses import call_id
from tests.functions.conftest import BASE, Api
from tests.gateway import REFUND

EDIT, DECIDE = "POST /reviews/{id}/edit", "POST /reviews/{id}/decide"
HALF = '{"order_id":"1182","amount":120.25}'
WORDS = 'Ask <b>first</b>, "please".'
OURS = {"content-type": "application/x-www-form-urlencoded", "origin": BASE, "sec-fetch-site": "same-origin"}
THEIRS = [
    {**OURS, "sec-fetch-site": "cross-site"},
    {**OURS, "origin": "https://evil.example", "sec-fetch-site": "same-site"},
    {name: value for name, value in OURS.items() if name != "sec-fetch-site"},
    {**OURS, "sec-fetch-site": "none"},
]


def mail(to: str) -> tuple[str, dict[str, Any]]:
    return ("send_email", {"to": to, "subject": "Your refund"})


def press(api: Api, head: Any, route: str, cookie: str, form: dict[str, str], number: int = 1, **headers: Any) -> Any:
    path = {"id": call_id(head.pause, number)}
    return api.page("decide", route, cookie, form, pathParameters=path, headers=headers or OURS)


def rejecting(head: Any, csrf: str) -> dict[str, str]:
    shown = {f"revision-{call.number}": "1" for call in head.calls} | {
        f"digest-{call.number}": call.digest for call in head.calls
    }
    return {"csrf": csrf, "shown_at": "", "decision": "reject", "reason-1": "own", "own-1": WORDS, **shown}


def fields(answer: Any) -> dict[str, str]:
    """What stands in the text fields of a page, by name."""
    body = answer["body"]
    found = dict(re.findall(r'<textarea[^>]* name="([^"]+)"[^>]*>\n(.*?)</textarea>', body, re.DOTALL))
    found |= {
        name: value for name, value in re.findall(r'<input id="typed[^>]* name="([^"]+)"[^>]* value="([^"]*)"', body)
    }
    return {name: unescape(value) for name, value in found.items()}


def said(answer: Any) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", answer["body"])))


def open_calls(api: Api, head: Any) -> int:
    return int(api.gateway.head(head.pause).open_calls)


@pytest.mark.parametrize(
    ("route", "form", "name", "back"),
    [
        (DECIDE, {"decision": "reject", "reason-1": "own", "own-1": WORDS}, "own-1", ""),
        (DECIDE, {"decision": "edit", "arguments": HALF, "reason": WORDS}, "reason", ""),
        (EDIT, {"arguments": HALF, "reason": WORDS}, "reason", "-1%2Fedit"),
    ],
)
def test_a_form_that_met_the_end_of_its_session_is_shown_and_comes_back(
    api: Api, route: str, form: dict[str, str], name: str, back: str
) -> None:
    head = api.gateway.shown(REFUND)
    before = {key: dict(item) for key, item in api.gateway.table.items.items()}
    answer = press(api, head, route, "", {"csrf": "of-before", **form})
    assert answer["statusCode"] == 403
    assert "You are signed out, and nothing was decided" in said(answer)
    assert fields(answer)[name] == WORDS
    assert "<b>first" not in answer["body"]
    assert f'href="/sign-in?next=%2Freviews%2F{head.pause}{back}"' in answer["body"]
    assert api.gateway.table.items == before, "what is typed is stored nowhere"

    cookie, csrf = api.signed_in("jonas")
    hidden = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', answer["body"]))
    again = press(api, head, route, cookie, hidden | fields(answer))
    assert again["statusCode"] == 403
    assert "You signed in again after this page was made, so nothing was decided." in said(again)
    assert fields(again)[name] == WORDS
    assert f'name="csrf" value="{csrf}"' in again["body"]
    assert open_calls(api, head) == 1


def test_a_form_of_an_earlier_sign_in_shows_the_call_again_and_the_next_press_counts(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    cookie, csrf = api.signed_in()
    again = press(api, head, DECIDE, cookie, rejecting(head, "of-before"))
    assert (again["statusCode"], open_calls(api, head)) == (403, 1)
    assert fields(again)["own-1"] == WORDS
    assert re.search(r'name="reason-1" value="own" checked', again["body"])
    assert press(api, head, DECIDE, cookie, rejecting(head, csrf))["statusCode"] == 303
    assert open_calls(api, head) == 0


def test_a_form_of_an_earlier_sign_in_about_a_call_that_is_decided_is_told_so(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    cookie, csrf = api.signed_in("jonas")
    assert press(api, head, DECIDE, cookie, rejecting(head, csrf))["statusCode"] == 303
    cookie, _ = api.signed_in()
    answer = press(api, head, DECIDE, cookie, rejecting(head, "of-before"))
    assert answer["statusCode"] == 409
    assert WORDS in said(answer)


@pytest.mark.parametrize("headers", THEIRS)
def test_what_another_site_posts_is_not_shown_under_our_name(api: Api, headers: dict[str, str]) -> None:
    head = api.gateway.shown(REFUND)
    cookie, _ = api.signed_in()
    for mine in ("", cookie):
        for form in (rejecting(head, "guess"), {"csrf": "guess", "arguments": WORDS, "reason": WORDS}):
            answer = press(api, head, DECIDE, mine, form, **headers)
            assert answer["statusCode"] == (403 if mine else 303)
            assert "Ask" not in answer["body"]
    assert open_calls(api, head) == 1


def test_an_old_browser_says_by_its_origin_that_a_form_is_ours(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    headers = {"content-type": OURS["content-type"], "origin": BASE, "host": BASE.partition("//")[2]}
    assert fields(press(api, head, DECIDE, "", rejecting(head, "x"), **headers))["own-1"] == WORDS
    elsewhere = press(api, head, DECIDE, "", rejecting(head, "x"), **(headers | {"origin": "https://evil.example"}))
    assert elsewhere["statusCode"] == 303


def test_an_edit_that_is_too_large_is_given_back(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    cookie, csrf = api.signed_in()
    text = '{"order_id":"1182","x":"' + "\u00e9 '" * 90_000 + '"}'
    answer = press(api, head, EDIT, cookie, {"csrf": csrf, "revision": "1", "arguments": text, "reason": "r"})
    assert answer["statusCode"] == 413
    assert fields(answer)["arguments"] == text
    assert "at most 262144 bytes" in said(answer)
    far_too_large = press(api, head, EDIT, cookie, {"csrf": csrf, "arguments": "x" * 1_100_000})
    assert far_too_large["statusCode"] == 413, "and what no answer could hold is refused without it"


def test_a_form_that_met_a_failure_is_given_back(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    head = api.gateway.shown(REFUND)
    cookie, csrf = api.signed_in()

    def busy(*given: Any) -> None:
        raise Busy

    monkeypatch.setattr("placet.http.deciding.decide", busy)
    answer = press(api, head, DECIDE, cookie, rejecting(head, csrf))
    assert answer["statusCode"] == 503
    assert fields(answer)["own-1"] == WORDS
    assert "Send it again" in said(answer)


@pytest.mark.parametrize("error", [Busy(), Invalid("cursor_invalid", "There is no such page.")])
def test_a_page_that_was_opened_is_not_said_to_have_sent_anything(
    api: Api, monkeypatch: pytest.MonkeyPatch, error: PlacetError
) -> None:
    """What is said of forms is not said of a page that somebody opens, whose fault it ever is."""
    cookie, csrf = api.signed_in()
    head = api.gateway.shown(REFUND)

    def fails(*given: Any) -> None:
        raise error

    monkeypatch.setattr("placet.service.review.detail", fails)
    opened = said(api.page("review", "GET /reviews/{id}", cookie, pathParameters={"id": head.pause}))
    sent = said(press(api, head, DECIDE, cookie, rejecting(head, csrf)))
    if isinstance(error, Busy):
        assert "You opened a page, and sent no decision with it. Open it again in a moment." in opened
        assert "We do not know yet whether what you sent was recorded." in sent
        assert "whether" not in opened
        assert "opened a page" not in sent
    else:
        assert "That cannot be shown There is no such page." in opened
        assert "That was not taken There is no such page." in sent


def test_one_press_keeps_what_was_typed_for_the_other_calls(api: Api) -> None:
    head = api.gateway.shown(mail("a@example.com"), mail("b@example.com"), mail("c@example.com"))
    cookie, csrf = api.signed_in()
    form = {**rejecting(head, csrf), "reason-2": "2", "own-2": "see evidence 2", "own-3": "", "typed-3": "c@exa"}
    done = press(api, head, DECIDE, cookie, form)
    assert (done["statusCode"], open_calls(api, head)) == (200, 2)
    assert "Your decision on call 1 is recorded. What you typed is kept below." in said(done)
    assert "Reject call 1" not in said(done)
    found = fields(done)
    assert (found["own-2"], found["typed-3"]) == ("see evidence 2", "c@exa")
    assert re.search(r'name="reason-2" value="2" checked', done["body"])
    assert press(api, head, DECIDE, cookie, form)["statusCode"] == 200, "and the page may be loaded again"
    assert open_calls(api, head) == 2


def test_a_mistake_keeps_what_was_typed_for_every_verb_and_call(api: Api) -> None:
    head = api.gateway.shown(mail("a@example.com"), mail("b@example.com"))
    cookie, csrf = api.signed_in()
    form = {**rejecting(head, csrf), "decision": "accept", "typed-1": "a@example.org", "own-2": "mine"}
    answer = press(api, head, DECIDE, cookie, form)
    assert (answer["statusCode"], open_calls(api, head)) == (422, 2)
    assert fields(answer) == {
        "comment": "",
        "question-1": "",
        "question-2": "",
        "own-1": WORDS,
        "typed-1": "a@example.org",
        "own-2": "mine",
        "typed-2": "",
        "why-1": "",
        "why-2": "",
    }


def test_the_words_of_a_reject_are_no_reason_of_an_accept(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    cookie, csrf = api.signed_in()
    form = {**rejecting(head, csrf), "decision": "accept", "typed-1": "240.5"}
    done = press(api, head, DECIDE, cookie, form)
    assert "Your decision is recorded. What you typed has no field here any more" in said(done)
    assert fields(done)["own-1"] == WORDS
    event = api.gateway.table.get(api.gateway.keys.event(head.pause, "1#decided"))
    assert (event["verdict"], event.get("reason", "")) == ("accept", "")


def test_a_lost_race_leads_back_with_what_was_typed_for_the_others(api: Api) -> None:
    head = api.gateway.shown(mail("a@example.com"), mail("b@example.com"))
    cookie, csrf = api.signed_in("jonas")
    assert press(api, head, DECIDE, cookie, rejecting(head, csrf))["statusCode"] == 303
    cookie, csrf = api.signed_in()
    lost = press(api, head, DECIDE, cookie, {**rejecting(head, csrf), "own-1": "Mine.", "own-2": "kept?"})
    assert lost["statusCode"] == 409
    assert fields(lost) == {"own-1": "Mine.", "own-2": "kept?"}
    form = lost["body"].partition('id="kept"')[2].partition("</form>")[0]
    hidden = dict(re.findall(r'name="([^"]+)" value="([^"]*)"', form))
    looked = press(api, head, DECIDE, cookie, {**hidden, **fields(lost), "decision": "look", "csrf": csrf})
    assert (looked["statusCode"], fields(looked)["own-2"], open_calls(api, head)) == (200, "kept?", 1)
    assert fields(looked)["own-1"] == "Mine.", "the call is decided, and they are there to be copied"
    assert "Nothing was decided. What you typed is kept below; what has no field here any more stands there" in said(
        looked
    )


def test_no_tick_and_no_typed_value_is_kept_for_another_revision(api: Api) -> None:
    head = api.gateway.shown(mail("a@example.com"), mail("b@example.com"))
    cookie, csrf = api.signed_in()
    form = {**rejecting(head, csrf), "own-1": "", "digest-2": "0" * 64, "typed-2": "b@example.com", "own-2": "words"}
    answer = press(api, head, DECIDE, cookie, form)
    assert answer["statusCode"] == 422
    assert (fields(answer)["own-2"], fields(answer)["typed-2"]) == ("words", "")


@pytest.mark.parametrize("chosen", ["1", "own"])
def test_a_reason_that_is_too_long_is_said_and_kept_whole(api: Api, chosen: str) -> None:
    head = api.gateway.shown(REFUND)
    cookie, csrf = api.signed_in()
    words = "sentence. " * 60
    answer = press(api, head, DECIDE, cookie, {**rejecting(head, csrf), "reason-1": chosen, "own-1": words})
    assert (answer["statusCode"], open_calls(api, head)) == (422, 1)
    assert "have 599 characters; at most 400 are taken. Nothing is cut." in said(answer)
    assert fields(answer)["own-1"] == words
    assert "maxlength" not in answer["body"]
