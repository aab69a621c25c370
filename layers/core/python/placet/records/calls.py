"""One call of a pause, as the head has it: its changing part."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from placet.model.states import CallState, PermitState
from placet.records.handing import Handed, read_handed
from placet.records.questions import NONE, Questions, read_questions
from placet.records.reading import typed


@dataclass(frozen=True)
class HeadCall:
    """The changing part of one call.

    Attributes:
        rev: the revision that is shown now; 1 is what the agent proposed.
        digest: of that revision's arguments.
        deadline_ms: 0 until the pause is visible.
        votes: digest agreed to, by voter; `stand_ins`: in whose place a voter voted, of those who did so for another person.
        worker, until_ms, claimed_ms: of the permit; until when an approval may be executed, and since when it is.
        over_ms: until when the attempt that claimed the permit is waited for; 0 in records from before it was written.
        round: 1, and one more each time an approval got too old and the call was asked for again.
        takes_key: whether the tool takes an idempotency key.
        unreadable: whether a value has no certain reading, so that it may only be rejected.
        repeats: id of the call whose outcome answers this one.
        level: index of the reviewers' level that it has reached; reminded: how many of its reminders are told.
        levels_ms, remind_ms: its plan, made once when it becomes visible: when its later levels are reached, and its reminders.
        then: what its deadline does, a `policy.classes.Then`.
        most_s: the longest it may wait by the clock, where its agent said so or its `wait_s` counts working hours only; else 0.
        marks: by digest of an address the voter whose it is, or in whose place they voted (`model.people.address_marks`); none of
            votes from before it was written.
        undo_ms: until when its decision may be taken back; 0 when that is not possible.
        same_as: after that, or after an answer, the revision whose arguments this one has; 0 when they are its own.
        back_rev, back_digest: of an edit that may be taken back, the revision whose arguments it then has again.
        asks: whether rules ask what was there before, so that its execution is remembered.
        observed: whether it passed only because its class observes: a person would have been asked.
        sampled: whether it passed and was drawn for a look afterwards.
        handed: whom it was handed to, who may decide it before their level is reached.
        questions: what its people asked the agent about it, and what is answered.
    """

    number: int
    tool: str
    state: CallState
    rev: int
    digest: str
    action_class: str
    wait_s: int
    deadline_ms: int
    quorum: int
    votes: dict[str, str]
    permit: PermitState
    worker: str
    until_ms: int
    claimed_ms: int
    over_ms: int
    round: int
    takes_key: bool
    parent: str
    unreadable: bool
    repeats: str
    level: int = 0
    reminded: int = 0
    levels_ms: tuple[int, ...] = ()
    remind_ms: tuple[int, ...] = ()
    then: str = "expire"
    most_s: int = 0
    asks: bool = False
    observed: bool = False
    sampled: bool = False
    stand_ins: dict[str, str] = field(default_factory=dict)
    undo_ms: int = 0
    same_as: int = 0
    back_rev: int = 0
    back_digest: str = ""
    handed: dict[str, Handed] = field(default_factory=dict)
    questions: Questions = NONE
    marks: dict[str, str] = field(default_factory=dict)

    @property
    def queue_level(self) -> int:
        """The level whose people find it in their queue: the one it has reached, or a later one that it was handed to."""
        return max([self.level, *(one.level for one in self.handed.values())])

    @property
    def next_ms(self) -> int:
        """The next moment at which something is due: its next level, a reminder, or its deadline; 0 until it is visible."""
        widens, reminds = self.levels_ms[self.level : self.level + 1], self.remind_ms[self.reminded : self.reminded + 1]
        return min((*widens, *reminds, self.deadline_ms))

    @property
    def written_rev(self) -> int:
        """The revision under which its arguments were written: 1 is what the agent proposed."""
        return self.same_as or self.rev

    def voted(self, sub: str) -> bool:
        """Whether a vote was given by a person or in their place."""
        return sub in self.votes or any(sub == away for voter, away in self.stand_ins.items() if voter in self.votes)


def read_call(number: int, raw: dict[str, Any]) -> HeadCall:
    """The call as its attributes in the head say; raises whatever an odd one raises."""
    permit, back = raw.get("permit", {}), raw.get("back", {})
    call = HeadCall(
        number=number,
        tool=raw["tool"],
        state=CallState(raw["state"]),
        rev=raw["rev"],
        digest=raw["digest"],
        action_class=raw["class"],
        wait_s=raw["wait_s"],
        deadline_ms=raw.get("deadline_ms", 0),
        quorum=raw["quorum"],
        votes=raw.get("votes", {}),
        permit=PermitState(permit.get("state", "none")),
        worker=permit.get("worker", ""),
        until_ms=permit.get("until_ms", 0),
        claimed_ms=permit.get("at_ms", 0),
        over_ms=permit.get("over_ms", 0),
        round=raw.get("round", 1),
        takes_key=raw.get("takes_key", False),
        parent=raw.get("parent", ""),
        unreadable=raw.get("unreadable", False),
        repeats=raw.get("repeats", ""),
        level=raw.get("level", 0),
        reminded=raw.get("reminded", 0),
        levels_ms=tuple(raw.get("levels_ms", ())),
        remind_ms=tuple(raw.get("remind_ms", ())),
        then=raw.get("then", "expire"),
        most_s=raw.get("most_s", 0),
        asks=raw.get("asks", False),
        observed=raw.get("observed", False),
        sampled=raw.get("sampled", False),
        stand_ins=raw.get("for", {}),
        undo_ms=raw.get("undo_ms", 0),
        same_as=raw.get("same_as", 0),
        back_rev=back.get("rev", 0),
        back_digest=back.get("digest", ""),
        handed=read_handed(raw.get("handed", {})),
        questions=read_questions(raw.get("questions")),
        marks=raw.get("voted", {}),
    )
    return typed(call)
