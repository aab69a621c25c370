"""The transition tables: every legal move, and nothing else."""

import itertools

import pytest

from placet.model.errors import Conflict
from placet.model.states import CallState, PermitState, Verdict
from placet.model.transitions import CALL_MOVES, PERMIT_MOVES, CallMove, move_call, tally


def test_only_a_pending_call_is_decided_and_only_an_approval_is_asked_for_again() -> None:
    for state, move in itertools.product(CallState, CallMove):
        if (state is CallState.PENDING) != (move is CallMove.REOPEN) and (state is CallState.PENDING or state.may_run):
            assert (move_call(state, move) is CallState.PENDING) == (move is CallMove.REOPEN)
        else:
            with pytest.raises(Conflict, match="already"):
                move_call(state, move)


def test_a_permit_is_claimed_from_free_only_and_what_is_done_stays_done() -> None:
    assert {state for state, _ in PERMIT_MOVES} == set(PermitState) - {PermitState.DONE, PermitState.FAILED}
    assert [target for (state, _), target in PERMIT_MOVES.items() if target is PermitState.CLAIMED] == [
        PermitState.CLAIMED
    ]


def test_each_move_ends_where_its_name_says() -> None:
    calls = {f"{state} {move} {after}" for (state, move), after in CALL_MOVES.items()}
    reopened = {f"{state} reopen pending" for state in ("passed", "accepted", "edited")}
    assert calls - reopened == {
        "pending accept accepted",
        "pending edit edited",
        "pending reject rejected",
        "pending expire expired",
        "pending cancel cancelled",
        "pending supersede superseded",
    }
    assert reopened < calls
    assert {f"{state} {move} {after}" for (state, move), after in PERMIT_MOVES.items()} == {
        "none release free",
        "free claim claimed",
        "claimed done done",
        "claimed failed failed",
        "claimed unknown unknown",
        "claimed free_again free",
        "free void none",
        "free unknown unknown",
        "unknown done done",
        "unknown failed failed",
    }


def test_no_timeout_ever_approves() -> None:
    approving = {state for state in CallState if state.may_run}
    assert {move for (_, move), target in CALL_MOVES.items() if target in approving} == {CallMove.ACCEPT, CallMove.EDIT}


@pytest.mark.parametrize(
    ("votes", "quorum", "voter", "verdict", "digest", "revision", "state", "after"),
    [
        ({}, 1, "a", Verdict.ACCEPT, "d", 1, CallState.ACCEPTED, {"a": "d"}),
        ({}, 2, "a", Verdict.ACCEPT, "d", 1, CallState.PENDING, {"a": "d"}),
        ({"a": "d"}, 2, "b", Verdict.ACCEPT, "d", 1, CallState.ACCEPTED, {"a": "d", "b": "d"}),
        ({"a": "d"}, 2, "a", Verdict.ACCEPT, "d", 1, CallState.PENDING, {"a": "d"}),
        ({"a": "d"}, 2, "b", Verdict.EDIT, "e", 1, CallState.PENDING, {"b": "e"}),
        ({"b": "e"}, 2, "a", Verdict.ACCEPT, "e", 2, CallState.EDITED, {"b": "e", "a": "e"}),
        ({"a": "d"}, 3, "b", Verdict.REJECT, "d", 1, CallState.REJECTED, {"a": "d"}),
        ({}, 1, "a", Verdict.EDIT, "e", 1, CallState.EDITED, {"a": "e"}),
    ],
)
def test_a_quorum_counts_distinct_people_on_one_digest(
    votes: dict[str, str],
    quorum: int,
    voter: str,
    verdict: Verdict,
    digest: str,
    revision: int,
    state: CallState,
    after: dict,
) -> None:
    result = tally(votes, quorum, voter, verdict, digest, revision)
    assert (result.state, result.votes) == (state, after)
