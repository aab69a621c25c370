"""Why a claim gets no permit, and what follows from that."""

from __future__ import annotations

import contextlib

from placet.model.errors import Conflict
from placet.model.states import CallState
from placet.records import writes
from placet.records.calls import HeadCall
from placet.records.heads import Head
from placet.records.ops import ConditionFailed
from placet.service.loading import call_of
from placet.service.outcomes import result_of
from placet.service.ports import Ports


def refused_claim(ports: Ports, head: Head, wanted: writes.Claim, failed: list[str]) -> Conflict:
    """Why an attempt gets no permit, which leaves an event; an approval that is too old goes back to review."""
    error = _why(failed, call_of(head, wanted.number))
    now = ports.clock.now_ms()
    if error.code == "permit_settled":
        error.members["result"] = result_of(ports, head, wanted.number, error.members["permit"])
    with contextlib.suppress(ConditionFailed):  # refused for the same reason before, or asked for again meanwhile
        refusal = writes.refuse_claim(
            ports.keys, head.pause, wanted.number, error.code, wanted.worker, wanted.digest, now
        )
        ports.table.write(refusal)
    if error.code == "permit_stale":
        _ask_again(ports, head, call_of(head, wanted.number), wanted.worker, now)
    return error


def _ask_again(ports: Ports, head: Head, call: HeadCall, worker: str, now: int) -> None:
    """Back to review; but a call that an earlier attempt may have run goes to an operator, who finds that out first."""
    tried = call.claimed_ms > 0
    ops = (
        writes.give_up_tried(ports.keys, head, call, now)
        if tried
        else writes.reopen(ports.keys, head, call, worker, now)
    )
    with contextlib.suppress(ConditionFailed):  # it got on meanwhile
        ports.table.write(ops)
        if tried:
            ports.log("stuck", {"pause": head.pause, "reason": "permit_unknown"})


def _why(failed: list[str], call: HeadCall) -> Conflict:
    if "policy_allows" in failed:
        return Conflict("policy_denies", "The policy forbids this call now; it must not run.")
    if "not_resumed" in failed and "not_cancelled" not in failed and "permit_free" not in failed:
        return Conflict("already_resumed", "The run has ended this pause; its calls must not run any more.")
    if "not_cancelled" in failed or call.state in (CallState.CANCELLED, CallState.SUPERSEDED):
        return Conflict("call_cancelled", "The run moved on; this call must not run any more.")
    if "may_run" in failed:
        return Conflict(
            "call_not_approved", f"The call is {call.state.value}; it must not run.", state=call.state.value
        )
    if "window_over" in failed and "permit_free" not in failed:
        return Conflict(
            "call_held", "The decision may still be taken back; claim it again after that.", until=call.undo_ms
        )
    if "same_epoch" in failed:
        return Conflict("epoch_differs", "The records were restored from a backup; the call may have run since.")
    if "permit_free" in failed and call.permit.settled:
        return Conflict("permit_settled", f"The call ran already: {call.permit.value}.", permit=call.permit.value)
    if "permit_free" in failed:
        return Conflict("permit_claimed", "Another attempt holds the permit of this call.")
    if "my_fence" in failed:
        return Conflict("lease_lost", "Another worker resumes this run now.")
    if "digest_named" in failed:
        return Conflict("digest_differs", "These are not the arguments that were decided.")
    return Conflict("permit_stale", "The decision is too old to be executed; it has to be reviewed again.")
