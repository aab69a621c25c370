"""Requests and answers of the HTTP API (payload format 2.0)."""

from __future__ import annotations

import base64
import urllib.parse
from dataclasses import dataclass, field
from typing import Any

from placet.model.canonical import MAX_BODY_BYTES, exact_text, parse
from placet.model.errors import Invalid, TooLarge

Answer = dict[str, Any]


@dataclass(frozen=True)
class Request:
    """What a route's function gets."""

    route: str
    target: str
    path: dict[str, str]
    query: dict[str, str]
    headers: dict[str, str]
    cookies: dict[str, str]
    body: bytes
    authorizer: dict[str, Any] = field(default_factory=dict)
    account: str = ""

    def json(self) -> dict[str, Any]:
        """The body as a strict JSON object. Raises Invalid, TooLarge."""
        kind = self.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise Invalid("content_type", "Send the body as application/json.", malformed=True)
        value = parse(self.body)
        if not isinstance(value, dict):
            raise Invalid("json_invalid", "The body must be a JSON object.", malformed=True)
        return value

    def form(self) -> dict[str, str]:
        """The body as a form; a field that comes twice is refused. Raises Invalid, TooLarge."""
        if len(self.body) > MAX_BODY_BYTES:
            raise TooLarge("body_too_large", f"A form has at most {MAX_BODY_BYTES} bytes.", limit=MAX_BODY_BYTES)
        kind = self.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/x-www-form-urlencoded":
            raise Invalid("content_type", "Send the form from its page.", malformed=True)
        pairs = urllib.parse.parse_qsl(self.body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=60)
        found: dict[str, str] = {}
        for name, value in pairs:
            if name in found:
                raise Invalid("field_twice", f"The field {name} was sent twice.", malformed=True)
            found[name] = value
        return found


def read(event: dict[str, Any]) -> Request:
    """The request in an event. Cookies come in `cookies`, on some emulators in the header."""
    headers = {name.lower(): value for name, value in (event.get("headers") or {}).items()}
    raw = event.get("body") or ""
    body = base64.b64decode(raw) if event.get("isBase64Encoded") else raw.encode("utf-8", "surrogatepass")
    lines = event.get("cookies") or headers.get("cookie", "").split(";")
    cookies = dict(line.strip().split("=", 1) for line in lines if "=" in line)
    context = event.get("requestContext") or {}
    return Request(
        route=event["routeKey"],
        target=event.get("rawPath", "/"),
        path=event.get("pathParameters") or {},
        query=event.get("queryStringParameters") or {},
        headers=headers,
        cookies=cookies,
        body=body,
        authorizer=context.get("authorizer") or {},
        account=context.get("accountId", ""),
    )


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
