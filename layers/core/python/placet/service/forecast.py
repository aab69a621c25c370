"""Whom a class would ask, level by level, for a call that is shown at a moment: as people and absences are known now."""

from __future__ import annotations

from dataclasses import dataclass

from placet.model.absences import Absences
from placet.policy.classes import ActionClass
from placet.policy.rules import Policy
from placet.policy.working_time import is_working
from placet.records.people import Member
from placet.service.asking import GROUP_EMPTY, TOO_FEW, Groups, able, count, here, there
from placet.service.plan import moments_of, most_s_of

LOOKS_S = (0, 3_600, 86_400)  # after the call is shown: now, in an hour, in a day


@dataclass(frozen=True)
class Seat:
    """One member of a level at a moment.

    Attributes:
        away_until_ms: until when they are away; 0 when they are here. `instead`: who is asked in their place; empty for nobody.
    """

    name: str
    away_until_ms: int = 0
    instead: str = ""


@dataclass(frozen=True)
class Cell:
    """One level at one moment.

    Attributes:
        state: `asked`; `later`: its moment has not come; `over`: the deadline has passed.
        short: why those who are asked by then cannot decide: GROUP_EMPTY, TOO_FEW; empty when they can.
    """

    state: str
    seats: tuple[Seat, ...] = ()
    short: str = ""


@dataclass(frozen=True)
class Row:
    """One level of the class: `after_s` as the policy says it, and what becomes of it at each moment.

    Attributes:
        too_late: the call is over before its moment, because of working hours.
    """

    number: int
    groups: tuple[str, ...]
    after_s: int
    cells: tuple[Cell, ...]
    too_late: bool = False


@dataclass(frozen=True)
class Forecast:
    """What would be asked of whom.

    Attributes:
        moments: at which the rows look; `working`: whether each lies in the class's working hours.
        reminders: when those who are asked are reminded.
    """

    action_class: ActionClass
    moments: tuple[int, ...]
    working: tuple[bool, ...]
    rows: tuple[Row, ...]
    reminders: tuple[int, ...]
    deadline_ms: int


def names_of(looked: Groups, policy: Policy, sub: str) -> tuple[str, ...]:
    """Every name of somebody who is in a group of the policy, as they are compared with a requester; none of anybody else."""
    groups = {name for one in policy.classes.values() for level in one.levels for name in level.groups}
    theirs = [member for name in groups for member in looked.of(name) if member.sub == sub]
    return tuple(sorted({name for member in theirs for name in (member.sub, member.email)}))


def forecast(looked: Groups, one: ActionClass, kept_out: tuple[str, ...], at_ms: int) -> Forecast:
    """Who would be asked for a call of a class that is shown at a moment.

    Args:
        kept_out: the names of who asks, who may not decide; the agent's owner, who may not either, is another one for each agent.
    """
    moments = tuple(at_ms + 1000 * seconds for seconds in LOOKS_S)
    plan = moments_of(one, at_ms, one.deadline_s, most_s_of(one))
    columns: list[tuple[Cell, ...]] = []
    reached = 0
    for moment in moments:
        then = looked.then(Absences(looked.away.known.values(), moment))
        by_clock = sum(start <= moment for start in plan.levels_ms)
        reached = _passed(then, one, max(reached, by_clock), kept_out)
        columns.append(tuple(_cell(then, one, level, reached, kept_out) for level in range(len(one.levels))))
    columns = [
        column if moment < plan.deadline_ms else (Cell("over"),) * len(one.levels)
        for moment, column in zip(moments, columns, strict=True)
    ]
    rows = tuple(
        Row(
            number + 1,
            level.groups,
            level.after_s,
            tuple(column[number] for column in columns),
            number > len(plan.levels_ms),
        )
        for number, level in enumerate(one.levels)
    )
    working = tuple(one.hours is None or is_working(moment, one.hours) for moment in moments)
    return Forecast(one, moments, working, rows, plan.remind_ms, plan.deadline_ms)


def _passed(groups: Groups, one: ActionClass, level: int, kept_out: tuple[str, ...]) -> int:
    """The first level from this one on whose people can decide; this one when none's can."""
    for later in range(level, len(one.levels)):
        if not _short(groups, one, later, kept_out):
            return later
    return level


def _short(groups: Groups, one: ActionClass, level: int, kept_out: tuple[str, ...]) -> str:
    people = count(there(groups, one, level, kept_out))
    return "" if people >= one.quorum else TOO_FEW if people else GROUP_EMPTY


def _cell(groups: Groups, one: ActionClass, level: int, reached: int, kept_out: tuple[str, ...]) -> Cell:
    if level > reached:
        return Cell("later")
    members = able((member for group in one.levels[level].groups for member in groups.of(group)), kept_out)
    seats = tuple(seat(groups, member, kept_out) for member in members.values())
    return Cell("asked", seats, _short(groups, one, level, kept_out))


def seat(groups: Groups, member: Member, kept_out: tuple[str, ...] = ()) -> Seat:
    """One member as they are at the moment of these groups."""
    away = groups.away.of(member.sub)
    if away is None:
        return Seat(member.name)
    stands_in = next(iter(here(groups, {member.sub: member}, kept_out).values()), None)
    return Seat(member.name, away.until_ms, stands_in.name if stands_in else "")
