"""Every named clause of the writes. Each says which race it closes.

None of them compares a version of the whole head: that would hide what the others are for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from placet.records.conditions import Clause, Comparison, clause
from placet.records.lanes import Stands
from placet.records.questions import Questions

# --- the head ---------------------------------------------------------------------------------------------------------


def not_captured() -> Clause:
    """Two processes capture the same pause at once: one creates it."""
    return clause("not_captured", ("pk", "absent"))


def first() -> Clause:
    """The same fact told twice: the first telling stands."""
    return clause("first", ("pk", "absent"))


def head_known() -> Clause:
    """A head that is set aside is erased meanwhile: no new one comes into being."""
    return clause("head_known", ("pk", "exists"))


def still_open() -> Clause:
    """A decision, expiry or cancel that came first must not be put back into the queue."""
    return clause("still_open", ("state", "=", "open"))


def not_notified() -> Clause:
    """The state machine calls notify again after it lost an answer: the deadline must not start anew."""
    return clause("not_notified", ("notified_ms", "absent"))


def same_work_list(wpk: str) -> Clause:
    """The pause moved on to another list while it was found stuck on this one."""
    return clause("same_work_list", ("wpk", "=", wpk)) if wpk else clause("same_work_list", ("wpk", "absent"))


def same_moment(stands: Stands) -> Clause:
    """Two find the same mails unsent: one of them sends. Or a pause gets another moment while a claim or more time is
    judged by the old one, or while it is found to stand on its list for too long."""
    return clause("same_moment", ("wsk", "=", stands))


def my_generation(gen: int) -> Clause:
    """Two sweeps find the same dead execution."""
    return clause("my_generation", ("gen", "=", gen))


def call_pending(number: int) -> Clause:
    """Two reviewers, or a reviewer and the clock, close one call at once."""
    return clause("call_pending", (f"calls.{number}.state", "=", "pending"))


def shown_revision(number: int, revision: int) -> Clause:
    """Somebody edited the call after this reviewer opened the page, or its agent answered a question about it."""
    return clause("shown_revision", (f"calls.{number}.rev", "=", revision))


def shown_digest(number: int, digest: str) -> Clause:
    """What was shown is what is decided, byte for byte."""
    return clause("shown_digest", (f"calls.{number}.digest", "=", digest))


def in_time(number: int, now_ms: int) -> Clause:
    """The deadline passes between the page and the click, or while the write is retried."""
    return replace(clause("in_time", (f"calls.{number}.deadline_ms", ">", now_ms)), expires=True)


def deadline_grows(number: int, until_ms: int) -> Clause:
    """Two people give a call more time at once, or one takes time from it: a deadline that was told never comes sooner."""
    return clause("deadline_grows", (f"calls.{number}.deadline_ms", "<", until_ms))


def deadline_as_seen(number: int, deadline_ms: int) -> Clause:
    """Two calls of a pause get more time at once: each write finds the next moment of both."""
    return clause("deadline_as_seen", (f"calls.{number}.deadline_ms", "=", deadline_ms))


def within_maximum(since: str, least_ms: int) -> Clause:
    """A call waits longer than its class, its run or its execution may wait, counted from this moment of its pause."""
    return clause("within_maximum", (since, ">=", least_ms))


def deadline_passed(number: int, now_ms: int) -> Clause:
    """The timer fires early, twice or for a moment that was moved: it may only close what is really over."""
    return clause("deadline_passed", (f"calls.{number}.deadline_ms", "<=", now_ms))


def not_cancelled() -> Clause:
    """The run moved on while somebody was reading."""
    return clause("not_cancelled", ("cancelled", "absent"))


def successor_waits() -> Clause:
    """The run takes back what it asked anew, or goes on from it, while its older pause is closed for that: nothing would wait."""
    return clause("successor_waits", ("resume_state", "<>", "done"))


def not_requester(names: Iterable[str]) -> list[Clause]:
    """Nobody decides what he asked for himself, under none of his names and in no spelling of them (`people.spellings`)."""
    return [clause("not_requester", ("requester", "<>", name)) for name in sorted(names)]


def not_kept_out(names: Iterable[str]) -> list[Clause]:
    """Whoever had no say in a call, or proposed to take it back under another name, decides whether it is taken back. `names`: his
    names and spellings, for a pause whose card keeps somebody out."""
    apart = (Comparison(("card", "kept_out", name), "absent") for name in sorted(names))
    return [Clause("not_kept_out", (one,)) for one in apart]


def not_owner(names: Iterable[str]) -> list[Clause]:
    """Nobody decides for an agent that he answers for."""
    return [clause("not_owner", ("owner", "<>", name)) for name in sorted(names)]


def level_reached(number: int, level: int) -> list[Clause]:
    """A later level's people decide before the call was widened to them; who is asked from the beginning needs no more."""
    return [clause("level_reached", (f"calls.{number}.level", ">=", level))] if level else []


