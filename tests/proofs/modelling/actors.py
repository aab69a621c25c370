"""Reviewers, the run that may be cancelled, resumers and workers. Each reads, and writes later what it judged then."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.proofs.modelling.holding import comes_early, goes_on_unasked, turned_away
from tests.proofs.modelling.state import DEAD, IDLE, NOBODY, Setting, State
from tests.proofs.modelling.steps import Step, closed, holds, placed, put


def reviewers(setting: Setting, s: State) -> Iterator[Step]:
    """Open the page, send a verdict, get an answer; again after an edit, or when the answer was lost."""
    for by, at in enumerate(s.people):
        for label, after, where, wrong in _reviewer(setting, s, by, at):
            yield f"reviewer {by} {label}", after._replace(people=put(after.people, by, where)), wrong
    if setting.leaves and s.member:
        yield "reviewer 0 leaves the group", s._replace(member=False), ""


def extender(setting: Setting, s: State) -> Iterator[Step]:
    """Somebody gives the call more time: while its time runs nothing of the model moves, and afterwards nothing may."""
    if s.due in ("over", "sealed") and holds(setting, s, "extend"):
        yield "somebody gives it more time", s._replace(due="running"), "more time is given when it was over or decided"


def answerer(setting: Setting, s: State) -> Iterator[Step]:
    """The agent answers: the call is shown as another revision, and earlier votes are gone. Pages of before stay open."""
    if s.answered < setting.answers and s.due != "hidden" and holds(setting, s, "answer", rev=s.shown):
        kept = s.votes if "answer_keeps_votes" in setting.bugs else frozenset()
        wrong = "an answer changes what is decided" * (s.call != "pending")
        wrong = wrong or "an answer is taken when the time is over" * (s.due != "running")
        yield "the agent answers", s._replace(answered=s.answered + 1, votes=kept), wrong


def _reviewer(setting: Setting, s: State, by: int, at: tuple[Any, ...]) -> Iterator[tuple[str, State, Any, str]]:
    if at[0] == "idle" or (at[0] == "told" and s.call == "pending" and at[2] < s.shown):
        if s.due != "hidden" and s.call == "pending":
            for verdict in setting.verdicts[by].split("|"):
                if verdict != "edit" or s.rev == 1:
                    yield f"opens the page ({verdict})", s, ("page", verdict, s.shown, False), ""
    elif at[0] == "page":
        yield "sends it, and the record is read", s, ("sent", at[1], at[2], s.votes, at[3]), ""
    elif at[0] == "sent":
        yield from _decide(setting, s, by, at)
    elif at[0] == "told" and at[1] == "yes" and s.copies:
        yield "copy: sends it again", s._replace(copies=s.copies - 1), ("page", at[3], at[2], True), ""


def _decide(setting: Setting, s: State, by: int, at: tuple[Any, ...]) -> Iterator[tuple[str, State, Any, str]]:
    _, verdict, rev, votes, done = at
    quorum = setting.quorum > 1 and verdict != "reject"
    without = () if quorum else ("votes_seen", "new_voter")
    if not holds(setting, s, "decide", without, by=by, verdict=verdict, rev=rev, votes=len(votes)):
        yield from _judged(s, by, at)
        return
    wrong = "decided after the deadline" * (s.due == "over") or "decided without the membership" * (
        by == 0 and not s.member
    )
    after = _voted(setting, s, by, verdict, rev, votes)
    shown = after.shown if verdict == "edit" else rev
    yield f"{verdict}s", after, ("told", "yes", shown, verdict), wrong
    if s.crashes and not done:
        lost = after._replace(crashes=s.crashes - 1)
        yield f"{verdict}s; crash before the answer", lost, ("page", verdict, rev, True), wrong
    if "event_apart" in setting.bugs and s.crashes and after.fact != s.fact:
        yield (
            "crash before the event",
            after._replace(fact=s.fact, crashes=s.crashes - 1),
            ("page", verdict, rev, True),
            "",
        )


def _voted(setting: Setting, s: State, by: int, verdict: str, rev: int, votes: frozenset[int]) -> State:
    """The record after the vote: counted on what was read, as the code does."""
    if verdict == "reject":
        return closed(s, "rejected", fact=(by, verdict, rev))
    if verdict == "edit":
        kept = votes if "votes_kept" in setting.bugs else frozenset()
        s = s._replace(rev=2)
        rev = s.shown
        counted = kept | {by}
    else:
        counted = votes | {by}
    s = s._replace(votes=counted, agreed=put(s.agreed, by, rev))
    if len(counted) < setting.quorum:
        return s
    after = closed(s, "edited" if s.rev > 1 else "accepted", fact=(by, verdict, rev))
    window = {"window": "open", "held": s.turn + 1} if setting.undoes else {}
    return after._replace(permit="free", fresh=True, **window)


def _judged(s: State, by: int, at: tuple[Any, ...]) -> Iterator[tuple[str, State, Any, str]]:
    """A lost race: the stored answer again, a refusal, or another try."""
    _, verdict, rev, _, done = at
    mine = s.fact is not None and s.fact[0] == by and s.fact[1] == verdict
    voted = verdict != "reject" and s.agreed[by] == (rev + 1 if verdict == "edit" else rev) and by in s.votes
    now = rev + 1 if verdict == "edit" and mine else rev
    if mine or (s.call == "pending" and voted):
        yield (
            "is answered as before",
            s,
            ("told", "yes", now, verdict),
            "",
        )
    elif s.call == "pending" and s.shown == rev and s.due == "running" and (s.member or by) and not s.cancelled:
        yield "tries again", s, ("page", verdict, rev, done), ""
    else:
        yield "is refused", s, ("told", "no", rev, verdict), ""


def stopper(setting: Setting, s: State) -> Iterator[Step]:
    """The run is cancelled at any moment, once."""
    if not setting.stops or s.cancelled or s.resume == "done":
        return
    if s.stopper == IDLE:
        read = s._replace(stopper=("read", s.call == "pending", s.permit, s.listed))
        if setting.reads_apart("cancel"):
            yield "cancel reads", read, ""
        else:
            yield from stopper(setting, read)
        return
    _, pending, permit, listed = s.stopper
    without = ("permits_as_seen",) if pending else ("call_pending",)
    if not holds(setting, s, "cancel", without, permit=permit, listed=listed):
        yield "cancel looks again", s._replace(stopper=IDLE), ""
        return
    after = s._replace(cancelled=True, resume="done", stopper=IDLE, edges=s.edges | {"cancelled"})
    if pending:
        after = after._replace(call="cancelled", open_calls=s.open_calls - 1)
    if permit == "free" and s.tried:
        yield "cancel, and an attempt is listed", after._replace(permit="unknown", place="stuck", listed=True), ""
    elif permit == "claimed":
        yield "cancel, and a claim is listed", after._replace(place="stuck", listed=True), ""
    else:
        yield "cancel", after._replace(place="", listed=False) if permit != "unknown" else after, ""


def resumers(setting: Setting, s: State) -> Iterator[Step]:
    """Take the lease, deliver, report that the run went on."""
    for at, one in enumerate(s.resumers):
        if at and one == s.resumers[at - 1]:
            continue  # the same by another name
        for label, after, where in _resumer(setting, s, one):
            yield label, after._replace(resumers=put(after.resumers, at, where)), ""
        if one[0] in ("leased", "gave", "ends") and s.crashes:
            gone = s._replace(crashes=s.crashes - 1, resumers=put(s.resumers, at, IDLE))
            yield f"crash of a resumer ({one[0]})", gone, ""


def _resumer(setting: Setting, s: State, one: tuple[Any, ...]) -> Iterator[tuple[str, State, Any]]:
    if one == IDLE and s.wake:
        taken = s._replace(wake=False)
        if s.open_calls > 0 or s.resume == "done" or s.is_held:
            yield "resume finds nothing to do", taken, IDLE
        elif setting.reads_apart("lease"):
            yield "resume reads", taken, ("read", s.fence)
        else:
            yield from _resumer(setting, taken, ("read", s.fence))
        if s.copies:
            yield "copy of resume", s._replace(copies=s.copies - 1), ("read", s.fence)
    elif one == IDLE and goes_on_unasked(setting, s):
        yield from _ends(setting, s._replace(told=True), ("ends", s.fence, s.permit, s.listed))
    elif one[0] == "read":
        if any(holds(setting, s, "lease", fence=one[1], ahead=ahead) for ahead in s.clocks):
            fence = s.fence + 1
            yield "resume takes the lease", s._replace(fence=fence, lease=True, resume="offered"), ("leased", fence)
        else:
            yield "resume leaves it to another", s, IDLE
    elif one[0] == "leased" and "told_first" in setting.bugs and s.resume != "done":
        yield "resume marks it done", placed(s, "", resume="done", lease=False), one
    elif one[0] == "leased":
        given = s.rev if s.yes else s.given
        yield "the decisions are delivered", s._replace(told=True, given=given), ("gave", one[1])
    elif one[0] == "gave":
        read = ("ends", one[1], s.permit, s.listed)
        if setting.reads_apart("resumed"):
            yield "the run goes on, and the record is read", s, read
        else:
            yield from _ends(setting, s, read)
    elif one[0] == "ends":
        yield from _ends(setting, s, one)


def _ends(setting: Setting, s: State, one: tuple[Any, ...]) -> Iterator[tuple[str, State, Any]]:
    _, fence, permit, listed = one
    if holds(setting, s, "resumed", fence=fence, permit=permit, listed=listed):
        place = "out" if permit == "claimed" else ""
        if permit == "free" and s.tried:
            s, permit = s._replace(permit="unknown", place="stuck", listed=True), "unknown"
        after = (
            placed(s, place, resume="done", lease=False, held=0)
            if permit != "unknown"
            else s._replace(resume="done", lease=False, held=0)
        )
        yield "the run has gone on", after, IDLE
    elif s.resume == "done" or s.fence != fence or s.open_calls > 0:
        yield "the report comes too late", s, IDLE
    else:
        yield "the report is made again", s, ("gave", fence)


def workers(setting: Setting, s: State) -> Iterator[Step]:
    """Claim, act, report. A worker that died comes back under another name."""
    for at, one in enumerate(s.workers):
        if at and one == s.workers[at - 1] and s.owner not in (at, at - 1):
            continue  # the same by another name
        for label, after, where, wrong in _worker(setting, s, at, one):
            yield label, after._replace(workers=put(after.workers, at, where)), wrong
        if one[0] in ("may", "acted") and s.crashes:
            owner = DEAD if s.owner == at else s.owner
            gone = s._replace(crashes=s.crashes - 1, owner=owner, workers=put(s.workers, at, IDLE))
            yield f"crash of a worker ({one[0]})", gone, ""


def _worker(setting: Setting, s: State, at: int, one: tuple[Any, ...]) -> Iterator[tuple[str, State, Any, str]]:
    if one == IDLE and s.given and setting.stale:
        yield "a worker has the decision", s, ("has", s.given), ""
    elif one[0] == "has" or (one == IDLE and s.given):
        yield from _claim(setting, s, at, one if one[0] == "has" else ("has", s.given))
    elif one == IDLE and comes_early(setting, s):
        yield from _claim(setting, s, at, ("has", 1))
    elif one[0] == "may":
        yield "the tool acts", s._replace(effects=min(s.effects + 1, 2), effect=one[1]), ("acted",), ""
        if setting.renews and not s.beat and holds(setting, s, "renew_claim", worker=at):
            yield "the worker renews its claim", s._replace(beat=1), one, ""
    elif one[0] == "acted":
        for outcome in ("done", "failed") if setting.operator else ("done",):
            told = holds(setting, s, "outcome", worker=at)
            yield f"the worker reports {outcome}", s._replace(permit=outcome) if told else s, ("over",), ""
    elif one[0] == "stale":
        if s.tried and "tries_forgotten" not in setting.bugs and holds(setting, s, "give_up_tried"):
            yield "nobody will try it again", s._replace(permit="unknown", place="stuck", listed=True), ("over",), ""
        elif s.round == 1 and holds(setting, s, "reopen"):
            yield "it is asked for again", _reopened(setting, s), ("over",), ""
        else:
            yield "somebody asked again", s, ("over",), ""


def _claim(setting: Setting, s: State, at: int, one: tuple[Any, ...]) -> Iterator[tuple[str, State, Any, str]]:
    claimed = s._replace(permit="claimed", owner=at, tried=setting.keyed, beat=0)
    again = "rerun_unknown" in setting.bugs and s.permit == "unknown"
    if "no_claim" in setting.bugs:
        yield "the worker does not ask", s, ("may", one[1]), ""
    elif again or holds(setting, s, "claim", rev=one[1], ahead=True):
        wrong = "" if s.yes else "released without an approval"
        wrong = wrong or "released while its decision may be taken back" * (s.window == "open" and s.resume == "due")
        wrong = (
            wrong
            or "released after it was cancelled" * s.cancelled
            or "other arguments are released" * (one[1] != s.rev)
        )
        yield "claimed", claimed, ("may", one[1]), wrong
        if s.crashes:
            yield "claimed; crash before the answer", claimed._replace(crashes=s.crashes - 1), one, wrong
        if turned_away(setting, s, one[1]):
            yield "the claim is refused by a clock", s, ("over",), "who was handed the decision is turned away"
    elif s.permit == "claimed" and s.owner == at and s.rev == one[1]:
        yield "the claim is answered as before", s, ("may", one[1]), ""
    elif s.permit == "free" and not s.fresh and s.call in ("accepted", "edited"):
        yield "the approval is too old", s, ("stale",), ""
    else:
        yield "the claim is refused", s, ("over",), ""


def _reopened(setting: Setting, s: State) -> State:
    """A new round; the lease of the last one is nobody's any more."""
    fence = s.fence if "fence_kept" in setting.bugs else s.fence + 1
    again = s._replace(
        call="pending",
        votes=frozenset(),
        agreed=(0,) * len(s.agreed),
        fact=None,
        open_calls=s.open_calls + 1,
        due="hidden",
        timer="idle",
        permit="none",
        owner=NOBODY,
        window="",
        held=0,
        beat=0,
        tried=False,
        round=2,
        resume="not_due",
        lease=False,
        fence=fence,
        wait="none",
        told=False,
        people=(IDLE,) * len(s.people),
    )
    return placed(again, "new")
