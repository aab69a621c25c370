"""Whether a person may decide a call at this moment, and what stands against it; the write judges again."""

from __future__ import annotations

from dataclasses import dataclass

from placet.model.absences import InPlaceOf, all_names
from placet.model.errors import Conflict, Gone, NotYet
from placet.model.pauses import Reviewer
from placet.model.people import is_anyone_of, is_same_person
from placet.model.states import CallState
from placet.records.heads import Head, HeadCall
from placet.service.rights import Right
from placet.service.views import CallView

MAY_WAIT = frozenset(
    {"agreed_already", "vote_given"}
)  # nothing left to decide for this person, and others still may need time
OVER = "The time to decide is over."
SECOND_ACCOUNT = "This person has a vote on this call already, by another account; it needs another person."


def for_you(away: InPlaceOf | None = None) -> str:
    """Why the requester may not decide, nor anybody in their place."""
    whom = f"you, or for {away.name}, in whose place you are" if away else "you"
    return f"The agent says it acts for {whom}, so somebody else has to decide."


def yours(away: InPlaceOf | None = None) -> str:
    """Why the owner may not decide, nor anybody in their place."""
    who = f"You, or {away.name}, in whose place you are, answer" if away else "You answer"
    return f"{who} for this agent, so somebody else has to decide."


def vote_given(name: str) -> str:
    """Why nobody votes for a person who has a vote."""
    return f"{name} has a vote on this call already; it needs another person."


@dataclass(frozen=True)
class Hindrance:
    """Why a call is not this person's to decide now: a code, and a sentence for people."""

    code: str
    says: str


def hindrance(head: Head, call: HeadCall, right: Right | None, reviewer: Reviewer, now: int) -> Hindrance | None:
    """What stands against a decision of this person at this moment; None when nothing does."""
    if call.state is not CallState.PENDING:
        return Hindrance("already_decided", "It is decided already.")
    if right is None:
        return Hindrance("other_group", "Another group decides this call.")
    if not right.is_reached(call):
        return Hindrance("not_widened", "It has not been widened to your group yet.")
    if call.deadline_ms and call.deadline_ms <= now:
        return Hindrance("deadline_passed", OVER)
    if hinders := by_person(head, reviewer.names, right.in_place_of):
        return hinders
    away = right.in_place_of
    if call.votes.get(reviewer.sub) == call.digest and call.stand_ins.get(reviewer.sub, "") == (
        away.sub if away else ""
    ):
        return Hindrance("agreed_already", "You have agreed already; it needs another person.")
    if away and call.voted(away.sub):
        return Hindrance("vote_given", vote_given(away.name))
    if call.voted_as(all_names(reviewer.names, away)) - {reviewer.sub}:
        return Hindrance("vote_given", SECOND_ACCOUNT)
    if not call.deadline_ms:
        return Hindrance("not_shown_yet", "It is not in the queue yet.")
    return None


def by_person(head: Head, own: frozenset[str], away: InPlaceOf | None) -> Hindrance | None:
    """What stands against a person's decision because of who they are, or in whose place."""
    names = all_names(own, away)
    if is_anyone_of(head.askers, names):
        return Hindrance("requester_may_not_decide", for_you(away))
    if is_same_person(head.owner, names):
        return Hindrance("owner_may_not_decide", yours(away))
    return None


def check_standing(call: CallView) -> None:
    """Let a call pass that the person who looks at it may decide. Raises Conflict, Gone, NotYet: with the code of what hinders."""
    if call.hindered == "deadline_passed":
        raise Gone("deadline_passed", call.why_not)
    if call.hindered == "not_shown_yet":
        raise NotYet
    if call.hindered:
        raise Conflict(call.hindered, call.why_not)
