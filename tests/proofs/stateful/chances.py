"""What rules draw from, and which call they aim at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition

from tests.proofs.stateful.house import PEOPLE

SOME = st.sampled_from([0, 0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7])  # taken modulo what there is, counted from the newest
DECIDERS = st.sampled_from([*PEOPLE, *["maria", "jonas"] * 4])
WORKERS = st.sampled_from(["w1", "w2", "w3"])
EDGE = st.sampled_from([-1, 0, 1])  # milliseconds around a moment
MOSTLY = st.sampled_from([True, True, True, True, False])
any_pause = precondition(lambda machine: bool(machine.house.pauses))


def permit_is(state: str) -> Callable[[dict[str, Any]], bool]:
    """A call whose permit is in this state."""
    return lambda call: call.get("permit", {}).get("state") == state


def may_be_decided(call: dict[str, Any]) -> bool:
    """A call that waits for a person and is shown."""
    return call["state"] == "pending" and bool(call.get("deadline_ms"))


def may_be_edited(call: dict[str, Any]) -> bool:
    """One whose class lets people edit."""
    return may_be_decided(call) and call["class"] != "general"
