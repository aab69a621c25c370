"""What a reviewer is shown, as values: built by `review` from the stored record, rendered by `placet.web`.

All text from an agent is raw here; rendering escapes and marks it (promise 10).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from placet.model.acting import Acting
from placet.model.pauses import Evidence
from placet.policy.rules import Effect
from placet.service.happened import Comment, Earlier, Extension, Question


@dataclass(frozen=True)
class Headline:
    """The action sentence, cut into (text, is_value) parts so that values can be set apart."""

    parts: tuple[tuple[str, bool], ...]

    @property
    def text(self) -> str:
        """The sentence in one piece."""
        return "".join(text for text, _ in self.parts)


@dataclass(frozen=True)
class InboxRow:
    """One pause in the list.

    Attributes:
        open_calls: that are open by the clock.
        question: `open` while its agent was asked something about it, `answered` afterwards; empty of most.
        kept_out: who has no say in it beside requester and owner; shown to nobody.
        why_not: why it does not wait for this person, as far as the list knows; empty when nothing is known against it.
        handed: whether a call of it was handed to somebody, whoever that is.
    """

    pause: str
    title: str
    tools: tuple[str, ...]
    entity: str
    classes: tuple[str, ...]
    why: tuple[str, ...]
    requester: str
    agent: str
    framework: str
    effect: Effect
    asked_ms: int
    deadline_ms: int
    open_calls: int
    why_not: str = ""
    kept_out: tuple[str, ...] = ()
    question: str = ""
    handed: bool = False


@dataclass(frozen=True)
class Inbox:
    """One page of what waits for a reviewer, nearest deadline first.

    Attributes:
        next: the cursor of the next page; empty when this is the last.
    """

    rows: tuple[InboxRow, ...]
    next: str
    as_of_ms: int


@dataclass(frozen=True)
class Decided:
    """How a call ended.

    Attributes:
        state: accepted, edited, rejected, expired, cancelled, superseded or passed.
        by: name of the person; empty when nobody decided. by_you: it is who looks. by_rule: whether the rule of its class
            rejected it then.
        before, after: exact texts when a person edited, else both are empty.
        permit: none, free, claimed, done, failed or unknown.
        ended: whether the run went on since; before that nobody was told anything.
        successor: the pause that took this one's place, as the agent names it.
        observed: whether a person would have been asked, had the class not only observed.
    """

    state: str
    by: Acting
    at_ms: int
    reason: str
    before: str
    after: str
    permit: str
    ended: bool = False
    successor: str = ""
    by_rule: bool = False
    by_you: bool = False
    observed: bool = False


@dataclass(frozen=True)
class HandedOn:
    """That somebody handed a call on: names as pages show them, and when."""

    to_name: str
    by_name: Acting
    at_ms: int


@dataclass(frozen=True)
class AskedLevel:
    """The groups of one level, and when it was reached, or will be if nobody decides before (ms)."""

    groups: tuple[str, ...]
    at_ms: int
    reached: bool


@dataclass(frozen=True)
class CallView:
    """One call of a pause.

    Attributes:
        arguments: parsed exactly; numbers that are no plain integers are `Lexeme` texts.
        text: the exact text of the arguments; digest: of their canonical form.
        in_place_of: name of the person who is away, when this reviewer decides by that person's right.
        may_decide: whether this reviewer may decide it now; `why_not` says why not, for people, and `hindered` by which code.
        type_to_accept: (argument name, the value to type) when accepting cannot be undone, else None; without a name it is the
            tool's own name that is typed.
        decided: how it ended, None while it is pending.
        unreadable: (argument, why) of values without a certain reading; such a call can only be rejected.
        notes: sentences on how the framework will take the decision.
        known: what rules knew of the past when they judged, in sentences.
        handed: to whom it was handed on, and by whom, in the order in which that happened.
        observed: whether it passed only because its class observes; sampled: whether it was drawn for a look afterwards.
        undo_tool: of a call that ran, the tool that takes it back, where this reviewer may propose that; undone_by: pauses in which
            that was proposed; undoes: the call that this one takes back.
        asked: its levels, those that were asked first; those that would be asked later only while it is pending.
        remind_ms: the next reminder; 0 when none comes.
        undo_until_ms: until when its decision may be taken back, and nothing runs; 0 when it may not. may_undo: by this reviewer.
        latest_ms: the latest deadline that this reviewer can give it; 0 when they can give it none.
        then: what becomes of it if nobody decides (`policy.Then`).
        may_ask: whether this reviewer may ask its agent about it.
        proposed: whether its arguments are those that the agent proposed, whatever the revision.
    """

    call: str
    number: int
    tool: str
    headline: Headline
    effect: Effect
    consequence: str
    action_class: str
    arguments: dict[str, Any]
    text: str
    digest: str
    revision: int
    schema: dict[str, Any] | None
    why: tuple[tuple[str, str], ...]
    deadline_ms: int
    state: str
    may_decide: bool
    why_not: str
    may_edit: bool
    fixed: tuple[str, ...]
    type_to_accept: tuple[str, str] | None
    group: str
    quorum: int
    votes: int
    decided: Decided | None
    unreadable: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    hindered: str = ""
    known: tuple[str, ...] = ()
    observed: bool = False
    sampled: bool = False
    in_place_of: str = ""
    latest_ms: int = 0
    undo_until_ms: int = 0
    may_undo: bool = False
    handed: tuple[HandedOn, ...] = ()
    undo_tool: str = ""
    undone_by: tuple[str, ...] = ()
    undoes: str = ""
    asked: tuple[AskedLevel, ...] = ()
    remind_ms: int = 0
    then: str = "expire"
    may_ask: bool = False
    proposed: bool = True

    @property
    def may_hand_on(self) -> bool:
        """Whether this reviewer may hand it to somebody else: who may decide it, or has agreed to it already."""
        return self.may_decide or self.hindered == "agreed_already"

    @property
    def is_over(self) -> bool:
        """Whether it still waits and its time is over: nobody may decide it any more, and the timer will say so."""
        return self.decided is None and self.hindered == "deadline_passed"


@dataclass(frozen=True)
class Detail:
    """A pause with all its calls and its evidence.

    Attributes:
        not_compared: `requester`, `owner`: who is named in a way that could be this reviewer and nobody can tell.
        confidence, numbers: the agent's word, as it was written; empty when it said none.
        asked_ms: when it was captured.
        extensions, comments, questions: in the order of time. reminded: when who had not decided was mailed again, and the numbers
            of the calls that this was about.
        earlier: votes, and decisions that were taken back, in the order of time.
        unheard: whether nobody can be asked now, which operators are told of.
    """

    pause: str
    run: str
    agent: str
    framework: str
    requester: str
    entity: str
    asked_ms: int
    deadline_ms: int
    as_of_ms: int
    state: str
    calls: tuple[CallView, ...]
    evidence: tuple[Evidence, ...]
    says: str
    policy_version: str
    not_compared: tuple[str, ...] = ()
    confidence: str = ""
    numbers: tuple[tuple[str, str], ...] = ()
    extensions: tuple[Extension, ...] = ()
    comments: tuple[Comment, ...] = ()
    questions: tuple[Question, ...] = ()
    reminded: tuple[tuple[int, tuple[int, ...]], ...] = ()
    earlier: tuple[Earlier, ...] = ()
    unheard: bool = False


@dataclass(frozen=True)
class EditPreview:
    """An edit that would be accepted, before the reviewer confirms it.

    Attributes:
        rows: (argument, before, after, changed) with exact texts, changed arguments first.
        digest: what the reviewer confirms and what runs.
    """

    call: CallView
    text: str
    digest: str
    headline: Headline
    rows: tuple[tuple[str, str, str, bool], ...]
    reason: str
    type_to_accept: tuple[str, str] | None
