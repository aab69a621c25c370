"""sign_in: the way of a person from no session to one, and back. Decisions are never part of it."""

import hmac
from typing import Any
from urllib.parse import quote, unquote

from placet import wiring
from placet.http import pages as people
from placet.http.identity import COOKIE
from placet.http.messages import Answer, Request, see_other
from placet.http.routing import serve
from placet.model.errors import NotAllowed
from placet.service import sessions
from placet.service.ports import wired
from placet.web import pages, security

ROUND_TRIP = "__Host-placet-login"  # state, nonce, verifier and the wanted page, bound to this browser for ten minutes
KEEP = "; Path=/; Secure; HttpOnly; SameSite=Lax"


def get_sign_in(request: Request) -> Answer:
    """The landing page."""
    if request.query.get("out"):
        return people.page(pages.signed_out(wiring.login().logout_url(f"{wiring.base_url()}/sign-in")))
    return people.page(pages.sign_in(request.query.get("next", "/inbox")))


def get_start(request: Request) -> Answer:
    """Off to the user pool."""
    ids = wired(wiring.ports("secrets").ids)
    state, nonce, verifier = ids.secret(), ids.secret(), ids.secret() + ids.secret()
    value = ".".join((state, nonce, verifier, quote(_own_path(request.query.get("next", "")), safe="")))
    where = wiring.login().authorize_url(state, nonce, verifier)
    return see_other(where, [f"{ROUND_TRIP}={value}; Max-Age=600{KEEP}"], security.headers())


def get_callback(request: Request) -> Answer:
    """Back from the user pool: a new session under a new name, only for the browser that left."""
    state, nonce, verifier, wanted = (request.cookie(ROUND_TRIP).split(".") + [""] * 4)[:4]
    if not state or not hmac.compare_digest(state.encode(), request.query.get("state", "").encode()):
        raise NotAllowed("sign_in_failed", "The sign-in was not started in this browser. Start again.")
    sub = wiring.login().exchange(request.query.get("code", ""), verifier, nonce)
    cookie = sessions.begin(wiring.ports("secrets"), sub)
    life = f"Max-Age={sessions.LIFE_MS // 1000}"
    cookies = [f"{COOKIE}={cookie}; {life}{KEEP}", f"{ROUND_TRIP}=; Max-Age=0{KEEP}"]
    return see_other(_own_path(unquote(wanted)), cookies, security.headers())


def post_sign_out(request: Request) -> Answer:
    """End the session here; nothing can be decided from this browser any more."""
    ports = wiring.ports("secrets")
    people.posted(ports, request, wiring.base_url())
    sessions.end(ports, request.cookie(COOKIE))
    return see_other("/sign-in?out=1", [f"{COOKIE}=; Max-Age=0{KEEP}"], security.headers())


def _own_path(wanted: str) -> str:
    """A path on this host, whatever was asked for."""
    plain = wanted.isascii() and wanted.isprintable() and not any(sign in wanted for sign in "\\?#: ")
    return wanted if plain and wanted.startswith("/") and not wanted.startswith("//") else "/inbox"


ROUTES = {
    "GET /sign-in": get_sign_in,
    "GET /sign-in/start": get_start,
    "GET /sign-in/callback": get_callback,
    "POST /sign-out": post_sign_out,
}


def handler(event: dict[str, Any], context: object) -> Answer:
    """Entry."""
    wiring.begin(context)
    return serve(event, ROUTES, wiring.log, people.failed)
