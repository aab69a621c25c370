"""Nobody is answered: the gateway runs such a call itself."""

from __future__ import annotations

from typing import Any

from placet.model.states import CallState


def answer(state: CallState, tool: str, arguments: dict[str, Any], reason: str) -> dict[str, Any]:
    """Nothing: no run waits for it."""
    return {}


def notes(native: dict[str, Any], number: int) -> tuple[str, ...]:
    """What it takes back, and who runs it."""
    return (
        f"It takes back call {native['undoes']}, which ran. If you accept, Placet has the agent's executor run it.",
    )
