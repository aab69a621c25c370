"""The way to the user pool and back: every tab comes back to its own page, and nobody to a page that is not ours."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from placet.aws.login import groups_in
from placet.http import pages, round_trips
from placet.http.messages import Request
from placet.http.round_trips import LONGEST, MOST
from placet.model.cursors import LONGEST as LONGEST_CURSOR
from placet.model.people import SignedInAs
from placet.service import members
from tests.functions.conftest import Api

AFTER = "UXxtb25leS1vdXQuMC4xNzk1OTY5MjAwMDAxLmFiYw"
FOREIGN = [
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    "https://evil.example",
    "javascript:alert(1)",
    "/inbox?next=https://evil.example",
    "/inbox#@evil.example",
    "/@evil.example:80/",
    "/inbox?a=\r\nset-cookie: x=y",
    "/inbox?a=b c",
    "inbox",
    "",
    "/" + "a" * LONGEST,
    "/inbo\u0445",
]


class Login:
    """A pool that lets everybody in as Maria."""

    def authorize_url(self, state: str, nonce: str, verifier: str) -> str:
        return f"https://login.example/?state={state}"

    def exchange(self, code: str, verifier: str, nonce: str) -> SignedInAs:
        return SignedInAs("maria")


class Tabs:
    """A browser: what it keeps, and where its tabs are sent."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.jar: dict[str, str] = {}

    def get(self, function: str, route: str, **query: str) -> dict[str, Any]:
        cookies = [f"{name}={value}" for name, value in self.jar.items()]
        answer = self.api.send(function, route, cookies=cookies, queryStringParameters=query)
        for line in answer.get("cookies", []):
            name, _, value = line.partition(";")[0].partition("=")
            self.jar.pop(name, None)
            self.jar |= {name: value} if value else {}
        return answer

    def leaves(self, wanted: str) -> str:
        """The state with which a tab goes to the pool."""
        answer = self.get("sign_in", "GET /sign-in/start", next=wanted)
        return str(answer["headers"]["location"].partition("state=")[2])

    def comes_back(self, state: str) -> str:
        """Where it lands."""
        return str(self.get("sign_in", "GET /sign-in/callback", state=state, code="c")["headers"].get("location", ""))


@pytest.fixture
def tabs(api: Api, monkeypatch: pytest.MonkeyPatch) -> Tabs:
    monkeypatch.setattr("placet.wiring.login", Login)
    return Tabs(api)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_two_tabs_that_sign_in_at_once_both_come_back_to_their_page(tabs: Tabs, order: tuple[int, int]) -> None:
    wanted = ["/reviews/abc", "/reviews/def"]
    states = [tabs.leaves(one) for one in wanted]
    for tab in order:
        assert tabs.comes_back(states[tab]) == wanted[tab]
    assert list(tabs.jar) == ["__Host-placet"]


