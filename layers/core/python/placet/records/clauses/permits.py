"""The permit of a call: claimed once, for what was decided, while it is fresh."""

from __future__ import annotations

from dataclasses import replace

from placet.records.conditions import Clause, clause


def may_run(number: int) -> Clause:
    """A rejected, expired or undecided call is executed by a worker that did not ask, or asked too early."""
    at = f"calls.{number}.state"
    return clause("may_run", (at, "=", "accepted"), (at, "=", "edited"), (at, "=", "passed"))


def permit_free(number: int) -> Clause:
    """Two workers claim the same call at once."""
    return clause("permit_free", (f"calls.{number}.permit.state", "=", "free"))


def digest_named(number: int, digest: str) -> Clause:
    """A worker holds other arguments than those that were decided."""
    return clause("digest_named", (f"calls.{number}.digest", "=", digest))


def still_fresh(number: int, now_ms: int) -> Clause:
    """An accept of last month is executed today."""
    return replace(clause("still_fresh", (f"calls.{number}.permit.until_ms", ">", now_ms)), expires=True)


def claimed_by_me(number: int, worker: str) -> list[Clause]:
    """A worker reports the outcome of a permit that another one holds, or reports twice. Late is not too late for its own."""
    permit = f"calls.{number}.permit"
    return [
        clause("permit_used", (f"{permit}.state", "=", "claimed"), (f"{permit}.state", "=", "unknown")),
        clause("my_permit", (f"{permit}.worker", "=", worker)),
    ]


def still_claimed(number: int, worker: str) -> list[Clause]:
    """The worker reports while the sweep gives it up."""
    permit = f"calls.{number}.permit"
    return [
        clause("permit_claimed", (f"{permit}.state", "=", "claimed")),
        clause("same_worker", (f"{permit}.worker", "=", worker)),
    ]


def not_renewed(number: int, over_ms: int) -> Clause:
    """The worker says that it is still at it while the sweep gives it up."""
    at = f"calls.{number}.permit.over_ms"
    return clause("not_renewed", (at, "=", over_ms)) if over_ms else clause("not_renewed", (at, "absent"))


def claim_grows(number: int, over_ms: int) -> Clause:
    """A renewal that was on its way for long comes after the next one: an attempt at work must not be given up sooner by that."""
    at = f"calls.{number}.permit.over_ms"
    return clause("claim_grows", (at, "<=", over_ms), (at, "absent"))


def permit_unknown(number: int) -> Clause:
    """Two people, or a person and the late worker, settle one unknown."""
    return clause("permit_unknown", (f"calls.{number}.permit.state", "=", "unknown"))


def too_old(number: int, now_ms: int) -> Clause:
    """An approval is asked for again only when it really is too old."""
    return clause("too_old", (f"calls.{number}.permit.until_ms", "<=", now_ms))


def never_tried(number: int) -> Clause:
    """The sweep frees the permit of a keyed tool whose worker died, while the approval is found too old, or the run ends."""
    return clause("never_tried", (f"calls.{number}.permit.at_ms", "absent"))


def permits_as_seen(number: int, state: str) -> Clause:
    """A worker claims a permit while the run is cancelled: what is claimed has to be listed, not forgotten."""
    at = f"calls.{number}.permit.state"
    return clause("permits_as_seen", (at, "absent")) if state == "none" else clause("permits_as_seen", (at, "=", state))


def unclaimed(number: int) -> Clause:
    """An open call is decided and claimed while the next moment of its pause is written: its claim would be looked at too late.
    Decided it may be: two people at two calls do not stand in each other's way."""
    return clause("unclaimed", (f"calls.{number}.permit.state", "<>", "claimed"))
