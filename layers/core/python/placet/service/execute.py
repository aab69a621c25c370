"""execute: claim the permit, act, report. The agent's side acts; here one conditional write lets one attempt do so."""

from __future__ import annotations

from dataclasses import dataclass

from placet.model.canonical import exact_text
from placet.model.errors import Conflict, Invalid, NotFound
from placet.model.pauses import Agent, split_call_id
from placet.model.states import CallState, PermitState
from placet.records import writes
from placet.records.clauses import failing
from placet.records.heads import Head, HeadCall, read_head
from placet.records.ops import ConditionFailed, Update
from placet.service.loading import arguments_of, body_of, call_of
from placet.service.ports import Ports
from placet.service.resume import pause_of

MAX_RESULT = 4_096


@dataclass(frozen=True)
class Permit:
    """What a claim releases: exactly these arguments, once."""

    call: str
    tool: str
    arguments: str
    digest: str
    idempotency_key: str
    replayed: bool


def claim(ports: Ports, agent: Agent, call: str, digest: str, worker: str) -> Permit:
    """Claim the permit of a decided call for one attempt.

    Raises:
        NotFound: no such call of this agent.
        Conflict: `permit_claimed`, `permit_settled`, `call_not_approved`, `digest_differs`, `permit_stale`, `call_cancelled`,
            `epoch_differs`; each leaves an event.
    """
    pause, number = split_call_id(call)
    head = pause_of(ports, agent, pause)
    call_of(head, number)
    now = ports.clock.now_ms()
    ops = writes.claim(ports.keys, pause, number, digest, worker, ports.epoch, now)
    try:
        ports.table.write(ops)
    except ConditionFailed as lost:
        if lost.old is None:
            raise NotFound from None
        head = read_head(lost.old)
        if not _mine_already(call_of(head, number), digest, worker):
            raise _refused(ports, head, number, digest, worker, ops[0], lost) from None
        return _permit(ports, head, number, call, replayed=True)
    return _permit(ports, head, number, call, replayed=False)


def outcome(ports: Ports, agent: Agent, call: str, worker: str, permit: PermitState, result: str) -> bool:
    """Record the outcome of an attempt. Returns True when the same report is on record already.

    Raises:
        Invalid: `result_too_long`.
        NotFound: no such call of this agent.
        Conflict: `not_your_permit`, `permit_settled`.
    """
    if len(result) > MAX_RESULT:
        raise Invalid("result_too_long", f"A result has at most {MAX_RESULT} characters.", limit=MAX_RESULT)
    pause, number = split_call_id(call)
    call_of(pause_of(ports, agent, pause), number)
    try:
        ports.table.write(writes.outcome(ports.keys, pause, number, worker, permit, result, ports.clock.now_ms()))
    except ConditionFailed:
        current = call_of(pause_of(ports, agent, pause), number)
        if (current.permit, current.worker) == (permit, worker):
            return True
        if current.permit.settled:
            raise Conflict(
                "permit_settled", f"The permit is {current.permit.value} already.", permit=current.permit.value
            ) from None
        raise Conflict("not_your_permit", "This attempt does not hold the permit of the call.") from None
    return False


def _permit(ports: Ports, head: Head, number: int, call: str, *, replayed: bool) -> Permit:
    body = body_of(ports, head)
    current = call_of(head, number)
    return Permit(
        call=call,
        tool=current.tool,
        arguments=exact_text(arguments_of(ports, head, body, current)),
        digest=current.digest,
        idempotency_key=f"placet-{call}",
        replayed=replayed,
    )


def _mine_already(call: HeadCall, digest: str, worker: str) -> bool:
    """The same attempt asks again because it lost our answer."""
    return (call.permit, call.worker, call.digest) == (PermitState.CLAIMED, worker, digest)


def _refused(
    ports: Ports, head: Head, number: int, digest: str, worker: str, op: object, lost: ConditionFailed
) -> Conflict:
    failed = failing(op.clauses, lost.old) if isinstance(op, Update) else []
    error = _why(failed, call_of(head, number))
    if error.code == "permit_settled":
        told = ports.table.get(ports.keys.event(head.pause, f"{number}#executed")) or {}
        error.members["result"] = told.get("result", "")
    try:
        now = ports.clock.now_ms()
        ports.table.write(writes.refuse_claim(ports.keys, head.pause, number, error.code, worker, digest, now))
    except ConditionFailed:
        pass  # the same attempt was refused for the same reason before
    return error


def _why(failed: list[str], call: HeadCall) -> Conflict:
    if "not_cancelled" in failed or call.state in (CallState.CANCELLED, CallState.SUPERSEDED):
        return Conflict("call_cancelled", "The run moved on; this call must not run any more.")
    if "may_run" in failed:
        return Conflict(
            "call_not_approved", f"The call is {call.state.value}; it must not run.", state=call.state.value
        )
    if "same_epoch" in failed:
        return Conflict("epoch_differs", "The records were restored from a backup; the call may have run since.")
    if "permit_free" in failed and call.permit.settled:
        return Conflict("permit_settled", f"The call ran already: {call.permit.value}.", permit=call.permit.value)
    if "permit_free" in failed:
        return Conflict("permit_claimed", "Another attempt holds the permit of this call.")
    if "digest_named" in failed:
        return Conflict("digest_differs", "These are not the arguments that were decided.")
    return Conflict("permit_stale", "The decision is too old to be executed; it has to be reviewed again.")
