"""No plain input is a 500 or 502, on any route: what is too long, too large, too deep or no text has an answer of its own."""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from placet import wiring
from placet.model.people import SignedInAs
from placet.model.states import Verdict
from placet.service.undo_calls import proposed
from tests.functions.bounded import BoundedTable, TooMuch
from tests.functions.calling import OPERATOR, Called, every_route, good, headers, identity
from tests.functions.conftest import Api
from tests.gateway import REFUND, Gateway

ROUTES = every_route()
DEEP = "[" * 5_000
NINES = "9" * 5_000
LONG = ["x" * 257, "x" * 3_000, "\u00e9" * 3_000, "\U0001f600" * 300, NINES, DEEP, '{"a":' * 100]
DIGITS = ["-1", "1e5", "\u0661", "1_0", "+1", str(2**53 + 1), "9" * 40, "9" * 17, "0" * 30 + "1"]
SIGNS = [
    "",
    " ",
    "\x00",
    "%",
    "%00",
    "..",
    "../..",
    "#",
    "a#b",
    "\ud800",
    "\ufffd",
    "\u202e",
    "null",
    "<script>",
    "\r\nx: y",
]
TEXTS = [*LONG, *DIGITS, *SIGNS]
FEW = ["", "\x00", "x" * 3_000, "\u00e9", "\ud800", "%zz", "null"]
VALUES: list[Any] = [None, True, [], {}, [None], {"a": {}}, 0, -1, 2**53, 2**53 + 1, 10**39, 10**60, -(10**60), *TEXTS]
RAW = [
    "1.5",
    "1e400",
    "-0",
    "1E+999999",
    "1" * 900,
    "1" * 1_001,
    "NaN",
    '"\\ud800"',
    '{"a":1,"a":2}',
    "[" * 63 + "]" * 63,
]
TEXT_BODIES = [
    "",
    " ",
    "null",
    "true",
    "1",
    "1.5",
    '"x"',
    "[]",
    "[{}]",
    "{}",
    "{",
    "}",
    DEEP,
    "NaN",
    "\ufeff{}",
    "\x00",
    "\ud800",
]
JSON_BODIES = [
    '{"a":NaN}',
    '{"a":1e999}',
    '{"":""}',
    '{"a":"\\ud800"}',
    '{"a":1,"a":2}',
    '{"a":' * 5_000,
    '{"a":' + NINES + "}",
]
FORM_BODIES = ["=", "&&&&", "a=1&a=2", "=1", "a", "%zz=%", "%ff=%fe", "a=%ed%a0%80", "a=1&" * 1_001]
FORM_BODIES += ["&".join(f"f{n}=1" for n in range(61)), "&".join(f"f{n}=1" for n in range(1_001))]
BODIES = [*TEXT_BODIES, *JSON_BODIES, *FORM_BODIES, '"' + "x" * 262_144 + '"']
KINDS = ["", "text/plain", "application/json; charset=utf-16", "multipart/form-data; boundary=x", "\u00e9", "x" * 3_000]
NONE_OF_OURS = ["-1", "a-1", "a" * 25, "a" * 26, "a" * 27, "A" * 26, "1" * 26, "a" * 25 + "\u0430", "a" * 26 + "\n"]
NUMBERED = ["", "0", "01", "1\n", "99", "100", "1-1", "\u0661", NINES]
IDS = [*TEXTS, *NONE_OF_OURS, *(f"{'a' * 26}-{number}" for number in NUMBERED)]
ANYTHING_GOES = {  # nothing of these requests is read but who asks; and a search finds, or does not
    "GET /", "GET /sign-in", "GET /sign-in/start", "GET /v1/gates", "GET /v1/operations/find", "GET /v1/operations/samples",
    "GET /v1/operations/stuck",
    "GET /v1/resumes", "GET /v1/reviews",
}  # fmt: skip
READ = {"GET /v1/operations/find": ("of",), "GET /sign-in": ("next", "out"), "GET /sign-in/start": ("next",)}
READ["GET /sign-in/callback"] = ("state", "code")
QUERIES = ("of", "next", "state", "code", "out", "error")
SHOWN = ("origin", "sec-fetch-site", "cookie", "host", "user-agent", "x-forwarded-for")


@pytest.fixture
def there(api: Api, monkeypatch: pytest.MonkeyPatch) -> Api:
    """The handlers on a table with DynamoDB's limits."""
    gateway = Gateway(table=BoundedTable())
    monkeypatch.setattr(wiring, "ports", lambda *names: gateway.ports)
    monkeypatch.setattr(wiring, "operators", lambda: frozenset({OPERATOR}))
    monkeypatch.setattr(wiring, "login", lambda: Pool())
    monkeypatch.setattr(wiring, "log", lambda name, facts: None)
    gateway.verbs.do = lambda verb, payload: proposed(gateway.ports, payload["by"], payload["undo"])
    api.gateway = gateway
    return api


class Pool:
    """A user pool that knows everybody."""

    def authorize_url(self, state: str, nonce: str, verifier: str) -> str:
        return f"https://login.example/?state={state}"

    def logout_url(self, back_to: str) -> str:
        return f"https://login.example/?back={back_to}"

    def exchange(self, code: str, verifier: str, nonce: str) -> SignedInAs:
        return SignedInAs("maria")