def handed_over(number: int, key: str) -> Clause:
    """Somebody decides before their level is reached, whom the call is handed to no more: it was asked for anew."""
    return Clause("handed_over", (Comparison(("calls", str(number), "handed", key), "exists"),))


def handed_as_seen(number: int, count: int) -> Clause:
    """Two people hand one call on at once: the later one would forget whom the earlier one handed it to."""
    at = f"calls.{number}.handed"
    return clause("handed_as_seen", (at, "size=", count) if count else (at, "absent"))


def questions_as_seen(number: int, questions: Questions) -> Clause:
    """Two people ask about one call at once, two answers come, or one comes beside another question: each of them is written
    over what the other left, and a list would say that all is answered."""
    at = f"calls.{number}.questions"
    return clause("questions_as_seen", (at, "=", questions.item) if questions.asked else (at, "absent"))


def level_as_seen(number: int, level: int) -> Clause:
    """Two timers widen one call at once, or one comes late: each level is reached once, and none is passed over."""
    at = f"calls.{number}.level"
    return clause("level_as_seen", (at, "=", level)) if level else clause("level_as_seen", (at, "absent"))


def reminded_as_seen(number: int, count: int) -> Clause:
    """Two timers find the same reminder due, or one comes twice: people are told once."""
    at = f"calls.{number}.reminded"
    return clause("reminded_as_seen", (at, "=", count)) if count else clause("reminded_as_seen", (at, "absent"))


def mails_as_seen(missed: Sequence[str]) -> Clause:
    """Somebody strikes out who was mailed, or adds who is to be reminded, while another writes the same list. Not only how many:
    one name may go as another comes."""
    return clause("mails_as_seen", ("mails_missed", "=", list(missed)) if missed else ("mails_missed", "absent"))


def same_epoch(epoch: int) -> Clause:
    """The table was restored to an earlier moment: what it calls free or pending may have been used since."""
    return clause("same_epoch", ("epoch", "=", epoch))


def new_voter(number: int, sub: str) -> Clause:
    """One person votes twice at once."""
    return Clause("new_voter", (Comparison(("calls", str(number), "votes", sub), "absent"),))


def new_person(number: int, marks: Iterable[str]) -> list[Clause]:
    """One person votes once more with another account of theirs: each vote leaves the marks of its voter's addresses."""
    at = ("calls", str(number), "voted")
    return [Clause("new_person", (Comparison((*at, mark), "absent"),)) for mark in sorted(marks)]


def votes_seen(number: int, votes: Mapping[str, str]) -> Clause:
    """Two last votes at once: each was counted beside others, one must look again. Not only how many: beside the vote of
    somebody who has left, one comes as the other goes."""
    return clause("votes_seen", (f"calls.{number}.votes", "=", dict(votes)))


def all_decided() -> Clause:
    """A run goes on before its last call is decided."""
    return clause("all_decided", ("open_calls", "=", 0))


def not_resumed() -> Clause:
    """The run went on already."""
    return clause("not_resumed", ("resume_state", "<>", "done"))


def lease_free(now_ms: int) -> Clause:
    """Two resumers at once: the second waits until the first's lease is over, unless that one only sends what is there already."""
    return clause("lease_free", ("lease_until_ms", "absent"), ("lease_until_ms", "<=", now_ms), ("sending", "exists"))


