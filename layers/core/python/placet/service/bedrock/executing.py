"""Running decided calls before the agent hears of them: under their permits, through the executor, at most once each."""

from __future__ import annotations

from typing import Any

from placet.frameworks.bedrock.reading import asked_in, operation
from placet.model.errors import Busy, Conflict
from placet.model.pauses import Agent, call_id
from placet.model.states import PermitState
from placet.records.calls import HeadCall
from placet.records.heads import Head
from placet.service.bedrock.turns import TURN_MS
from placet.service.execute import MAX_RESULT, claim, give_back_permit, order_of, outcome
from placet.service.loading import body_of, call_of, head_of
from placet.service.origin import EXECUTES
from placet.service.ports import ExecutorUnknown, Ports, wired

CONFIRMED = "Bedrock ran it after it was confirmed."


class NotNow(Exception):
    """A call cannot be run now; `result` is what the resume ends with."""

    def __init__(self, result: str) -> None:
        super().__init__(result)
        self.result = result


def execute(ports: Ports, agent: Agent, pause: str, number: int, fence: int) -> None:
    """Run one decided call, unless it was run already. Raises as `hold` and `run_held`."""
    worker = f"{EXECUTES}{fence}"
    before = hold(ports, agent, pause, number, worker, fence)
    if before is not None:
        run_held(ports, agent, pause, before, worker)


def hold(ports: Ports, agent: Agent, pause: str, number: int, worker: str, fence: int) -> HeadCall | None:
    """Claim the permit of one call: the call as it was before, None when it is settled already.

    Raises:
        NotNow: `waiting`, it went back to review; `executing`, another attempt holds it; `leased`, this attempt lost the pause.
        Busy: the policy changed under us, or a restore did.
    """
    call = call_of(head_of(ports, pause), number)
    if call.permit.settled:
        return None
    try:
        claim(ports, agent, call_id(pause, number), call.digest, worker, fence, works_ms=TURN_MS)
    except Conflict as refused:
        if refused.code == "permit_settled":
            return None
        if refused.code in ("policy_denies", "epoch_differs"):
            raise Busy(refused.detail) from None
        raise NotNow(_ENDS.get(refused.code, "leased")) from None
    return call


_ENDS = {"permit_stale": "waiting", "permit_claimed": "executing"}


def run_held(ports: Ports, agent: Agent, pause: str, before: HeadCall, worker: str) -> None:
    """Let the executor run a call whose permit this attempt holds, and record what came of it.

    Args:
        before: the call as it was when the permit was claimed.

    Raises:
        Busy: the executor was not started; the permit is free again.
        NotNow: `executing`, this attempt was given up meanwhile, and its tool takes a key: the next one finds out.
    """
    head, number = head_of(ports, pause), before.number
    try:
        done, result = wired(ports.executors).run(agent, _order(ports, head, call_of(head, number)))
    except Busy as later:
        give_back_held(ports, agent, pause, before, worker, later.detail)
        raise
    except ExecutorUnknown:
        report(ports, agent, pause, number, worker, PermitState.UNKNOWN, "")
        return
    if report(ports, agent, pause, number, worker, PermitState.DONE if done else PermitState.FAILED, result):
        return
    if not call_of(head_of(ports, pause), number).permit.settled:
        raise NotNow("executing")


def give_back_held(ports: Ports, agent: Agent, pause: str, before: HeadCall, worker: str, why: str) -> None:
    """Free the permit of a call that was certainly not begun, for the next attempt; where there will be none it has failed."""
    if not give_back_permit(ports, call_id(pause, before.number), worker, before.claimed_ms):
        report(ports, agent, pause, before.number, worker, PermitState.FAILED, f"{why} It was not run.")


def report(ports: Ports, agent: Agent, pause: str, number: int, worker: str, permit: PermitState, result: str) -> bool:
    """Record the outcome of a permit that this attempt holds; False when it holds it no more, and another's word stands.

    What else the attempt has to write down does not hang on that: a turn that came back is told of in any case.
    """
    try:
        outcome(ports, agent, call_id(pause, number), worker, permit, result[:MAX_RESULT])
    except Conflict as refused:
        ports.log("failed", {"pause": pause, "call": number, "code": refused.code})
        return False
    return True


def _order(ports: Ports, head: Head, call: HeadCall) -> dict[str, Any]:
    """What the executor gets (docs/bedrock.md)."""
    body = body_of(ports, head)
    order = order_of(ports, head, body, call)
    asked = asked_in(body.native["return_control"])[call.number - 1]
    return order | ({"operation": operation(asked, order["arguments"])} if asked.path else {})
