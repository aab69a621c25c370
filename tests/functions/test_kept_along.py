"""What was typed on the page of a pause goes along to the pages of an edit and of a handing-on, and comes back from them."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

from placet.model.pauses import call_id
from placet.policy import Level
from tests.functions.conftest import Api
from tests.functions.test_kept import EDIT, WORDS, fields, mail, press, said
from tests.gateway import REFUND
from tests.web.reading import Page, forms_of

DECIDE, HAND = "POST /reviews/{id}/decide", "POST /reviews/{id}/reassign"
HALF = '{"order_id":"1182","amount":120.25}'
TYPED = {"own-1": WORDS, "reason-2": "own", "own-2": "Not\r\nthis.", "question-2": "Who?", "comment": "Hm."}


@pytest.fixture
def head(api: Api) -> Any:
    """A pause of two calls of one class with a second level, that waits."""
    api.gateway.with_policy(levels=(Level(("finance",)), Level(("leads",), 3600)))
    api.gateway.person("lea", "Lea Lang", "leads")
    return api.gateway.shown(REFUND, mail("lea@example.com"))


def sent(api: Api, head: Any, csrf: str, **more: str) -> dict[str, str]:
    """The form of the page of the pause, typed into."""
    shown = {f"revision-{one.number}": "1" for one in head.calls} | {
        f"digest-{one.number}": one.digest for one in head.calls
    }
    return {"csrf": csrf, "shown_at": "", **shown, **TYPED, **more}


def form_to(answer: Any, route: str) -> dict[str, str]:
    """What a browser sends of the form with this action, without its buttons."""
    for form, found in forms_of(answer["body"]):
        if form.get("action", "").endswith(route) or form.get("id") == route:
            kinds = ("checkbox", "radio")
            there = [
                one for one in found if one["tag"] == "input" and (one.get("type") not in kinds or "checked" in one)
            ]
            values = {one["name"]: unescape(one.get("value", "")) for one in there}
            names = {one["name"] for one in found if one["tag"] == "textarea"}
            return values | {name: text for name, text in fields(answer).items() if name in names}
    raise AssertionError(f"no form to {route}")


def comes_back(api: Api, head: Any, answer: Any) -> None:
    """The page of the pause holds all that was typed, each in its own field."""
    assert fields(answer) | {
        name: text.replace("\r\n", "\n") for name, text in TYPED.items() if name != "reason-2"
    } == {name: text.replace("\r\n", "\n") for name, text in fields(answer).items()}
    own = next(
        one for one in Page(answer["body"]).all("input") if one.get("name") == "reason-2" and one["value"] == "own"
    )
    assert "checked" in own
    assert api.gateway.head(head.pause).open_calls == 2


@pytest.mark.parametrize("page", ["edit", "reassign"])
def test_the_page_of_the_pause_sends_what_is_typed_to_a_page_of_its_own(api: Api, head: Any, page: str) -> None:
    cookie, _ = api.signed_in()
    shown = api.page("review", "GET /reviews/{id}", cookie, pathParameters={"id": head.pause})["body"]
    buttons = [one for one in Page(shown).all("button") if one.get("formaction", "").endswith(f"/{page}")]
    assert {(one["form"], one["name"], one["value"]) for one in buttons} == {("decisions", "decision", "look")}
    assert all("formnovalidate" in one for one in buttons)
    assert call_id(head.pause, 1) in {one["formaction"].split("/")[2] for one in buttons}
    assert not re.search(rf'<a [^>]*href="[^"]*/{page}"', shown)


@pytest.mark.parametrize(("route", "page"), [(EDIT, "edit"), (HAND, "reassign")])
def test_it_goes_along_and_comes_back_when_the_page_is_left(api: Api, head: Any, route: str, page: str) -> None:
    cookie, csrf = api.signed_in()
    there = press(api, head, route, cookie, sent(api, head, csrf, decision="look"))
    assert there["statusCode"] == 200
    assert "What you typed, without a field here" in said(there)
    assert f'formaction="/reviews/{call_id(head.pause, 1)}' not in there["body"]
    back = press(api, head, DECIDE, cookie, form_to(there, "leave"))
    assert (back["statusCode"], "Nothing was decided." in said(back)) == (200, True)
    comes_back(api, head, back)


def test_an_edit_takes_it_through_a_refusal_and_the_confirmation_back_to_the_pause(api: Api, head: Any) -> None:
    cookie, csrf = api.signed_in()
    there = press(api, head, EDIT, cookie, sent(api, head, csrf, decision="look"))
    wrong = press(api, head, EDIT, cookie, form_to(there, "/edit") | {"arguments": "{", "reason": "Half."})
    assert (wrong["statusCode"], fields(wrong)["reason"]) == (422, "Half.")
    confirm = press(api, head, EDIT, cookie, form_to(wrong, "/edit") | {"arguments": HALF})
    assert (confirm["statusCode"], "Accept as edited" in said(confirm)) == (200, True)
    assert "Half." in said(confirm), "why the edit is made is not the sentence that was chosen for another verb"
    comes_back(api, head, press(api, head, DECIDE, cookie, form_to(confirm, "leave")))
    form = form_to(confirm, "/decide") | {"typed-1": "120.25", "saw-1": "yes"}
    refused = press(api, head, DECIDE, cookie, form | {"typed-1": "1"})
    assert refused["statusCode"] == 422
    taken = press(api, head, DECIDE, cookie, form_to(refused, "/decide") | {"typed-1": "120.25", "saw-1": "yes"})
    assert (taken["statusCode"], "Your decision on call 1 is recorded." in said(taken)) == (200, True)
    assert fields(taken)["own-2"].split() == ["Not", "this."]
    assert api.gateway.head(head.pause).call(1).state == "edited"


def test_a_handing_on_takes_it_through_a_refusal_and_back(api: Api, head: Any) -> None:
    cookie, csrf = api.signed_in()
    there = press(api, head, HAND, cookie, sent(api, head, csrf, decision="look"))
    refused = press(api, head, HAND, cookie, form_to(there, "/reassign") | {"whom": ""})
    assert refused["statusCode"] == 422
    handed = press(api, head, HAND, cookie, form_to(refused, "/reassign") | {"whom": "U#lea"})
    assert (handed["statusCode"], "You handed call 1 on." in said(handed)) == (200, True)
    comes_back(api, head, handed)
    assert set(api.gateway.head(head.pause).calls[0].handed) == {"U#lea"}


@pytest.mark.parametrize(("route", "page"), [(EDIT, "edit"), (HAND, "reassign")])
def test_it_outlives_the_session_on_the_way(api: Api, head: Any, route: str, page: str) -> None:
    cookie, csrf = api.signed_in()
    form = sent(api, head, csrf, decision="look")
    there = press(api, head, route, cookie, form)
    more = {"arguments": HALF, "reason": "Half."} if page == "edit" else {"whom": "U#lea"}
    ended = press(api, head, route, "", form_to(there, f"/{page}") | more)
    assert ended["statusCode"] == 403
    assert {name: text.replace("\r\n", "\n") for name, text in TYPED.items() if name != "reason-2"}.items() <= {
        name: text.replace("\r\n", "\n") for name, text in fields(ended).items()
    }.items()
    again = form_to(ended, f"/{page}")
    assert {name: again.get(name) for name in more} == more
    shown = press(api, head, route, api.signed_in()[0], again)
    assert shown["statusCode"] == 403, "a form of an earlier session is looked at again, and decides nothing"
    kept = form_to(shown, f"/{page}")
    assert (kept["own-2"].split(), kept["comment"]) == (["Not", "this."], "Hm.")


def test_who_may_not_hand_on_any_more_keeps_what_was_typed(api: Api, head: Any) -> None:
    cookie, csrf = api.signed_in()
    form = sent(api, head, csrf, decision="look")
    api.gateway.with_policy(levels=(Level(("leads",)),))
    answer = press(api, head, HAND, cookie, form)
    assert answer["statusCode"] in (200, 404)
    assert WORDS in fields(answer).values()


def test_nothing_goes_along_where_nothing_was_typed(api: Api, head: Any) -> None:
    cookie, csrf = api.signed_in()
    form = {name: value for name, value in sent(api, head, csrf, decision="look").items() if name not in TYPED}
    for route in (EDIT, HAND):
        there = press(api, head, route, cookie, form)
        assert (there["statusCode"], 'id="leave"' in there["body"]) == (200, False)
        assert f'href="/reviews/{head.pause}#call-1"' in there["body"]
