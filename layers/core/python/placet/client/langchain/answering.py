"""Sending decisions into a paused run: one question per invoke, by its id, strictly, and looking afterwards."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.errors import UnknownInterruptError
from langgraph.types import Command, StateSnapshot

from placet.client.errors import GatewayRefused, NotCapturable, NotRun, RunIsBusy, StillPending
from placet.client.langchain.pauses import held_ids, pending_ids
from placet.client.langchain.released_call import released
from placet.client.records import Call, Pause

STRICT = "__pregel_strict_resume"  # private to LangGraph (>= 1.2.20): an unknown question raises; pinned by a test
QUIET_S = 60.0


def answer(agent: Any, config: RunnableConfig, pause: Pause, *, quiet_s: float = QUIET_S) -> None:
    """Send the answer of every call that is still asked; those that an earlier attempt sent are skipped.

    A call that cannot be run here does not hold up the others of its pause: what it raised is raised at the end.

    Raises:
        GatewayRefused, NotRun: a permit was not given; its question stays open.
        StillPending: the framework asks on after an answer.
        RunIsBusy: all was answered before or at this moment, and the run is in another process's hands.
    """
    answered, stopped = False, None
    held = frozenset(call.framework_call_id for call in pause.calls)
    for call in pause.calls:
        state = agent.get_state(config)
        if call.interrupt_id not in pending_ids(state):
            continue
        answered = True
        try:
            _send(agent, config, call, held | held_ids(state))
        except (GatewayRefused, NotRun) as error:
            stopped = stopped or error
            continue
        if call.interrupt_id in pending_ids(agent.get_state(config)):
            raise StillPending(f"{call.call}: LangGraph still asks after the answer was sent.")
    if stopped is not None:
        raise stopped
    state = agent.get_state(config)
    if not answered and state.next and not state.interrupts:
        go_on(agent, config, state, quiet_s=quiet_s)


def go_on(agent: Any, config: RunnableConfig, state: StateSnapshot, *, quiet_s: float = QUIET_S) -> None:
    """Finish a step that a dead process left behind. No gated call runs here: nothing is released.

    A step that moved a moment ago may be another process's work in progress, so it has to be quiet for `quiet_s` first.
    """
    made = datetime.fromisoformat(state.created_at) if state.created_at else datetime.now(UTC)
    if (datetime.now(UTC) - made).total_seconds() < quiet_s:
        raise RunIsBusy(f"The run moved less than {quiet_s:.0f} s ago.")
    with released(None, held_ids(state)):
        agent.invoke(None, config, version="v2")


def _send(agent: Any, config: RunnableConfig, call: Call, held: frozenset[str]) -> None:
    if call.native is None:
        raise NotCapturable(f"{call.call}: the record carries no answer for LangGraph.")
    strict = {**config, "configurable": {**config["configurable"], STRICT: True}}
    with released(call, held):
        try:
            agent.invoke(Command(resume={call.interrupt_id: call.native}), strict, version="v2")
        except UnknownInterruptError:
            raise RunIsBusy(f"{call.call}: another process answered at the same moment.") from None
