"""cancel: the run moved on, asked again, or was killed. Open calls close; what was claimed is listed, not undone."""

from __future__ import annotations

import contextlib

from placet.model.cursors import Place
from placet.model.errors import Busy, Conflict, Invalid, Unreadable
from placet.model.frameworks import OWN
from placet.model.pauses import Agent
from placet.model.states import PermitState, ResumeState
from placet.records import writes
from placet.records.heads import Head
from placet.records.ops import ConditionFailed, Op
from placet.service.names import name_of_run, newest_first
from placet.service.origin import pause_of
from placet.service.ports import Ports

ATTEMPTS = 5


def cancel(ports: Ports, agent: Agent, pause: str, reason: str, successor: str = "") -> tuple[str, list[int]]:
    """Close a pause that its run does not want any more.

    Args:
        successor: the pause that took its place, if the run asked again.

    Returns:
        `cancelled`, or `already` when it was; and the numbers of calls whose permit was out, which a person has to look at.

    Raises:
        NotFound: no such pause of this agent.
        Invalid: `field_invalid`, the successor is this pause, or one of another run.
        Conflict: `already_resumed`, the run went on with its decisions; `gateway_answers`, a person proposed it here.
    """
    newer = pause_of(ports, agent, successor) if successor else None
    for _ in range(ATTEMPTS):
        head = pause_of(ports, agent, pause)
        _of_a_run(head)
        if newer is not None and (newer.pause == head.pause or newer.run != head.run):
            why = "A successor is another pause of the same run."
            raise Invalid("field_invalid", why, problems=[{"at": "successor", "problem": why}])
        if head.cancelled:
            return "already", _claimed(head)
        _still_to_close(head)
        if _closed(ports, head, writes.cancel(ports.keys, head, reason, successor, ports.clock.now_ms())):
            return "cancelled", _claimed(head)
    raise Busy


def supersede(ports: Ports, agent: Agent, run: str, successor: str) -> list[str]:
    """Close every earlier pause of a run that still waits, because the run asked again; returns their ids.

    A capture that is told a second time, after the run asked once more, closes nothing: only what is older, and only for a
    successor that waits itself.
    """
    newest = pause_of(ports, agent, successor)
    closed: list[str] = []
    if not _waits(newest):
        return closed
    for found in newest_first(ports, name_of_run(ports.keys, agent.name, run), Place(newest.captured_ms, successor)):
        head = found.pause
        if isinstance(head, Unreadable) or not head.open_calls or head.cancelled:
            continue  # what cannot be read is left alone
        if head.framework == OWN:
            continue  # a person asked for it, and no run
        if head.captured_ms < newest.captured_ms:
            with contextlib.suppress(Conflict):  # decided in between, and its run went on: nothing waits any more
                if not _give_way(ports, agent, head.pause, successor):
                    return closed
                closed.append(head.pause)
    return closed


def _give_way(ports: Ports, agent: Agent, pause: str, successor: str) -> bool:
    """Close a pause for its successor; False when that waits no more, whose older pauses then stay as they are."""
    for _ in range(ATTEMPTS):
        head = pause_of(ports, agent, pause)
        if head.cancelled:
            return True
        _still_to_close(head)
        now = ports.clock.now_ms()
        if _closed(ports, head, writes.cancel(ports.keys, head, "asked_again", successor, now, while_it_waits=True)):
            return True
        if not _waits(pause_of(ports, agent, successor)):
            return False
    raise Busy


def _waits(head: Head) -> bool:
    return head.resume_state is not ResumeState.DONE


def _of_a_run(head: Head) -> None:
    """Raises for what a person proposed, whatever its run is called: no agent closes it."""
    if head.framework == OWN:
        raise Conflict("gateway_answers", "A person proposed this through Placet; no run of the agent waits for it.")


def _still_to_close(head: Head) -> None:
    if not _waits(head):
        raise Conflict("already_resumed", "The run went on with the decisions of this pause.")


def _closed(ports: Ports, head: Head, ops: list[Op]) -> bool:
    """Whether the write closed the pause; else a decision or a claim came first, or its successor does not wait any more."""
    try:
        ports.table.write(ops)
    except ConditionFailed:
        return False
    if _claimed(head):
        ports.log("stuck", {"pause": head.pause, "reason": "cancelled_while_claimed"})
    return True


def _claimed(head: Head) -> list[int]:
    return [call.number for call in head.calls if call.permit is PermitState.CLAIMED]
