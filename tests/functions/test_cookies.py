"""A session is the cookie of exactly its name, once. Browsers hold `__Host-` names back from sibling domains, and no other name."""

from __future__ import annotations

import re

import pytest

from local.emulator.corrections import move_cookies
from placet.http.identity import COOKIE
from placet.http.messages import read
from tests.functions.conftest import Api

LOGIN = "__Host-placet-login-s"
NAMES = [COOKIE, LOGIN]
BETWEEN = [chr(code) for code in range(0x10000)]
TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]")  # RFC 6265, 4.1.1
BLANK = (" ", "\t")


def session(*lines: str, name: str = COOKIE) -> str:
    return read({"routeKey": "GET /", "cookies": list(lines)}).cookie(name)


@pytest.mark.parametrize("name", NAMES)
def test_of_65536_characters_before_or_after_the_name_only_space_and_tab_are_nothing(name: str) -> None:
    assert {sign for sign in BETWEEN if session(f"{sign}{name}=jonas", name=name)} == set(BLANK)
    assert {sign for sign in BETWEEN if session(f"{name}{sign}=jonas", name=name) == "jonas"} == set(BLANK)


@pytest.mark.parametrize("name", NAMES)
def test_a_line_that_only_looks_like_the_name_ends_the_session_and_never_replaces_it(name: str) -> None:
    other_names = {sign for sign in BETWEEN if TOKEN.fullmatch(sign)}
    kept = {sign for sign in BETWEEN if session(f"{name}=maria", f"{name}{sign}=jonas", name=name)}
    assert kept == other_names
    assert {sign for sign in BETWEEN if session(f"{sign}{name}=jonas", f"{name}=maria", name=name)} == {
        "="
    }  # a line without a name


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "lines",
    [
        ["{}=jonas", "{}=maria"],
        ["{}=maria", "{}=maria"],
        ["{}=maria", " {} =jonas"],
        ["{}=maria", "\u2000{}=jonas"],
        ["\x1f{}=jonas", "{}=maria"],
        ["{}=maria", "x{}=jonas"],
        ["{}=", "{}=maria"],
        ["{}"],
        ["={}=maria"],
        ["{}x=maria"],
        ["\x85{}=maria"],
    ],
)
def test_twice_or_alike_is_no_session(name: str, lines: list[str]) -> None:
    assert session(*(line.format(name) for line in lines), name=name) == ""


def test_the_name_of_the_other_cookie_is_no_likeness() -> None:
    lines = ("a=1", f"{LOGIN}=s.n.v.x", f"{COOKIE}=maria", f"theme={COOKIE}")
    assert (session(*lines), session(*lines, name=LOGIN)) == ("maria", "s.n.v.x")


def test_a_value_is_all_behind_the_first_sign() -> None:
    assert session(f"{COOKIE}= a=b==\t") == "a=b=="


@pytest.mark.parametrize("space", ["\u2000", "\u00a0", "\u0085", "\u3000", "\u2028", "\x1f", "\x0b"])
def test_a_tossed_cookie_signs_nobody_in(api: Api, space: str) -> None:
    cookie, _ = api.signed_in("jonas")
    mine, _ = api.signed_in("maria")
    tossed = f"{space}__Host-placet={cookie}"
    for lines in ([tossed], [tossed, f"__Host-placet={mine}"], [f"__Host-placet={mine}", tossed]):
        answer = api.send("review", "GET /inbox", cookies=lines)
        assert (answer["statusCode"], answer["headers"]["location"][:8]) == (303, "/sign-in")
        header = api.send("review", "GET /inbox", headers={"Cookie": "; ".join(lines)})
        assert header["statusCode"] == 303


def test_the_emulator_hands_cookies_on_as_they_came() -> None:
    event = {"version": "2.0", "headers": {"cookie": f"a=1;\u2000{COOKIE}=jonas; \t{COOKIE}=maria ;; "}}
    assert move_cookies(event)["cookies"] == ["a=1", f"\u2000{COOKIE}=jonas", f"{COOKIE}=maria"]
