"""execute: claim the permit, act, report. The agent's side acts; here one conditional write lets one attempt do so."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from placet.model.canonical import exact_text
from placet.model.errors import Busy, Conflict, Invalid, NotFound, PlacetError
from placet.model.pauses import Agent, call_id, split_call_id
from placet.model.states import PermitState
from placet.records import writes
from placet.records.bodies import Body
from placet.records.calls import HeadCall
from placet.records.conditions import failing
from placet.records.facts import Fact
from placet.records.heads import Head
from placet.records.ops import ConditionFailed
from placet.service.denials import denials
from placet.service.loading import arguments_of, body_of, call_of, head_in, head_of, not_frozen
from placet.service.origin import check_claimer, check_worker, pause_of
from placet.service.outcomes import outcome_told
from placet.service.ports import Ports
from placet.service.refused_claims import refused_claim
from placet.service.remembered import remember_done
from placet.service.timely import write_timely

MAX_RESULT = 4_096
CLAIM_MS = 120_000  # of who renews: three times as long as the SDK takes
UNKNOWN_CLASS_S = 900
ATTEMPTS = 5
MOVED = (["same_moment"], ["open_as_seen"])  # what fails when nothing but the pause's place moved


@dataclass(frozen=True)
class Permit:
    """What a claim releases: exactly these arguments, once.

    Attributes:
        until: when the attempt is given up unless it has reported, or renewed its claim (ms).
    """

    call: str
    tool: str
    arguments: str
    digest: str
    idempotency_key: str
    until: int
    replayed: bool


def claim(
    ports: Ports,
    agent: Agent,
    call: str,
    digest: str,
    worker: str,
    fence: int | None = None,
    *,
    renews: bool = False,
    works_ms: int = 0,
    by_agent: bool = False,
) -> Permit:
    """Claim the permit of a decided call for one attempt.

    Args:
        renews: whether the attempt will renew its claim (`renew_claim`), so that it can be given up soon after it fell silent. Else
            it is waited for as long as its class says (`claim_s`).
        works_ms: how long an attempt of the gateway's own may take, whatever the class says.
        by_agent: whether a process of the agent asks, and not the gateway itself.

    Raises:
        NotFound: no such call of this agent.
        Conflict: `permit_claimed`, `permit_settled`, `call_not_approved`, `call_held` (its decision may still be taken back),
            `digest_differs`, `permit_stale` (it goes back to review), `policy_denies`, `call_cancelled`, `already_resumed`,
            `lease_lost`, `epoch_differs`; each leaves an event.
            As `check_claimer`, which leaves none.
        Frozen: an operator holds everything.
        Busy: the pause moves all the time; try again.
    """
    pause, number = split_call_id(call)
    not_frozen(ports)
    head = pause_of(ports, agent, pause)
    if by_agent:
        check_claimer(agent, head.framework, worker)
    current = call_of(head, number)
    body = body_of(ports, head)
    arguments = arguments_of(ports, head, body, current)
    over_ms = ports.clock.now_ms() + (CLAIM_MS if renews else max(works_ms, claim_ms_of(ports, current)))
    wanted = writes.Claim(number, digest, worker, over_ms, fence)
    if denials(ports, head, body, current, arguments):
        raise refused_claim(ports, head, wanted, ["policy_allows"])
    permit = Permit(call, current.tool, exact_text(arguments), digest, _idempotency_key(call), over_ms, replayed=False)
    for _ in range(ATTEMPTS):
        try:
            write_timely(ports, partial(writes.claim, ports.keys, head, wanted, ports.epoch))
        except ConditionFailed as lost:
            if lost.old is None:
                raise NotFound from None
            head, failed = head_in(lost.old), failing(lost.op.clauses if lost.op else (), lost.old)
            if failed in MOVED:
                continue  # another call of it was closed or asked for again, or its mails were sent
            if not _mine_already(call_of(head, number), digest, worker):
                raise refused_claim(ports, head, wanted, failed) from None
            return replace(permit, until=call_of(head, number).over_ms, replayed=True)
        return permit
    raise Busy


def order_of(ports: Ports, head: Head, body: Body, call: HeadCall) -> dict[str, Any]:
    """What an executor gets of a call whose permit is claimed, whichever framework it comes from (docs/bedrock.md)."""
    at = call_id(head.pause, call.number)
    return {
        "call": at,
        "pause": head.pause,
        "run": head.run,
        "agent": head.agent,
        "tool": call.tool,
        "arguments": arguments_of(ports, head, body, call),
        "digest": call.digest,
        "idempotency_key": _idempotency_key(at),
    }


def _idempotency_key(call: str) -> str:
    """The same for every attempt of a call."""
    return f"placet-{call}"


def renew_claim(ports: Ports, agent: Agent, call: str, worker: str) -> int:
    """The attempt is still at it; returns until when it is waited for now (ms), never sooner than before.

    Raises:
        NotFound: no such call of this agent.
        Conflict: `not_your_permit`, `permit_settled`; or `claim_lost`, it was given up, and what it reports is still taken.
            As `check_worker`.
    """
    pause, number = split_call_id(call)
    for _ in range(ATTEMPTS):
        head = pause_of(ports, agent, pause)
        check_worker(head.framework, worker)
        current = call_of(head, number)
        _check_holder(current, worker)
        if current.permit is not PermitState.CLAIMED:
            raise Conflict(
                "claim_lost", "This attempt was given up; a person looks into it. Report its outcome all the same."
            )
        over_ms = max(current.over_ms, ports.clock.now_ms() + CLAIM_MS)
        try:
            ports.table.write(writes.renew_claim(ports.keys, pause, number, worker, over_ms))
        except ConditionFailed:
            continue
        return over_ms
    raise Busy


def claim_ms_of(ports: Ports, call: HeadCall) -> int:
    """For how long an attempt is waited for that does not renew its claim, by its class (ms)."""
    action_class = ports.policy.classes.get(call.action_class)
    return 1000 * (action_class.claim_s if action_class else UNKNOWN_CLASS_S)


def outcome(
    ports: Ports, agent: Agent, call: str, worker: str, permit: PermitState, result: str, *, by_agent: bool = False
) -> bool:
    """Record the outcome of an attempt. Returns True when the same report is on record already.

    Raises:
        Invalid: `result_too_long`.
        NotFound: no such call of this agent.
        Conflict: `not_your_permit`, `permit_settled`, `outcome_differs`; `by_agent` as `check_worker`.
    """
    if len(result) > MAX_RESULT:
        raise Invalid("result_too_long", f"A result has at most {MAX_RESULT} characters.", limit=MAX_RESULT)
    pause, number = split_call_id(call)
    for _ in range(ATTEMPTS):
        head = pause_of(ports, agent, pause)
        if by_agent:
            check_worker(head.framework, worker)
        current = call_of(head, number)
        if (current.permit, current.worker) == (permit, worker):
            _check_same(outcome_told(ports, head, number, permit.value), permit, result)
            _remember(ports, head, number, permit)
            return True
        _check_holder(current, worker)
        try:
            ports.table.write(writes.outcome(ports.keys, head, number, worker, permit, result, ports.clock.now_ms()))
        except ConditionFailed:
            continue
        if permit is PermitState.UNKNOWN:
            ports.log("stuck", {"pause": pause, "reason": "permit_unknown"})
        _remember(ports, head, number, permit)
        return False
    raise Busy


def _remember(ports: Ports, head: Head, number: int, permit: PermitState) -> None:
    """The outcome is on record: what follows from it must not fail the report."""
    if permit is PermitState.DONE:
        try:
            remember_done(ports, head, number)
        except PlacetError as error:
            ports.log("not_remembered", {"pause": head.pause, "call": number, "code": error.code})


def give_back_permit(ports: Ports, call: str, worker: str, tried_ms: int) -> bool:
    """Free a permit whose attempt certainly did not start; False when the run has ended, or another hand has settled it.

    Args:
        tried_ms: as the permit had it before this attempt claimed it.
    """
    pause, number = split_call_id(call)
    try:
        ports.table.write(writes.unclaim(ports.keys, pause, number, worker, tried_ms))
    except ConditionFailed:  # or the answer of this very write was lost, and it was repeated
        now = call_of(head_of(ports, pause), number)
        return now.permit is PermitState.FREE and now.claimed_ms == tried_ms
    return True


def _check_same(told: Fact, permit: PermitState, result: str) -> None:
    """Raises Conflict when this attempt told something else before: the first stands, and nobody may think that both do."""
    # Nothing is told when the sweep gave up, which knows nothing, or when an operator settled it.
    silent = not told.name or (permit is PermitState.UNKNOWN and not told.result)
    if told.result != result and not silent:
        raise Conflict(
            "outcome_differs",
            "This attempt reported another result before; that one stands.",
            permit=permit.value,
            result=told.result,
        )


def _check_holder(call: HeadCall, worker: str) -> None:
    """Raises Conflict unless this attempt holds the permit, or held it when it was given up."""
    if call.permit in (PermitState.DONE, PermitState.FAILED):
        raise Conflict("permit_settled", f"The permit is {call.permit.value} already.", permit=call.permit.value)
    if call.permit not in (PermitState.CLAIMED, PermitState.UNKNOWN) or call.worker != worker:
        raise Conflict("not_your_permit", "This attempt does not hold the permit of the call.")


def _mine_already(call: HeadCall, digest: str, worker: str) -> bool:
    """The same attempt asks again because it lost our answer."""
    return (call.permit, call.worker, call.digest) == (PermitState.CLAIMED, worker, digest)
