"""Who plays: two agents, three people, and a policy whose spans are short enough to be lived through."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

from placet.frameworks import adapter_of
from placet.model.canonical import exact_text, parse
from placet.model.pauses import Agent, Capture, Reviewer
from placet.policy import ActionClass, Always, Effect, Level, Policy, Threshold, Tool

MINUTE, HOUR = 60, 3_600

SUPPORT = Agent("support-agent", "placet-support-agent", "owner@example.com", "pick_up")
BILLING = Agent("billing-agent", "placet-billing-agent", "owner@example.com", "lambda", "placet-billing-agent")

GROUP = "finance"
PEOPLE = {
    sub: Reviewer(sub, sub.title(), f"{sub}@example.com", frozenset({GROUP})) for sub in ("maria", "jonas", "ana")
}
BOARD = "board"
DIRECTORS = {sub: Reviewer(sub, sub.title(), f"{sub}@example.com", frozenset({BOARD})) for sub in ("lena", "otto")}
EVERYBODY = PEOPLE | DIRECTORS

_LEVELS = (Level(groups=(GROUP,)),)
_SPANS: dict[str, Any] = {"deadline_s": 10 * MINUTE, "hard_maximum_s": HOUR, "freshness_s": 30 * MINUTE}

POLICY = Policy.of(
    version="world.1",
    classes=[
        ActionClass("one", _LEVELS, **_SPANS, claim_s=5 * MINUTE),
        ActionClass("two", _LEVELS, **_SPANS, quorum=2, claim_s=5 * MINUTE),
    ],
    tools=[
        Tool("refund", "one", rules=(Threshold("refund/over", "Over 100.", "amount", Decimal(100)),)),
        Tool("erase", "two", rules=(Always("erase/always", "Always looked at."),)),
        Tool("look", "one", free=True, effect=Effect.CAN),
        Tool("shout", "one", denied=True),
    ],
    unknown_class="one",
)

# The same, where decisions on most tools may be taken back for a minute, and on one class people are reminded and more are asked.
HELD = replace(
    POLICY,
    classes={
        **POLICY.classes,
        "one": replace(POLICY.classes["one"], undo_s=MINUTE),
        "levels": ActionClass(
            "levels",
            (Level((GROUP,)), Level((BOARD,), 4 * MINUTE)),
            **_SPANS,
            claim_s=5 * MINUTE,
            remind_after_s=(2 * MINUTE, 6 * MINUTE),
            undo_s=MINUTE,
        ),
    },
    tools={**POLICY.tools, "pay": Tool("pay", "levels", rules=(Always("pay/always", "Always looked at."),))},
)

Proposed = tuple[str, dict[str, Any]]


def handed_in(
    agent: Agent, run: str, checkpoint: str, calls: tuple[Proposed, ...], *, keyed: bool, **facts: str
) -> Capture:
    """A paused run as the SDK hands it in."""
    native = {
        "mode": "per_call",
        "checkpoint_ns": "",
        "checkpoint_id": checkpoint,
        "interrupts": [
            {
                "id": interrupt_of(checkpoint, number),
                "value": {"type": "tool_approval", "tool_call_id": f"call_{number}", "name": tool, "args": arguments},
            }
            for number, (tool, arguments) in enumerate(calls, start=1)
        ],
        "tools": {tool: {"idempotency_key": keyed} for tool, _ in calls},
    }
    found = adapter_of("langchain").read(run, parse(exact_text(native)))
    return Capture(agent.name, "langchain", run, found, '{"mode":"per_call"}', entity="order:1", **facts)


def interrupt_of(checkpoint: str, number: int) -> str:
    """The framework's id of one question."""
    return f"{checkpoint}.{number}"
