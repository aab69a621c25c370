"""Signed-in browsers: an opaque cookie whose hash names a stored session. Signing out ends it at once."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass

from placet.model.limits import whole_number
from placet.records import writes
from placet.records.people import read_session
from placet.service.loading import readable
from placet.service.ports import Ports, wired

LIFE_MS = 8 * 3_600_000


@dataclass(frozen=True)
class Session:
    """A signed-in browser.

    Attributes:
        csrf: the secret that every form of this session carries.
    """

    sub: str
    csrf: str
    signed_in_ms: int


def begin(ports: Ports, sub: str, cookie: str = "") -> str:
    """Start a session; returns the cookie's value, which is stored nowhere. `cookie`: one of `new_cookie`, or a new one."""
    cookie, csrf, now = cookie or new_cookie(ports), wired(ports.ids).secret(), ports.clock.now_ms()
    ports.table.write(writes.put_session(ports.keys, stored_name(cookie), sub, csrf, now, now + LIFE_MS))
    return cookie


def new_cookie(ports: Ports) -> str:
    """The value of a cookie of which no session has begun yet."""
    return wired(ports.ids).secret()


def find(ports: Ports, cookie: str) -> Session | None:
    """The session of a cookie; None when there is none, when it is over, or when it cannot be read: then one signs in again."""
    return named(ports, stored_name(cookie)) if cookie else None


def named(ports: Ports, stored: str) -> Session | None:
    """The same, of the name under which it is stored."""
    item = ports.table.get(ports.keys.session(stored))
    found = next(iter(readable(ports, [item] if item else [], read_session)), None)
    if found is None or found.until_ms <= ports.clock.now_ms():
        return None
    return Session(found.sub, found.csrf, found.signed_in_ms)


def end(ports: Ports, cookie: str) -> None:
    """Sign out. What the sign-in said of groups ends with it (`badges.signed_out`)."""
    ports.table.write(writes.end_session(ports.keys, stored_name(cookie)))


def shown_mark(session: Session, pause: str, at_ms: int) -> str:
    """When a page was made, so that a form can bring it back and nobody can make it up."""
    mac = hmac.new(session.csrf.encode(), f"{pause}|{at_ms}".encode(), hashlib.sha256).hexdigest()
    return f"{at_ms}.{mac[:32]}"


def shown_at(session: Session, pause: str, mark: str) -> int:
    """The moment in a mark of `shown_mark`; 0 when it is not ours."""
    at_ms = whole_number(mark.partition(".")[0])
    if at_ms is None or not hmac.compare_digest(mark.encode(), shown_mark(session, pause, at_ms).encode()):
        return 0
    return at_ms


def stored_name(cookie: str) -> str:
    """Under which its session is stored."""
    return hashlib.sha256(cookie.encode()).hexdigest()
