"""An HTTPS server on loopback that answers as it is told: late, never, elsewhere, drop by drop."""

from __future__ import annotations

import contextlib
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ADDRESS = "127.0.0.1"


@dataclass(frozen=True)
class Request:
    """One POST as it arrived. `name`: what the client asked for in SNI."""

    path: str
    headers: dict[str, str]
    body: bytes
    name: str


@dataclass(frozen=True)
class Answer:
    """What the server does after it has read a request.

    Attributes:
        lost: the connection ends without an answer.
        late_s: waits before it says anything.
        drop_s: says every letter of its answer so long after the one before.
        size: bytes of body that it sends.
    """

    status: int = 204
    headers: dict[str, str] = field(default_factory=dict)
    lost: bool = False
    late_s: float = 0
    drop_s: float = 0
    size: int = 0


Plan = Callable[[Request], Answer]


@dataclass
class Hook:
    """The running server: where it is, and every request that it has read."""

    port: int
    requests: list[Request] = field(default_factory=list)
    plan: Plan = field(default=lambda request: Answer())

    def url(self, host: str, path: str = "/decided") -> str:
        """Its address under a name."""
        return f"https://{host}:{self.port}{path}"


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    hook: Hook
    tls: ssl.SSLContext
    over: threading.Event

    def finish_request(self, request: Any, client_address: Any) -> None:
        """The handshake in the request's own thread: a client that goes away holds nobody up."""
        with contextlib.suppress(OSError), self.tls.wrap_socket(request, server_side=True) as secured:
            _Handler(secured, client_address, self)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients hang up; that is what the tests are about."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): one for name, one in self.headers.items()}
        read = Request(self.path, headers, body, getattr(self.connection, "asked", ""))
        hook = self.server.hook
        hook.requests.append(read)
        answer = hook.plan(read)
        self.server.over.wait(answer.late_s)
        if not answer.lost:
            self._say(answer)

    def _say(self, answer: Answer) -> None:
        lines = [f"HTTP/1.1 {answer.status} Said", "connection: close", f"content-length: {answer.size}"]
        head = "\r\n".join([*lines, *(f"{name}: {one}" for name, one in answer.headers.items()), "", ""])
        for piece in head if answer.drop_s else [head]:
            self.wfile.write(piece.encode())
            self.server.over.wait(answer.drop_s)
        for _ in range(0, answer.size, 65_536):
            self.wfile.write(b"x" * 65_536)

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""


def _note(secured: Any, name: str | None, context: ssl.SSLContext) -> None:
    secured.asked = name or ""


@contextmanager
def serving(tls: ssl.SSLContext) -> Iterator[Hook]:
    """The server, until the block ends."""
    server = _Server((ADDRESS, 0), _Handler)
    server.hook, server.tls, server.over = Hook(server.server_address[1]), tls, threading.Event()
    tls.sni_callback = _note  # type: ignore[assignment]
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server.hook
    finally:
        server.over.set()
        server.shutdown()
        server.server_close()
        thread.join(5)
