"""The stuck list: pauses whose runs have not gone on, which a person finds with their reason."""

from __future__ import annotations

from placet.model.states import ResumeState
from placet.records import writes
from placet.records.ops import ConditionFailed
from placet.service.loading import head_of
from placet.service.ports import Ports


def list_stuck(ports: Ports, pause: str, reason: str, gen: int | None = None) -> bool:
    """Put a pause whose run has not gone on onto the stuck list, where a person finds it with its reason.

    Args:
        gen: of the execution that failed; an earlier one's end says nothing of a pause that waits under a later one.

    Returns:
        Whether it was listed.
    """
    head = head_of(ports, pause)
    if head.resume_state is ResumeState.DONE or (gen is not None and gen != head.gen):
        return False
    try:
        ports.table.write(writes.list_stuck(ports.keys, head, reason, ports.clock.now_ms()))
    except ConditionFailed:
        return False  # it got on after all
    ports.log("stuck", {"pause": pause, "reason": reason})
    return True
