"""`placet sign-in`: a browser of this machine brings a code, and only the one that was sent."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import urllib3
from click.testing import CliRunner

from infra.constructs import login
from placet.cli import signing_in
from placet.cli.__main__ import main
from placet.client.errors import ClientError

HTTP = urllib3.PoolManager(retries=False)


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """A token endpoint that checks PKCE, and the commands on ports of the test's own."""
    seen: dict[str, Any] = {"answer": {"access_token": "the-token"}}

    class Pool(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            seen["fields"] = {name: values[0] for name, values in body.items()}
            said = json.dumps(seen["answer"]).encode()
            self.send_response(seen.get("status", 200))
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Pool)
    free = HTTPServer(("127.0.0.1", 0), Pool)
    port = free.server_address[1]
    free.server_close()
    monkeypatch.setattr(signing_in, "PORT", port)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    seen |= {"url": f"http://127.0.0.1:{server.server_address[1]}", "port": port}
    yield seen
    server.shutdown()
    server.server_close()


def browse(pool: dict[str, Any], monkeypatch: pytest.MonkeyPatch, *answers: str) -> None:
    """A browser that comes back with each of these answers in turn; `{state}` is the one that it was sent with."""

    def open_(address: str) -> bool:
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        pool["asked"] = asked

        def come_back() -> None:
            for answer in answers:
                HTTP.request("GET", f"http://127.0.0.1:{pool['port']}{answer.format(state=asked['state'])}")

        threading.Thread(target=come_back, daemon=True).start()
        return True

    monkeypatch.setattr(signing_in.webbrowser, "open", open_)


def run(pool: dict[str, Any]) -> Any:
    return CliRunner().invoke(main, ["sign-in", "--login-url", pool["url"], "--client-id", "programs"])


def test_the_token_is_printed_alone(pool: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    foreign = ["/callback?code=stolen&state=other", "/favicon.ico", "/callback?code=stolen"]
    browse(pool, monkeypatch, *foreign, "/callback?code=good&state={state}")
    result = run(pool)
    assert (result.exit_code, result.stdout) == (0, "the-token\n")
    assert pool["fields"]["code"] == "good"
    challenge = base64.urlsafe_b64encode(hashlib.sha256(pool["fields"]["code_verifier"].encode()).digest())
    assert pool["asked"]["code_challenge"] == challenge.rstrip(b"=").decode()
    assert pool["asked"]["redirect_uri"] == pool["fields"]["redirect_uri"] == signing_in.CALLBACK
    assert "good" not in result.stderr
    assert "the-token" not in result.stderr


@pytest.mark.parametrize(
    ("answer", "status", "told"),
    [
        ("/callback?error=access_denied&state={state}", 200, "nobody signed in"),
        ("/callback?code=good&state={state}", 400, "gave no token"),
    ],
)
def test_no_token_is_a_sentence(
    pool: dict[str, Any], monkeypatch: pytest.MonkeyPatch, answer: str, status: int, told: str
) -> None:
    pool["status"] = status
    browse(pool, monkeypatch, answer)
    result = run(pool)
    assert (result.exit_code, result.stdout) == (2, "")
    assert told in result.stderr


def test_whoever_is_silent_is_not_waited_for_for_ever(pool: dict[str, Any]) -> None:
    moments = iter([0.0, signing_in.PATIENCE_S])
    with signing_in._Listening(signing_in.Attempt(pool["url"], "programs")) as listening:
        with pytest.raises(ClientError, match="five minutes"):
            signing_in._code(listening, lambda: next(moments))
        with pytest.raises(ClientError, match="taken"):
            signing_in._Listening(signing_in.Attempt(pool["url"], "programs"))


ODD = [
    b"GET http://[/callback HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /callback?state=%ff&code=1 HTTP/1.1\r\n\r\n",
    b"GET /callback?state=\xd0\xb0 HTTP/1.1\r\n\r\n",
    b"GET /callback?" + b"a=1&" * 15_000 + b" HTTP/1.1\r\n\r\n",
    b"POST / HTTP/1.1\r\n\r\n",
    b"\r\n",
    b"\x16\x03\x01",
]


def test_odd_requests_and_silent_callers_hold_nobody_up_and_are_not_worth_a_word(
    pool: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(signing_in, "PATIENCE_S", 4.0)  # less than a silent caller has
    attempt = signing_in.Attempt(pool["url"], "programs")
    with signing_in._Listening(attempt) as listening, contextlib.ExitStack() as callers:
        for sent in (b"", b"", b"", *ODD):
            one = callers.enter_context(socket.create_connection(("127.0.0.1", pool["port"]), timeout=3))
            one.sendall(sent)
        HTTP.request("GET", f"http://127.0.0.1:{pool['port']}/callback?code=good&state={attempt.state}")
        assert signing_in._code(listening) == "good"
    assert "Traceback" not in "".join(capfd.readouterr())


@pytest.mark.parametrize("host", signing_in.HOSTS)
def test_a_listener_of_somebody_else_on_either_address_of_localhost_ends_the_attempt(
    pool: dict[str, Any], host: str
) -> None:
    """Browsers may ask it first, and it would get the code."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, pool["port"]), family=family):
        result = run(pool)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"Port {pool['port']} of this machine is taken" in result.stderr


def test_the_code_is_taken_on_every_address_of_localhost(pool: dict[str, Any]) -> None:
    for host in ("127.0.0.1", "[::1]"):
        attempt = signing_in.Attempt(pool["url"], "programs")
        with signing_in._Listening(attempt) as listening:
            HTTP.request("GET", f"http://{host}:{pool['port']}/callback?code=good&state={attempt.state}")
            assert signing_in._code(listening) == "good"


def test_a_login_page_without_tls_is_asked_nothing() -> None:
    with pytest.raises(ClientError, match="https"):
        signing_in.Attempt("http://login.example.com", "programs")


def test_the_pool_knows_the_address_that_is_listened_on() -> None:
    assert login.PROGRAM_CALLBACK == f"http://localhost:{signing_in.PORT}/callback" == signing_in.CALLBACK
