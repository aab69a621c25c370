"""The exact write of every verb: which items change, on which clauses. Read beside docs/data-model.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from placet.model.events import Event, EventName
from placet.model.pauses import Reviewer
from placet.model.states import CallState, PauseState, PermitState, ResumeState, Verdict
from placet.model.transitions import Tally
from placet.records import clauses as c
from placet.records.heads import Head, HeadCall
from placet.records.keys import SCHEMA_VERSION, Keys
from placet.records.ops import Check, Delete, Item, Op, Put, update

NOTIFY_WITHIN_MS = 60_000  # a captured pause that nobody was told of by then is overdue for the sweep


def put_event(keys: Keys, pause: str, fact: str, event: Event) -> Put:
    """One fact under its unique key; the second telling of the same fact is refused."""
    item: Item = {
        **keys.event(pause, fact)._asdict(),
        "schema_version": SCHEMA_VERSION,
        "kind": "EVENT",
        "name": event.name.value,
        "at_ms": event.at_ms,
        **{name: value for name, value in event.fields.items() if value not in ("", None)},
    }
    return Put(item, (c.first(),))


def capture(head: Item) -> list[Op]:
    """One item makes the pause visible; its body was put before."""
    return [Put(head, (c.not_captured(),))]


def store_token(keys: Keys, pause: str, gen: int, token: str, now_ms: int) -> list[Op]:
    """The wait's token. A retry of the wait carries a new one, which replaces the old."""
    item = {
        **keys.token(pause, gen)._asdict(),
        "schema_version": SCHEMA_VERSION,
        "kind": "TOKEN",
        "token": token,
        "at_ms": now_ms,
    }
    return [Put(item)]


def answer_token_now(keys: Keys, pause: str, gen: int) -> list[Op]:
    """The decision came before the token: the mark is the edge that wakes dispatch."""
    return [update(keys.token(pause, gen), [c.token_known()], set={"answer_now": "yes"})]


def notify(keys: Keys, head: Head, now_ms: int) -> list[Op]:
    """Into the reviewers' queue; the deadlines count from now, because now the pause becomes visible."""
    deadlines = {call.number: now_ms + 1000 * call.wait_s for call in head.pending}
    urgent = min(head.pending, key=lambda call: deadlines[call.number])
    changes: dict[str, Any] = {f"calls.{number}.deadline_ms": at for number, at in deadlines.items()}
    changes |= {
        "notified_ms": now_ms,
        "deadline_ms": deadlines[urgent.number],
        "wpk": keys.queue(urgent.action_class, head.level),
        "wsk": deadlines[urgent.number],
    }
    return [update(keys.head(head.pause), [c.still_open(), c.not_notified()], set=changes)]


@dataclass(frozen=True)
class Ballot:
    """One reviewer's verdict on one call, ready to be written.

    Attributes:
        shown, shown_rev: digest and revision on the reviewer's page.
        digest, rev: what is decided: the same, or the edit's.
        group, level: the membership that gives the right, and the level it belongs to.
    """

    reviewer: Reviewer
    verdict: Verdict
    call: HeadCall
    shown: str
    shown_rev: int
    digest: str
    rev: int
    group: str
    level: int
    reason: str
    shown_at_ms: int
    fresh_until_ms: int


def decide(keys: Keys, head: Head, ballot: Ballot, result: Tally, epoch: int, now_ms: int) -> list[Op]:
    """The one conditional write that decides a call, or adds one vote of a quorum."""
    closes = result.state is not CallState.PENDING
    changes: dict[str, Any] = _closing(keys, head, ballot, result, now_ms) if closes else {}
    number = ballot.call.number
    if ballot.rev != ballot.shown_rev:
        changes |= {f"calls.{number}.rev": ballot.rev, f"calls.{number}.digest": ballot.digest}
    if not closes or result.votes != ballot.call.votes:
        changes[f"calls.{number}.votes"] = result.votes
    head_update = update(
        keys.head(head.pause),
        _decide_clauses(ballot, epoch, now_ms),
        set=changes,
        add={"open_calls": -1} if closes else {},
    )
    return [
        head_update,
        _told(keys, head, ballot, result, now_ms),
        Check(keys.member(ballot.reviewer.sub, ballot.group), (c.still_member(),)),
    ]


def _decide_clauses(ballot: Ballot, epoch: int, now_ms: int) -> list[c.Clause]:
    number, person = ballot.call.number, ballot.reviewer
    found = [
        c.call_pending(number),
        c.shown_revision(number, ballot.shown_rev),
        c.shown_digest(number, ballot.shown),
        c.in_time(number, now_ms),
        c.not_cancelled(),
        *c.not_requester(person.sub, person.email),
        *c.not_owner(person.sub, person.email),
        c.level_reached(ballot.level),
        c.same_epoch(epoch),
    ]
    if ballot.call.quorum > 1 and ballot.verdict is not Verdict.REJECT:
        found.append(c.votes_seen(number, len(ballot.call.votes)))
        if ballot.verdict is Verdict.ACCEPT:
            found.append(c.new_voter(number, person.sub))
    return found


def _closing(keys: Keys, head: Head, ballot: Ballot, result: Tally, now_ms: int) -> dict[str, Any]:
    number = ballot.call.number
    changes: dict[str, Any] = {f"calls.{number}.state": result.state.value}
    if result.state.may_run:
        changes[f"calls.{number}.permit"] = {"state": PermitState.FREE.value, "until_ms": ballot.fresh_until_ms}
    return changes | leave_queue(keys, head, [number], now_ms)


