"""What becomes of a pause whose execution failed: one that its reviewers see stays with them, another is listed."""

from __future__ import annotations

from placet.model.states import ResumeState
from placet.records import writes
from placet.records.ops import ConditionFailed
from placet.service.loading import head_of
from placet.service.ports import Ports
from placet.service.stuck import list_stuck

ATTEMPTS = 3


def lost_wait(ports: Ports, pause: str, reason: str, gen: int | None = None) -> str:
    """Carry on without the execution.

    A pause that stands in its queue can be decided there, whatever became of its wait: it is left there, the sweep is called to
    have everybody told, because its notify may have told nobody, to have its timer set, and to resume it once it is decided.

    Args:
        reason: what failed, for the stuck list.
        gen: of the execution that failed; a pause that waits under a later one has nothing to do with it.

    Returns:
        `visible` (it stays with its reviewers), `listed`, or `went_on` (it got on meanwhile).
    """
    for _ in range(ATTEMPTS):
        head = head_of(ports, pause)
        if head.resume_state is ResumeState.DONE or (gen is not None and gen != head.gen):
            return "went_on"
        if head.stuck:
            return "listed"
        if not head.open_calls or not head.notified_ms:
            if list_stuck(ports, head, reason):
                return "listed"
            continue
        try:
            ports.table.write(writes.tell_at(ports.keys, head, ports.clock.now_ms(), everybody=True))
        except ConditionFailed:
            continue
        ports.log("wait_lost", {"pause": pause, "reason": reason})
        return "visible"
    return "went_on"
