"""The last write of a pause: its run went on with the decisions."""

from __future__ import annotations

from placet.model.errors import Busy, Conflict
from placet.model.pauses import Agent
from placet.model.states import ResumeState
from placet.records import writes
from placet.records.ops import ConditionFailed
from placet.service.origin import pause_of, resumable
from placet.service.ports import Ports

ATTEMPTS = 3


def resumed(ports: Ports, agent: Agent, pause: str, fence: int | None = None, *, by_agent: bool = False) -> bool:
    """The run went on. Returns True when that was known already.

    Args:
        by_agent: whether a process of the agent says so, and not the gateway itself.

    Raises NotFound, Conflict `still_waiting`, `still_held` (a decision may still be taken back), `lease_lost` when a fence is named
    that is not the last one; as `check_resumer`.
    """
    for _ in range(ATTEMPTS):
        head = resumable(ports, agent, pause) if by_agent else pause_of(ports, agent, pause)
        if head.resume_state is ResumeState.DONE:
            return True
        if head.open_calls:
            raise Conflict("still_waiting", "A call of this pause is not decided yet; its run cannot have gone on.")
        if head.is_held(ports.clock.now_ms()):
            raise Conflict("still_held", "A decision may still be taken back; its run cannot have gone on.")
        if fence is not None and head.fence != fence:
            raise Conflict("lease_lost", "Another worker resumes this run now.")
        try:
            ports.table.write(writes.resumed(ports.keys, head, fence, ports.clock.now_ms()))
        except ConditionFailed:
            continue
        if without := writes.not_run(head):
            ports.log("accepted_not_run", {"pause": pause, "calls": without})
        return False
    raise Busy
