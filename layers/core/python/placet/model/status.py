"""What the person who waits is told: where their request stands, in one word, one line, or a few sentences.

Pure, and shared by the gateway and the SDK. It names groups and never a person, and holds nothing that decides. A person's no,
time that ran out and an outcome that nobody knows are three different words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from enum import StrEnum

from placet.model.characters import unbroken
from placet.model.visible import QUIET, one_line


class Standing(StrEnum):
    """Where a call, or a whole pause, stands for the person who waits for it."""

    WAITING = "waiting"  # nobody decided yet
    GOING_ON = "going_on"  # it was allowed, and has not ended
    DONE = "done"
    CHANGED = "changed"  # a person changed it, then it ran
    REJECTED = "rejected"  # a person said no
    FORBIDDEN = "forbidden"  # the rules said no; nobody was asked
    EXPIRED = "expired"  # nobody decided in time
    WITHDRAWN = "withdrawn"  # the agent took it back
    FAILED = "failed"  # it was tried and did not work
    NOT_RUN = "not_run"  # it was allowed, and its run ended without it
    UNKNOWN = "unknown"  # it started, and nobody knows how it ended
    SEVERAL = "several"  # of a pause: its calls ended in different ways

    @property
    def is_over(self) -> bool:
        """Whether nothing is expected to change any more. An unknown outcome is looked into, so it is not over."""
        return self not in (Standing.WAITING, Standing.GOING_ON, Standing.UNKNOWN)


@dataclass(frozen=True)
class CallStatus:
    """One call.

    Attributes:
        at_ms: when that was decided, or when it ended; 0 while it waits.
        reason, changed: what the reviewer wrote, and the names of the arguments that a person changed; empty unless the call's
            class says that the person who waits is told.
    """

    call: str
    state: Standing
    at_ms: int = 0
    reason: str = ""
    changed: tuple[str, ...] = ()


@dataclass(frozen=True)
class AskedBack:
    """What the agent is asked about a call that waits, and has not answered.

    Attributes:
        by: the group whose member asks, as people read it.
        text: their words; empty unless the call's class says that the person who waits is told.
    """

    call: str
    by: str
    at_ms: int
    text: str = ""


@dataclass(frozen=True)
class Status:
    """A pause.

    Attributes:
        on: names of the groups that are asked, as people read them; empty when it waits for nobody.
        widens, widens_ms: who is asked beside them if nobody has decided by then; empty and 0 when nobody will be.
        asked_ms: when it was captured.
        typical_s: the median time until people of this class decided; 0 when too few decisions are known.
        until_ms: by when it is decided, one way or another; 0 while it is not before anybody, and afterwards.
        held_ms: until when a decision may be taken back, before which nothing is done; 0 when there is none such.
        asked_back: what the agent is asked and has not answered.
        as_of_ms: when this was read.
    """

    pause: str
    calls: tuple[CallStatus, ...]
    on: tuple[str, ...] = ()
    asked_ms: int = 0
    typical_s: int = 0
    until_ms: int = 0
    as_of_ms: int = 0
    held_ms: int = 0
    widens: tuple[str, ...] = ()
    widens_ms: int = 0
    asked_back: tuple[AskedBack, ...] = ()

    @property
    def state(self) -> Standing:
        """One word for all calls."""
        return standing_of(call.state for call in self.calls)

    @property
    def at_ms(self) -> int:
        """When the last thing happened."""
        return max((call.at_ms for call in self.calls), default=0)

    @property
    def is_late(self) -> bool:
        """Whether it takes longer than it typically does; False where that is not known."""
        return 0 < self.typical_s < (self.as_of_ms - self.asked_ms) / 1000

    @property
    def title(self) -> str:
        """The first sentence, without a full stop."""
        if self.state is Standing.WAITING:
            return f"Waiting on {_joined(self.on) or 'a person'}"
        return _TITLES[self.state]

    def sentences(self, zone: tzinfo = UTC) -> tuple[str, ...]:
        """What follows the title; times in a zone of the reader's."""
        if self.state is Standing.WAITING:
            return (*self._waiting(zone), *self._asked)
        reasons = dict.fromkeys(call.reason for call in self.calls if call.reason)
        changed = sorted({name for call in self.calls for name in call.changed})
        found = [f"Changed: {', '.join(one_line(unbroken(name)) for name in changed)}."] if changed else []
        found += [_quoted(reason) for reason in reasons]
        if self.held_ms and self.state is Standing.GOING_ON:
            found.append(f"Nothing is done before {moment(self.held_ms, zone, self.as_of_ms)}.")
        return (*found, *_THEN[self.state], *self._ended_at(zone))

    def line(self, zone: tzinfo = UTC) -> str:
        """All of it in one line, for a chat or a log, however many a reason has."""
        if self.state is Standing.WAITING:
            waits = (one[:1].lower() + one[1:].rstrip(".") for one in self._waiting(zone))
            return unbroken(" ".join([", ".join([self.title, *waits]) + ".", *self._asked]))
        return unbroken(" ".join([f"{self.title}.", *self.sentences(zone)]))

    @property
    def _asked(self) -> tuple[str, ...]:
        """Each question once, in one line."""
        told = (
            f"{one.by} asked: {_quoted(unbroken(one.text))}" if one.text else f"{one.by} asked a question."
            for one in self.asked_back
        )
        return tuple(dict.fromkeys(told))

    def _waiting(self, zone: tzinfo) -> tuple[str, ...]:
        found = []
        if self.typical_s:
            found.append("Longer than usual." if self.is_late else f"Typically {duration(self.typical_s)}.")
        if self.widens_ms > self.as_of_ms:
            found.append(f"Widens to {_joined(self.widens)} at {moment(self.widens_ms, zone, self.as_of_ms)}.")
        if self.until_ms:
            found.append(f"Decides by {moment(self.until_ms, zone, self.as_of_ms)}.")
        return tuple(found)

    def _ended_at(self, zone: tzinfo) -> tuple[str, ...]:
        told = self.at_ms and self.state in (Standing.DONE, Standing.CHANGED)
        return (f"At {moment(self.at_ms, zone, self.as_of_ms)}.",) if told else ()


