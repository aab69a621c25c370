"""The running Bedrock runtime as a test sees it."""

from __future__ import annotations

import json
from typing import Any

from local.agents.bedrock_scenes import ACCEPT, Decision, Scene
from local.agents.executions import executed
from local.agents.processes import gateway_as
from local.agents.proof import Proof, Told, prove
from local.agents.refund_desk import AGENT
from local.endpoint import Endpoint
from local.stack import LocalStack

VERBS = {"RESULT": "refund", "USER_CONFIRMATION": "voucher", "USER_CONFIRMATION_AND_RESULT": "cancel"}


def runtime(stack: LocalStack, path: str, body: Any = None) -> Any:
    """One request to the runtime's own routes."""
    data = json.dumps(body).encode() if body is not None else None
    return json.loads(Endpoint(stack.settings.bedrock_endpoint).open(f"/_bedrock/{path}", data))


def scenes_of(mode: str, order: str) -> tuple[list[Scene], list[Scene]]:
    """Every decision on one call, in time and late; and the two runs on which nobody decides."""
    decisions: dict[str, tuple[Decision, ...]] = {
        "accept": (ACCEPT,),
        "edit": (("edit", json.dumps({**_given(mode), "orderId": order, "amountCents": 15_000}), "Less."),),
        "reject": (("reject", "No."),),
    }
    verb = VERBS[mode]
    decided = [
        Scene(
            f"{verb} {kind} {'late' if late else 'soon'}",
            f"{verb} {order} 20000",
            (calls,),
            late=late,
            passed_on=kind == "edit" and mode == "USER_CONFIRMATION" and not late,
        )
        for kind, calls in decisions.items()
        for late in (False, True)
    ]
    nobody = [
        Scene(f"{verb} nobody {late}", f"{verb} {order} 20000", late=late, wait_at_most_s=5) for late in (False, True)
    ]
    return decided, nobody


def _given(mode: str) -> dict[str, Any]:
    """Arguments that the agent adds by itself."""
    return {"notify": True} if mode == "RESULT" else {}


def proved(stack: LocalStack, told: list[Told], began: float) -> Proof:
    """What was told against what ran since then."""
    done = [one for one in executed(stack.client("dynamodb")) if float(one["at"]) >= began]
    return prove(told, [gateway_as(stack, AGENT)], done)