def leave_queue(keys: Keys, head: Head, closed: list[int], now_ms: int) -> dict[str, Any]:
    """Where the pause stands in the work index once these calls are closed.

    Judged on the head as it was read: when two last calls close at once neither sees itself as the last, and dispatch mends
    the entry on the edge `open_calls = 0`.
    """
    left = [call for call in head.pending if call.number not in closed]
    if not left:
        return closed_pause(keys, head, now_ms)
    urgent = min(left, key=lambda call: call.deadline_ms)
    queue = keys.queue(urgent.action_class, head.level)
    if (queue, urgent.deadline_ms) == (head.wpk, head.deadline_ms):
        return {}
    return {"wpk": queue, "wsk": urgent.deadline_ms, "deadline_ms": urgent.deadline_ms}


def closed_pause(keys: Keys, head: Head, now_ms: int) -> dict[str, Any]:
    """What a head says once no call waits for a person: the run must be resumed."""
    return {
        "state": PauseState.CLOSED.value,
        "resume_state": ResumeState.DUE.value,
        "wpk": keys.out(head.agent),
        "wsk": now_ms,
    }


def _told(keys: Keys, head: Head, ballot: Ballot, result: Tally, now_ms: int) -> Put:
    number, person = ballot.call.number, ballot.reviewer
    fields: dict[str, Any] = {
        "call": number,
        "verdict": ballot.verdict.value,
        "by": person.sub,
        "by_name": person.name,
        "membership": ballot.group,
        "digest": ballot.digest,
        "revision": ballot.rev,
        "shown_at_ms": ballot.shown_at_ms,
    }
    if result.state is CallState.PENDING:
        return put_event(
            keys, head.pause, f"{number}#voted#{ballot.rev}#{person.sub}", Event(EventName.VOTED, now_ms, fields)
        )
    fields |= {"state": result.state.value, "before": ballot.shown, "reason": ballot.reason}
    return put_event(keys, head.pause, f"{number}#decided", Event(EventName.DECIDED, now_ms, fields))


def mend_closed(keys: Keys, head: Head, now_ms: int) -> list[Op]:
    """Put a decided pause onto the list of runs to resume, when two last calls raced past each other."""
    return [update(keys.head(head.pause), [c.all_decided(), c.not_resumed()], set=closed_pause(keys, head, now_ms))]


def expire(keys: Keys, head: Head, overdue: list[HeadCall], now_ms: int) -> list[Op]:
    """Close the calls whose deadline has passed. Nobody decided, so there is no permit."""
    conditions = [
        one for call in overdue for one in (c.call_pending(call.number), c.deadline_passed(call.number, now_ms))
    ]
    numbers = [call.number for call in overdue]
    changes: dict[str, Any] = {f"calls.{number}.state": CallState.EXPIRED.value for number in numbers}
    changes |= leave_queue(keys, head, numbers, now_ms)
    event = Event(
        EventName.EXPIRED, now_ms, {"calls": numbers, "deadline_ms": min(call.deadline_ms for call in overdue)}
    )
    fact = "expired#" + ".".join(map(str, numbers))
    return [
        update(keys.head(head.pause), conditions, set=changes, add={"open_calls": -len(overdue)}),
        put_event(keys, head.pause, fact, event),
    ]


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


def next_generation(keys: Keys, head: Head, now_ms: int) -> list[Op]:
    """The execution of this generation is gone and nobody was told: the next one starts."""
    changes = {"gen": head.gen + 1, "wsk": now_ms + NOTIFY_WITHIN_MS}
    return [update(keys.head(head.pause), [c.still_open(), c.not_notified(), c.my_generation(head.gen)], set=changes)]


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


def list_stuck(keys: Keys, head: Head, reason: str, now_ms: int) -> list[Op]:
    """Onto the stuck list: what cannot go on by itself is shown, never dropped."""
    return [
        update(keys.head(head.pause), [c.not_resumed()], set={"wpk": keys.stuck(), "wsk": now_ms, "stuck": reason}),
        put_event(keys, head.pause, f"listed#{reason}#{now_ms}", Event(EventName.LISTED, now_ms, {"reason": reason})),
    ]


def put_member(keys: Keys, person: Reviewer, group: str, now_ms: int) -> list[Op]:
    """A membership, stored from both sides."""
    shared = {"schema_version": SCHEMA_VERSION, "since_ms": now_ms, "name": person.name, "email": person.email}
    return [
        Put({**keys.member(person.sub, group)._asdict(), "kind": "MEMBER", **shared}),
        Put({**keys.group_member(group, person.sub)._asdict(), "kind": "GROUP_MEMBER", **shared}),
    ]


def put_session(keys: Keys, hashed: str, sub: str, csrf: str, signed_in_ms: int, until_ms: int) -> list[Op]:
    """A signed-in browser. `ttl` (seconds) only cleans up; `until_ms` is what holds."""
    item = {
        **keys.session(hashed)._asdict(),
        "schema_version": SCHEMA_VERSION,
        "kind": "SESSION",
        "sub": sub,
        "csrf": csrf,
        "signed_in_ms": signed_in_ms,
        "until_ms": until_ms,
        "ttl": until_ms // 1000 + 86_400,
    }
    return [Put(item)]


def end_session(keys: Keys, hashed: str) -> list[Op]:
    """Signed out: the cookie means nothing any more."""
    return [Delete(keys.session(hashed))]
