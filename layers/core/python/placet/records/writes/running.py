"""resume and execute: decisions are delivered under a lease, each permit is spent once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from placet.model.events import Event, EventName
from placet.model.states import CallState, PauseState, PermitState, ResumeState
from placet.records import clauses as c
from placet.records.calls import HeadCall
from placet.records.heads import Head
from placet.records.keys import Keys
from placet.records.ops import Op, update
from placet.records.writes.asked import questions_told
from placet.records.writes.places import (
    UNKNOWN_REASON,
    Move,
    attempts_seen,
    given_up,
    listed_as,
    off,
    permits_seen,
    to_agent,
    to_people,
    unplanned,
    with_unknown,
)
from placet.records.writes.telling import put_event


def lease(keys: Keys, head: Head, holder: str, until_ms: int, now_ms: int, *, sending: bool) -> list[Op]:
    """Take the right to deliver the decisions; doubles become rare, the permits make them harmless.

    `holder`: who tries, by a name of this one try, so that it knows its own lease again when the answer was lost.
    `sending`: only to send them. Whoever has got them need not wait until the sender knows that they arrived.
    """
    free = c.sending_free(now_ms) if sending else c.lease_free(now_ms)
    judged = [free, c.my_fence(head.fence), c.as_listed(head.stuck)]
    conditions = [c.all_decided(), c.not_resumed(), c.not_cancelled(), c.not_held(now_ms), *judged]
    changes: dict[str, Any] = {"lease_until_ms": until_ms, "resume_state": ResumeState.OFFERED.value, "holder": holder}
    changes |= {"sending": True} if sending else {}
    left = () if sending else ("sending",)
    return [update(keys.head(head.pause), conditions, set=changes, add={"fence": 1}, remove=left)]


def release_lease(keys: Keys, pause: str, fence: int, now_ms: int) -> list[Op]:
    """Give the lease back: it has no holder then, whatever a clock says."""
    conditions = [c.my_fence(fence), c.not_resumed()]
    return [update(keys.head(pause), conditions, set={"lease_until_ms": now_ms}, remove=("sending", "holder"))]


def renew(keys: Keys, pause: str, fence: int, until_ms: int, now_ms: int) -> list[Op]:
    """Keep a lease that is still one's own."""
    conditions = [
        c.my_fence(fence),
        c.lease_held(now_ms),
        c.not_given_back(),
        c.lease_grows(until_ms),
        c.all_decided(),
        c.not_resumed(),
        c.not_cancelled(),
    ]
    return [update(keys.head(pause), conditions, set={"lease_until_ms": until_ms})]


def shorten_lease(keys: Keys, pause: str, fence: int, until_ms: int) -> list[Op]:
    """Leave less of the lease: whoever it was for ended sooner than it may."""
    conditions = [c.my_fence(fence), c.lease_longer(until_ms), c.not_resumed()]
    return [update(keys.head(pause), conditions, set={"lease_until_ms": until_ms})]


def delivered(keys: Keys, head: Head, fence: int, now_ms: int) -> list[Op]:
    """The decisions were sent and arrived: the lease of the sending ends, and the next delivery of this generation waits."""
    changes = {"lease_until_ms": now_ms, "delivered_ms": now_ms, "delivered_gen": head.gen}
    conditions = [c.my_fence(fence), c.not_resumed()]
    return [update(keys.head(head.pause), conditions, set=changes, remove=("sending", "holder"))]


def resumed(keys: Keys, head: Head, fence: int | None, now_ms: int) -> list[Op]:
    """The run went on: the pause has ended. It leaves the work index, unless a permit is still out: the sweep looks after that.

    What was accepted and never claimed is told by an event: it will not run any more.
    """
    ended = {"state": PauseState.ENDED.value, "resume_state": ResumeState.DONE.value}
    claimed = any(call.permit is PermitState.CLAIMED for call in head.calls)
    move = to_agent(keys, head, now_ms, **ended) if claimed else off(keys, head, now_ms, **ended)
    if tried := given_up(head):
        move = Move(head, ended | tried | listed_as(keys, UNKNOWN_REASON, now_ms))
    conditions = [
        c.all_decided(),
        c.not_resumed(),
        c.not_held(now_ms),
        *([c.my_fence(fence)] if fence is not None else []),
        *permits_seen(head),
        *attempts_seen(head),
        *move.clauses,
    ]
    gone = (*move.remove, "held_ms") if head.held_ms else move.remove  # which has its wait answered, if no timer did
    ops: list[Op] = [update(keys.head(head.pause), conditions, set=move.set, remove=gone)]
    if without := not_run(head):
        ops.append(put_event(keys, head.pause, "not_run", Event(EventName.NOT_RUN, now_ms, {"calls": without})))
    return ops


