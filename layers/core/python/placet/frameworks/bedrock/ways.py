"""How each call of a control is answered: who runs it, and what Bedrock is told. Pure.

The answer carries no id per call. So calls of one group (same agent, same function) are never told CONFIRM and DENY in one
answer: when people decided them differently, the executor runs what was approved and each body names its own arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

from placet.frameworks.bedrock.reading import CONFIRMATION, Asked
from placet.model.states import CallState


class Way(StrEnum):
    """What becomes of one call."""

    CONFIRM = "confirm"  # Bedrock runs it itself
    EXECUTE = "execute"  # the executor runs it, under its permit
    INSTRUCT = "instruct"  # an edit where no result may be returned: the agent has to propose it again
    REFUSE = "refuse"  # it does not run


def ways(asked: Sequence[Asked], states: Mapping[int, CallState], *, live: bool) -> dict[int, Way]:
    """The way of each call by its number.

    Args:
        states: of every call; none is pending.
        live: whether the session that asked still waits for the answer.
    """
    return {one.number: _way(one, asked, states, live) for one in asked}


def mixed(one: Asked, asked: Sequence[Asked], runs: Callable[[Asked], bool]) -> bool:
    """Whether equal calls of one control have different answers."""
    return len({runs(other) for other in asked if other.group == one.group}) > 1


def _way(one: Asked, asked: Sequence[Asked], states: Mapping[int, CallState], live: bool) -> Way:
    state = states[one.number]
    if not state.may_run:
        return Way.REFUSE
    if one.mode != CONFIRMATION or not live:
        return Way.EXECUTE
    as_proposed = (CallState.ACCEPTED, CallState.PASSED)
    equal = [other for other in asked if other.group == one.group]
    if all(states[other.number] in as_proposed for other in equal):
        return Way.CONFIRM
    return Way.INSTRUCT if len(equal) == 1 else Way.EXECUTE
