"""Every legal move of a call and of a permit, in one table each; everything else is an error with a stable code.

The store's conditions (`placet.records.clauses`) are the same moves written for DynamoDB, and are compared with this table.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from placet.model.errors import Conflict
from placet.model.states import CallState, PermitState, Verdict


class CallMove(StrEnum):
    """What can happen to a call."""

    ACCEPT = "accept"
    EDIT = "edit"
    REJECT = "reject"
    EXPIRE = "expire"
    CANCEL = "cancel"
    SUPERSEDE = "supersede"
    REOPEN = "reopen"


class PermitMove(StrEnum):
    """What can happen to a permit.

    FREE_AGAIN is for tools that take an idempotency key, whose worker died, and for attempts that were never started; VOID for
    an approval that got too old.
    """

    RELEASE = "release"
    CLAIM = "claim"
    FREE_AGAIN = "free_again"
    VOID = "void"
    DONE = "done"
    FAILED = "failed"
    UNKNOWN = "unknown"


CALL_MOVES: dict[tuple[CallState, CallMove], CallState] = {
    (CallState.PENDING, CallMove.ACCEPT): CallState.ACCEPTED,
    (CallState.PENDING, CallMove.EDIT): CallState.EDITED,
    (CallState.PENDING, CallMove.REJECT): CallState.REJECTED,
    (CallState.PENDING, CallMove.EXPIRE): CallState.EXPIRED,
    (CallState.PENDING, CallMove.CANCEL): CallState.CANCELLED,
    (CallState.PENDING, CallMove.SUPERSEDE): CallState.SUPERSEDED,
    # An approval that was not used in time is asked for again; nothing that a person refused ever is.
    (CallState.PASSED, CallMove.REOPEN): CallState.PENDING,
    (CallState.ACCEPTED, CallMove.REOPEN): CallState.PENDING,
    (CallState.EDITED, CallMove.REOPEN): CallState.PENDING,
}

# What the conditions of the writes allow together: proofs hold each write of every course they play against it.
PERMIT_MOVES: dict[tuple[PermitState, PermitMove], PermitState] = {
    (PermitState.NONE, PermitMove.RELEASE): PermitState.FREE,
    (PermitState.FREE, PermitMove.CLAIM): PermitState.CLAIMED,
    (PermitState.CLAIMED, PermitMove.DONE): PermitState.DONE,
    (PermitState.CLAIMED, PermitMove.FAILED): PermitState.FAILED,
    (PermitState.CLAIMED, PermitMove.UNKNOWN): PermitState.UNKNOWN,
    (PermitState.CLAIMED, PermitMove.FREE_AGAIN): PermitState.FREE,
    (PermitState.FREE, PermitMove.VOID): PermitState.NONE,
    # After a restore the table may call free what was used since: a person finds out.
    (PermitState.FREE, PermitMove.UNKNOWN): PermitState.UNKNOWN,
    # Evidence settles an unknown: the worker's own, late, or an operator's.
    (PermitState.UNKNOWN, PermitMove.DONE): PermitState.DONE,
    (PermitState.UNKNOWN, PermitMove.FAILED): PermitState.FAILED,
}


@dataclass(frozen=True)
class Tally:
    """The outcome of one vote.

    Attributes:
        state: the call's state after it; PENDING while votes are missing.
        votes: digest agreed to, by voter, after it.
    """

    state: CallState
    votes: dict[str, str]


def move_call(state: CallState, move: CallMove) -> CallState:
    """The state after a move. Raises Conflict `already_decided` when the call is no longer pending."""
    try:
        return CALL_MOVES[state, move]
    except KeyError:
        raise Conflict("already_decided", f"The call is {state.value} already.", state=state.value) from None


def tally(votes: dict[str, str], quorum: int, voter: str, verdict: Verdict, digest: str, revision: int) -> Tally:
    """One person's verdict on a pending call that needs `quorum` distinct people on the same digest.

    One reject closes. An edit resets the votes to the editor's own, because everybody else agreed to other arguments.
    The Nth distinct vote closes; the same person twice counts once. A call whose `revision` (the one voted on) is not the
    proposed one closes as EDITED, whoever votes last.
    """
    if verdict is Verdict.REJECT:
        return Tally(move_call(CallState.PENDING, CallMove.REJECT), votes)
    if verdict is Verdict.EDIT:
        counted = {voter: digest}
    else:
        counted = {who: what for who, what in votes.items() if what == digest} | {voter: digest}
    if len(counted) < quorum:
        return Tally(CallState.PENDING, counted)
    edited = verdict is Verdict.EDIT or revision > 1
    return Tally(move_call(CallState.PENDING, CallMove.EDIT if edited else CallMove.ACCEPT), counted)
