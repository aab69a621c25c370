"""The timer of a pause: an alarm clock that spares people a few minutes, and that nothing depends on."""

from __future__ import annotations

from placet.model.errors import PlacetError
from placet.records import writes
from placet.records.heads import Head
from placet.service.ports import Ports, wired


def set_timer(ports: Ports, head: Head) -> bool:
    """Whether the timer was set to the next moment of a pause; of one that its reviewers do not see, to its deadline.

    One that cannot be set is logged and counted, and costs time only: the sweep does what it missed. So no error of the scheduler
    becomes the error of a verb, which would take the pause from its reviewers.
    """
    deadlines = [call.deadline_ms for call in head.pending if call.deadline_ms]
    seen = head.notified_ms and not head.stuck
    now = ports.clock.now_ms()
    # Their moments count once they are taken back. One that passes before that would only ring the timer, over and over.
    held = [call for call in head.calls if call.undo_ms > now and call.next_ms > now]
    at_ms = writes.next_moment([*head.pending, *held]) if seen else min(deadlines, default=0)
    if not at_ms:
        return False
    try:
        wired(ports.timers).set(head.pause, at_ms)
    except PlacetError as error:
        ports.log("timer_not_set", {"pause": head.pause, "code": error.code})
        return False
    return True
