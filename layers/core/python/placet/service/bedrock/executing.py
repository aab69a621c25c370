"""Running decided calls before the agent hears of them: under their permits, through the executor, at most once each."""

from __future__ import annotations

from placet.model.errors import Busy, Conflict
from placet.model.pauses import Agent, call_id
from placet.model.states import PermitState
from placet.records.heads import Head, HeadCall
from placet.service.execute import MAX_RESULT, claim, outcome
from placet.service.loading import arguments_of, body_of, call_of, head_of
from placet.service.ports import ExecutorUnknown, Ports, wired

CONFIRMED = "Bedrock ran it after it was confirmed."


class NotNow(Exception):
    """A call cannot be run now; `result` is what the resume ends with."""

    def __init__(self, result: str) -> None:
        super().__init__(result)
        self.result = result


def execute(ports: Ports, agent: Agent, pause: str, number: int, fence: int) -> None:
    """Run one decided call, unless it was run already. Raises as `hold`."""
    worker = f"execute-{fence}"
    if hold(ports, agent, pause, number, worker, fence):
        run_held(ports, agent, pause, number, worker)


def hold(ports: Ports, agent: Agent, pause: str, number: int, worker: str, fence: int) -> bool:
    """Claim the permit of one call; False when it is settled already.

    Raises:
        NotNow: `waiting`, it went back to review; `executing`, another attempt holds it; `leased`, this attempt lost the pause.
        Busy: the policy changed under us, or a restore did.
    """
    call = call_of(head_of(ports, pause), number)
    if call.permit.settled:
        return False
    try:
        claim(ports, agent, call_id(pause, number), call.digest, worker, fence)
    except Conflict as refused:
        if refused.code == "permit_settled":
            return False
        if refused.code in ("policy_denies", "epoch_differs"):
            raise Busy(refused.detail) from None
        raise NotNow(_ENDS.get(refused.code, "leased")) from None
    return True


_ENDS = {"permit_stale": "waiting", "permit_claimed": "executing"}


def run_held(ports: Ports, agent: Agent, pause: str, number: int, worker: str) -> None:
    """Let the executor run a call whose permit this attempt holds, and record what came of it."""
    head = head_of(ports, pause)
    try:
        done, result = wired(ports.executors).run(agent, _order(ports, head, call_of(head, number)))
    except ExecutorUnknown:
        report(ports, agent, pause, number, worker, PermitState.UNKNOWN, "")
        return
    report(ports, agent, pause, number, worker, PermitState.DONE if done else PermitState.FAILED, result)


def report(ports: Ports, agent: Agent, pause: str, number: int, worker: str, permit: PermitState, result: str) -> None:
    """Record the outcome of a permit that this attempt holds."""
    outcome(ports, agent, call_id(pause, number), worker, permit, result[:MAX_RESULT])


def _order(ports: Ports, head: Head, call: HeadCall) -> dict[str, object]:
    """What the executor gets (docs/bedrock.md)."""
    at = call_id(head.pause, call.number)
    return {
        "call": at,
        "pause": head.pause,
        "run": head.run,
        "agent": head.agent,
        "tool": call.tool,
        "arguments": arguments_of(ports, head, body_of(ports, head), call),
        "digest": call.digest,
        "idempotency_key": f"placet-{at}",
    }
