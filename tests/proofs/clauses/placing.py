"""Every write that moves a pause with an open call, beside another write that changes one thing that its place follows from.

Each is set by hand, one attribute at a time: what really changes it changes more, which another clause sees too. The second call,
which the write leaves alone, is changed; the third one may run already.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placet.model.states import CallState, Verdict
from placet.model.transitions import Tally
from placet.policy import Level
from placet.records import writes
from placet.records.heads import Head
from tests.gateway import DELETE, REFUND, SMALL
from tests.proofs.clauses.asking import asks
from tests.proofs.clauses.handing import written
from tests.proofs.clauses.stage import Stage, scenario
from tests.proofs.clauses.waiting import timed

HOUR_MS = 3_600_000
Act = Callable[[Stage, Head], bool]
Begin = Callable[[Stage], Head]

HANDED = {"U#bea": {"level": 2, "to_name": "Bea Baum", "by_name": "Jonas Weber", "at_ms": 1}}
CHANGES: dict[str, tuple[str, dict[str, Any]]] = {
    "level_as_seen": ("a_call_was_widened", {"calls__2__level": 1}),
    "handed_as_seen": ("a_call_was_handed_on", {"calls__2__handed": HANDED}),
    "reminded_as_seen": ("people_were_reminded", {"calls__2__reminded": 1}),
    "deadline_as_seen": ("a_call_got_more_time", {"calls__2__deadline_ms": 9 * 10**12}),
    "mails_as_seen": ("somebody_is_to_be_mailed", {"mails_missed": ["tom"]}),
    "permits_as_seen": ("a_call_was_claimed", {"calls__3__permit__state": "claimed"}),
    "unclaimed": ("an_open_call_was_decided_and_claimed", {"calls__2__permit": {"state": "claimed", "worker": "w2"}}),
    "same_work_list": ("it_stands_elsewhere", {"wpk": "elsewhere"}),
    "as_listed": ("it_was_listed", {"stuck": "wait_failed"}),
    "same_moment": ("it_is_called_at_another_moment", {"wsk": 1}),
}
WITHOUT_MOMENT = [name for name in CHANGES if name != "same_moment"]


def waiting(stage: Stage) -> Head:
    """Three calls wait, the first one for the shortest time, and one passed."""
    stage.with_policy(levels=(Level(("finance",)), Level(("leads",), 3_600)), undo_s=600)
    stage.person("lea", "Lea Lang", "leads")
    head = stage.shown(REFUND, DELETE, SMALL, REFUND)
    first = head.deadline_ms - HOUR_MS
    stage.force(head.pause, calls__1__deadline_ms=first, deadline_ms=first)
    return stage.head(head.pause)


def owed(begin: Begin) -> Begin:
    """Somebody is still to be mailed, and the sweep is called for it."""

    def begun(stage: Stage) -> Head:
        head = begin(stage)
        stage.force(head.pause, mails_missed=["maria"], wsk=head.lane + stage.clock.now_ms())
        return stage.head(head.pause)

    return begun


def captured(stage: Stage) -> Head:
    """The same calls, before anybody sees them."""
    return stage.capture(REFUND, DELETE, SMALL, REFUND).head


def accepted(stage: Stage) -> Head:
    """The first of them was accepted just now."""
    head = waiting(stage)
    stage.decide(head, 1, Verdict.ACCEPT)
    return stage.head(head.pause)


def asked(stage: Stage) -> Head:
    """Its agent was asked about the first of them."""
    head = waiting(stage)
    asks(stage, head)
    return stage.head(head.pause)


def listed(stage: Stage) -> Head:
    """Nobody was there who may decide them."""
    head = waiting(stage)
    stage.force(head.pause, stuck="group_empty", wpk=stage.keys.stuck())
    return stage.head(head.pause)


def decides(stage: Stage, head: Head) -> bool:
    call, now = head.calls[0], stage.clock.now_ms()
    shown, rev = call.digest, call.rev
    ballot = writes.Ballot(stage.maria, Verdict.REJECT, call, shown, rev, shown, rev, "finance", 0, "no", 1, now)
    return stage.write("decide", head, ballot, Tally(CallState.REJECTED, {}), stage.epoch, now)


def expires(stage: Stage, head: Head) -> bool:
    return stage.write("expire", head, [head.calls[0]], head.calls[0].deadline_ms)


def takes_back(stage: Stage, head: Head) -> bool:
    back = writes.TakingBack(stage.maria, head.calls[0], head.calls[0].rev, "finance")
    return stage.write("undo", head, back, stage.epoch, stage.clock.now_ms())


def reminds(stage: Stage, head: Head) -> bool:
    return stage.write("remind", head, {1: 1}, [], stage.clock.now_ms())


def widens(stage: Stage, head: Head) -> bool:
    return stage.write("widen", head, {1: 1}, [], "after", stage.clock.now_ms())


def hands(stage: Stage, head: Head) -> bool:
    return written(stage, head, told=())


def answers(stage: Stage, head: Head) -> bool:
    return stage.write("answer", head, writes.Answering(head.calls[0], 1, "d" * 64, ()), stage.clock.now_ms())


def extends(stage: Stage, head: Head) -> bool:
    until = head.calls[0].deadline_ms + HOUR_MS // 2
    more = writes.MoreTime(stage.maria, head.calls[0], until, "why", "finance", 0, "notified_ms", 10**12)
    return stage.write("extend", head, more, stage.clock.now_ms())


def shows(stage: Stage, head: Head) -> bool:
    return stage.write("notify", head, timed(stage, head), stage.clock.now_ms())


def mailed(stage: Stage, head: Head) -> bool:
    return stage.write("mailed", head, [], stage.clock.now_ms())


def tells_at(stage: Stage, head: Head) -> bool:
    return stage.write("tell_at", head, stage.clock.now_ms())


def requeues(stage: Stage, head: Head) -> bool:
    return stage.write("requeue", head, 0)


def shows_again(stage: Stage, head: Head) -> bool:
    now = stage.clock.now_ms()
    move = writes.shown_again(stage.keys, head, {}, 0, [], now)
    return stage.write("unlist", head, move, "sweep", "stands before its reviewers again", now)


def _of(write: str, act: Act, begin: Begin, clause: str) -> None:
    name, change = CHANGES[clause]

    def play(stage: Stage) -> bool:
        head = (owed(begin) if clause == "same_moment" else begin)(stage)
        stage.meanwhile = lambda: stage.force(head.pause, **change)
        return act(stage, head)

    play.__name__ = f"{act.__name__}_by_an_old_place_while_{name}"
    scenario(write, clause)(play)


MOVES: list[tuple[str, Act, Begin, list[str]]] = [
    ("decide", decides, waiting, list(CHANGES)),
    ("expire", expires, waiting, list(CHANGES)),
    ("undo", takes_back, accepted, list(CHANGES)),
    ("remind", reminds, waiting, list(CHANGES)),
    ("widen", widens, waiting, list(CHANGES)),
    ("reassign", hands, waiting, list(CHANGES)),
    ("answer", answers, asked, list(CHANGES)),
    ("extend", extends, waiting, list(CHANGES)),
    ("notify", shows, captured, WITHOUT_MOMENT),
    ("mailed", mailed, waiting, [name for name in WITHOUT_MOMENT if name != "as_listed"]),
    ("tell_at", tells_at, waiting, [name for name in CHANGES if name != "as_listed"]),
    ("requeue", requeues, waiting, list(CHANGES)),
    ("unlist", shows_again, listed, WITHOUT_MOMENT),
]
for write, act, begin, clauses in MOVES:
    for clause in clauses:
        _of(write, act, begin, clause)


@scenario("notify", "not_notified")
def a_deadline_starts_anew(stage: Stage) -> bool:
    """Set by hand: what is shown stands on another list as well."""
    head = captured(stage)
    stage.meanwhile = lambda: stage.force(head.pause, notified_ms=1)
    return shows(stage, head)


@scenario("undo", "open_as_seen")
def a_call_waits_again_beside_one_that_was_rejected_meanwhile(stage: Stage) -> bool:
    head = accepted(stage)
    stage.meanwhile = lambda: stage.force(head.pause, open_calls=1, calls__2__state="rejected")
    return takes_back(stage, head)


def says_open(stage: Stage, head: Head) -> bool:
    """What lists say of it."""
    return stage.head(head.pause).card.question == "open"


@scenario("decide", "questions_as_seen")
def a_list_says_that_an_agent_has_not_answered_about_a_decided_call(stage: Stage) -> bool:
    head = waiting(stage)
    stage.meanwhile = lambda: asks(stage, head, stage.jonas)
    decides(stage, head)
    return stage.head(head.pause).calls[0].state is CallState.REJECTED and says_open(stage, head)


@scenario("expire", "questions_as_seen")
def a_list_says_that_an_agent_has_not_answered_about_an_expired_call(stage: Stage) -> bool:
    head = waiting(stage)
    stage.meanwhile = lambda: asks(stage, head, stage.jonas)
    expires(stage, head)
    return stage.head(head.pause).calls[0].state is CallState.EXPIRED and says_open(stage, head)


def answered(stage: Stage) -> Head:
    """Its agent was asked about the first call, and answered, and the call was accepted."""
    head = asked(stage)
    answers(stage, head)
    stage.decide(stage.head(head.pause), 1, Verdict.ACCEPT)
    return stage.head(head.pause)


def asked_about_the_other(stage: Stage) -> Head:
    """The first call was accepted, and its agent is asked about the second."""
    head = accepted(stage)
    asks(stage, head, stage.jonas, number=2)
    return stage.head(head.pause)


@scenario("undo", "questions_as_seen")
def a_call_waits_again_and_a_question_about_another_one_is_hidden(stage: Stage) -> bool:
    head = answered(stage)
    stage.meanwhile = lambda: asks(stage, head, stage.jonas, number=2)
    takes_back(stage, head)
    return not says_open(stage, head) and stage.head(head.pause).calls[1].questions.asked > 0


@scenario("undo", "call_pending")
def a_call_waits_again_beside_a_question_about_a_decided_one(stage: Stage) -> bool:
    """Set by hand, with as many calls open as before."""
    head = asked_about_the_other(stage)
    stage.meanwhile = lambda: stage.force(head.pause, calls__2__state="rejected")
    return takes_back(stage, head)


def asks_again(stage: Stage, head: Head) -> bool:
    """The approval of the first call is too old, and it is asked for anew."""
    return stage.write("reopen", head, head.calls[0], "w1", head.calls[0].until_ms)


@scenario("reopen", "questions_as_seen")
def a_call_is_asked_for_again_and_a_question_about_another_one_is_hidden(stage: Stage) -> bool:
    head = answered(stage)
    stage.meanwhile = lambda: asks(stage, head, stage.jonas, number=2)
    asks_again(stage, head)
    return not says_open(stage, head)


@scenario("reopen", "call_pending")
def a_call_is_asked_for_again_beside_a_question_about_a_decided_one(stage: Stage) -> bool:
    """Set by hand, with as many calls open as before."""
    head = asked_about_the_other(stage)
    stage.meanwhile = lambda: stage.force(head.pause, calls__2__state="rejected")
    return asks_again(stage, head)
