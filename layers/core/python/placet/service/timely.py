"""Writes that are judged by the clock: each try is made anew, with the clock as it is then."""

from __future__ import annotations

from collections.abc import Callable

from placet.model.errors import Busy, Contended
from placet.records.ops import ConditionFailed, Op
from placet.service.ports import Ports

TRIES = 6
MOST_LOST = 3  # of these may find nobody who answers: each of them takes seconds


def write_timely(ports: Ports, made: Callable[[int], list[Op]]) -> int:
    """Write what `made` makes of a moment; returns the moment of the try that went through.

    The table sends no write twice of which a clause may stop to hold as time passes: conflicts that last longer than a deadline
    would carry a decision over it. A try whose answer was lost may meet its own success, as a lost race.

    Raises:
        ConditionFailed: with the operation of that try.
        Busy: conflicts outlived the tries, or nobody answers.
    """
    lost = 0
    for tried in range(TRIES):
        now = ports.clock.now_ms()
        ops = made(now)
        try:
            ports.table.write(ops)
            return now
        except Contended as error:
            lost += error.lost
            if lost == MOST_LOST:
                break
            error.wait(tried)
        except ConditionFailed as failed:
            raise ConditionFailed(failed.position, failed.old, ops[failed.position]) from None
    raise Busy
