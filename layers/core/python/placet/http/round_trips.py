"""The way to the user pool and back, kept in the browser: one cookie for each sign-in that is under way, named by its state.

So two tabs that sign in at once both come back, each to the page that it wanted. A callback counts only in the browser that left:
no other holds a cookie of that name, and `__Host-` keeps sibling domains from making one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote

from placet.http.messages import Request
from placet.model.limits import whole_number

NAME = "__Host-placet-login-"
KEEP = "; Path=/; Secure; HttpOnly; SameSite=Lax"
LIFE_S = 600
MOST = 5  # under way in one browser: more would outgrow the header in which they all come back
LONGEST = 300  # characters of a wanted page; escaped in the cookie it has at most three times as many
INBOX = "/inbox"
_STATE = re.compile(r"[A-Za-z0-9_-]{1,64}")
# A path and a query on this host, of signs that mean nothing more to a browser: no scheme, host, fragment, backslash or space.
_OWN = re.compile(r"/(?!/)[A-Za-z0-9/_.~%-]*(\?[A-Za-z0-9_.~%=&-]*)?")


@dataclass(frozen=True)
class RoundTrip:
    """A sign-in that is under way.

    Attributes:
        wanted: the page to come back to; whoever sends anybody there asks `own_page` first.
    """

    nonce: str
    verifier: str
    wanted: str


def own_page(wanted: str) -> str:
    """A page on this host, with its query, whatever was asked for."""
    return wanted if len(wanted) <= LONGEST and _OWN.fullmatch(wanted) else INBOX


def left(request: Request, state: str, trip: RoundTrip, now_ms: int) -> list[str]:
    """The cookies of a browser that leaves: this round trip's; and the oldest are taken away when it has many under way."""
    value = ".".join((str(now_ms), trip.nonce, trip.verifier, quote(own_page(trip.wanted), safe="")))
    under_way = sorted(_under_way(request).items(), key=lambda one: one[1])
    too_many = [name for name, _ in under_way[: max(0, len(under_way) - MOST + 1)]]
    return [f"{NAME}{state}={value}; Max-Age={LIFE_S}{KEEP}", *(_gone(name) for name in too_many)]


def back(request: Request) -> tuple[RoundTrip, str] | None:
    """The round trip that a browser comes back from, and the cookie that ends it; None when it did not leave from here."""
    state = request.query.get("state", "")
    parts = request.cookie(f"{NAME}{state}").split(".", 3) if _STATE.fullmatch(state) else []
    if len(parts) != 4 or not all(parts):
        return None
    _, nonce, verifier, wanted = parts
    return RoundTrip(nonce, verifier, own_page(unquote(wanted))), _gone(f"{NAME}{state}")


def _under_way(request: Request) -> dict[str, int]:
    """The round trips in a browser, by their cookies, with the moment at which each began."""
    names = (line.partition("=")[0].strip(" \t") for line in request.cookies)
    ours = {name for name in names if name.startswith(NAME) and _STATE.fullmatch(name.removeprefix(NAME))}
    return {name: whole_number(request.cookie(name).partition(".")[0]) or 0 for name in ours}


def _gone(name: str) -> str:
    return f"{name}=; Max-Age=0{KEEP}"
