"""The moments of a call: when it is reminded of, widened and over. Made once, when its pause becomes visible, and stored; the
forecast of a page is made by the same computation."""

from __future__ import annotations

from dataclasses import dataclass, replace

from placet.policy.classes import ActionClass
from placet.policy.working_time import moment_after
from placet.records.calls import HeadCall


@dataclass(frozen=True)
class Moments:
    """When things come to pass, for a call that is shown at a moment.

    Attributes:
        levels_ms: when each level after the first is asked, `remind_ms`: when those who are asked are reminded; without what would
            come when the call is over.
    """

    deadline_ms: int
    levels_ms: tuple[int, ...] = ()
    remind_ms: tuple[int, ...] = ()


def moments_of(action_class: ActionClass | None, shown_ms: int, wait_s: int, most_s: int) -> Moments:
    """The moments of a call of a class that is shown at a moment.

    Args:
        action_class: None when it is gone: then the call has a deadline and nothing else.
        wait_s: how long it waits, in hours of the class; `most_s`: the longest by the clock, 0 for no other bound.
    """
    hours = action_class.hours if action_class else None
    deadline_ms = moment_after(shown_ms, wait_s, hours)
    if most_s:
        deadline_ms = min(deadline_ms, shown_ms + 1000 * most_s)
    widens = [step.after_s for step in action_class.levels[1:]] if action_class else []
    reminds = action_class.remind_after_s if action_class else ()
    # Whoever waits less long than the class allows has a nearer deadline: what would come after it never does.
    levels_ms, remind_ms = (
        tuple(at for at in (moment_after(shown_ms, seconds, hours) for seconds in steps) if at < deadline_ms)
        for steps in (widens, reminds)
    )
    return Moments(deadline_ms, levels_ms, remind_ms)


def most_s_of(action_class: ActionClass, wait_at_most_s: int = 0) -> int:
    """The longest that a call of a class waits by the clock, whatever it is given; 0 when its `wait_s` says as much."""
    if action_class.hours is None and not wait_at_most_s:
        return 0
    return min(action_class.hard_maximum_s, wait_at_most_s or action_class.hard_maximum_s)


def planned(call: HeadCall, action_class: ActionClass | None, level: int, now_ms: int) -> HeadCall:
    """A call that becomes visible now, with its moments. A deploy after this moves none of them.

    Args:
        action_class: of today's policy; None when it is gone.
        level: the first whose people can decide it.
    """
    at = moments_of(action_class, now_ms, call.wait_s, call.most_s)
    return replace(call, deadline_ms=at.deadline_ms, levels_ms=at.levels_ms, remind_ms=at.remind_ms, level=level)
