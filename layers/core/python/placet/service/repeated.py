"""An operator's answer that was lost: who asks again is told what the first request did, from the event that it left."""

from __future__ import annotations

from placet.model.pauses import split_call_id
from placet.model.states import PermitState
from placet.service.ports import Ports

REPEAT_MS = 10 * 60_000  # so long a second request is taken for the first one, asked again


def repaired_before(ports: Ports, by: str, pause: str) -> str:
    """What the last repair of a pause did, if this person has just done it; empty when not."""
    repairs = ports.table.query(ports.keys.pause(pause), "E#repaired#")
    last = max(repairs, key=lambda event: event["at_ms"], default={})
    recent = ports.clock.now_ms() - last.get("at_ms", 0) < REPEAT_MS
    return str(last.get("did", "")) if recent and last.get("by") == by else ""


def reconciled_before(ports: Ports, by: str, call: str, permit: PermitState, evidence: str) -> bool:
    """Whether this person has settled a call in the very same words."""
    pause, number = split_call_id(call)
    told = ports.table.get(ports.keys.event(pause, f"{number}#reconciled")) or {}
    return (told.get("by"), told.get("permit"), told.get("evidence")) == (by, permit.value, evidence)
