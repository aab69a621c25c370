"""An HTTP relay on a free loopback port: passes every request on as it came, signature and all, and lets somebody watch.

Told how, it gives a request another address before it passes it on.
"""

from __future__ import annotations

import http.client
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from urllib.parse import urlsplit

HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length"}


@dataclass(frozen=True)
class Request:
    """One request; header names in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Answer:
    """What the target said."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes


Send = Callable[[Request], Answer]
Watch = Callable[[Request, Send], Answer]
Readdress = Callable[[Request], Request]


class Relay:
    """Use it in a ``with``. ``watch`` gets every request and the function that passes it on.

    ``readdress`` gives the request that is passed on, where the target takes those only that were meant for it.
    """

    def __init__(self, target: str, watch: Watch, readdress: Readdress | None = None) -> None:
        self._target = urlsplit(target)
        self._readdress = readdress
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler(watch))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Relay:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _send(self, request: Request) -> Answer:
        connection = http.client.HTTPConnection(self._target.hostname or "", self._target.port, timeout=60)
        request = self._readdress(request) if self._readdress else request
        try:
            connection.putrequest(request.method, request.path, skip_host=True, skip_accept_encoding=True)
            for name, value in request.headers.items():
                if name != "connection":
                    connection.putheader(name, value)
            connection.endheaders(request.body or None)
            answer = connection.getresponse()
            return Answer(answer.status, answer.getheaders(), answer.read())
        finally:
            connection.close()

    def _handler(self, watch: Watch) -> type[BaseHTTPRequestHandler]:
        relay = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def pass_on(self) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                body = self.rfile.read(int(headers.get("content-length", "0")))
                answer = watch(Request(self.command, self.path, headers, body), relay._send)
                self.send_response_only(answer.status)
                for name, value in answer.headers:
                    if name.lower() not in HOP_BY_HOP:
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)

            do_GET = do_POST = do_PUT = do_DELETE = pass_on

            def log_message(self, format: str, *args: object) -> None:
                """Nobody reads it."""

        return Handler
