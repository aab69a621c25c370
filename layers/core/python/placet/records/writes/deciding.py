"""decide: the one conditional write that decides a call, or adds one vote of a quorum."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from placet.model.absences import InPlaceOf, all_names
from placet.model.events import Event, EventName
from placet.model.pauses import ByBadge, Reviewer
from placet.model.people import address_marks, spellings
from placet.model.states import CallState, PermitState, Verdict
from placet.model.transitions import Tally
from placet.records import clauses as c
from placet.records.calls import HeadCall
from placet.records.conditions import Clause
from placet.records.heads import Head
from placet.records.keys import Keys
from placet.records.ops import Check, Op, Put, update
from placet.records.writes.leaving import closed_pause, leave_queue
from placet.records.writes.places import Move
from placet.records.writes.telling import by_whom, put_event


@dataclass(frozen=True)
class Ballot:
    """One reviewer's verdict on one call, ready to be written.

    Attributes:
        shown, shown_rev: digest and revision on the reviewer's page.
        digest, rev: what is decided: the same, or the edit's.
        group, level: the membership that gives the right, and the level it belongs to.
        in_place_of: whose right it is, when the reviewer stands in for somebody who is away; `group` is that person's then.
        undo_s: for how long it may be taken back, once it closes the call.
        handed: the key under which the call was handed to whose right it is, where the level is not reached yet; else empty.
        voters: for each earlier voter, the group that lets their vote count; `stand_ins`: and in whose place.
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
    voters: Mapping[str, str] = field(default_factory=dict)
    in_place_of: InPlaceOf | None = None
    stand_ins: Mapping[str, InPlaceOf] = field(default_factory=dict)
    undo_s: int = 0
    handed: str = ""

    @property
    def names(self) -> frozenset[str]:
        """Of everybody by whose right it is given: none of them may be the requester or the owner."""
        return all_names(self.reviewer.names, self.in_place_of)

    def stood_in_for(self, voter: str) -> str:
        """In whose place a voter of the result votes; empty for one who votes for themselves."""
        place = self.in_place_of if voter == self.reviewer.sub else self.stand_ins.get(voter)
        return place.sub if place else ""


MINE = 2  # the place in the write where the checks of rights begin: first the membership that this decision uses


def decide(keys: Keys, head: Head, ballot: Ballot, result: Tally, epoch: int, now_ms: int) -> list[Op]:
    """The one conditional write that decides a call, or adds one vote of a quorum."""
    closes = result.state is not CallState.PENDING
    number = ballot.call.number
    undo_ms = now_ms + 1000 * ballot.undo_s if ballot.undo_s and result.state.may_run else 0
    move = leave_queue(keys, head, [number], now_ms, undo_ms) if closes else Move(head)
    changes: dict[str, Any] = (_closing(ballot, result, undo_ms) if closes else {}) | move.set
    gone = move.remove
    if ballot.rev != ballot.shown_rev:
        changes |= {f"calls.{number}.rev": ballot.rev, f"calls.{number}.digest": ballot.digest}
        gone = (*gone, f"calls.{number}.same_as") if ballot.call.same_as else gone
    # Of one vote the event tells all there is to tell: the head stays small.
    if ballot.call.quorum > 1 and (not closes or result.votes != ballot.call.votes):
        changes[f"calls.{number}.votes"] = result.votes
        if marks := _marks(ballot, result):
            changes[f"calls.{number}.voted"] = marks
        elif ballot.call.marks:
            gone = (*gone, f"calls.{number}.voted")
        stand_ins = {voter: away for voter in result.votes if (away := ballot.stood_in_for(voter))}
        if stand_ins or ballot.call.stand_ins:
            changes[f"calls.{number}.for"] = stand_ins
    head_update = update(
        keys.head(head.pause),
        [*_decide_clauses(head, ballot, result, epoch, now_ms), *move.clauses],
        set=changes,
        add={"open_calls": -1} if closes else {},
        remove=gone,
    )
    return [
        head_update,
        _told(keys, head, ballot, result, undo_ms, now_ms),
        *_rights(keys, ballot, result if closes else None, now_ms),
    ]


def _rights(keys: Keys, ballot: Ballot, result: Tally | None, now_ms: int) -> list[Op]:
    """What the reviewer's right rests on and, when the call closes, that of the people whose earlier votes are counted: a vote
    ends with its voter's right. No item stands in one write twice."""
    found = [*right_checks(keys, ballot.reviewer.sub, ballot.group, ballot.in_place_of, now_ms)]
    counted = sorted(set(result.votes) & set(ballot.voters) - {ballot.reviewer.sub}) if result else []
    for sub in counted:
        found += right_checks(keys, sub, ballot.voters[sub], ballot.stand_ins.get(sub), now_ms)
    return list({check.key: check for check in found}.values())


def right_checks(keys: Keys, sub: str, group: str, place: InPlaceOf | None, now_ms: int) -> Iterator[Check]:
    """The membership that gives a right; where somebody else uses it, every absence on the way and who was named in it."""
    yield _member(keys, place.sub if place else sub, group, now_ms)
    for away, named in place.steps if place else ():
        yield Check(keys.absence(away), (c.absence_begun(now_ms), c.absence_lasts(now_ms), c.names_delegate(named)))
    for person, one in place.members if place else ():
        yield _member(keys, person, one, now_ms)