# Signs that open or close a quotation as ours do, or look so; small ones do in pairs.
_SMALL = "'`\u00b4\u02b9\u02bc\u2018-\u201b\u2032\u2035\uff07"
_LARGE = (
    '"\u00ab\u00bb\u02ba\u02dd\u02ee\u02f6\u05f4\u201c-\u201f\u2033\u2034\u2036\u2037\u275d\u275e\u301d-\u301f\uff02'
)
_QUOTES = re.compile(f"[{_SMALL}{_LARGE}]{{2,}}|[{_LARGE}]")


def _quoted(text: str) -> str:
    """What a person wrote, in quotation marks that only we close: theirs are small ones. What cannot be seen stands as its code."""
    inner = _QUOTES.sub("'", "\n".join(text.splitlines()))
    return f"\u201c{one_line(inner, keep=(QUIET,))}\u201d"


_TITLES = {
    Standing.GOING_ON: "It was agreed to, and goes on",
    Standing.DONE: "Done",
    Standing.CHANGED: "Done, with a change",
    Standing.REJECTED: "A person said no",
    Standing.FORBIDDEN: "The rules do not allow this",
    Standing.EXPIRED: "Nobody decided in time",
    Standing.WITHDRAWN: "It was taken back",
    Standing.FAILED: "It was tried and did not work",
    Standing.NOT_RUN: "It was agreed to, and was not done",
    Standing.UNKNOWN: "We are checking whether it went through",
    Standing.SEVERAL: "Some of it was done, some was not",
}
_NOTHING_DONE = "Nothing was done."
_THEN: dict[Standing, tuple[str, ...]] = {
    Standing.GOING_ON: (),
    Standing.DONE: (),
    Standing.CHANGED: (),
    Standing.REJECTED: (_NOTHING_DONE,),
    Standing.FORBIDDEN: (_NOTHING_DONE,),
    Standing.EXPIRED: (_NOTHING_DONE, "This is no \u201cno\u201d: ask again, and it starts anew."),
    Standing.WITHDRAWN: (_NOTHING_DONE,),
    Standing.FAILED: (),
    Standing.NOT_RUN: (_NOTHING_DONE,),
    Standing.UNKNOWN: ("Please do not ask again.",),
    Standing.SEVERAL: (),
}
# What is still open hides what has ended; an outcome that nobody knows hides all but what waits.
_FIRST = (Standing.WAITING, Standing.UNKNOWN, Standing.GOING_ON)


def standing_of(calls: Iterable[Standing]) -> Standing:
    """One word for several calls: what is still open first; those that ended differently are SEVERAL."""
    found = set(calls)
    for state in _FIRST:
        if state in found:
            return state
    if found <= {Standing.DONE, Standing.CHANGED}:
        return Standing.CHANGED if Standing.CHANGED in found else Standing.DONE
    return found.pop() if len(found) == 1 else Standing.SEVERAL


def duration(seconds: int) -> str:
    """A time as people say it: minutes below an hour and a half, then hours, then days."""
    minutes = max(1, round(seconds / 60))
    if minutes < 90:
        return _counted(minutes, "minute")
    hours = round(minutes / 60)
    return _counted(hours, "hour") if hours < 48 else _counted(round(hours / 24), "day")


def moment(at_ms: int, zone: tzinfo, as_of_ms: int) -> str:
    """A moment as people say it: the time, with the day unless that is today, and the offset where clocks show it twice."""
    at, today = (datetime.fromtimestamp(ms / 1000, zone) for ms in (at_ms, as_of_ms))
    clock = f"{at:%H:%M}{_which(at)}"
    if at.date() == today.date():
        return clock
    year = "" if at.year == today.year else f" {at.year}"
    return f"{at:%A}, {at.day} {at:%B}{year}, {clock}"


def _which(at: datetime) -> str:
    """` (UTC+2)` in the hour that comes twice when clocks are put back; else nothing."""
    if at.replace(fold=0).utcoffset() == at.replace(fold=1).utcoffset():
        return ""
    sign, hours, minutes = f"{at:%z}"[0], int(f"{at:%z}"[1:3]), f"{at:%z}"[3:5]
    return f" (UTC{sign}{hours}{f':{minutes}' if minutes != '00' else ''})"


def _counted(number: int, unit: str) -> str:
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"


def _joined(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}" if names else ""
