"""How much a form and a body may hold: the largest page's own form comes through, one field more is a 400."""

from __future__ import annotations

import base64
import json
from typing import Any
from urllib.parse import urlencode

import pytest

from placet.http.messages import MOST_FIELDS, Request, read
from placet.model.errors import Invalid, TooLarge
from placet.model.pauses import call_id
from tests.functions.conftest import BASE, Api
from tests.gateway import REFUND

FORM = {"content-type": "application/x-www-form-urlencoded", "origin": BASE}


def form(body: str | bytes) -> Request:
    raw = body.encode() if isinstance(body, str) else body
    packed = base64.b64encode(raw).decode()
    return read({"routeKey": "POST /", "headers": FORM, "body": packed, "isBase64Encoded": True})


def test_as_many_fields_as_the_largest_page_sends() -> None:
    assert MOST_FIELDS == 6_000
    assert len(form("&".join(f"read-{n}=1" for n in range(MOST_FIELDS))).form()) == MOST_FIELDS
    with pytest.raises(Invalid) as caught:
        form("&".join(f"read-{n}=1" for n in range(MOST_FIELDS + 1))).form()
    assert (caught.value.code, caught.value.malformed) == ("form_unreadable", True)


@pytest.mark.parametrize("body", [b"a=\xff", b"\xc3=1", b"a=%ff", b"a=%ed%a0%80", b"%c3=1", b"a=%f4%90%80%80"])
def test_a_form_that_is_no_utf_8_is_refused_and_nothing_is_replaced(body: bytes) -> None:
    with pytest.raises(Invalid) as caught:
        form(body).form()
    assert caught.value.code == "form_unreadable"


def test_a_form_is_as_long_as_its_texts_are_however_a_browser_escapes_them() -> None:
    text = "\u0436" * 131_000
    assert form(urlencode({"a": text})).form() == {"a": text}
    for body in (urlencode({"a": text + "x" * 200}), "a=" + "%61" * 262_144):
        with pytest.raises(TooLarge) as caught:
            form(body).form()
        assert (caught.value.code, caught.value.members["limit"]) == ("body_too_large", 262_144)


def test_a_form_over_the_size_of_a_body_is_413() -> None:
    with pytest.raises(TooLarge):
        form("a=" + "x" * 262_144).form()


@pytest.mark.parametrize("body", ["%", "a", "\u00e9\u00e9\u00e9\u00e9", "YQ=", "Y\nQ=="])
def test_a_body_that_is_no_base64_is_refused(body: str) -> None:
    request = read({"routeKey": "POST /", "headers": FORM, "body": body, "isBase64Encoded": True})
    with pytest.raises(Invalid) as caught:
        request.form()
    assert (caught.value.code, caught.value.malformed) == ("body_unreadable", True)


@pytest.mark.parametrize("count", [60, 900])
def test_a_call_with_many_long_arguments_can_be_accepted_on_its_page(api: Api, count: int) -> None:
    """Every tick is a field of the form: sixty of them were a 500."""
    arguments: dict[str, Any] = {f"a{n}": "x" * (700 if count < 100 else 40) for n in range(count)}
    head = api.gateway.shown(("send_report", arguments))
    cookie, csrf = api.signed_in()
    ticks = {f"read-{n}": "1" for n in range(1, count + 1)}
    sent = {"csrf": csrf, "decision": "accept", "revision": "1", "digest": head.calls[0].digest, **ticks}
    sent["typed"] = "send_report"
    path = {"pathParameters": {"id": call_id(head.pause, 1)}}
    answer = api.page("decide", "POST /reviews/{id}/decide", cookie, sent, **path)
    assert answer["statusCode"] == 303, answer["body"]
    assert api.gateway.head(head.pause).open_calls == 0


@pytest.mark.parametrize("number", ["1" * 60, "\u0661", "+1", " 1", "1_0", "", "-1", str(2**53 + 1)])
def test_a_revision_that_is_no_plain_number_is_told_on_the_page(api: Api, number: str) -> None:
    head = api.gateway.shown(REFUND)
    cookie, csrf = api.signed_in()
    sent = {"csrf": csrf, "decision": "accept", "revision": number, "digest": head.calls[0].digest, "typed": "240.5"}
    path = {"pathParameters": {"id": call_id(head.pause, 1)}}
    assert api.page("decide", "POST /reviews/{id}/decide", cookie, sent, **path)["statusCode"] == 422


@pytest.mark.parametrize("mark", ["9" * 5_000, "9" * 5_000 + ".x", str(2**53 + 1) + ".x", "\u0661.x", "1.x", ".", ""])
def test_a_moment_that_a_form_made_up_is_none(api: Api, mark: str) -> None:
    head = api.gateway.shown(REFUND)
    cookie, csrf = api.signed_in()
    sent = {
        "csrf": csrf,
        "decision": "accept",
        "revision": "1",
        "digest": head.calls[0].digest,
        "typed": "240.5",
        "shown_at": mark,
    }
    path = {"pathParameters": {"id": call_id(head.pause, 1)}}
    assert api.page("decide", "POST /reviews/{id}/decide", cookie, sent, **path)["statusCode"] == 303
    assert api.gateway.table.get(api.gateway.keys.event(head.pause, "1#decided"))["shown_at_ms"] == 0


def test_not_yet_is_passing_on_the_page_and_in_json(api: Api) -> None:
    """Between capture and queue a decision is early, and not refused for good."""
    head = api.gateway.capture(REFUND).head
    path = {"pathParameters": {"id": call_id(head.pause, 1)}}
    token = {"jwt": {"claims": {"sub": "maria", "token_use": "access"}}}
    sent = {"decision": "accept", "revision": 1, "digest": head.calls[0].digest}
    raw = api.send("decide", "POST /v1/reviews/{id}/decision", authorizer=token, headers={"content-type": "application/json"},
                   body=json.dumps(sent), **path)  # fmt: skip
    assert (raw["statusCode"], raw["headers"]["retry-after"]) == (503, "2")
    assert '"code":"not_shown_yet"' in raw["body"]
    cookie, csrf = api.signed_in()
    kept = {
        "csrf": csrf,
        "decision": "reject",
        "revision": "1",
        "digest": head.calls[0].digest,
        "own": "too much",
        "reason": "own",
    }
    page = api.page("decide", "POST /reviews/{id}/decide", cookie, kept, **path)
    assert (page["statusCode"], page["headers"]["retry-after"]) == (503, "2")
    assert "too much" in page["body"]
    assert "Try again in a moment" in page["body"]
    assert api.gateway.head(head.pause).open_calls == 1
