"""What happened to a pause and what will, in the order of time: the column beside its calls."""

from __future__ import annotations

from collections.abc import Iterable

from placet.model.events import EventName
from placet.service.views import Detail
from placet.web import phrases
from placet.web.talk import extension_steps, question_steps
from placet.web.unanswered import ends, heard

Step = tuple[int, str, str]


def steps(detail: Detail) -> list[Step]:
    """Each as (when, in words, `past`, `now` or empty). "Asked" is when people could see it, as in the words under a decision."""
    past = [
        (detail.asked_ms, "The agent stopped", "past"),
        *_asked(detail, reached=True),
        *((at_ms, f"Reminder sent{_about(detail, calls)}", "past") for at_ms, calls in detail.reminded),
        *_ended(detail),
        *extension_steps(detail),
        *question_steps(detail),
        *_earlier(detail),
    ]
    ahead = [*_asked(detail, reached=False), *_reminders(detail), *_deadlines(detail)]
    now = (detail.as_of_ms, "Now", "now")
    return [*sorted(past, key=lambda step: step[0]), now, *sorted(ahead, key=lambda step: step[0])]


def _asked(detail: Detail, *, reached: bool) -> list[Step]:
    """The levels that were reached, or those that are asked as well if nobody decides before."""
    found: dict[tuple[int, str], list[int]] = {}
    for call in detail.calls:
        for number, level in enumerate(call.asked):
            if level.reached is reached:
                groups = ", ".join(level.groups) + (" as well" if number else "")
                found.setdefault((level.at_ms, groups), []).append(call.number)
    said, tone = ("Asked", "past") if reached else ("Asks", "")
    if reached and detail.unheard:
        said = "Nobody who may decide was found, which operators are told. To be asked"
    return [(at_ms, f"{said}{_about(detail, calls)}: {groups}", tone) for (at_ms, groups), calls in found.items()]


_VERDICTS = {"accept": "accepted", "edit": "edited and accepted", "reject": "rejected"}


def _earlier(detail: Detail) -> Iterable[Step]:
    """Votes, and what was decided and taken back since."""
    several = len(detail.calls) > 1
    for one in detail.earlier:
        by, named = one.by or "somebody", phrases.which(one.call, several)
        what = {
            EventName.VOTED: f"{by} agreed to {named}",
            EventName.DECIDED: f"{by} {_VERDICTS.get(one.verdict, 'decided')} {named}",
            EventName.RULED: f"The rule of its class rejected {named}",
            EventName.UNDONE: f"{by} took the decision on {named} back: it was to be decided again",
            EventName.REOPENED: f"The approval of {named} was too old to run: it was to be decided again",
        }[EventName(one.what)]
        own = f": “{one.reason}”" if one.reason and one.what == EventName.DECIDED else ""
        yield one.at_ms, f"{what[0].upper()}{what[1:]}{own}", "past"


def _reminders(detail: Detail) -> list[Step]:
    found: dict[int, list[int]] = {}
    for call in detail.calls:
        if call.decided is None and call.remind_ms > detail.as_of_ms:
            found.setdefault(call.remind_ms, []).append(call.number)
    return [(at_ms, f"Reminds who has not decided{_about(detail, calls)}", "") for at_ms, calls in found.items()]


def _ended(detail: Detail) -> Iterable[Step]:
    several = len(detail.calls) > 1
    for call in detail.calls:
        named = phrases.which(call.number, several)
        if call.decided and call.decided.at_ms:
            who = f" by {call.decided.by}" if call.decided.by else ""
            said = f"{named} {call.decided.state}" if several else call.decided.state
            yield call.decided.at_ms, f"{said[0].upper()}{said[1:]}{who}", "past"
        if call.is_over:
            yield call.deadline_ms, f"The time for {named} ended; nobody decided", "past"


def _deadlines(detail: Detail) -> Iterable[Step]:
    for call in detail.calls:
        if call.decided is None and call.deadline_ms and not call.is_over:
            end = ends([call.then], phrases.which(call.number, len(detail.calls) > 1))
            yield call.deadline_ms, f"{end[0].upper()}{end[1:]}. It does not run; {heard([call.then])}", ""


def _about(detail: Detail, calls: Iterable[int]) -> str:
    """Which calls it is about, where that is not all of the pause."""
    numbers = sorted(calls)
    return "" if len(numbers) == len(detail.calls) else f" about {phrases.listed(numbers, 'call')}"
