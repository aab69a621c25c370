"""Whether a person may decide a call at this moment, and what stands against it; the write judges again."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from placet.model.absences import InPlaceOf, all_names
from placet.model.errors import Conflict, Gone, NotYet
from placet.model.pauses import Reviewer
from placet.model.people import among, is_anyone_of, is_same_person
from placet.model.states import CallState
from placet.records.calls import HeadCall
from placet.records.heads import Head
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


def hindrance(
    head: Head, call: HeadCall, right: Right | None, reviewer: Reviewer, standing: Mapping[str, Right], now: int
) -> Hindrance | None:
    """What stands against a decision of this person at this moment; None when nothing does.

    Args:
        standing: the votes that stand (`rights.standing_votes`): one that ended hinders nobody, as it hinders no decision.
    """
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
    own = reviewer.sub in standing and call.votes.get(reviewer.sub) == call.digest
    if own and call.stand_ins.get(reviewer.sub, "") == (away.sub if away else ""):
        return Hindrance("agreed_already", "You have agreed already; it needs another person.")
    if why := second_vote(call, reviewer, away, standing):
        return Hindrance("vote_given", why)
    if not call.deadline_ms:
        return Hindrance("not_shown_yet", "It is not in the queue yet.")
    return None


def kept_votes(call: HeadCall, reviewer: Reviewer, standing: Mapping[str, Right]) -> list[str]:
    """Whose votes stand beside one of this person: all but those that were given in their place."""
    return [sub for sub in standing if sub == reviewer.sub or reviewer.sub not in (sub, call.stand_ins.get(sub, sub))]


def vote_on_the_way(name: str) -> str:
    """Why nobody votes by a right that came to them through somebody who has a vote."""
    return f"Somebody through whom you stand in for {name} has a vote on this call already; it needs another person."


def second_vote(call: HeadCall, reviewer: Reviewer, away: InPlaceOf | None, standing: Mapping[str, Right]) -> str:
    """Why a vote of this person would be a second one of one person, whoever gave the first and with whatever account, and of
    whomever on the way from the one whose right it is; empty when it would not."""
    people = {sub: {sub, call.stand_ins.get(sub, sub)} for sub in standing}
    if away is not None and any(away.sub in meant for sub, meant in people.items() if sub != reviewer.sub):
        return vote_given(away.name)
    beside = {sub: standing[sub] for sub in kept_votes(call, reviewer, standing) if sub != reviewer.sub}
    if away is not None and not has_vote(beside, reviewer.names):
        return vote_on_the_way(away.name) if has_vote(beside, away.names) else ""
    return SECOND_ACCOUNT if has_vote(beside, reviewer.names) else ""


def has_vote(standing: Mapping[str, Right], names: Collection[str]) -> bool:
    """Whether one of these votes was given by somebody with these names, or in their place."""
    return among(one.names for one in standing.values())(names)


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