def not_run(head: Head) -> list[int]:
    """Calls that may run and that nobody has ever claimed: a run that ends now ends without them."""
    return [call.number for call in head.calls if call.permit is PermitState.FREE and not call.claimed_ms]


def nothing_out(keys: Keys, head: Head, now_ms: int) -> list[Op]:
    """An ended pause whose permits are all settled leaves the work index."""
    move = off(keys, head, now_ms)
    return [update(keys.head(head.pause), [*permits_seen(head), *move.clauses], set=move.set, remove=move.remove)]


@dataclass(frozen=True)
class Claim:
    """One attempt to run a call: which arguments it holds, its name, until when it is waited for, and the fence of its lease."""

    number: int
    digest: str
    worker: str
    over_ms: int
    fence: int | None = None


def claim(keys: Keys, head: Head, wanted: Claim, epoch: int, now_ms: int) -> list[Op]:
    """Spend the permit of one call on one attempt.

    Beside an open call the pause stands in a queue, where the sweep comes at its moment: that is the end of the claim now, if it
    is nearer. Everywhere else the sweep looks each minute; but a call may be asked for again, and shown, since the read.
    """
    number, digest, worker = wanted.number, wanted.digest, wanted.worker
    conditions = [
        c.may_run(number),
        c.permit_free(number),
        c.not_cancelled(),
        c.not_resumed(),
        c.still_fresh(number, now_ms),
        c.window_over(number, now_ms),
        c.digest_named(number, digest),
        c.same_epoch(epoch),
        *([c.my_fence(wanted.fence)] if wanted.fence is not None else []),
        c.same_moment(head.stands) if head.open_calls else c.open_as_seen(0),
    ]
    at, over = f"calls.{number}.permit", wanted.over_ms
    changes: dict[str, Any] = {f"{at}.state": PermitState.CLAIMED.value, f"{at}.worker": worker}
    changes |= {f"{at}.at_ms": now_ms, f"{at}.over_ms": over}
    changes |= {"wsk": head.lane + over} if head.open_calls and over < head.wsk else {}
    return [update(keys.head(head.pause), conditions, set=changes)]


def renew_claim(keys: Keys, pause: str, number: int, worker: str, over_ms: int) -> list[Op]:
    """The attempt goes on. No index entry moves: the sweep comes at the old moment and finds the new one."""
    conditions = [*c.still_claimed(number, worker), c.claim_grows(number, over_ms)]
    return [update(keys.head(pause), conditions, set={f"calls.{number}.permit.over_ms": over_ms})]


def outcome(
    keys: Keys, head: Head, number: int, worker: str, permit: PermitState, result: str, now_ms: int
) -> list[Op]:
    """Record what the attempt that holds the permit reports. An unknown is listed in the same write: a person finds out."""
    fields = {"call": number, "permit": permit.value, "worker": worker, "result": result}
    move = with_unknown(keys, head, UNKNOWN_REASON, now_ms) if permit is PermitState.UNKNOWN else Move(head)
    conditions = [
        *c.claimed_by_me(number, worker),
        *([*move.clauses, c.open_as_seen(head.open_calls)] if permit is PermitState.UNKNOWN else []),
    ]
    return [
        update(keys.head(head.pause), conditions, set={f"calls.{number}.permit.state": permit.value, **move.set}),
        put_event(keys, head.pause, f"{number}#{permit.value}", Event(EventName.EXECUTED, now_ms, fields)),
    ]


def refuse_claim(keys: Keys, pause: str, number: int, code: str, worker: str, digest: str, now_ms: int) -> list[Op]:
    """Leave a trace of a refused claim; the first of each worker and code is enough."""
    fields = {"call": number, "code": code, "worker": worker, "digest": digest}
    return [put_event(keys, pause, f"{number}#refused#{code}#{worker}", Event(EventName.CLAIM_REFUSED, now_ms, fields))]


def give_up(keys: Keys, head: Head, call: HeadCall, now_ms: int) -> list[Op]:
    """The attempt did not report in time: nobody knows whether it acted, so a person finds out. Listed in the same write."""
    fields = {"call": call.number, "permit": PermitState.UNKNOWN.value, "worker": call.worker, "result": ""}
    move = with_unknown(keys, head, UNKNOWN_REASON, now_ms)
    changes = {f"calls.{call.number}.permit.state": PermitState.UNKNOWN.value, **move.set}
    conditions = [
        *c.still_claimed(call.number, call.worker),
        c.not_renewed(call.number, call.over_ms),
        *move.clauses,
        c.open_as_seen(head.open_calls),
    ]
    return [
        update(keys.head(head.pause), conditions, set=changes),
        put_event(keys, head.pause, f"{call.number}#unknown", Event(EventName.EXECUTED, now_ms, fields)),
    ]


