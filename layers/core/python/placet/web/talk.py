"""What a page shows and offers beside the decision: more time, and questions to the agent."""

from __future__ import annotations

from placet.service.views import CallView, Detail
from placet.web import phrases

MORE_S = (phrases.HOUR, 4 * phrases.HOUR, phrases.DAY, 3 * phrases.DAY, 7 * phrases.DAY)
_SAID = ("1 hour more", "4 hours more", "1 day more", "3 days more", "7 days more")


def more_time(call: CallView, now_ms: int) -> list[tuple[int, str]]:
    """The deadlines that a call can be given from its page: each moment with its words, nearest first; empty when none."""
    if call.latest_ms <= call.deadline_ms:
        return []
    found = [
        (call.deadline_ms + 1000 * seconds, said)
        for seconds, said in zip(MORE_S, _SAID, strict=True)
        if call.deadline_ms + 1000 * seconds < call.latest_ms
    ]
    found.append((call.latest_ms, "As long as it may wait"))
    return [(at_ms, f"{said}: until {phrases.until(at_ms, now_ms)}") for at_ms, said in found]


def extension_steps(detail: Detail) -> list[tuple[int, str, str]]:
    """What the margin tells of extensions: (when, in words, `past`)."""
    several = len(detail.calls) > 1
    found = []
    for one in detail.extensions:
        what = f"Call {one.call} was given more time" if several else "It was given more time"
        moved = f"from {phrases.day_clock(one.before_ms, detail.as_of_ms)} to {phrases.day_clock(one.until_ms, detail.as_of_ms)}"
        found.append((one.at_ms, f"{what} by {one.by}, {moved}: {one.reason}", "past"))
    return found


def question_steps(detail: Detail) -> list[tuple[int, str, str]]:
    """What the margin tells of questions and answers: (when, in words, `past`)."""
    several = len(detail.calls) > 1
    found = []
    for one in detail.questions:
        about = f" about call {one.call}" if several else ""
        if one.at_ms:
            found.append((one.at_ms, f"{one.by} asked the agent{about}", "past"))
        if one.answer is not None:
            found.append((one.answer.at_ms, f"The agent answered{about}: revision {one.answer.revision}", "past"))
    return found
