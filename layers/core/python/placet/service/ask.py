"""ask: somebody who may decide a call, and cannot yet, asks its agent about it. The call waits on, and so does its deadline.

One conditional write, like a decision: it races answers, the clock and other people, and is judged when it loses.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from placet.model.acting import Acting
from placet.model.errors import Busy, Conflict, NotFound
from placet.model.frameworks import OWN
from placet.model.limits import LONGEST_QUESTION, MOST_ASKED, MOST_ASKED_EACH
from placet.model.pauses import Reviewer, split_call_id
from placet.model.states import CallState
from placet.records import writes
from placet.records.calls import HeadCall
from placet.records.conditions import failing
from placet.records.facts import Fact, acting, count_of, read_fact
from placet.records.heads import Head
from placet.records.ops import ConditionFailed, Update
from placet.service.comment import said
from placet.service.loading import call_of, fact_of, head_in, not_frozen, readable
from placet.service.ports import Ports
from placet.service.refusals import closed, is_of_a_right, refuse_late, refuse_person
from placet.service.rights import Right, head_for, right_of
from placet.service.standing import MAY_WAIT, Hindrance
from placet.service.timely import write_timely

ATTEMPTS = 8


@dataclass(frozen=True)
class Asked:
    """The stored answer to who asks: the number of the question about its call."""

    call: str
    question: int
    revision: int
    by: Acting
    at_ms: int
    replayed: bool


def ask(ports: Ports, reviewer: Reviewer, call: str, text: str, revision: int) -> Asked:
    """Ask the agent about a call that waits.

    Args:
        revision: of the call, as the person saw it. The same words of the same person about the same revision are one question.

    Raises:
        NotFound: absent, or not this person's to see, or not widened to them yet.
        Invalid: `text_missing`, `text_too_long`.
        NotAllowed: `requester_may_not_decide`, `owner_may_not_decide`.
        Conflict: `questions_full`, `nobody_answers`, `revision_differs`, `already_decided`, `call_cancelled`, `call_superseded`.
        Gone: `deadline_passed`.
        NotYet: the call is in nobody's queue yet.
        Busy: the record did not come to rest within the request.
    """
    pause, number = split_call_id(call)
    not_frozen(ports)
    text = said(text, LONGEST_QUESTION)
    for _ in range(ATTEMPTS):
        head = head_for(ports, reviewer, pause)
        current = call_of(head, number)
        right = right_of(ports, reviewer, head, current)
        stored = ports.table.query(ports.keys.pause(pause), f"E#{number}#asked#") if current.questions.asked else []
        told = readable(ports, stored, read_fact)
        if (same := _same(told, reviewer, text, revision)) is not None:
            return Asked(call, same.question, revision, same.who, same.at_ms, replayed=True)
        _check(head, current, told, reviewer)
        asking = _asking(reviewer, current, right, text, revision)
        try:
            now = write_timely(ports, partial(writes.ask, ports.keys, head, asking))
        except ConditionFailed as lost:
            _judge(ports, pause, asking, lost)
            continue  # somebody else asked at the same moment, or the answer to this very write was lost
        return Asked(call, asking.number, revision, acting(reviewer, right.in_place_of), now, replayed=False)
    raise Busy


def may_ask(head: Head, call: HeadCall, against: Hindrance | None) -> bool:
    """Whether a person may ask about a call, whom this hinders to decide it; who has agreed to it already may."""
    asks = against is None or against.code in MAY_WAIT
    return asks and head.framework != OWN and call.questions.asked < MOST_ASKED


def _same(told: list[Fact], reviewer: Reviewer, text: str, revision: int) -> Fact | None:
    meant = (reviewer.sub, text, revision)
    return next((one for one in told if (one.by, one.text, one.revision) == meant), None)


def _check(head: Head, call: HeadCall, told: list[Fact], reviewer: Reviewer) -> None:
    """That somebody is there to answer, and that few enough questions stand there. The write compares how many."""
    if call.state is not CallState.PENDING:
        return  # the write is judged
    if head.framework == OWN:
        raise Conflict("nobody_answers", "Placet proposed this call itself: no agent is there to answer.")
    if call.questions.asked >= MOST_ASKED:
        raise Conflict(
            "questions_full", f"A call takes {MOST_ASKED} questions, and this one has them.", limit=MOST_ASKED
        )
    if count_of(told, reviewer) >= MOST_ASKED_EACH:
        says = f"You have asked {MOST_ASKED_EACH} questions here; the others' places are kept for them."
        raise Conflict("questions_full", says, limit=MOST_ASKED_EACH)


def _asking(reviewer: Reviewer, call: HeadCall, right: Right, text: str, revision: int) -> writes.Asking:
    return writes.Asking(
        reviewer, call, revision, text, right.group, right.level, right.in_place_of, right.handed(call)
    )


def _judge(ports: Ports, pause: str, asking: writes.Asking, lost: ConditionFailed) -> None:
    """Raises for what no other try can mend; everything else is told by the record as it is then."""
    op = lost.op
    if is_of_a_right(ports.keys, lost, asking.reviewer, asking.in_place_of):
        return
    if not isinstance(op, Update):
        return
    item = lost.old if lost.old is not None else ports.table.get(ports.keys.head(pause))
    if item is None:
        raise NotFound
    head = head_in(item)
    call = call_of(head, asking.call.number)
    if call.state is not CallState.PENDING:
        raise closed(head, call, fact_of(ports, pause, writes.decided_fact(call)))
    failed = failing(op.clauses, item)
    refuse_person(failed, asking.in_place_of)
    if "shown_revision" in failed:
        says = "The call was changed or answered after you opened it. Look at it again."
        raise Conflict("revision_differs", says, revision=call.rev)
    refuse_late(failed, call)
