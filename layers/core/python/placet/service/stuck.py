"""The stuck list: pauses whose runs have not gone on, which a person finds with their reason."""

from __future__ import annotations

from placet.model.states import ResumeState
from placet.records import writes
from placet.records.heads import Head
from placet.records.ops import ConditionFailed
from placet.service.ports import Ports


def list_stuck(ports: Ports, head: Head, reason: str) -> bool:
    """Put a pause whose run has not gone on onto the stuck list, where a person finds it with its reason.

    One that is listed already keeps its first reason: what is to be done about that comes before what followed from it.
    Only an outcome that becomes unknown is told instead (`writes.with_unknown`): nothing goes on before that is settled.

    Args:
        head: as the caller judged it; nothing is written when the pause got on since that was read.

    Returns:
        Whether it was listed now.
    """
    if head.resume_state is ResumeState.DONE or head.stuck:
        return False
    try:
        ports.table.write(writes.list_stuck(ports.keys, head, reason, ports.clock.now_ms()))
    except ConditionFailed:
        return False
    ports.log("stuck", {"pause": head.pause, "reason": reason})
    return True
