"""Turns of Bedrock: one at a time."""

from __future__ import annotations

from placet.records.conditions import Clause, clause


def same_turn(turn: int) -> Clause:
    """Two callers send a text at once, or a turn that was given up comes back after the next one began."""
    return clause("same_turn", ("turn", "=", turn))


def run_as_seen(state: str) -> Clause:
    """The turn before comes back while the next one is judged by it: a session that lives would be left for a new one."""
    return clause("run_as_seen", ("state", "=", state))
