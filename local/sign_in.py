"""Signing in as a reviewer, through the pages or for a token; both go through the login page with code and PKCE."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from urllib.parse import parse_qs, urlencode, urlsplit

from local.browser import Browser, Page
from local.errors import StepFailed
from local.people import Person, Reviewer


def sign_in(api_url: str, reviewer: Reviewer) -> Browser:
    """A browser with the reviewer's session cookie."""
    browser = Browser()
    login = browser.get(f"{api_url}/sign-in/start")
    page = _fill(browser, login, reviewer)
    if page.status != 200:
        raise StepFailed(
            f"{reviewer.username} could not sign in: {page.status} at {page.url}", "See the log of sign_in."
        )
    return browser


def access_token(login_url: str, client_id: str, callback: str, reviewer: Person | Reviewer) -> str:
    """An access token of the reviewer, for the JSON routes."""
    verifier = secrets.token_urlsafe(48)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    asked = {
        "client_id": client_id,
        "response_type": "code",
        "scope": "openid email",
        "redirect_uri": callback,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    }
    browser = _StopsAt(callback)
    login = browser.get(f"{login_url}/oauth2/authorize?{urlencode(asked)}")
    arrived = _fill(browser, login, reviewer)
    codes = parse_qs(urlsplit(arrived.url).query).get("code", [])
    if not codes:
        raise StepFailed(f"{reviewer.username} could not sign in at {login_url}.", "See the log of the emulator.")
    grant = {"grant_type": "authorization_code", "client_id": client_id, "redirect_uri": callback}
    answer = browser.post(f"{login_url}/oauth2/token", grant | {"code": codes[0], "code_verifier": verifier})
    return str(json.loads(answer.body)["access_token"])


class _StopsAt(Browser):
    """Does not open the callback: the code in its address is what is wanted."""

    def __init__(self, callback: str) -> None:
        super().__init__()
        self._callback = callback

    def _once(self, method: str, url: str, body: bytes, headers: dict[str, str]) -> Page:
        if url.startswith(self._callback):
            return Page(url, 200, {}, b"")
        return super()._once(method, url, body, headers)


def _fill(browser: Browser, login: Page, reviewer: Person | Reviewer) -> Page:
    forms = [form for form in login.forms() if "password" in form.fields]
    if not forms:
        raise StepFailed(
            f"No login form at {login.url} ({login.status}).", "See the logs of sign_in and of the emulator."
        )
    return browser.submit(login, forms[0], username=reviewer.username, password=reviewer.password)