def lease_held(now_ms: int) -> Clause:
    """A lease that is over is kept: nobody holds it, and it would keep others away."""
    return replace(clause("lease_held", ("lease_until_ms", ">", now_ms)), expires=True)


def not_given_back() -> Clause:
    """A lease is given back while its renewal is on its way, whose clock was read before: nobody holds it any more."""
    return clause("not_given_back", ("holder", "exists"))


def lease_grows(until_ms: int) -> Clause:
    """A renewal that was on its way for long comes after the next one: a lease that goes on must not end sooner by that."""
    return clause("lease_grows", ("lease_until_ms", "<=", until_ms))


def lease_longer(until_ms: int) -> Clause:
    """A lease that was given back, or is over sooner, goes on because it was to be cut short."""
    return clause("lease_longer", ("lease_until_ms", ">", until_ms))


def sending_free(now_ms: int) -> Clause:
    """Two deliveries at once, or one to a run that somebody works on: nothing is sent while there is any lease."""
    return clause("sending_free", ("lease_until_ms", "absent"), ("lease_until_ms", "<=", now_ms))


def my_fence(fence: int) -> Clause:
    """A resumer that lost its lease reports late. Or a run that nobody worked on is taken up while it is listed for that."""
    return clause("my_fence", ("fence", "=", fence))


# --- what may be taken back ---------------------------------------------------------------------------------------------


def window_open(number: int, now_ms: int) -> Clause:
    """The time to take a decision back ends between the page and the click, or while the write is retried."""
    return replace(clause("window_open", (f"calls.{number}.undo_ms", ">", now_ms)), expires=True)


def window_over(number: int, now_ms: int) -> Clause:
    """A worker that comes early runs what somebody may still take back. What is handed out nobody takes back, whatever this
    clock says: a worker that was let in by one that is ahead must not be turned away."""
    at = f"calls.{number}.undo_ms"
    return clause("window_over", (at, "absent"), (at, "<=", now_ms), ("resume_state", "=", "offered"))


def window_as_seen(number: int, undo_ms: int) -> Clause:
    """A decision is taken back and made again while the last one closes the pause: its run would be held for too short."""
    return clause("window_as_seen", (f"calls.{number}.undo_ms", "=", undo_ms))


def not_held(now_ms: int) -> Clause:
    """Its decision is taken back and made again while the run is taken up: there is time to take it back once more. Unless it was
    handed out, by whose clock that was over."""
    return clause("not_held", ("held_ms", "absent"), ("held_ms", "<=", now_ms), ("resume_state", "=", "offered"))


def hold_as_seen(held_ms: int) -> Clause:
    """The same, while a timer ends the time before: this one goes on."""
    return clause("hold_as_seen", ("held_ms", "=", held_ms))


def not_handed_out() -> Clause:
    """Whoever resumes the run has a clock that is ahead, or the run is cancelled: its decisions are out, or nobody wants them."""
    return clause("not_handed_out", ("resume_state", "=", "due"), ("resume_state", "=", "not_due"))


# --- the permit -------------------------------------------------------------------------------------------------------


def may_run(number: int) -> Clause:
    """A rejected, expired or undecided call is executed by a worker that did not ask, or asked too early."""
    at = f"calls.{number}.state"
    return clause("may_run", (at, "=", "accepted"), (at, "=", "edited"), (at, "=", "passed"))


def permit_free(number: int) -> Clause:
    """Two workers claim the same call at once."""
    return clause("permit_free", (f"calls.{number}.permit.state", "=", "free"))


def digest_named(number: int, digest: str) -> Clause:
    """A worker holds other arguments than those that were decided."""
    return clause("digest_named", (f"calls.{number}.digest", "=", digest))


def still_fresh(number: int, now_ms: int) -> Clause:
    """An accept of last month is executed today."""
    return replace(clause("still_fresh", (f"calls.{number}.permit.until_ms", ">", now_ms)), expires=True)


