"""The timer of a pause: an alarm clock that spares people a few minutes, and that nothing depends on."""

from __future__ import annotations

from placet.model.errors import PlacetError
from placet.service.ports import Ports, wired


def set_timer(ports: Ports, pause: str, at_ms: int) -> bool:
    """Whether the timer was set. One that cannot be is logged and counted, and costs time only: the sweep expires what it missed.

    So no error of the scheduler becomes the error of a verb, which would take the pause from its reviewers.
    """
    try:
        wired(ports.timers).set(pause, at_ms)
    except PlacetError as error:
        ports.log("timer_not_set", {"pause": pause, "code": error.code})
        return False
    return True
