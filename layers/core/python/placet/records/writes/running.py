"""resume and execute: decisions are delivered under a lease, each permit is spent once."""

from __future__ import annotations

from placet.model.events import Event, EventName
from placet.model.states import PauseState, PermitState, ResumeState
from placet.records import clauses as c
from placet.records.heads import Head
from placet.records.keys import Keys
from placet.records.ops import Op, update
from placet.records.writes.telling import put_event


def lease(keys: Keys, head: Head, until_ms: int, now_ms: int) -> list[Op]:
    """Take the right to deliver the decisions; doubles become rare, the permits make them harmless."""
    conditions = [c.all_decided(), c.not_resumed(), c.lease_free(now_ms), c.my_fence(head.fence)]
    changes = {"lease_until_ms": until_ms, "resume_state": ResumeState.OFFERED.value, "wsk": until_ms}
    return [update(keys.head(head.pause), conditions, set=changes, add={"fence": 1})]


def release_lease(keys: Keys, pause: str, fence: int, now_ms: int) -> list[Op]:
    """Give the lease back after a delivery that failed."""
    return [
        update(keys.head(pause), [c.my_fence(fence), c.not_resumed()], set={"lease_until_ms": now_ms, "wsk": now_ms})
    ]


def resumed(keys: Keys, head: Head) -> list[Op]:
    """The run went on: the pause has ended and leaves the work index."""
    return [
        update(
            keys.head(head.pause),
            [c.all_decided(), c.not_resumed()],
            set={"state": PauseState.ENDED.value, "resume_state": ResumeState.DONE.value},
            remove=("wpk", "wsk"),
        )
    ]


def claim(keys: Keys, pause: str, number: int, digest: str, worker: str, epoch: int, now_ms: int) -> list[Op]:
    """Spend the permit of one call on one attempt."""
    conditions = [
        c.may_run(number),
        c.permit_free(number),
        c.not_cancelled(),
        c.still_fresh(number, now_ms),
        c.digest_named(number, digest),
        c.same_epoch(epoch),
    ]
    at = f"calls.{number}.permit"
    changes = {f"{at}.state": PermitState.CLAIMED.value, f"{at}.worker": worker, f"{at}.at_ms": now_ms}
    return [update(keys.head(pause), conditions, set=changes)]


def outcome(
    keys: Keys, pause: str, number: int, worker: str, permit: PermitState, result: str, now_ms: int
) -> list[Op]:
    """Record what the attempt that holds the permit reports."""
    fields = {"call": number, "permit": permit.value, "worker": worker, "result": result}
    return [
        update(keys.head(pause), c.claimed_by_me(number, worker), set={f"calls.{number}.permit.state": permit.value}),
        put_event(keys, pause, f"{number}#executed", Event(EventName.EXECUTED, now_ms, fields)),
    ]


def refuse_claim(keys: Keys, pause: str, number: int, code: str, worker: str, digest: str, now_ms: int) -> list[Op]:
    """Leave a trace of a refused claim; the first of each worker and code is enough."""
    fields = {"call": number, "code": code, "worker": worker, "digest": digest}
    return [put_event(keys, pause, f"{number}#refused#{code}#{worker}", Event(EventName.CLAIM_REFUSED, now_ms, fields))]
