"""A pause is stored and becomes visible; its token, and how many one agent has open."""

from __future__ import annotations

from placet.records.conditions import Clause, clause


def not_captured() -> Clause:
    """Two processes capture the same pause at once: one creates it."""
    return clause("not_captured", ("pk", "absent"))


def first() -> Clause:
    """The same fact told twice: the first telling stands."""
    return clause("first", ("pk", "absent"))


def head_known() -> Clause:
    """A head that is set aside is erased meanwhile: no new one comes into being."""
    return clause("head_known", ("pk", "exists"))


def still_open() -> Clause:
    """A decision, expiry or cancel that came first must not be put back into the queue."""
    return clause("still_open", ("state", "=", "open"))


def not_notified() -> Clause:
    """The state machine calls notify again after it lost an answer: the deadline must not start anew."""
    return clause("not_notified", ("notified_ms", "absent"))


def my_generation(gen: int) -> Clause:
    """Two sweeps find the same dead execution."""
    return clause("my_generation", ("gen", "=", gen))


def token_known() -> Clause:
    """The answer mark is set on a token that was never stored."""
    return clause("token_known", ("pk", "exists"))


def room_left(name: str, most: int) -> Clause:
    """Many captures of one agent at once: no more of them are counted than the bound has room for."""
    return clause("room_left", (f"open_{name}", "absent"), (f"open_{name}", "<", most))


def counted_as_seen(counted_ms: int) -> Clause:
    """Two captures count what is open at once: the later one would forget what was captured after the earlier one's count."""
    seen = ("counted_ms", "=", counted_ms) if counted_ms else ("counted_ms", "absent")
    return clause("counted_as_seen", seen)  # type: ignore[arg-type]


def within_budget(left: int) -> Clause:
    """Two captures at once spend what is left of one budget: each was judged by the sum before the other."""
    return clause("within_budget", ("spent", "absent"), ("spent", "<=", left))