def requests(called: Called, given: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Odd requests of one route: one thing of it at a time is odd."""
    fine = {"headers": headers(called), "pathParameters": given["path"], **body_of(given)}
    fine |= {"queryStringParameters": given["query"]} if "query" in given else {}
    fine |= {"cookies": given["cookies"]} if "cookies" in given else {}
    yield "fine", fine
    for name in given["path"] if "{" in called.route else ():
        for value in IDS:
            yield f"path {name}", {**fine, "pathParameters": {name: value}, "rawPath": f"/x/{value}"}
    for name in QUERIES:
        for value in TEXTS if name in READ.get(called.route, ()) else FEW:
            yield f"query {name}", {**fine, "queryStringParameters": {**given.get("query", {}), name: value}}
    for name in SHOWN:
        for value in FEW:
            yield f"header {name}", {**fine, "headers": {**fine["headers"], name: value}}
    for value in (*TEXTS, "__Host-placet", "__Host-placet=", "=x", "a=b=c", '__Host-placet="x"'):
        yield "cookie", {**fine, "cookies": [f"__Host-placet={value}", value]}
    if called.route.startswith("POST "):
        yield from odd_bodies(called, given, fine)


def odd_bodies(called: Called, given: dict[str, Any], fine: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for text in BODIES:
        yield "body", {**fine, "body": text}
        yield "body in base64", {**fine, "body": packed(text), "isBase64Encoded": True}
    for text in ("%", "a", "\u00e9", "=" * 8, packed("\ud800"), base64.b64encode(b"\xff\xfe\x00").decode()):
        yield "base64", {**fine, "body": text, "isBase64Encoded": True}
    for kind in KINDS:
        yield "content type", {**fine, "headers": {**fine["headers"], "content-type": kind}}
    if "form" in given:
        for name in given["form"]:
            for value in TEXTS if name in ("revision", "shown_at", "arguments") else FEW:
                yield f"form {name}", {**fine, "body": encoded({**given["form"], name: value})}
        return
    for path in places(given["json"]):
        for value in VALUES if len(path) == 1 else (None, True, 10**60, "", NINES, "\x00"):
            yield f"field {path}", {**fine, "body": json.dumps(put(given["json"], path, value))}
        for raw in RAW if len(path) == 1 else RAW[:4]:
            text = json.dumps(put(given["json"], path, "RAW")).replace('"RAW"', raw)
            yield f"field {path}", {**fine, "body": text}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a body: fields, and what lies in them."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in inside:
        yield (*path, name)
        yield from places(inner, (*path, name))


def put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    changed = copy.deepcopy(value)
    at = changed
    for name in path[:-1]:
        at = at[name]
    at[path[-1]] = new
    return changed


def body_of(given: dict[str, Any]) -> dict[str, Any]:
    if "form" in given:
        return {"body": encoded(given["form"])}
    return {"body": json.dumps(given["json"])} if "json" in given else {}


def encoded(form: dict[str, str]) -> str:
    return urlencode({name: value.encode("utf-8", "replace") for name, value in form.items()}, quote_via=quote)


def packed(text: str) -> str:
    return base64.b64encode(text.encode("utf-8", "surrogatepass")).decode()


@pytest.mark.parametrize("called", ROUTES, ids=str)
def test_every_odd_request_has_an_answer_below_500(there: Api, called: Called) -> None:
    head = there.gateway.shown(REFUND)
    cookie, csrf = there.signed_in()
    given, caller = good(called, head, csrf), identity(called.who, cookie)
    before, there.gateway.table.changes = copy.deepcopy(there.gateway.table.items), []
    seen: set[int] = set()
    tried = 0
    for what, sent in requests(called, given):
        try:
            answer = there.send(called.function, called.route, **{**caller, **sent})
        except (AssertionError, Exception) as error:
            pytest.fail(f"{what}: {type(error).__name__}: {str(error)[:300]}")
        json.dumps(answer).encode()  # Lambda has to be able to hand it on
        assert answer["statusCode"] < 500, (what, answer)
        if there.gateway.table.changes:
            there.gateway.table.items, there.gateway.table.changes = copy.deepcopy(before), []
        seen.add(answer["statusCode"])
        tried += 1
    assert tried > 100
    assert len(seen) > 1 or called.route in ANYTHING_GOES, seen


def test_the_limits_of_the_table_are_seen() -> None:
    """Without them none of this would find a key or a number that only DynamoDB refuses."""
    table = BoundedTable()
    gateway = Gateway(table=table)
    for key in (gateway.keys.head("x" * 3_000), gateway.keys.event("a", "x" * 1_025), gateway.keys.head("\ud800")):
        with pytest.raises((TooMuch, UnicodeEncodeError)):
            table.get(key)
    head = gateway.shown(REFUND)
    with pytest.raises(Exception, match=r"Rounded|Inexact"):
        gateway.decide(head, 1, Verdict.ACCEPT, shown_at_ms=10**60)