def claimed_by_me(number: int, worker: str) -> list[Clause]:
    """A worker reports the outcome of a permit that another one holds, or reports twice. Late is not too late for its own."""
    permit = f"calls.{number}.permit"
    return [
        clause("permit_used", (f"{permit}.state", "=", "claimed"), (f"{permit}.state", "=", "unknown")),
        clause("my_permit", (f"{permit}.worker", "=", worker)),
    ]


def still_claimed(number: int, worker: str) -> list[Clause]:
    """The worker reports while the sweep gives it up."""
    permit = f"calls.{number}.permit"
    return [
        clause("permit_claimed", (f"{permit}.state", "=", "claimed")),
        clause("same_worker", (f"{permit}.worker", "=", worker)),
    ]


def not_renewed(number: int, over_ms: int) -> Clause:
    """The worker says that it is still at it while the sweep gives it up."""
    at = f"calls.{number}.permit.over_ms"
    return clause("not_renewed", (at, "=", over_ms)) if over_ms else clause("not_renewed", (at, "absent"))


def claim_grows(number: int, over_ms: int) -> Clause:
    """A renewal that was on its way for long comes after the next one: an attempt at work must not be given up sooner by that."""
    at = f"calls.{number}.permit.over_ms"
    return clause("claim_grows", (at, "<=", over_ms), (at, "absent"))


def permit_unknown(number: int) -> Clause:
    """Two people, or a person and the late worker, settle one unknown."""
    return clause("permit_unknown", (f"calls.{number}.permit.state", "=", "unknown"))


def too_old(number: int, now_ms: int) -> Clause:
    """An approval is asked for again only when it really is too old."""
    return clause("too_old", (f"calls.{number}.permit.until_ms", "<=", now_ms))


def never_tried(number: int) -> Clause:
    """The sweep frees the permit of a keyed tool whose worker died, while the approval is found too old, or the run ends."""
    return clause("never_tried", (f"calls.{number}.permit.at_ms", "absent"))


def permits_as_seen(number: int, state: str) -> Clause:
    """A worker claims a permit while the run is cancelled: what is claimed has to be listed, not forgotten."""
    at = f"calls.{number}.permit.state"
    return clause("permits_as_seen", (at, "absent")) if state == "none" else clause("permits_as_seen", (at, "=", state))


def unclaimed(number: int) -> Clause:
    """An open call is decided and claimed while the next moment of its pause is written: its claim would be looked at too late.
    Decided it may be: two people at two calls do not stand in each other's way."""
    return clause("unclaimed", (f"calls.{number}.permit.state", "<>", "claimed"))


def old_epoch(epoch: int) -> Clause:
    """Two sweeps bring a restored pause into the new epoch."""
    return clause("old_epoch", ("epoch", "<", epoch))


def as_listed(stuck: str) -> Clause:
    """The sweep lists a pause, or an operator repairs it, while another write moves it off the list it was on, or while it is taken
    up by who read it before."""
    return clause("as_listed", ("stuck", "=", stuck)) if stuck else clause("as_listed", ("stuck", "absent"))


def open_as_seen(count: int) -> Clause:
    """The last call is decided, or one is asked for again, while another write judges the pause by its open calls: an unknown that
    has to be listed and not left with people, a restored pause that would wait again, a claim that would be looked at too late."""
    return clause("open_as_seen", ("open_calls", "=", count))


def urgent_pending(numbers: Iterable[int]) -> Clause:
    """Two calls of one pause close at once: each was to leave it in the queue of the other. Or a pause ends while it is shown."""
    tests = (Comparison(("calls", str(number), "state"), "=", "pending") for number in numbers)
    return Clause("urgent_pending", tuple(tests))


def urgent_deadline(calls: Iterable[tuple[int, int]]) -> Clause:
    """The most urgent of the calls that are left gets more time while another one closes: the pause would keep the old moment."""
    tests = (Comparison(("calls", str(number), "deadline_ms"), "=", deadline_ms) for number, deadline_ms in calls)
    return Clause("urgent_deadline", tuple(tests))