def _member(keys: Keys, sub: str, group: str, now_ms: int) -> Check:
    """That somebody is in a group still: by an operator's word, or by a badge while that lasts."""
    if isinstance(group, ByBadge):
        return Check(keys.badge(sub, group), (c.still_member(), c.badge_lasts(now_ms)))
    return Check(keys.member(sub, group), (c.still_member(),))


def _decide_clauses(head: Head, ballot: Ballot, result: Tally, epoch: int, now_ms: int) -> list[Clause]:
    number, person = ballot.call.number, ballot.reviewer
    found = [
        c.call_pending(number),
        c.shown_revision(number, ballot.shown_rev),
        c.shown_digest(number, ballot.shown),
        c.in_time(number, now_ms),
        c.not_cancelled(),
        *apart(head, ballot.names),
        *right_clauses(number, ballot.level, ballot.handed),
        c.same_epoch(epoch),
    ]
    if ballot.call.quorum > 1 and ballot.verdict is not Verdict.REJECT:
        found.append(c.votes_seen(number, ballot.call.votes))
        if ballot.verdict is Verdict.ACCEPT and not _votes_anew(ballot):
            found.append(c.new_voter(number, person.sub))
        if ballot.verdict is Verdict.ACCEPT:
            found += c.new_person(number, _new_marks(ballot, result))
    return found


def _marks(ballot: Ballot, result: Tally) -> dict[str, str]:
    """The marks of everybody whose vote is counted."""
    own = ballot.reviewer.sub
    kept = {mark: sub for mark, sub in ballot.call.marks.items() if sub in result.votes and sub != own}
    return kept | (dict.fromkeys(sorted(address_marks(ballot.names)), own) if own in result.votes else {})


def _new_marks(ballot: Ballot, result: Tally) -> frozenset[str]:
    """The reviewer's marks, but for those of votes that this one takes the place of: their own, and what counts no more."""
    kept, marks = result.votes.keys() - {ballot.reviewer.sub}, ballot.call.marks
    return frozenset(mark for mark in address_marks(ballot.names) if mark not in marks or marks[mark] in kept)


def apart(head: Head, names: frozenset[str]) -> list[Clause]:
    """That a person, by all their names, is none of those who have no say: requester, owner, and of what takes a call back who had
    none in that one or is another name of who proposed it. Who they are never changes once it is written.
    """
    kept_out = {name for text in head.card.kept_out for name in spellings(names, text)}
    return [
        *c.not_requester(spellings(names, head.requester)),
        *c.not_kept_out(kept_out),
        *c.not_owner(spellings(names, head.owner)),
    ]


def right_clauses(number: int, level: int, handed: str) -> list[Clause]:
    """That the level of a right is reached, or that the call was handed to whose right it is."""
    return [c.handed_over(number, handed)] if handed else c.level_reached(number, level)


def _votes_anew(ballot: Ballot) -> bool:
    """Whether the reviewer's earlier vote was given by another right, which is gone: this one takes its place."""
    call, sub = ballot.call, ballot.reviewer.sub
    return sub in call.votes and call.stand_ins.get(sub, "") != ballot.stood_in_for(sub)


def _closing(ballot: Ballot, result: Tally, undo_ms: int) -> dict[str, Any]:
    number = ballot.call.number
    changes: dict[str, Any] = {f"calls.{number}.state": result.state.value}
    if result.state.may_run:
        changes[f"calls.{number}.permit"] = {"state": PermitState.FREE.value, "until_ms": ballot.fresh_until_ms}
    if undo_ms:
        changes[f"calls.{number}.undo_ms"] = undo_ms
        if ballot.rev != ballot.shown_rev:  # taken back it has the arguments again that the editor saw
            changes[f"calls.{number}.back"] = {"rev": ballot.call.written_rev, "digest": ballot.shown}
    return changes


def _told(keys: Keys, head: Head, ballot: Ballot, result: Tally, undo_ms: int, now_ms: int) -> Put:
    number = ballot.call.number
    fields: dict[str, Any] = {
        "call": number,
        "verdict": ballot.verdict.value,
        **by_whom(ballot.reviewer, ballot.in_place_of, ballot.group),
        "digest": ballot.digest,
        "revision": ballot.rev,
        "shown_at_ms": ballot.shown_at_ms,
    }
    if result.state is CallState.PENDING:
        # With its moment: who was no member for a while has lost the vote, and may give it again.
        fact = f"{number}#voted#{ballot.rev}#{ballot.reviewer.sub}{round_mark(ballot.call)}#{now_ms}"
        return put_event(keys, head.pause, fact, Event(EventName.VOTED, now_ms, fields))
    fields |= {"state": result.state.value, "before": ballot.shown, "reason": ballot.reason}
    fields |= {"undo_until_ms": undo_ms or None}
    return put_event(keys, head.pause, decided_fact(ballot.call), Event(EventName.DECIDED, now_ms, fields))


def decided_fact(call: HeadCall) -> str:
    """The unique name of the decision on a call: one per round."""
    return f"{call.number}#decided{round_mark(call)}"


def round_mark(call: HeadCall) -> str:
    """What a fact's name ends in that may be told once in each round of a call."""
    return "" if call.round == 1 else f"#{call.round}"


def mend_closed(keys: Keys, head: Head, now_ms: int) -> list[Op]:
    """Put a decided pause onto the list of runs to resume: two last calls that an earlier release let race past each other."""
    move = closed_pause(keys, head, now_ms)
    conditions = [c.all_decided(), c.not_resumed(), *move.clauses]
    return [update(keys.head(head.pause), conditions, set=move.set, remove=move.remove)]
