"""sign_in: the way of a person from no session to one, and back. Decisions are never part of it."""

from typing import Any

from placet import wiring
from placet.http import pages as people
from placet.http import round_trips
from placet.http.identity import COOKIE
from placet.http.messages import Answer, Request, see_other
from placet.http.round_trips import INBOX, KEEP, RoundTrip
from placet.http.routing import serve
from placet.model.errors import NotAllowed
from placet.model.pauses import Reviewer
from placet.service import badges, sessions
from placet.service.ports import wired
from placet.web import pages, security

NOT_FROM_HERE = "This sign-in was not started in this browser, or more than ten minutes ago. Start again."


def get_sign_in(request: Request) -> Answer:
    """The landing page."""
    if request.query.get("out"):
        return people.page(pages.signed_out(wiring.login().logout_url(f"{wiring.base_url()}/sign-in")))
    return people.page(pages.sign_in(request.query.get("next", INBOX)))


def get_start(request: Request) -> Answer:
    """Off to the user pool."""
    ports = wiring.ports("secrets")
    ids = wired(ports.ids)
    state = ids.secret()
    trip = RoundTrip(ids.secret(), ids.secret() + ids.secret(), request.query.get("next", ""))
    where = wiring.login().authorize_url(state, trip.nonce, trip.verifier)
    return see_other(where, round_trips.left(request, state, trip, ports.clock.now_ms()), security.headers())


def get_callback(request: Request) -> Answer:
    """Back from the user pool: a new session under a new name, only for the browser that left.

    Who opens the address again is signed in already, and nothing is done; nobody else is told more than that they are not.
    """
    ports, found = wiring.ports("secrets"), round_trips.back(request)
    if found is None:
        if sessions.find(ports, request.cookie(COOKIE)) is None:
            raise NotAllowed("sign_in_failed", NOT_FROM_HERE)
        return see_other(INBOX, headers=security.headers())
    trip, gone = found
    who = wiring.login().exchange(request.query.get("code", ""), trip.verifier, trip.nonce)
    # First: what it says of groups ends with the time of the session, whether or not one begins.
    until_ms = ports.clock.now_ms() + sessions.LIFE_MS
    person, cookie = Reviewer(who.sub, who.name, who.email), sessions.new_cookie(ports)
    badges.signed_in(ports, person, who.groups, until_ms, sessions.stored_name(cookie))
    sessions.begin(ports, who.sub, cookie)
    cookies = [f"{COOKIE}={cookie}; Max-Age={sessions.LIFE_MS // 1000}{KEEP}", gone]
    if badges.is_kept_out(ports, person, who.groups):
        return people.page(pages.signed_in_unnamed(trip.wanted)) | {"cookies": cookies}
    return see_other(trip.wanted, cookies, security.headers())


def post_sign_out(request: Request) -> Answer:
    """End the session here, and what its sign-in said of groups; nothing can be decided from this browser any more."""
    ports = wiring.ports("secrets")
    visited, _ = people.posted(ports, request, wiring.base_url())
    badges.signed_out(ports, visited.me.sub, sessions.stored_name(request.cookie(COOKIE)))
    sessions.end(ports, request.cookie(COOKIE))
    return see_other("/sign-in?out=1", [f"{COOKIE}=; Max-Age=0{KEEP}"], security.headers())


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
