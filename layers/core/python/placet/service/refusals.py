"""Why a write about a call was refused that another one came before, in the words in which every verb of a reviewer says it."""

from __future__ import annotations

from placet.model.absences import InPlaceOf
from placet.model.errors import Conflict, Gone, NotAllowed, NotFound, NotYet, PlacetError
from placet.model.events import EventName
from placet.model.pauses import Reviewer
from placet.model.states import CallState
from placet.records import writes
from placet.records.calls import HeadCall
from placet.records.facts import Fact
from placet.records.heads import Head
from placet.records.keys import Keys
from placet.records.ops import Check, ConditionFailed
from placet.service.standing import for_you, yours


def closed(head: Head, call: HeadCall, fact: Fact) -> PlacetError:
    """What is said of a call that waits no more; `fact` is the event of its decision."""
    if call.state is CallState.EXPIRED or fact.name == EventName.RULED:
        return Gone("deadline_passed", "The deadline has passed; nobody decided, and the agent was told so.")
    if call.state in (CallState.CANCELLED, CallState.SUPERSEDED):
        return moved_on(head)
    return Conflict(
        "already_decided",
        f"The call is {call.state.value} already.",
        state=call.state.value,
        decided_by=fact.who,
        by_whom=fact.who.parts,
        decided_at=fact.at_ms,
    )


def moved_on(head: Head) -> Conflict:
    """The run does not want the call any more; a call that took its place is named."""
    if head.successor:
        return Conflict("call_superseded", "The agent asked again; this call was replaced.", successor=head.successor)
    return Conflict("call_cancelled", "The run moved on; this call is not asked for any more.")


def restored() -> Conflict:
    """What the call was decided from may have run since: somebody has to look first."""
    return Conflict(
        "epoch_differs", "The records were restored from a backup; an operator has to release this call first."
    )


def refuse_person(failed: list[str], away: InPlaceOf | None) -> None:
    """Raise for clauses of who a person is: no retry can mend them."""
    if "not_requester" in failed or "not_kept_out" in failed:
        raise NotAllowed("requester_may_not_decide", for_you(away))
    if "not_owner" in failed:
        raise NotAllowed("owner_may_not_decide", yours(away))
    if "level_reached" in failed or "handed_over" in failed:
        raise NotFound


def is_of_a_right(keys: Keys, lost: ConditionFailed, reviewer: Reviewer, away: InPlaceOf | None) -> bool:
    """Whether what failed is a check of rights that another try may find mended: another's right went, or their absence is over.

    Raises NotFound when the person's own membership went away between the read and the write.
    """
    if not isinstance(lost.op, Check):
        return False
    own = lost.op.key.pk == keys.person(reviewer.sub)
    if own and (away is None or lost.position >= writes.MINE):
        raise NotFound
    return True


def refuse_late(failed: list[str], call: HeadCall) -> None:
    """Raise when the time of a call is over, or has not begun."""
    if "in_time" in failed and not call.deadline_ms:
        raise NotYet
    if "in_time" in failed:
        raise Gone("deadline_passed", "The deadline has passed.")
