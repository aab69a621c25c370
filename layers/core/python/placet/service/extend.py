"""extend: somebody who may decide a call gives it more time, within what its class, its agent and its execution allow.

One conditional write, like a decision: it races the clock, other people and other extensions, and is judged when it loses.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from placet.model.acting import Acting
from placet.model.errors import Busy, Conflict, Invalid, NotFound, NotYet
from placet.model.limits import LEAST_EXTENSION_MS, MOST_EXTENSIONS, RETRIES_MARGIN_S
from placet.model.pauses import Reviewer, call_id, split_call_id
from placet.model.states import CallState
from placet.policy.classes import ActionClass
from placet.records import writes
from placet.records.calls import HeadCall
from placet.records.conditions import failing
from placet.records.facts import Fact, acting
from placet.records.heads import Head
from placet.records.ops import ConditionFailed, Update
from placet.service.loading import call_of, fact_of, head_in, not_frozen
from placet.service.ports import Ports
from placet.service.reasons import checked_reason
from placet.service.refusals import closed, is_of_a_right, refuse_late, refuse_person
from placet.service.rights import Right, head_for, right_of
from placet.service.timely import write_timely

ATTEMPTS = 8
NO_REASON = "More time needs a reason: it stays in the record."


@dataclass(frozen=True)
class Extended:
    """The stored answer: the deadline of a call before and after, who moved it, and when."""

    call: str
    before_ms: int
    until_ms: int
    by: Acting
    at_ms: int
    replayed: bool


def latest_ms(action_class: ActionClass, head: Head, call: HeadCall) -> int:
    """The latest deadline that a shown call can be given; 0 of one that is not shown."""
    since, most_ms = _longest(action_class, head, call)
    begun = {"notified_ms": head.notified_ms, "captured_ms": head.captured_ms}[since]
    return begun + most_ms if head.notified_ms and call.deadline_ms else 0


def extend(ports: Ports, reviewer: Reviewer, call: str, until_ms: int, reason: str) -> Extended:
    """Move the deadline of one call to a later moment.

    The next timer of the pause is set when its old one fires, or by the sweep.

    Raises:
        NotFound: absent, or not this person's to see, or not widened to them yet.
        Invalid: `reason_missing`, `reason_too_long`, `deadline_beyond_maximum` (with `latest_ms`).
        NotAllowed: `requester_may_not_decide`, `owner_may_not_decide`.
        Conflict: `deadline_not_later` (with `deadline_ms`), `extended_too_often`, `already_decided`, `call_cancelled`,
            `call_superseded`.
        Gone: `deadline_passed`.
        NotYet: the call is in nobody's queue yet.
        Busy: the record did not come to rest within the request.
    """
    pause, number = split_call_id(call)
    not_frozen(ports)
    reason = checked_reason(reason, NO_REASON)
    for _ in range(ATTEMPTS):
        head = head_for(ports, reviewer, pause)
        current = call_of(head, number)
        right = right_of(ports, reviewer, head, current)
        if current.state is CallState.PENDING and not head.notified_ms:
            raise NotYet
        _check_step(ports, right.action_class, head, current, until_ms)
        more = _more(reviewer, head, current, right, until_ms, reason)
        try:
            now = write_timely(ports, partial(writes.extend, ports.keys, head, more))
        except ConditionFailed as lost:
            if (answer := _judge(ports, pause, more, right.action_class, lost)) is not None:
                return answer
            continue
        return Extended(call, current.deadline_ms, until_ms, acting(reviewer, more.in_place_of), now, replayed=False)
    raise Busy


def _check_step(ports: Ports, action_class: ActionClass, head: Head, call: HeadCall, until_ms: int) -> None:
    """That a new moment is worth an entry in the record, and few enough stand there. The deadline was read before them, and the
    write compares it: none comes between. What is not later, or too late, is judged by the write: it may be the same sent again."""
    later = call.deadline_ms < until_ms <= latest_ms(action_class, head, call)
    if call.state is not CallState.PENDING or not call.deadline_ms or not later:
        return
    if until_ms < call.deadline_ms + LEAST_EXTENSION_MS:
        says = "A deadline moves by a minute at least."
        raise Conflict("deadline_not_later", says, deadline_ms=call.deadline_ms, least_ms=LEAST_EXTENSION_MS)
    stored = ports.table.query(ports.keys.pause(head.pause), f"E#{call.number}#extended")
    if len(stored) >= MOST_EXTENSIONS:
        says = f"A call is given more time {MOST_EXTENSIONS} times at most."
        raise Conflict("extended_too_often", says, limit=MOST_EXTENSIONS)


def _more(reviewer: Reviewer, head: Head, call: HeadCall, right: Right, until_ms: int, reason: str) -> writes.MoreTime:
    since, most_ms = _longest(right.action_class, head, call)
    return writes.MoreTime(
        reviewer,
        call,
        until_ms,
        reason,
        right.group,
        right.level,
        since,
        most_ms,
        right.in_place_of,
        right.handed(call),
    )


def _longest(action_class: ActionClass, head: Head, call: HeadCall) -> tuple[str, int]:
    """From which moment of the pause the longest wait of a call counts, and how long it is, in milliseconds.

    By today's class, by what its agent said, and by what the execution that waits was started for. Beside a call that was asked for
    again the moment at which this one was shown is not on record: then it counts from the capture. Rounds alone do not tell: they
    count decisions that were taken back too. Under the first execution nothing was asked for again.
    """
    again = head.gen > 1 and any(one.round > 1 for one in head.calls if one.number != call.number)
    seconds = [action_class.hard_maximum_s, head.timeout_s - RETRIES_MARGIN_S]
    seconds += [call.most_s] if call.most_s else []
    return "captured_ms" if again else "notified_ms", 1000 * min(seconds)


def _judge(
    ports: Ports, pause: str, more: writes.MoreTime, action_class: ActionClass, lost: ConditionFailed
) -> Extended | None:
    """What a lost race means: the stored answer again, a clear refusal, or None to try again."""
    op = lost.op
    if is_of_a_right(ports.keys, lost, more.reviewer, more.in_place_of):
        return None
    item = lost.old if isinstance(op, Update) and lost.old is not None else ports.table.get(ports.keys.head(pause))
    if item is None:
        raise NotFound
    head = head_in(item)
    call = call_of(head, more.call.number)
    if (told := _told(ports, head, call, more)) is not None:
        at = call_id(pause, call.number)
        return Extended(at, told.before_ms, told.until_ms, told.who, told.at_ms, replayed=True)
    if call.state is not CallState.PENDING:
        raise closed(head, call, fact_of(ports, pause, writes.decided_fact(call)))
    failed = failing(op.clauses, item) if isinstance(op, Update) else []
    refuse_person(failed, more.in_place_of)
    refuse_late(failed, call)
    _refuse_moment(failed, head, call, action_class)
    return None


def _told(ports: Ports, head: Head, call: HeadCall, more: writes.MoreTime) -> Fact | None:
    """The same extension by the same person, told before; under whichever execution, if its deadline stands still."""
    if call.deadline_ms < more.until_ms:
        return None
    for gen in range(head.gen, 0, -1):
        told = fact_of(ports, head.pause, writes.extended_fact(gen, call.number, more.until_ms))
        if (told.by, told.reason) == (more.reviewer.sub, more.reason):
            return told
    return None


def _refuse_moment(failed: list[str], head: Head, call: HeadCall, action_class: ActionClass) -> None:
    if "deadline_grows" in failed:
        raise Conflict("deadline_not_later", "Its deadline is not before that moment.", deadline_ms=call.deadline_ms)
    if "within_maximum" in failed:
        latest = latest_ms(action_class, head, call)
        raise Invalid("deadline_beyond_maximum", "No call of its class may wait that long.", latest_ms=latest)
