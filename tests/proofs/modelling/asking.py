"""Who is asked, a model of its own: reminders and levels at their moments, and a decision in the place of somebody who is away.

One call with a reminder, a second level and a deadline; two timers that come at any moment, Maria, a director of the second level,
and Olga, whom Maria has named. Each reads, and writes later what it judged then; once the call may be asked for anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from tests.proofs.modelling.clauses import WRITES

REMINDER, LEVEL, DEADLINE = 1, 2, 3  # moments of the call, in their order
IDLE = ("idle", 0)


class Asked(NamedTuple):
    """Everything, in one hashable value.

    Attributes:
        clock: the last of its moments that has passed; 0 when none has.
        level, reminded: as the record has them. round: how often it was asked for, which has a generation of its own.
        events: what was told of it, as (event, round).
        away: Maria's absence, `ahead`, `now` or `over`; named: whether it names Olga; member: whether Maria is in the group.
        timers, maria, director, olga: what each has read: (step, round), or nothing.
    """

    call: str = "pending"
    clock: int = 0
    level: int = 0
    reminded: int = 0
    round: int = 1
    events: frozenset[tuple[str, int]] = frozenset()
    away: str = "ahead"
    named: bool = True
    member: bool = True
    timers: tuple[tuple[str, int], ...] = (IDLE, IDLE)
    maria: tuple[str, int] = IDLE
    director: tuple[str, int] = IDLE
    olga: tuple[str, int] = IDLE


@dataclass(frozen=True)
class AskedSetting:
    """One model to check: `moments` pass, or somebody `stands_in`. `dropped`: clauses that are taken out."""

    name: str
    moments: bool = False
    stands_in: bool = False
    dropped: frozenset[tuple[str, str]] = frozenset()


Step = tuple[str, Asked, str]
Test = Callable[[Asked, tuple[str, int]], bool]

TESTS: dict[str, Test] = {
    "call_pending": lambda s, read: s.call == "pending",
    "open_as_seen": lambda s, read: s.call == "pending",
    "my_generation": lambda s, read: s.round == read[1],
    "reminded_as_seen": lambda s, read: not s.reminded,
    "level_as_seen": lambda s, read: not s.level,
    "first": lambda s, read: read not in s.events,
    "in_time": lambda s, read: s.clock < DEADLINE,
    "deadline_passed": lambda s, read: s.clock == DEADLINE,
    "level_reached": lambda s, read: read[0] != "director" or s.level == 1,
    "still_member": lambda s, read: read[0] != "olga" or s.member,
    "absence_begun": lambda s, read: read[0] != "olga" or s.away != "ahead",
    "absence_lasts": lambda s, read: read[0] != "olga" or s.away != "over",
    "names_delegate": lambda s, read: read[0] != "olga" or s.named,
}


OWN = {
    "first": ("remind", "widen"),
    "reminded_as_seen": ("remind",),
    "level_as_seen": ("widen",),
}  # of other writes: a new look


def holds(setting: AskedSetting, s: Asked, write: str, read: tuple[str, int]) -> bool:
    """Whether a conditional write is carried out, with the clauses of the code."""
    known = [name for name in WRITES[write] if name in TESTS and (write, name) not in setting.dropped]
    return all(TESTS[name](s, read) for name in known if write in OWN.get(name, (write,)))


def successors(setting: AskedSetting, s: Asked) -> Iterator[Step]:
    """Every step that anybody can take."""
    if s.clock < (DEADLINE if setting.moments else REMINDER) and s.call == "pending":
        yield "its next moment comes", s._replace(clock=s.clock + 1), ""
    if s.call == "accepted" and s.round == 1:
        yield "it is asked for anew", s._replace(call="pending", clock=0, level=0, reminded=0, round=2), ""
    if setting.moments:
        yield from _timers(setting, s)
        yield from _decides(setting, s, "maria", True)
        yield from _decides(setting, s, "director", s.level == 1)
    if setting.stands_in:
        yield from _absence(s)
        yield from _decides(setting, s, "olga", s.away == "now" and s.named and s.member)


def _timers(setting: AskedSetting, s: Asked) -> Iterator[Step]:
    """escalate, called by two timers, or by one that comes again, or by the sweep."""
    for at, read in enumerate(s.timers):
        if at and read == s.timers[at - 1]:
            continue  # the same by another name
        if read == IDLE and (due := _due(s)):
            yield f"a timer fires, and reads ({due})", s._replace(timers=_put(s.timers, at, (due, s.round))), ""
        elif read != IDLE:
            label, after, wrong = _writes(setting, s, read)
            yield label, after._replace(timers=_put(after.timers, at, IDLE)), wrong


def _due(s: Asked) -> str:
    if s.call != "pending":
        return ""
    if s.clock == DEADLINE:
        return "expire"
    if s.clock >= LEVEL and not s.level:
        return "widen"
    return "remind" if s.clock >= REMINDER and not s.reminded else ""


def _writes(setting: AskedSetting, s: Asked, read: tuple[str, int]) -> Step:
    write = read[0]
    if not holds(setting, s, write, read):
        return "escalate looks again", s, ""
    if write == "expire":
        return "escalate expires it", s._replace(call="expired"), ""
    wrong = f"{write}: of a call that is decided" * (s.call != "pending")
    wrong = wrong or f"{write}: twice for one moment" * (read in s.events)
    wrong = wrong or f"{write}: before its moment" * (s.clock < (REMINDER if write == "remind" else LEVEL))
    told = s._replace(events=s.events | {read})
    if write == "remind":
        return "people are reminded", told._replace(reminded=1), wrong
    return "the next level is asked", told._replace(level=1), wrong


def _decides(setting: AskedSetting, s: Asked, who: str, may: bool) -> Iterator[Step]:
    read = getattr(s, who)
    if read == IDLE and may and s.call == "pending" and s.clock < DEADLINE:
        yield f"{who} sends an accept, and the record is read", s._replace(**{who: (who, s.round)}), ""
    elif read != IDLE and not holds(setting, s, "decide", read):
        yield f"{who} is refused", s._replace(**{who: IDLE}), ""
    elif read != IDLE:
        yield f"{who} accepts", s._replace(call="accepted", **{who: IDLE}), _wrong_decider(s, who)


def _wrong_decider(s: Asked, who: str) -> str:
    if who != "olga":
        return "decided by a level that is not asked yet" * (who == "director" and not s.level)
    wrong = "decided in the place of somebody who left" * (not s.member)
    wrong = wrong or "decided in the place of somebody who is here" * (s.away != "now")
    return wrong or "decided by somebody who is named no more" * (not s.named)


def _absence(s: Asked) -> Iterator[Step]:
    if s.away == "ahead":
        yield "the absence begins", s._replace(away="now"), ""
    elif s.away == "now":
        yield "Maria is back", s._replace(away="over"), ""
        yield "Maria goes later", s._replace(away="ahead"), ""
    if s.named:
        yield "Maria names somebody else", s._replace(named=False), ""
    if s.member:
        yield "Maria leaves the group", s._replace(member=False), ""


def _put(row: tuple[Any, ...], at: int, one: Any) -> tuple[Any, ...]:
    return (*row[:at], one, *row[at + 1 :])


def settled(s: Asked) -> Asked:
    """The timers are alike."""
    return s._replace(timers=tuple(sorted(s.timers)))


def wrong_end(s: Asked) -> str:
    """What is wrong where nobody does anything any more."""
    return "nobody decided, and it never ended" * (s.call == "pending" and s.clock == DEADLINE)
