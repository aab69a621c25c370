"""The run goes on: who holds its lease, once."""

from __future__ import annotations

from dataclasses import replace

from placet.records.conditions import Clause, clause


def not_resumed() -> Clause:
    """The run went on already."""
    return clause("not_resumed", ("resume_state", "<>", "done"))


def successor_waits() -> Clause:
    """The run takes back what it asked anew, or goes on from it, while its older pause is closed for that: nothing would wait."""
    return clause("successor_waits", ("resume_state", "<>", "done"))


def lease_free(now_ms: int) -> Clause:
    """Two resumers at once: the second waits until the first's lease is over, unless that one only sends what is there already."""
    return clause("lease_free", ("lease_until_ms", "absent"), ("lease_until_ms", "<=", now_ms), ("sending", "exists"))


def lease_held(now_ms: int) -> Clause:
    """A lease that is over is kept: nobody holds it, and it would keep others away."""
    return replace(clause("lease_held", ("lease_until_ms", ">", now_ms)), expires=True)


def not_given_back() -> Clause:
    """A lease is given back while its renewal is on its way, whose clock was read before: nobody holds it any more."""
    return clause("not_given_back", ("holder", "exists"))


def lease_grows(until_ms: int) -> Clause:
    """A renewal that was on its way for long comes after the next one: a lease that goes on must not end sooner by that."""
    return clause("lease_grows", ("lease_until_ms", "<=", until_ms))


def lease_longer(until_ms: int) -> Clause:
    """A lease that was given back, or is over sooner, goes on because it was to be cut short."""
    return clause("lease_longer", ("lease_until_ms", ">", until_ms))


def sending_free(now_ms: int) -> Clause:
    """Two deliveries at once, or one to a run that somebody works on: nothing is sent while there is any lease."""
    return clause("sending_free", ("lease_until_ms", "absent"), ("lease_until_ms", "<=", now_ms))


def my_fence(fence: int) -> Clause:
    """A resumer that lost its lease reports late. Or a run that nobody worked on is taken up while it is listed for that."""
    return clause("my_fence", ("fence", "=", fence))
