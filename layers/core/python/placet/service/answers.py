"""The decisions of a pause, as its agent gets them."""

from __future__ import annotations

from typing import Any

from placet.frameworks import adapter_of
from placet.model.canonical import exact_text
from placet.model.events import EventName
from placet.model.pauses import call_id
from placet.model.states import CallState, PauseState
from placet.records import writes
from placet.records.bodies import Body
from placet.records.calls import HeadCall
from placet.records.heads import Head
from placet.service.loading import arguments_of, body_of, fact_of
from placet.service.ports import Ports


def as_delivery(ports: Ports, head: Head) -> dict[str, Any]:
    """What a queue or webhook gets: the same however often it is sent, but for what happened to the permits meanwhile."""
    ids = {"type": "placet.decided", "pause": head.pause, "generation": head.gen}
    return ids | {"resume": as_resume(ports, head)}


def as_resume(ports: Ports, head: Head, body: Body | None = None) -> dict[str, Any]:
    """The decisions as an agent gets them (docs/api.md, `resumes`). `body`: of this pause, by whoever has it already."""
    body, now = body or body_of(ports, head), ports.clock.now_ms()
    state = {PauseState.OPEN: "waiting", PauseState.CLOSED: "decided", PauseState.ENDED: "ended"}[head.state]
    held = {"held_until": head.held_ms} if head.is_held(now) else {}
    return held | {
        "pause": head.pause,
        "run": head.run,
        "framework": head.framework,
        "state": "waiting" if held else state,
        "native_ref": body.ref,
        "calls": [_call(ports, head, body, call, now) for call in head.calls],
    }


def _call(ports: Ports, head: Head, body: Body, call: HeadCall, now_ms: int) -> dict[str, Any]:
    """One call as its agent sees it. While its decision may be taken back it waits, as far as an agent is concerned."""
    proposed = body.call(call.number)
    view: dict[str, Any] = {
        "call": call_id(head.pause, call.number),
        "tool": call.tool,
        "framework_call_id": proposed.framework_call_id,
        "interrupt_id": proposed.interrupt_id,
        "state": call.state.value,
    }
    if call.state is CallState.PENDING:
        return view
    if head.may_take_back(call, now_ms):
        return view | {"state": CallState.PENDING.value, "held_until": call.undo_ms}
    arguments = arguments_of(ports, head, body, call)
    decided = fact_of(ports, head.pause, writes.decided_fact(call))
    view |= {
        "reason": decided.reason or None,
        "decided_by": decided.who or None,
        "by_whom": decided.who.parts,
        "native": adapter_of(head.framework).answer(call.state, call.tool, arguments, decided.reason),
        "permit": call.permit.value,
    }
    if decided.name == EventName.RULED:
        view["by_rule"] = True
    if call.state.may_run:
        view |= {"digest": call.digest, "arguments": exact_text(arguments)}
    return view