def free_again(keys: Keys, pause: str, call: HeadCall) -> list[Op]:
    """The attempt did not report in time, and its tool takes an idempotency key: another attempt may use the same key.

    Not once the run has ended: nobody would try it again, and a free permit stands on no list.
    """
    at = f"calls.{call.number}.permit"
    conditions = [
        *c.still_claimed(call.number, call.worker),
        c.not_renewed(call.number, call.over_ms),
        c.not_resumed(),
    ]
    gone = (f"{at}.worker", f"{at}.over_ms")
    return [update(keys.head(pause), conditions, set={f"{at}.state": PermitState.FREE.value}, remove=gone)]


def unclaim(keys: Keys, pause: str, number: int, worker: str, tried_ms: int) -> list[Op]:
    """The attempt certainly did not start: its permit is as free as it was before, so that it can be tried again.

    Args:
        tried_ms: when an earlier attempt claimed it, which may have acted; 0 when there was none.
    """
    at = f"calls.{number}.permit"
    conditions = [*c.still_claimed(number, worker), c.not_resumed()]
    changes: dict[str, Any] = {f"{at}.state": PermitState.FREE.value} | ({f"{at}.at_ms": tried_ms} if tried_ms else {})
    left = (f"{at}.worker", f"{at}.over_ms", *(() if tried_ms else (f"{at}.at_ms",)))
    return [update(keys.head(pause), conditions, set=changes, remove=left)]


def reopen(keys: Keys, head: Head, call: HeadCall, worker: str, now_ms: int) -> list[Op]:
    """An approval that got too old goes back to review: a new round under a new execution, as if it had just been captured."""
    at = f"calls.{call.number}"
    changes: dict[str, Any] = {
        f"{at}.state": CallState.PENDING.value,
        f"{at}.round": call.round + 1,
        f"{at}.deadline_ms": 0,
        "state": PauseState.OPEN.value,
        "resume_state": ResumeState.NOT_DUE.value,
        f"{at}.votes": {},
    }
    open_again = replace(call, state=CallState.PENDING)
    move = to_people(head, keys.new(), now_ms).beside(questions_told(head, [*head.pending, open_again]))
    conditions = [
        c.may_run(call.number),
        c.permit_free(call.number),
        c.too_old(call.number, now_ms),
        c.never_tried(call.number),
        c.not_cancelled(),
        c.not_resumed(),
        *move.clauses,
    ]
    event = Event(EventName.REOPENED, now_ms, {"call": call.number, "round": call.round + 1, "worker": worker})
    return [
        update(
            keys.head(head.pause),
            conditions,
            set=changes | move.set,
            add={"open_calls": 1, "gen": 1, "fence": 1},  # whoever resumes the round before has lost the pause
            remove=(
                f"{at}.permit",
                "notified_ms",
                "lease_until_ms",
                "holder",
                "sending",
                *(("held_ms",) if head.held_ms else ()),
                *((f"{at}.back",) if call.back_rev else ()),
                *((f"{at}.voted",) if call.marks else ()),
                *unplanned([call]),
                *move.remove,
            ),
        ),
        put_event(keys, head.pause, f"{call.number}#reopened#{call.round + 1}", event),
    ]


def give_up_tried(keys: Keys, head: Head, call: HeadCall, now_ms: int) -> list[Op]:
    """An approval got too old that an earlier attempt had claimed and freed again: that attempt may have acted, so it is not
    asked for again as if nothing had happened."""
    fields = {"call": call.number, "permit": PermitState.UNKNOWN.value, "worker": call.worker, "result": ""}
    move = with_unknown(keys, head, UNKNOWN_REASON, now_ms)
    conditions = [
        c.permit_free(call.number),
        c.too_old(call.number, now_ms),
        c.not_cancelled(),
        *move.clauses,
        c.open_as_seen(head.open_calls),
    ]
    changes = {f"calls.{call.number}.permit.state": PermitState.UNKNOWN.value, **move.set}
    return [
        update(keys.head(head.pause), conditions, set=changes),
        put_event(keys, head.pause, f"{call.number}#unknown", Event(EventName.EXECUTED, now_ms, fields)),
    ]


def reconcile(
    keys: Keys, pause: str, number: int, permit: PermitState, by: str, evidence: str, now_ms: int
) -> list[Op]:
    """A person settles an unknown with evidence."""
    fields = {"call": number, "permit": permit.value, "by": by, "evidence": evidence}
    return [
        update(keys.head(pause), [c.permit_unknown(number)], set={f"calls.{number}.permit.state": permit.value}),
        put_event(keys, pause, f"{number}#reconciled", Event(EventName.RECONCILED, now_ms, fields)),
    ]
