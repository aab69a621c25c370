"""The one door in front of every port of the local mode: who sends a request is judged first, then who signed it.

Three servers stand behind it, each with its own way of saying what a request is: ASGI (the AWS emulator and the API), WSGI (the
interpreter) and http.server (Bedrock's runtime).
"""

from __future__ import annotations

import datetime
import io
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

from local.emulator import signatures, visitors
from local.emulator.signatures import Key, Refused, Request

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]
Answer = tuple[int, dict[str, str], bytes]
CORS = b"access-control-"


@dataclass(frozen=True)
class Way:
    """How a request may come in: ``page`` by a link or redirect too, ``signed`` only with a key of this start."""

    page: bool = False
    signed: bool = True


@dataclass(frozen=True)
class Door:
    """What is let in at one port.

    ``way`` says which way a request takes, ``keys`` gives the key of an id or raises Refused.
    """

    port: int
    keys: Callable[[str], Key]
    way: Callable[[Request], Way] = lambda _request: Way()

    def judge(self, request: Request) -> Way:
        """Look at everything but the body; raise Refused."""
        way = self.way(request)
        visitors.judge(request, self.port, way.page)
        return way

    def check(self, request: Request) -> Key:
        """Look at the signature, with the body there; give the key that made it or raise Refused."""
        signature = signatures.read(request)
        key = self.keys(signature.key_id)
        signatures.check(request, signature, key, datetime.datetime.now(datetime.UTC))
        return key

    def refusal(self, request: Request) -> Answer | None:
        """Both at once, for a server that has read the body; None lets the request in."""
        try:
            if self.judge(request).signed:
                self.check(request)
        except Refused as refused:
            return answer(request, refused)
        return None


def answer(request: Request, refused: Refused) -> Answer:
    """403, in the form that an AWS SDK reads for this kind of request."""
    print(f"refused: {refused.code} {request.method} {request.path[:200]!r}", flush=True)
    if "x-www-form-urlencoded" in request.one("content-type") or "/s3/aws4_request" in request.one("authorization"):
        told = f"<Error><Code>{escape(refused.code)}</Code><Message>{escape(refused.sentence)}</Message></Error>"
        return 403, _headers("text/xml"), f"<ErrorResponse>{told}</ErrorResponse>".encode()
    told = json.dumps({"__type": refused.code, "message": refused.sentence})
    return 403, {**_headers("application/json"), "x-amzn-errortype": refused.code}, told.encode()


def _headers(kind: str) -> dict[str, str]:
    return {"content-type": kind, "cache-control": "no-store", "x-content-type-options": "nosniff"}


def over_asgi(app: App, doors: Mapping[int, Door], own: Callable[[Request, Key], bytes | None]) -> App:
    """The application behind the door of whichever port a request comes to. Web sockets are not let in.

    ``own`` may answer a signed request in place of the application.
    """

    async def run(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await app(scope, receive, send)
        if scope["type"] != "http":
            await receive()
            return await send({"type": "websocket.close", "code": 1008})
        door = doors[scope["server"][1]]
        request = _of_scope(scope)
        try:
            if door.judge(request).signed:
                body = await _body(receive)
                told = own(request, door.check(_of_scope(scope, body)))
                if told is not None:
                    return await _tell(send, (200, _headers("application/json"), told))
                receive = _again(body, receive)
        except Refused as refused:
            return await _tell(send, answer(request, refused))
        await app(scope, receive, _without_cors(send))

    return run


def _of_scope(scope: Message, body: bytes = b"") -> Request:
    headers = tuple((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"])
    path = (scope.get("raw_path") or scope["path"].encode()).decode("latin-1")
    return Request(scope["method"], path, scope["query_string"].decode("latin-1"), headers, body)


async def _body(receive: Receive) -> bytes:
    parts = []
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise Refused("IncompleteBody", "The body did not come whole.")
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(parts)


def _again(body: bytes, receive: Receive) -> Receive:
    """The body that was read, once more; then whatever comes."""
    left: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def run() -> Message:
        return left.pop() if left else await receive()

    return run


def _without_cors(send: Send) -> Send:
    async def run(message: Message) -> None:
        if "headers" in message:
            kept = [one for one in message["headers"] if not one[0].lower().startswith(CORS)]
            message = {**message, "headers": kept}
        await send(message)

    return run


async def _tell(send: Send, told: Answer) -> None:
    status, headers, body = told
    lines = [(name.encode(), value.encode()) for name, value in headers.items()]
    lines.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": lines})
    await send({"type": "http.response.body", "body": body})


def over_wsgi(app: Callable[..., Iterable[bytes]], door: Door) -> Callable[..., Iterable[bytes]]:
    """The same for a WSGI application."""

    def run(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        told = door.refusal(_of_environ(environ, body))
        if told is None:
            environ["wsgi.input"] = io.BytesIO(body)
            return app(environ, lambda status, headers, *more: start(status, _plain(headers), *more))
        start("403 Forbidden", [*told[1].items(), ("content-length", str(len(told[2])))])
        return [told[2]]

    return run


def _plain(headers: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [one for one in headers if not one[0].lower().encode().startswith(CORS)]


def _of_environ(environ: dict[str, Any], body: bytes) -> Request:
    named = {f"HTTP_{name}": environ[name] for name in ("CONTENT_TYPE", "CONTENT_LENGTH") if environ.get(name)}
    named |= {name: value for name, value in environ.items() if name.startswith("HTTP_")}
    headers = tuple((name[5:].lower().replace("_", "-"), str(value)) for name, value in named.items())
    path, _, query = str(environ["RAW_URI"]).partition("?")
    return Request(environ["REQUEST_METHOD"], path, query, headers, body)
