"""What is made of the body of a request: JSON or a form, of its type, of its size, and nothing twice."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import pytest

from placet.http.kept import MOST_KEPT, is_own, kept_of, page_of
from placet.http.messages import ESCAPED, MOST_FIELDS, Request
from placet.model.canonical import MAX_BODY_BYTES
from placet.model.errors import Invalid, TooLarge

FORM, JSON = "application/x-www-form-urlencoded", "application/json"
CALL = f"{'a' * 26}-1"
EMPTY = Request("POST /x", "/x", {}, {}, {}, (), b"")


def request(body: bytes | None, kind: str | None = FORM, **given: Any) -> Request:
    return replace(EMPTY, body=body, headers={"content-type": kind} if kind is not None else {}, **given)


def refused(work: Any, code: str) -> None:
    with pytest.raises((Invalid, TooLarge)) as caught:
        work()
    assert caught.value.code == code
    assert isinstance(caught.value, TooLarge) or caught.value.malformed


@pytest.mark.parametrize("kind", [JSON, "Application/JSON", f"{JSON}; charset=utf-8", f" {JSON} "])
def test_json_is_an_object_of_its_type(kind: str) -> None:
    assert request(b'{"a":1}', kind).json() == {"a": 1}


@pytest.mark.parametrize("kind", [None, "", "text/plain", FORM, f"text/plain;{JSON}"])
def test_what_is_not_called_json_is_not_read(kind: str | None) -> None:
    refused(request(b'{"a":1}', kind).json, "content_type")


@pytest.mark.parametrize("body", [b"[]", b"1", b'"a"', b"null"])
def test_json_that_is_no_object_is_refused(body: bytes) -> None:
    refused(request(body, JSON).json, "json_invalid")
    refused(request(None, JSON).json, "body_unreadable")


def test_a_form_is_read_with_empty_values_and_each_field_once() -> None:
    assert request(b"a=1&b=&c=%C3%A9+x", f"{FORM.upper()} ;x").form() == {"a": "1", "b": "", "c": "\u00e9 x"}
    refused(request(b"a=1&a=1").form, "field_twice")
    refused(request(b"a=1", JSON).form, "content_type")
    refused(request(b"a=1", None).form, "content_type")
    refused(request(None).form, "body_unreadable")


@pytest.mark.parametrize("body", [b"a=\xff", b"a=%FF", b"&".join(b"f%d=1" % n for n in range(MOST_FIELDS + 1))])
def test_a_form_that_is_no_text_or_has_too_many_fields_is_refused(body: bytes) -> None:
    refused(request(body).form, "form_unreadable")


def test_as_many_fields_as_the_largest_page_sends_are_taken() -> None:
    assert len(request(b"&".join(b"f%d=" % n for n in range(MOST_FIELDS))).form()) == MOST_FIELDS


@pytest.mark.parametrize("most", [10, MAX_BODY_BYTES])
def test_a_form_holds_so_many_bytes_of_texts_and_three_times_as_many_as_it_is_sent(most: int) -> None:
    assert request(urlencode({"a": "x" * (most - 1)}).encode()).form(most)
    refused(lambda: request(urlencode({"a": "x" * most}).encode()).form(most), "body_too_large")
    escaped = b"a=" + b"%78" * (most - 1)
    assert len(escaped) <= ESCAPED * most
    assert request(escaped).form(most)
    with pytest.raises(TooLarge) as large:
        request(b"a=" + b"%78" * most).form(most)
    assert large.value.members == {"limit": MAX_BODY_BYTES}
    refused(lambda: request(b"=" * (ESCAPED * most + 1), JSON).form(most), "body_too_large")


def test_a_form_is_bounded_as_every_body_is() -> None:
    refused(request(urlencode({"a": "x" * MAX_BODY_BYTES}).encode()).form, "body_too_large")


@pytest.mark.parametrize(
    ("headers", "own"),
    [
        ({"sec-fetch-site": "same-origin"}, True),
        ({"sec-fetch-site": "same-origin", "origin": "https://evil.example"}, True),
        ({"sec-fetch-site": "same-site"}, False),
        ({"sec-fetch-site": "none"}, False),
        ({"sec-fetch-site": "cross-site", "host": "a.example", "origin": "https://a.example"}, False),
        ({"host": "a.example", "origin": "https://a.example"}, True),
        ({"host": "a.example", "origin": "https://b.example"}, False),
        ({"host": "a.example"}, False),
        ({"origin": "https://a.example"}, False),
        ({}, False),
    ],
)
def test_whose_form_it_is_the_browser_says(headers: dict[str, str], own: bool) -> None:
    assert is_own(replace(EMPTY, headers=headers)) is own


def typed(route: str, call: str = CALL, **form: str) -> Request:
    """A form of our own page."""
    headers = {"content-type": FORM, "sec-fetch-site": "same-origin"}
    return replace(EMPTY, route=route, path={"id": call}, headers=headers, body=urlencode(form).encode())


DECIDE, EDIT = "POST /reviews/{id}/decide", "POST /reviews/{id}/edit"


def test_what_was_typed_is_kept_and_what_was_chosen_goes_along() -> None:
    form = {"own-1": "words", "typed-2": "240.5", "reason-1": "2", "csrf": "s", "digest-1": "d", "x": "y", "own-2": " "}
    kept = kept_of(typed(DECIDE, **form), "Send it again")
    assert kept is not None
    assert (kept.texts, kept.send) == ({"own-1": "words", "typed-2": "240.5"}, "Send it again")
    assert kept.hidden == {"reason-1": "2", "csrf": "s", "digest-1": "d"}
    assert kept.action == f"/reviews/{CALL}/decide"
    edit = kept_of(typed(EDIT, arguments="{}", reason="why"), "")
    assert edit is not None
    assert (edit.action, edit.texts) == (f"/reviews/{CALL}/edit", {"arguments": "{}", "reason": "why"})


@pytest.mark.parametrize(
    "sent",
    [
        typed(DECIDE, reason="2", csrf="s"),
        typed(DECIDE, x="words"),
        typed(DECIDE, call="nothing", own="words"),
        typed("POST /sign-out", own="words"),
        replace(typed(DECIDE, own="words"), headers={"content-type": FORM}),
        replace(typed(DECIDE, own="words"), body=b"own=%FF"),
        typed(DECIDE, own="x" * MOST_KEPT),
    ],
)
def test_what_nobody_typed_or_is_not_ours_or_cannot_be_read_is_not_kept(sent: Request) -> None:
    assert kept_of(sent, "Send it again") is None


@pytest.mark.parametrize(
    ("route", "call", "page"),
    [
        (DECIDE, CALL, f"/reviews/{'a' * 26}"),
        (EDIT, CALL, f"/reviews/{CALL}/edit"),
        (DECIDE, "nothing", "/inbox"),
        (EDIT, "nothing", "/inbox"),
        ("POST /people", "", "/people"),
    ],
)
def test_where_a_form_stands(route: str, call: str, page: str) -> None:
    assert page_of(typed(route, call=call)) == page
