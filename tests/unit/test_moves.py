"""Moves of permits: every life is possible, every other move says where the permit stands."""

import pytest

from placet.model.errors import Conflict
from placet.model.states import PermitState
from placet.model.transitions import CallMove, PermitMove, move_permit


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
        state = move_permit(state, PermitMove(move))
    assert state == ends


@pytest.mark.parametrize("state", PermitState)
def test_a_permit_that_cannot_make_a_move_says_where_it_stands(state: PermitState) -> None:
    wrong = PermitMove.RELEASE if state is not PermitState.NONE else PermitMove.CLAIM
    with pytest.raises(Conflict) as caught:
        move_permit(state, wrong)
    settled = state in (PermitState.DONE, PermitState.FAILED, PermitState.UNKNOWN)
    assert caught.value.code == ("permit_settled" if settled else f"permit_{state.value}")
    assert caught.value.members == {"permit": state.value}
