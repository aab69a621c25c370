"""The moments of a call: when it is reminded of, widened and over. Made once, when its pause becomes visible, and stored."""

from __future__ import annotations

from dataclasses import replace

from placet.policy.classes import ActionClass
from placet.policy.working_time import moment_after
from placet.records.heads import HeadCall


def planned(call: HeadCall, action_class: ActionClass | None, level: int, now_ms: int) -> HeadCall:
    """A call that becomes visible now, with its moments. A deploy after this moves none of them.

    Args:
        action_class: of today's policy; None when it is gone: then the call has a deadline and nothing else.
        level: the first whose people can decide it.
    """
    hours = action_class.hours if action_class else None
    deadline_ms = moment_after(now_ms, call.wait_s, hours)
    if call.most_s:
        deadline_ms = min(deadline_ms, now_ms + 1000 * call.most_s)
    widens = [step.after_s for step in action_class.levels[1:]] if action_class else []
    reminds = action_class.remind_after_s if action_class else ()
    # Whoever waits less long than the class allows has a nearer deadline: what would come after it never does.
    levels_ms, remind_ms = (
        tuple(at for at in (moment_after(now_ms, seconds, hours) for seconds in steps) if at < deadline_ms)
        for steps in (widens, reminds)
    )
    return replace(call, deadline_ms=deadline_ms, levels_ms=levels_ms, remind_ms=remind_ms, level=level)
