"""`placet sign-in`: an access token of whoever signs in with their own browser, for a program of theirs.

The authorization code flow with PKCE, as native apps have it (RFC 8252): the browser comes back to an address of this machine
that no other one can take, once, with the state that was made here.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import time
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

import click
import urllib3

from placet.client.errors import ClientError

PORT = 8976  # the user pool's client for programs knows this one: infra/constructs/login.py
CALLBACK = f"http://localhost:{PORT}/callback"
PATIENCE_S = 300.0
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
        with _listening(attempt) as server:
            click.echo(f"Sign in at {attempt.address}", err=True)
            if browser:
                webbrowser.open(attempt.address)
            click.echo(attempt.exchange(_code(server)))

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
        parts = urlsplit(path)
        told = {name: values[0] for name, values in parse_qs(parts.query).items()}
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


class _Listening(HTTPServer):
    """Answers the one browser that was sent; anything else on this machine that comes by learns nothing and changes nothing."""

    allow_reuse_address = True
    timeout = 1.0
    code: str = ""
    failed: ClientError | None = None


def _listening(attempt: Attempt) -> _Listening:
    class Handler(BaseHTTPRequestHandler):
        server: _Listening
        timeout = 5

        def do_GET(self) -> None:
            try:
                found = attempt.code_in(self.path)
            except ClientError as error:
                found, self.server.failed = "", error
            self.server.code = self.server.code or found
            self.send_response(200 if found else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(DONE) if found else 0))
            self.end_headers()
            self.wfile.write(DONE if found else b"")

        def log_message(self, *_: object) -> None:
            """The code stands in the address: nothing is written down."""

    try:
        return _Listening(("127.0.0.1", PORT), Handler)
    except OSError:
        raise ClientError(f"Port {PORT} of this machine is taken, and the login page sends its answer there.") from None


def _code(server: _Listening, now: Callable[[], float] = time.monotonic) -> str:
    until = now() + PATIENCE_S
    while not server.code:
        if server.failed:
            raise server.failed
        if now() >= until:
            raise ClientError("Nobody signed in for five minutes. Start again: placet sign-in")
        server.handle_request()
    return server.code
