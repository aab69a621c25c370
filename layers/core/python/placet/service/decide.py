"""decide: a person's accept, edit or reject. One conditional write decides; a lost race is judged and answered, never a 5xx."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from placet.model.absences import InPlaceOf
from placet.model.acting import Acting
from placet.model.canonical import digest as digest_of
from placet.model.errors import Busy, Conflict, NotAllowed, NotFound
from placet.model.pauses import Reviewer, call_id, split_call_id
from placet.model.states import CallState, Verdict
from placet.model.transitions import tally
from placet.records import writes
from placet.records.bodies import put_revision
from placet.records.calls import HeadCall
from placet.records.conditions import failing
from placet.records.facts import acting
from placet.records.heads import Head
from placet.records.ops import Check, ConditionFailed, Update
from placet.service.editing import edited
from placet.service.loading import call_of, fact_of, head_in, not_frozen, store
from placet.service.ports import Ports
from placet.service.reasons import checked_reason
from placet.service.refusals import closed, moved_on, refuse_late, refuse_person, restored
from placet.service.rights import Right, head_for, right_of, standing_votes
from placet.service.standing import SECOND_ACCOUNT, kept_votes, second_vote
from placet.service.timely import write_timely

ATTEMPTS = 8
NO_REASON = "A rejection needs a reason: the agent gets it as its answer."


@dataclass(frozen=True)
class Decision:
    """What a reviewer sends.

    Attributes:
        revision, digest: what the page showed.
        arguments: the new exact text, for an edit; new_digest: of it, as the reviewer confirmed.
        shown_at_ms: when the page was made, as far as it is known.
    """

    verdict: Verdict
    revision: int
    digest: str
    reason: str = ""
    arguments: str = ""
    new_digest: str = ""
    shown_at_ms: int = 0


@dataclass(frozen=True)
class Decided:
    """The stored answer."""

    call: str
    state: CallState
    digest: str
    by: Acting
    at_ms: int
    replayed: bool


def decide(ports: Ports, reviewer: Reviewer, call: str, decision: Decision) -> Decided:
    """Decide one call.

    Raises:
        NotFound: absent, or not this person's to see.
        Invalid: `reason_missing`, `reason_too_long`, `arguments_break_schema`, `edit_changes_nothing`, …
        NotAllowed: `requester_may_not_decide`, `owner_may_not_decide`, `edit_not_allowed`, `edit_changes_class`, `edit_denied`,
            `arguments_unreadable`.
        Conflict: `already_decided`, `vote_given`, `revision_differs`, `call_cancelled`, `call_superseded`, `epoch_differs`.
        Gone: `deadline_passed`.
        NotYet: the call is in nobody's queue yet.
        Busy: the record did not come to rest within the request.
    """
    pause, number = split_call_id(call)
    not_frozen(ports)
    for _ in range(ATTEMPTS):
        head = head_for(ports, reviewer, pause)
        current = call_of(head, number)
        right = right_of(ports, reviewer, head, current)
        ballot = _ballot(ports, reviewer, head, current, right, decision)
        standing = standing_votes(ports, head, current) if decision.verdict is Verdict.ACCEPT else {}
        votes = _others(current, standing, reviewer, right)
        of = current.written_rev if decision.revision == current.rev else decision.revision
        result = tally(votes, current.quorum, reviewer.sub, decision.verdict, ballot.digest, of)
        made = partial(writes.decide, ports.keys, head, _counting(ballot, standing), result, ports.epoch)
        try:
            now = write_timely(ports, made)
        except ConditionFailed as lost:
            if (answer := _judge(ports, reviewer, pause, number, ballot, lost)) is not None:
                return answer
            continue
        return Decided(call, result.state, ballot.digest, acting(reviewer, ballot.in_place_of), now, replayed=False)
    raise Busy


def _others(call: HeadCall, standing: Mapping[str, Right], reviewer: Reviewer, right: Right) -> dict[str, str]:
    """The votes that stand beside a new one. Nobody has two, whoever gives them and with whatever account: not the person who
    votes now, nor the one in whose place.

    Raises Conflict `vote_given` when whoever is away has a vote already, or who votes now has one by another account.
    """
    if why := second_vote(call, reviewer, right.in_place_of, standing):
        raise Conflict("vote_given", why)
    return {sub: call.votes[sub] for sub in kept_votes(call, reviewer, standing)}


def _counting(ballot: writes.Ballot, standing: Mapping[str, Right]) -> writes.Ballot:
    """The ballot with the rights of those whose earlier votes stand."""
    places = {sub: right.in_place_of for sub, right in standing.items() if right.in_place_of is not None}
    return replace(ballot, voters={sub: right.group for sub, right in standing.items()}, stand_ins=places)


def _ballot(
    ports: Ports, reviewer: Reviewer, head: Head, call: HeadCall, right: Right, decision: Decision
) -> writes.Ballot:
    reason = checked_reason(decision.reason, NO_REASON if decision.verdict is Verdict.REJECT else "")
    ballot = writes.Ballot(
        reviewer=reviewer,
        verdict=decision.verdict,
        call=call,
        shown=decision.digest,
        shown_rev=decision.revision,
        digest=decision.digest,
        rev=decision.revision,
        group=right.group,
        level=right.level,
        reason=reason,
        shown_at_ms=decision.shown_at_ms,
        fresh_until_ms=ports.clock.now_ms() + 1000 * right.action_class.freshness_s,
        in_place_of=right.in_place_of,
        undo_s=right.action_class.undo_s,
        handed=right.handed(call),
    )
    if call.unreadable and decision.verdict is not Verdict.REJECT:
        raise NotAllowed(
            "arguments_unreadable", "A value of this call has no certain reading; it can only be rejected."
        )
    still_as_shown = (call.state, call.rev, call.digest) == (CallState.PENDING, decision.revision, decision.digest)
    if decision.verdict is not Verdict.EDIT:
        return ballot
    if not still_as_shown:  # the write will fail and be judged; an edit of something else is not worth storing
        return replace(ballot, digest=decision.new_digest, rev=decision.revision + 1)
    arguments = edited(ports, head, call, decision.arguments)
    if digest_of(arguments) != decision.new_digest:
        raise Conflict("digest_differs", "The confirmed digest is not the digest of these arguments.")
    revision = put_revision(
        ports.keys, head.pause, call.number, call.rev + 1, arguments, reviewer.sub, ports.clock.now_ms()
    )
    store(ports, revision)
    return replace(ballot, digest=decision.new_digest, rev=call.rev + 1)


def _judge(
    ports: Ports, reviewer: Reviewer, pause: str, number: int, ballot: writes.Ballot, lost: ConditionFailed
) -> Decided | None:
    """What a lost race means: the stored answer again, a clear refusal, or None to try again."""
    op = lost.op
    if lost.position == writes.MINE and ballot.in_place_of is None:
        raise NotFound  # the membership went away between the read and the write
    if isinstance(op, Check) and op.key.pk == ports.keys.person(reviewer.sub):
        raise NotFound  # the same, of who stands in for somebody
    if lost.position >= writes.MINE:
        return None  # another's right did, or their absence is over: without it, it is another right or another count
    item = lost.old if isinstance(op, Update) and lost.old is not None else ports.table.get(ports.keys.head(pause))
    if item is None:
        raise NotFound
    head = head_in(item)
    call = call_of(head, number)
    if call.state is not CallState.PENDING:
        return _closed(ports, reviewer, head, call, ballot)
    same_right = call.stand_ins.get(reviewer.sub, "") == ballot.stood_in_for(reviewer.sub)
    if ballot.verdict is not Verdict.REJECT and same_right and call.votes.get(reviewer.sub) == ballot.digest:
        at = call_id(head.pause, number)
        return Decided(
            at,
            CallState.PENDING,
            ballot.digest,
            acting(reviewer, ballot.in_place_of),
            ports.clock.now_ms(),
            replayed=True,
        )
    failed = failing(op.clauses, item) if isinstance(op, Update) else []
    _refuse(failed, head, call, ballot.in_place_of)
    return None


def _closed(ports: Ports, reviewer: Reviewer, head: Head, call: HeadCall, ballot: writes.Ballot) -> Decided:
    fact = fact_of(ports, head.pause, writes.decided_fact(call))
    told = (fact.by, fact.verdict, fact.digest, fact.reason)
    same = told == (reviewer.sub, ballot.verdict.value, ballot.digest, ballot.reason)
    if same:
        at = call_id(head.pause, call.number)
        return Decided(at, call.state, call.digest, fact.who, fact.at_ms, replayed=True)
    raise closed(head, call, fact)


def _refuse(failed: list[str], head: Head, call: HeadCall, away: InPlaceOf | None) -> None:
    """Raise for clauses that no retry can mend; the rest are races that are tried again."""
    if "same_epoch" in failed:
        raise restored()
    refuse_person(failed, away)
    if "new_person" in failed and "votes_seen" not in failed:
        raise Conflict("vote_given", SECOND_ACCOUNT)
    if "not_cancelled" in failed:
        raise moved_on(head)
    if "shown_revision" in failed or "shown_digest" in failed:
        raise Conflict(
            "revision_differs", "The call was changed after you opened it. Look at it again.", revision=call.rev
        )
    refuse_late(failed, call)
