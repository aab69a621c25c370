"""Running what a person proposed through the gateway and people agreed to: under its permit, through the agent's executor."""

from __future__ import annotations

from placet.model.errors import Busy, Conflict, Frozen, Unavailable
from placet.model.pauses import Agent, call_id
from placet.model.states import PermitState
from placet.records.calls import HeadCall
from placet.records.heads import Head
from placet.service.bedrock.turns import TURN_MS
from placet.service.execute import MAX_RESULT, claim, give_back_permit, order_of, outcome
from placet.service.leases import give_back, lease
from placet.service.loading import body_of, head_of
from placet.service.origin import EXECUTES
from placet.service.ports import ExecutorUnknown, Ports, wired
from placet.service.stuck import list_stuck
from placet.service.went_on import resumed

LEASE_MS = 120_000 + TURN_MS
_ENDS = {"permit_stale": "waiting", "permit_claimed": "executing"}  # else somebody else has its lease


def carry_out(ports: Ports, head: Head, agent: Agent) -> str:
    """Run the one call of such a pause, if it may run, and end the pause.

    Returns:
        As `resume`: `delivered`, `leased`, `waiting` (it was too old and waits again), `executing`, `listed` (nobody
        knows whether it ran).

    Raises:
        Busy: it cannot be run now; nothing was started.
    """
    if head.stuck:
        return "listed"
    if not agent.executes:
        list_stuck(ports, head, "no_executor")
        return "listed"
    held = lease(ports, head, LEASE_MS)
    if held is None:
        return "leased"
    try:
        result = _run(ports, head_of(ports, head.pause), agent, held.fence)
    except (Busy, Frozen) as error:
        give_back(ports, head.pause, held.fence)
        raise Busy(error.detail) from None
    if result:
        give_back(ports, head.pause, held.fence)
        return result
    resumed(ports, agent, head.pause, held.fence)
    return "delivered"


def _run(ports: Ports, head: Head, agent: Agent, fence: int) -> str:
    """Claim, act, report; returns why the pause does not end, nothing when it does."""
    call, worker = head.calls[0], f"{EXECUTES}{fence}"
    at = call_id(head.pause, call.number)
    if not call.state.may_run or call.permit.settled:
        return "listed" if call.permit is PermitState.UNKNOWN else ""
    try:
        claim(ports, agent, at, call.digest, worker, fence, works_ms=TURN_MS)
    except Conflict as refused:
        if refused.code in ("permit_settled", "policy_denies"):
            return ""  # of what the policy forbids by now the record says that it did not run
        return _ENDS.get(refused.code, "leased")
    return _act(ports, head, call, agent, worker)


def _act(ports: Ports, head: Head, call: HeadCall, agent: Agent, worker: str) -> str:
    at = call_id(head.pause, call.number)
    try:
        done, result = wired(ports.executors).run(agent, order_of(ports, head, body_of(ports, head), call))
    except Unavailable:
        give_back_permit(ports, at, worker, call.claimed_ms)
        raise
    except ExecutorUnknown:
        outcome(ports, agent, at, worker, PermitState.UNKNOWN, "")
        return "listed"
    outcome(ports, agent, at, worker, PermitState.DONE if done else PermitState.FAILED, result[:MAX_RESULT])
    return ""
