"""The course of a call that waits: which groups were asked when, which are asked next, and when somebody is reminded."""

from __future__ import annotations

from collections.abc import Iterable

from placet.model.events import EventName
from placet.model.states import CallState
from placet.policy.classes import ActionClass
from placet.records.calls import HeadCall
from placet.records.facts import Fact
from placet.records.heads import Head
from placet.service.ports import Ports
from placet.service.views import AskedLevel


def asked_now(ports: Ports, head: Head) -> tuple[str, ...]:
    """The groups that are asked by now about the open calls of a pause, by their own levels."""
    steps = (step for call in head.pending if (one := _class_of(ports, call)) for step in one.levels[: call.level + 1])
    return tuple(sorted({group for step in steps for group in step.groups}))


def asked_next(ports: Ports, head: Head) -> tuple[tuple[str, ...], int]:
    """The groups that are asked beside them if nobody decides by then, and that moment (ms); empty and 0 when none will be."""
    nearest = min((at for call in head.pending if (at := _widens_ms(ports, call))), default=0)
    found = {
        group
        for call in head.pending
        if nearest and _widens_ms(ports, call) == nearest and (one := _class_of(ports, call))
        for group in one.levels[call.level + 1].groups
    }
    left = tuple(sorted(found - {*asked_now(ports, head)}))
    return left, nearest if left else 0


def course(ports: Ports, head: Head, call: HeadCall, facts: Iterable[Fact]) -> tuple[AskedLevel, ...]:
    """Every level of a shown call with the moment at which it was reached or will be; one that its deadline forestalls is left out.

    Of a call that is over those remain that were asked.

    Args:
        facts: the events of the pause.
    """
    one = _class_of(ports, call)
    if one is None or not call.deadline_ms:
        return ()
    widened = [
        (fact.level, fact.at_ms)
        for fact in facts
        if fact.name == "widened" and call.number in fact.calls and fact.at_ms >= head.notified_ms
    ]
    found = []
    for level, step in enumerate(one.levels):
        if level <= call.level:
            at_ms = min((at for reached, at in widened if reached >= level and level), default=head.notified_ms)
            found.append(AskedLevel(step.groups, at_ms, reached=True))
        elif level <= len(call.levels_ms) and call.state is CallState.PENDING:
            found.append(AskedLevel(step.groups, call.levels_ms[level - 1], reached=False))
    return tuple(found)


def next_reminder(call: HeadCall) -> int:
    """When those who have not decided are mailed again (ms); 0 when they are not."""
    ahead = call.remind_ms[call.reminded : call.reminded + 1] if call.state is CallState.PENDING else ()
    return ahead[0] if ahead else 0


def reminders_in(facts: Iterable[Fact]) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """When people were mailed again, and about which calls, in the order of time; one that nobody had to get is left out."""
    told = ((fact.at_ms, fact.calls) for fact in facts if fact.name == EventName.REMINDED and fact.people)
    return tuple(sorted(told))


def _widens_ms(ports: Ports, call: HeadCall) -> int:
    one = _class_of(ports, call)
    ahead = call.levels_ms[call.level : call.level + 1]
    return ahead[0] if one and ahead and call.level + 1 < len(one.levels) else 0


def _class_of(ports: Ports, call: HeadCall) -> ActionClass | None:
    return ports.policy.classes.get(call.action_class)
