"""Smoke carries a token or a signature to no other host: a redirection of such a call is its answer."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from botocore.credentials import Credentials

from infra import smoke_agent


@pytest.fixture
def hosts() -> Iterator[tuple[str, list[str]]]:
    """The address of a gateway that sends everybody elsewhere with the status that the path names, and what came elsewhere."""
    came: list[str] = []

    class Elsewhere(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            came.append(str(self.headers))
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        do_POST = do_GET

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    elsewhere = ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)

    class Here(Elsewhere):
        def do_GET(self) -> None:
            self.send_response(int(self.path.strip("/")))
            self.send_header("location", f"http://127.0.0.1:{elsewhere.server_port}/")
            self.send_header("content-length", "0")
            self.end_headers()

        do_POST = do_GET

    here = ThreadingHTTPServer(("127.0.0.1", 0), Here)
    for server in (here, elsewhere):
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{here.server_port}", came
    for server in (here, elsewhere):
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_secret_goes_to_no_redirection(hosts: tuple[str, list[str]], status: int) -> None:
    url, came = hosts
    gateway = smoke_agent.Gateway(url, Credentials("a", "b", "token"), "eu-central-1")
    for method in ("GET", "POST"):
        assert smoke_agent.as_reviewer(url, "a-token", method, f"/{status}")[0] == status
        assert gateway.call(method, f"/{status}")[0] == status
    assert came == []
    assert smoke_agent.page(f"{url}/{status}")[0] == 200
    (plain,) = came
    assert "uthorization" not in plain
