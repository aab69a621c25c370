"""`placet sign-in`: an access token of whoever signs in with their own browser, for a program of theirs.

The authorization code flow with PKCE, as native apps have it (RFC 8252): the browser comes back to an address of this machine
that no other one can take, once, with the state that was made here.
"""

from __future__ import annotations

import base64
import errno
import hashlib
import hmac
import json
import secrets
import socket
import socketserver
import threading
import time
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self
from urllib.parse import parse_qs, urlencode, urlsplit

import click
import urllib3

from placet.client.errors import ClientError

PORT = 8976  # the user pool's client for programs knows this one: infra/constructs/login.py
CALLBACK = f"http://localhost:{PORT}/callback"
HOSTS = ("127.0.0.1", "::1")  # what browsers try for `localhost`, in either order
PATIENCE_S = 300.0
MOST_FIELDS = 20
DONE = b"<!doctype html><title>Placet</title><p>You can close this window."


def command() -> click.Command:
    """The command, to be added to the command line."""

    @click.command("sign-in")
    @click.option("--login-url", envvar="PLACET_LOGIN_URL", required=True, help="Output LoginUrl; PLACET_LOGIN_URL.")
    @click.option(
        "--client-id", envvar="PLACET_CLIENT_ID", required=True, help="Output ProgramClientId; PLACET_CLIENT_ID."
    )
    @click.option("--browser/--no-browser", default=True, help="Open the address, or print it only.")
    def sign_in(login_url: str, client_id: str, browser: bool) -> None:
        """Print an access token, good for 10 minutes: export PLACET_TOKEN=$(placet sign-in).

        Your own browser signs in, and hands a code to this command on this machine. The token is printed and not kept.
        """
        attempt = Attempt(login_url, client_id)
        with _Listening(attempt) as listening:
            click.echo(f"Sign in at {attempt.address}", err=True)
            if browser:
                webbrowser.open(attempt.address)
            click.echo(attempt.exchange(_code(listening)))

    return sign_in


@dataclass
class Attempt:
    """One sign-in: what its browser has to bring back, and what its code is exchanged with."""

    login_url: str
    client_id: str
    state: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48))

    def __post_init__(self) -> None:
        parts = urlsplit(self.login_url)
        self.login_url = self.login_url.rstrip("/")
        if parts.scheme != "https" and parts.hostname not in ("localhost", "127.0.0.1"):
            raise ClientError("The login page is asked over https only: PLACET_LOGIN_URL is the output LoginUrl.")

    @property
    def address(self) -> str:
        """Where the browser signs in."""
        digest = hashlib.sha256(self.verifier.encode()).digest()
        asked = {
            "client_id": self.client_id,
            "response_type": "code",
            "scope": "openid email",
            "redirect_uri": CALLBACK,
            "state": self.state,
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
        }
        return f"{self.login_url}/oauth2/authorize?{urlencode(asked)}"

    def code_in(self, path: str) -> str:
        """The code in what the browser asked for; empty when it is no answer to this attempt.

        Raises:
            ClientError: the login page says that nobody signed in.
        """
        try:
            parts = urlsplit(path)
            told = {name: values[0] for name, values in parse_qs(parts.query, max_num_fields=MOST_FIELDS).items()}
        except ValueError:  # no address, or more in it than any browser of ours brings
            return ""
        ours = hmac.compare_digest(told.get("state", "").encode(), self.state.encode())
        if parts.path != "/callback" or not ours:
            return ""
        if "error" in told:
            raise ClientError("The login page says that nobody signed in. Start again: placet sign-in")
        return told.get("code", "")

    def exchange(self, code: str) -> str:
        """The access token for a code. Raises ClientError."""
        fields = {"grant_type": "authorization_code", "client_id": self.client_id, "redirect_uri": CALLBACK}
        fields |= {"code": code, "code_verifier": self.verifier}
        try:
            answer = urllib3.PoolManager(timeout=10.0, retries=False).request(
                "POST", f"{self.login_url}/oauth2/token", fields=fields, encode_multipart=False
            )
            token = json.loads(answer.data)["access_token"] if answer.status == 200 else None
        except (urllib3.exceptions.HTTPError, ValueError, LookupError, TypeError):
            token = None
        if not isinstance(token, str):
            raise ClientError(f"{self.login_url} gave no token. Start again: placet sign-in")
        return token


class _Server(ThreadingHTTPServer):
    """On one address. Whoever connects and is silent, hangs up or sends what is no request holds nobody up."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, host: str, handler: type[BaseHTTPRequestHandler]) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, PORT), handler)

    def server_bind(self) -> None:
        """Without asking for this machine's name, which is of no use here and may take seconds."""
        socketserver.TCPServer.server_bind(self)

    def handle_error(self, request: object, client_address: object) -> None:
        """Not worth a word: the one browser that was sent comes again."""


class _Listening:
    """Answers the one browser that was sent, on every address of `localhost`: on one that was left out, somebody else on this
    machine could get the code. Anything else that comes by learns nothing and changes nothing.

    Raises:
        ClientError: one of them is taken.
    """

    def __init__(self, attempt: Attempt) -> None:
        self.code = ""
        self.failed: ClientError | None = None
        self.told = threading.Event()
        self._servers: list[_Server] = []
        for host in HOSTS:
            try:
                self._servers.append(_Server(host, _handler(attempt, self)))
            except OSError as error:
                if host != HOSTS[0] and error.errno != errno.EADDRINUSE:
                    continue  # this machine does not have it, so nobody else listens there
                self._close()
                raise ClientError(
                    f"Port {PORT} of this machine is taken, and the login page sends its answer there."
                ) from None

    def __enter__(self) -> Self:
        for server in self._servers:
            threading.Thread(target=server.serve_forever, args=(0.1,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        for server in self._servers:
            server.shutdown()
        self._close()

    def _close(self) -> None:
        for server in self._servers:
            server.server_close()


def _handler(attempt: Attempt, listening: _Listening) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = 5

        def do_GET(self) -> None:
            try:
                found = attempt.code_in(self.path)
            except ClientError as error:
                found, listening.failed = "", error
            listening.code = listening.code or found
            self.send_response(200 if found else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(DONE) if found else 0))
            self.end_headers()
            self.wfile.write(DONE if found else b"")
            if listening.code or listening.failed:
                listening.told.set()

        def log_message(self, *_: object) -> None:
            """The code stands in the address: nothing is written down."""

    return Handler


def _code(listening: _Listening, now: Callable[[], float] = time.monotonic) -> str:
    until = now() + PATIENCE_S
    while not listening.code:
        if listening.failed:
            raise listening.failed
        if now() >= until:
            raise ClientError("Nobody signed in for five minutes. Start again: placet sign-in")
        listening.told.wait(1.0)
    return listening.code