def test_one_cookie_for_all_tabs_would_be_seen(tabs: Tabs, monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted bug: the round trip is kept under one name, whatever its state."""
    real = (round_trips.left, round_trips.back)
    monkeypatch.setattr(round_trips, "left", lambda request, state, *more: real[0](request, "one", *more))
    anybody: Callable[[Request], Any] = lambda request: real[1](Request(**{**vars(request), "query": {"state": "one"}}))  # noqa: E731
    monkeypatch.setattr(round_trips, "back", anybody)
    with pytest.raises(AssertionError):
        test_two_tabs_that_sign_in_at_once_both_come_back_to_their_page(tabs, (0, 1))


def sent_to_sign_in(tabs: Tabs, **query: str) -> str:
    """Where somebody without a session lands who opens the inbox, after every click that there is."""
    sent = tabs.get("review", "GET /inbox", **query)["headers"]["location"]
    shown = tabs.get("sign_in", "GET /sign-in", **dict(parse_qsl(urlsplit(sent).query)))["body"]
    (link,) = re.findall(r'href="(/sign-in/start[^"]*)"', shown)
    return tabs.comes_back(tabs.leaves(dict(parse_qsl(urlsplit(link).query))["next"]))


def test_a_page_of_a_list_is_found_again_after_signing_in(tabs: Tabs) -> None:
    assert sent_to_sign_in(tabs, after=AFTER, limit="20") == f"/inbox?after={AFTER}&limit=20"
    tabs.jar.clear()
    assert sent_to_sign_in(tabs) == "/inbox"
    assert len(f"/inbox?limit=100&after={'x' * LONGEST_CURSOR}") <= LONGEST


def test_a_query_that_is_left_behind_would_be_seen(tabs: Tabs, monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted bug: the sign-in is told the path alone."""
    monkeypatch.setattr(pages, "_with_query", lambda request: request.target)
    with pytest.raises(AssertionError, match=r"== '/inbox\?after"):
        test_a_page_of_a_list_is_found_again_after_signing_in(tabs)


@pytest.mark.parametrize("wanted", FOREIGN)
def test_nobody_is_sent_to_a_page_that_is_not_ours(tabs: Tabs, wanted: str) -> None:
    assert tabs.comes_back(tabs.leaves(wanted)) == "/inbox"
    assert sent_to_sign_in_from(tabs, wanted) == "/inbox"


def sent_to_sign_in_from(tabs: Tabs, wanted: str) -> str:
    """The same, when the cookie of the round trip says it: whoever writes one may write anything."""
    state = tabs.leaves("/inbox")
    name = f"{round_trips.NAME}{state}"
    at, nonce, verifier, _ = tabs.jar[name].split(".", 3)
    tabs.jar[name] = f"{at}.{nonce}.{verifier}.{wanted or '-'}".encode("ascii", "backslashreplace").decode()
    return tabs.comes_back(state)


def test_only_the_browser_that_left_comes_back(tabs: Tabs) -> None:
    state = tabs.leaves("/inbox")
    other = Tabs(tabs.api)
    other.leaves("/inbox")
    for browser, asked in (
        (other, {"state": state, "code": "c"}),
        (tabs, {"state": "guess", "code": "c"}),
        (tabs, {"code": "c"}),
        (tabs, {"state": "a;b=c", "code": "c"}),
        (tabs, {"state": "x" * 65, "code": "c"}),
    ):
        answer = browser.get("sign_in", "GET /sign-in/callback", **asked)
        assert answer["statusCode"] == 403
        assert "not started in this browser, or more than ten minutes ago" in answer["body"]
        assert "__Host-placet" not in browser.jar
    assert tabs.comes_back(state) == "/inbox"


def test_a_callback_that_is_opened_again_shows_the_inbox_and_keeps_the_session(tabs: Tabs) -> None:
    state = tabs.leaves("/reviews/abc")
    tabs.comes_back(state)
    jar = dict(tabs.jar)
    assert tabs.comes_back(state) == "/inbox"
    assert tabs.jar == jar


def test_a_browser_keeps_a_few_ways_back_and_the_newest_of_them(tabs: Tabs) -> None:
    states = []
    for number in range(3 * MOST):
        tabs.api.gateway.clock.move(1)
        states.append(tabs.leaves(f"/reviews/{number}?after={'%2F' * 90}"))
    assert list(tabs.jar) == [f"{round_trips.NAME}{state}" for state in states[-MOST:]]
    assert sum(len(f"{name}={value}; ") for name, value in tabs.jar.items()) < 8_000, "of 10,240 bytes of all headers"
    assert tabs.comes_back(states[-MOST]).startswith(f"/reviews/{2 * MOST}?")
    assert tabs.get("sign_in", "GET /sign-in/callback", state=states[0], code="c")["headers"]["location"] == "/inbox"


def maps(api: Api, monkeypatch: pytest.MonkeyPatch, email: str) -> None:
    """Whoever signs in is Clara of Finance-EU, which the policy maps to finance."""
    clara = SignedInAs("clara", "Clara Clark", email, frozenset({"Finance-EU"}))
    monkeypatch.setattr(Login, "exchange", lambda *asked: clara)
    api.gateway.policy = replace(api.gateway.policy, sign_in_groups={"finance": ("Finance-EU",)})


def test_a_sign_in_without_an_address_is_told_why_it_makes_nobody_a_reviewer(
    tabs: Tabs, monkeypatch: pytest.MonkeyPatch
) -> None:
    maps(tabs.api, monkeypatch, "")
    answer = tabs.get("sign_in", "GET /sign-in/callback", state=tabs.leaves("/reviews/abc"), code="c")
    assert answer["statusCode"] == 200
    assert "sent no mail address for your account" in answer["body"]
    assert 'href="/reviews/abc"' in answer["body"]
    assert list(tabs.jar) == ["__Host-placet"], "signed in all the same"
    assert not members.reviewer(tabs.api.gateway.ports, "clara").groups


def test_signing_out_ends_what_the_sign_in_said_but_not_what_another_browser_says(
    tabs: Tabs, monkeypatch: pytest.MonkeyPatch
) -> None:
    maps(tabs.api, monkeypatch, "clara@example.com")
    other = Tabs(tabs.api)
    for browser in (tabs, other):
        assert browser.comes_back(browser.leaves("/reviews/abc")) == "/reviews/abc"
    for browser, groups in ((other, {"finance"}), (tabs, set())):
        (csrf,) = {*re.findall(r'name="csrf" value="([^"]+)"', browser.get("review", "GET /inbox")["body"])}
        out = tabs.api.page("sign_in", "POST /sign-out", browser.jar["__Host-placet"], {"csrf": csrf})
        assert out["headers"]["location"] == "/sign-in?out=1"
        assert members.reviewer(tabs.api.gateway.ports, "clara").groups == groups


def test_who_is_in_very_many_groups_keeps_what_the_mapped_one_gives(
    tabs: Tabs, monkeypatch: pytest.MonkeyPatch
) -> None:
    maps(tabs.api, monkeypatch, "clara@example.com")
    for many in (0, 199, 200, 3_000):
        claim = [f"Everybody-{number}" for number in range(many)] + ["Finance-EU"]
        clara = SignedInAs("clara", "Clara Clark", "clara@example.com", groups_in(claim))
        monkeypatch.setattr(Login, "exchange", lambda *asked, clara=clara: clara)
        assert tabs.comes_back(tabs.leaves("/reviews/abc")) == "/reviews/abc"
        assert members.reviewer(tabs.api.gateway.ports, "clara").groups == {"finance"}, many
