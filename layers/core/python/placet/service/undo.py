"""undo: a person takes a decision back while its run is held for that. One conditional write, as the decision was."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from placet.model.acting import Acting
from placet.model.errors import Busy, Conflict, Gone, NotAllowed, NotFound
from placet.model.pauses import Reviewer, call_id, split_call_id
from placet.model.states import CallState, PermitState, ResumeState
from placet.records import writes
from placet.records.calls import HeadCall
from placet.records.conditions import failing
from placet.records.facts import acting
from placet.records.heads import Head
from placet.records.ops import Check, ConditionFailed, Update
from placet.service.loading import call_of, fact_of, head_in
from placet.service.ports import Ports
from placet.service.refusals import moved_on
from placet.service.rights import Right, head_for, right_of
from placet.service.standing import by_person
from placet.service.timely import write_timely

ATTEMPTS = 8


@dataclass(frozen=True)
class Undone:
    """A decision that was taken back: the call waits again, as this revision."""

    call: str
    revision: int
    digest: str
    by: Acting
    at_ms: int
    replayed: bool


def undo(ports: Ports, reviewer: Reviewer, call: str, revision: int) -> Undone:
    """Take the accept or edit of a call back, so that it waits for its people again and its run does not go on.

    Whoever may decide the call may, not only who did: it lets nothing happen. So it works while everything is held, too:
    the time for it goes on meanwhile.

    Args:
        revision: that was decided, as the person saw it; a later decision is not meant.

    Raises:
        NotFound: absent, or not this person's to see.
        NotAllowed: `requester_may_not_decide`, `owner_may_not_decide`.
        Conflict: `not_decided`, `no_undo`, `revision_differs`, `call_cancelled`, `call_superseded`, `epoch_differs`.
        Gone: `undo_over`.
        Busy: the record did not come to rest within the request.
    """
    pause, number = split_call_id(call)
    for _ in range(ATTEMPTS):
        head = head_for(ports, reviewer, pause)
        current = call_of(head, number)
        right = right_of(ports, reviewer, head, current)
        check_person(head, current, reviewer, right)
        if (answer := _told_before(ports, head, current, reviewer, revision)) is not None:
            return answer
        _check_open(ports, head, current, revision)
        back = writes.TakingBack(reviewer, current, revision, right.group, right.in_place_of)
        try:
            now = write_timely(ports, partial(writes.undo, ports.keys, head, back, ports.epoch))
        except ConditionFailed as lost:
            _judge(ports, reviewer, lost)
            continue  # looked at again as it is now
        digest = current.back_digest or current.digest
        who = acting(reviewer, right.in_place_of)
        return Undone(call, current.rev + 1, digest, who, now, replayed=False)
    raise Busy


def may_undo(head: Head, call: HeadCall, right: Right | None, reviewer: Reviewer, now_ms: int) -> bool:
    """Whether this person could take the decision on a call back at this moment; the write judges again."""
    return is_open(head, call, now_ms) and may_have_a_say(head, call, right, reviewer)


def may_have_a_say(head: Head, call: HeadCall, right: Right | None, reviewer: Reviewer) -> bool:
    """Whether a call is this person's to decide, leaving aside whether it is decided."""
    if right is None:
        return False
    try:
        check_person(head, call, reviewer, right)
    except (NotAllowed, NotFound):
        return False
    return True


def is_open(head: Head, call: HeadCall, now_ms: int) -> bool:
    """Whether a decision can still be taken back by anybody."""
    waits = head.resume_state in (ResumeState.DUE, ResumeState.NOT_DUE) and not head.cancelled
    return waits and call.state.may_run and call.undo_ms > now_ms and call.permit is PermitState.FREE


def check_person(head: Head, call: HeadCall, reviewer: Reviewer, right: Right) -> None:
    """Nobody has a say in what they asked for or answer for, not even to stop it through here: the same people as decide."""
    if not right.is_reached(call):
        raise NotFound
    if (hinders := by_person(head, reviewer.names, right.in_place_of)) is not None:
        raise NotAllowed(hinders.code, hinders.says)


def _told_before(ports: Ports, head: Head, call: HeadCall, reviewer: Reviewer, revision: int) -> Undone | None:
    """The stored answer, when the same person sends the same again."""
    if call.rev <= revision:
        return None
    fact = fact_of(ports, head.pause, writes.undone_fact(call.number, revision))
    if not fact.name or fact.by != reviewer.sub:
        return None
    digest = call.digest if call.rev == revision + 1 else ""
    return Undone(call_id(head.pause, call.number), revision + 1, digest, fact.who, fact.at_ms, replayed=True)


def _check_open(ports: Ports, head: Head, call: HeadCall, revision: int) -> None:
    """Raises what stands against it by the record as it is."""
    if head.cancelled:
        raise moved_on(head)
    if call.rev != revision:
        raise Conflict("revision_differs", _since(ports, head, call, revision), revision=call.rev)
    if call.state is CallState.PENDING:
        raise Conflict("not_decided", "Nobody has decided this call, so there is nothing to take back.")
    if not call.state.may_run or not call.undo_ms:
        raise Conflict("no_undo", f"A call that is {call.state.value} in this class cannot be taken back.")
    if head.epoch != ports.epoch:
        raise Conflict("epoch_differs", "The records were restored from a backup; this call may have run since.")
    if not is_open(head, call, ports.clock.now_ms()):
        raise Gone("undo_over", "The time to take this back is over; its run goes on with it.", until=call.undo_ms)


def _since(ports: Ports, head: Head, call: HeadCall, revision: int) -> str:
    """What became of a revision that is not the call's any more, as far as the record tells."""
    if call.rev <= revision or not fact_of(ports, head.pause, writes.undone_fact(call.number, revision)).name:
        return "The call is another revision now. Look at it again."
    if call.state is CallState.PENDING:
        return "It was taken back already, and waits again."
    return f"It was taken back already, and is {call.state.value} now. Look at it again."


def _judge(ports: Ports, reviewer: Reviewer, lost: ConditionFailed) -> None:
    """Raises for what no other try can mend; everything else is told by the record as it is then."""
    if isinstance(lost.op, Check) and lost.op.key.pk == ports.keys.person(reviewer.sub):
        raise NotFound  # the membership went away between the read and the write
    if not isinstance(lost.op, Update) or lost.old is None:
        return
    failed = failing(lost.op.clauses, lost.old)
    head = head_in(lost.old)
    if "not_handed_out" in failed and not head.cancelled:  # by a clock that is ahead of ours
        raise Gone("undo_over", "The time to take this back is over; its run goes on with it.")
