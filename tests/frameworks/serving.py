"""The fake gateway over HTTP, for code that makes its own `Gateway()`."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from placet.client.errors import GatewayRefused
from tests.frameworks.fake_gateway import FakeGateway


@contextmanager
def served(fake: FakeGateway) -> Iterator[str]:
    """Gives the address while `fake` answers there."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
            try:
                status, answer = 200, fake.send(self.command, self.path, body or None).body
            except GatewayRefused as refused:
                status, answer = refused.status, {"code": refused.code, "detail": refused.detail, **refused.members}
            given = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(given)))
            self.end_headers()
            self.wfile.write(given)

        do_GET = do_POST

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://localhost:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
