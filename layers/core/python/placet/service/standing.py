"""Whether a person may decide a call at this moment, and what stands against it; the write judges again."""

from __future__ import annotations

from dataclasses import dataclass

from placet.model.errors import Conflict, Gone, NotYet
from placet.model.pauses import Reviewer
from placet.model.people import is_same_person
from placet.model.states import CallState
from placet.records.heads import Head, HeadCall
from placet.service.rights import Right
from placet.service.views import CallView

FOR_YOU = "The agent says it acts for you, so somebody else has to decide."
YOURS = "You answer for this agent, so somebody else has to decide."
OVER = "The time to decide is over."


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
    if right.level > call.level:
        return Hindrance("not_widened", "It has not been widened to your group yet.")
    if call.deadline_ms and call.deadline_ms <= now:
        return Hindrance("deadline_passed", OVER)
    if is_same_person(head.requester, reviewer.names):
        return Hindrance("requester_may_not_decide", FOR_YOU)
    if is_same_person(head.owner, reviewer.names):
        return Hindrance("owner_may_not_decide", YOURS)
    if call.votes.get(reviewer.sub) == call.digest:
        return Hindrance("agreed_already", "You have agreed already; it needs another person.")
    if not call.deadline_ms:
        return Hindrance("not_shown_yet", "It is not in the queue yet.")
    return None


def check_standing(call: CallView) -> None:
    """Let a call pass that the person who looks at it may decide. Raises Conflict, Gone, NotYet: with the code of what hinders."""
    if call.hindered == "deadline_passed":
        raise Gone("deadline_passed", call.why_not)
    if call.hindered == "not_shown_yet":
        raise NotYet
    if call.hindered:
        raise Conflict(call.hindered, call.why_not)
