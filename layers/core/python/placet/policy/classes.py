"""Action classes: who may decide, from when on, by when, and what becomes of a call that nobody decided."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from enum import StrEnum

from placet.policy.checks import check_flags, check_rising, check_texts, check_whole, is_name
from placet.policy.working_time import WorkingHours

MOST_PEOPLE = 50  # of a quorum: the deciding write checks each one's membership, and a transaction takes 100 items
LONGEST_MAXIMUM_S = 300 * 86_400  # Step Functions ends a wait after a year; retries need room before that.
MOST_UNDO_S = 15 * 60  # a run that is held back any longer is better asked for later
MOST_LEVELS, MOST_REMINDERS = 10, 20  # their moments stand in the record that every decision writes


class Then(StrEnum):
    """What becomes of a call whose deadline passes. Nothing that approves can be written here."""

    EXPIRE = "expire"  # the run hears that nobody decided
    REJECT = "reject"  # the run hears that the rule of its class rejected it


@dataclass(frozen=True)
class Level:
    """Who may decide from `after_s` seconds on, which count like those of the deadline."""

    groups: tuple[str, ...]
    after_s: int = 0


@dataclass(frozen=True)
class ActionClass:
    """Tools that share reviewers and clocks.

    Attributes:
        levels: who may decide; the first from the beginning, each later one beside those before it. One level that has nobody left
            to ask is passed at once.
        deadline_s: time to decide, from the moment the pause is visible.
        hard_maximum_s: the longest a run may wait at all, whatever `hours` says; bounds the wait of the state machine.
        freshness_s: how long an accept may be executed.
        quorum: distinct people needed.
        claim_s: how long an attempt that does not renew its claim is waited for; then its permit is unknown (with a key, free).
        may_edit: whether a reviewer may change arguments.
        say: what the end user is told while waiting.
        tells_requester: whether the person who waits is told the reviewer's reason and which arguments were changed.
        remind_after_s: when those who may decide and have not are mailed again.
        then: what happens at the deadline.
        hours: levels, reminders and the deadline count these only; None counts every hour. The moments are computed once, when the
            pause becomes visible.
        mail: whether its reviewers are mailed; without it they see its calls in the inbox, and sinks are told as of any.
        undo_s: how long an accept or edit may be taken back before its run goes on with it; 0 for not at all, MOST_UNDO_S at most.
        observe: everything is judged and recorded, and nobody is asked: what a rule stops passes. What is denied stays denied.
    """

    name: str
    levels: tuple[Level, ...]
    deadline_s: int
    hard_maximum_s: int
    freshness_s: int
    quorum: int = 1
    claim_s: int = 900
    may_edit: bool = True
    say: str = "A person has to agree to this first."
    tells_requester: bool = False
    remind_after_s: tuple[int, ...] = ()
    then: Then = Then.EXPIRE
    hours: WorkingHours | None = None
    observe: bool = False
    mail: bool = True
    undo_s: int = 0

    def __post_init__(self) -> None:
        place = f"class {self.name}"
        check_texts(place, self, ("name",), ("say",))
        check_flags(place, self, ("may_edit", "observe", "tells_requester", "mail"))
        self._check_levels(place)
        for field in _WHOLE:
            check_whole(f"{place}: {field}", getattr(self, field))
        if self.quorum < 1:
            raise ValueError(f"{place}: a quorum below one would approve by itself")
        if self.quorum > MOST_PEOPLE:
            raise ValueError(f"{place}: a quorum over {MOST_PEOPLE} does not fit into one write")
        if not 0 < self.deadline_s <= self.hard_maximum_s <= LONGEST_MAXIMUM_S:
            raise ValueError(
                f"{place}: 0 < deadline_s <= hard_maximum_s <= {LONGEST_MAXIMUM_S}, in seconds; they are "
                f"{self.deadline_s} and {self.hard_maximum_s}"
            )
        for field in ("freshness_s", "claim_s"):
            if not 0 < getattr(self, field) <= LONGEST_MAXIMUM_S:
                raise ValueError(
                    f"{place}: {field} must be positive, and at most {LONGEST_MAXIMUM_S}, in seconds; it is {getattr(self, field)}"
                )
        self._check_undo(place)
        if "." in self.name or "#" in self.name:
            raise ValueError(f"{place}: neither '.' nor '#' in a name")
        self._check_moments(place)

    def _check_levels(self, place: str) -> None:
        if not isinstance(self.levels, tuple) or not all(isinstance(level, Level) for level in self.levels):
            raise ValueError(f"{place}: levels is a tuple of Level, written (Level(...),)")
        for number, level in enumerate(self.levels):
            if isinstance(level.groups, str) or not all(isinstance(group, str) for group in _listed(level.groups)):
                raise ValueError(f'{place}: level {number}: groups is a tuple of names, written ("finance",)')
            check_whole(f"{place}: level {number}: after_s", level.after_s)
            if level.after_s < 0:
                raise ValueError(f"{place}: level {number}: after_s must not be negative")
        if not self.levels or not all(level.groups and all(level.groups) for level in self.levels):
            raise ValueError(f"{place}: every level needs a group")
        if strange := [group for level in self.levels for group in level.groups if not is_name(group)]:
            raise ValueError(f"{place}: groups must be names, and one is {strange[0]!r}")
        if any("#" in group for level in self.levels for group in level.groups):
            raise ValueError(f"{place}: no '#' in the name of a group")

    def _check_undo(self, place: str) -> None:
        if not 0 <= self.undo_s <= MOST_UNDO_S:
            raise ValueError(f"{place}: undo_s is at most {MOST_UNDO_S}, and 0 for no time to take a decision back")
        if self.undo_s >= self.freshness_s:
            raise ValueError(f"{place}: undo_s must be shorter than freshness_s, or what may run would be too old to")
        if self.undo_s and self.observe:
            raise ValueError(f"{place}: undo_s says nothing in a class that observes: nobody decides there")

    def _check_moments(self, place: str) -> None:
        if self.levels[0].after_s:
            raise ValueError(f"{place}: level 0: after_s must be 0, because somebody is asked from the beginning")
        later = tuple(level.after_s for level in self.levels[1:])
        check_rising(f"{place}: after_s of the levels", later, least=1, below=self.deadline_s)
        check_rising(f"{place}: remind_after_s", self.remind_after_s, least=1, below=self.deadline_s)
        if len(self.levels) > MOST_LEVELS or len(self.remind_after_s) > MOST_REMINDERS:
            raise ValueError(f"{place}: at most {MOST_LEVELS} levels and {MOST_REMINDERS} reminders")
        if not isinstance(self.then, Then):
            raise ValueError(f"{place}: then is Then.EXPIRE or Then.REJECT, and is {self.then!r}")
        if self.hours is not None and not isinstance(self.hours, WorkingHours):
            raise ValueError(f"{place}: hours is WorkingHours(...) or None, and is {self.hours!r}")

    def level_of(self, groups: Set[str]) -> tuple[int, str] | None:
        """The lowest level (and the group) at which somebody with these groups may decide; None when never."""
        for index, level in enumerate(self.levels):
            for group in level.groups:
                if group in groups:
                    return index, group
        return None


_WHOLE = ("deadline_s", "hard_maximum_s", "freshness_s", "quorum", "claim_s", "undo_s")


def _listed(value: object) -> tuple[object, ...]:
    return value if isinstance(value, tuple) else (None,)