def same_deadline(deadline_ms: int) -> Clause:
    """A call closes while a mail is tried again: the pause's next moment is another one by now."""
    return clause("same_deadline", ("deadline_ms", "=", deadline_ms))


# --- open pauses of an agent --------------------------------------------------------------------------------------------


def room_left(name: str, most: int) -> Clause:
    """Many captures of one agent at once: no more of them are counted than the bound has room for."""
    return clause("room_left", (f"open_{name}", "absent"), (f"open_{name}", "<", most))


def counted_as_seen(counted_ms: int) -> Clause:
    """Two captures count what is open at once: the later one would forget what was captured after the earlier one's count."""
    seen = ("counted_ms", "=", counted_ms) if counted_ms else ("counted_ms", "absent")
    return clause("counted_as_seen", seen)  # type: ignore[arg-type]


# --- mailboxes ---------------------------------------------------------------------------------------------------------


def mail_apart(before_ms: int) -> Clause:
    """Two pauses, or two functions, mail one person at once: one of them does."""
    return clause("mail_apart", ("sent_ms", "absent"), ("sent_ms", "<=", before_ms))


def same_mail(sent_ms: int) -> Clause:
    """Somebody else mails them while a mail is found not to have gone."""
    return clause("same_mail", ("sent_ms", "=", sent_ms))


def takes_mail() -> Clause:
    """A mail bounces while another one to the same address is made."""
    return clause("takes_mail", ("refused", "absent"))


def nothing_owed() -> Clause:
    """Two pauses hold one person's mail back: the moment of the first stays, or a flood would push it away for ever. And
    who is owed a mail of what waits gets that one, not another beside it."""
    return clause("nothing_owed", ("wpk", "absent"))


def mail_refused() -> Clause:
    """Two operators take one mark away."""
    return clause("mail_refused", ("refused", "exists"))


# --- budgets -----------------------------------------------------------------------------------------------------------


def within_budget(left: int) -> Clause:
    """Two captures at once spend what is left of one budget: each was judged by the sum before the other."""
    return clause("within_budget", ("spent", "absent"), ("spent", "<=", left))


# --- runs of Bedrock ---------------------------------------------------------------------------------------------------


def same_turn(turn: int) -> Clause:
    """Two callers send a text at once, or a turn that was given up comes back after the next one began."""
    return clause("same_turn", ("turn", "=", turn))


def run_as_seen(state: str) -> Clause:
    """The turn before comes back while the next one is judged by it: a session that lives would be left for a new one."""
    return clause("run_as_seen", ("state", "=", state))


# --- memberships, tokens ----------------------------------------------------------------------------------------------


def still_member() -> Clause:
    """A person is taken out of the group between sign-in and click: tokens live on, memberships do not."""
    return clause("still_member", ("pk", "exists"))


def badge_lasts(now_ms: int) -> Clause:
    """A session ends, or somebody signs in again without the group, while they decide by the badge of an earlier sign-in."""
    return replace(clause("badge_lasts", ("until_ms", ">", now_ms)), expires=True)


def badge_as_seen(sessions: Mapping[str, int]) -> Clause:
    """Another browser of a person signs in or out, or an operator takes them out of a group, while a sign-out is judged by the
    sessions of before: a right that was ended would come back, and outlive both."""
    seen = [("sessions", "=", dict(sessions)), *([] if sessions else [("sessions", "absent")])]
    return clause("badge_as_seen", *seen)  # type: ignore[arg-type]


def absence_begun(now_ms: int) -> Clause:
    """An absence is put off while its delegate decides: before it begins nobody stands in."""
    return clause("absence_begun", ("from_ms", "<=", now_ms))


def absence_lasts(now_ms: int) -> Clause:
    """A person is back, by the clock or by their word, while their delegate decides."""
    return replace(clause("absence_lasts", ("until_ms", ">", now_ms)), expires=True)


def names_delegate(sub: str) -> Clause:
    """A person names another delegate while the one before decides."""
    return clause("names_delegate", ("delegate", "=", sub))


def token_known() -> Clause:
    """The answer mark is set on a token that was never stored."""
    return clause("token_known", ("pk", "exists"))
