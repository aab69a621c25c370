"""Moves of permits: every life is possible, and what has ended begins no other."""

import pytest

from placet.model.states import PermitState
from placet.model.transitions import PERMIT_MOVES, CallMove, PermitMove


def test_moves_are_called_by_their_names() -> None:
    for move in (*CallMove, *PermitMove):
        assert move.value == move.name.lower()


@pytest.mark.parametrize(
    ("moves", "ends"),
    [
        ("release claim done", "done"),
        ("release claim failed", "failed"),
        ("release claim unknown done", "done"),
        ("release claim unknown failed", "failed"),
        ("release claim free_again claim done", "done"),  # a keyed tool whose worker died is tried again
        ("release void release", "free"),  # an approval that got too old, and was given again
        ("release unknown", "unknown"),  # a restored table
    ],
)
def test_every_life_of_a_permit_is_possible(moves: str, ends: str) -> None:
    state = PermitState.NONE
    for move in moves.split():
        state = PERMIT_MOVES[state, PermitMove(move)]
    assert state == ends


def test_no_permit_is_released_twice_or_claimed_before() -> None:
    released = {state for state, move in PERMIT_MOVES if move is PermitMove.RELEASE}
    claimed = {state for state, move in PERMIT_MOVES if move is PermitMove.CLAIM}
    assert (released, claimed) == ({PermitState.NONE}, {PermitState.FREE})
