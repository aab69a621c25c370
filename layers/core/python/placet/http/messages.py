"""Requests and answers of the HTTP API (payload format 2.0)."""

from __future__ import annotations

import base64
import re
import urllib.parse
from dataclasses import dataclass, field
from typing import Any

from placet.model.canonical import MAX_BODY_BYTES, exact_text, parse
from placet.model.errors import Invalid, TooLarge

Answer = dict[str, Any]
MOST_FIELDS = 6_000  # of a form: what the largest page sends, ten calls with a tick for each argument, and no more
ESCAPED = 3  # bytes that a browser sends for one byte of a text, at most

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # a cookie's name, RFC 6265


@dataclass(frozen=True)
class Request:
    """What a route's function gets.

    Attributes:
        cookies: the lines of the header as they came, `name=value`.
        body: None when its encoding could not be read.
    """

    route: str
    target: str
    path: dict[str, str]
    query: dict[str, str]
    headers: dict[str, str]
    cookies: tuple[str, ...]
    body: bytes | None
    authorizer: dict[str, Any] = field(default_factory=dict)
    account: str = ""

    def json(self) -> dict[str, Any]:
        """The body as a strict JSON object. Raises Invalid, TooLarge."""
        kind = self.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise Invalid("content_type", "Send the body as application/json.", malformed=True)
        value = parse(self._body())
        if not isinstance(value, dict):
            raise Invalid("json_invalid", "The body must be a JSON object.", malformed=True)
        return value

    def form(self, most: int = MAX_BODY_BYTES) -> dict[str, str]:
        """The body as a form of at most so many bytes of texts; a field that comes twice is refused. Raises Invalid, TooLarge."""
        body = self._body()
        _check_form(len(body), ESCAPED * most)
        kind = self.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/x-www-form-urlencoded":
            raise Invalid("content_type", "Send the form from its page.", malformed=True)
        try:
            pairs = urllib.parse.parse_qsl(
                body.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict"
            )
        except ValueError:  # not UTF-8, before or after its escapes; or too many fields
            raise Invalid(
                "form_unreadable", f"The form is no text of at most {MOST_FIELDS} fields.", malformed=True
            ) from None
        found: dict[str, str] = {}
        for name, value in pairs:
            if name in found:
                raise Invalid("field_twice", "A field of the form was sent twice.", malformed=True)
            found[name] = value
        _check_form(sum(len(text.encode()) for pair in found.items() for text in pair), most)
        return found

    def cookie(self, name: str) -> str:
        """The value of a cookie; empty when there is none, or when a line beside it only looks like it.

        A sibling domain may set `\\u2000__Host-placet`, which no browser holds back. So a name is what RFC 6265 takes for one, and
        two lines that read as this name mean that nobody knows whose session it is.
        """
        parted = [
            (key.strip(" \t"), value) for key, sign, value in (line.partition("=") for line in self.cookies) if sign
        ]
        alike = [key for key, _ in parted if "".join(_TOKEN.findall(key)).endswith(name)]
        found = [value.strip(" \t") for key, value in parted if key == name]
        return found[0] if len(found) == len(alike) == 1 else ""

    def _body(self) -> bytes:
        if self.body is None:
            raise Invalid("body_unreadable", "The body is not encoded as it says.", malformed=True)
        return self.body


def read(event: dict[str, Any]) -> Request:
    """The request in an event. Cookies come in `cookies`, on some emulators in the header."""
    headers = {name.lower(): value for name, value in _texts(event.get("headers")).items()}
    context = event.get("requestContext") or {}
    return Request(
        route=event["routeKey"],
        target=_whole(event.get("rawPath", "/")),
        path=_texts(event.get("pathParameters")),
        query=_texts(event.get("queryStringParameters")),
        headers=headers,
        cookies=tuple(map(_whole, event.get("cookies") or headers.get("cookie", "").split(";"))),
        body=_bytes(event),
        authorizer=context.get("authorizer") or {},
        account=context.get("accountId", ""),
    )


def _bytes(event: dict[str, Any]) -> bytes | None:
    raw: str = event.get("body") or ""
    if not event.get("isBase64Encoded"):
        return raw.encode("utf-8", "surrogatepass")
    try:
        return base64.b64decode(raw, validate=True)
    except ValueError:
        return None


def _texts(found: dict[str, str] | None) -> dict[str, str]:
    return {name: _whole(value) for name, value in (found or {}).items()}


def _whole(text: str) -> str:
    """A text without halves of characters, which no header or address can carry and nothing behind can write."""
    return text.encode("utf-8", "replace").decode()


def json_answer(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Answer:
    """An answer as exact JSON text."""
    return {
        "statusCode": status,
        "headers": {
            "content-type": "application/problem+json" if status >= 400 else "application/json",
            "cache-control": "no-store",
            "x-content-type-options": "nosniff",
            **(headers or {}),
        },
        "body": exact_text(value),
    }


def see_other(location: str, cookies: list[str] | None = None, headers: dict[str, str] | None = None) -> Answer:
    """A redirect after which the browser gets a page."""
    return {
        "statusCode": 303,
        "headers": {"location": location, "cache-control": "no-store", **(headers or {})},
        "cookies": cookies or [],
        "body": "",
    }


def _check_form(size: int, most: int) -> None:
    if size > most:
        raise TooLarge(
            "body_too_large", f"The texts of a form have at most {MAX_BODY_BYTES} bytes.", limit=MAX_BODY_BYTES
        )
