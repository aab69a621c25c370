"""Claims that are renewed, and the moment at which the sweep comes for one beside an open call."""

from __future__ import annotations

from typing import Any

from placet.model.pauses import call_id
from placet.model.states import PermitState, Verdict
from placet.records.heads import Head
from placet.records.lanes import moment_at
from placet.service.execute import CLAIM_MS, claim, renew_claim
from placet.service.notify import AT_WORK_MS, mail_again, notify
from placet.service.sweep import sweep
from tests.gateway import DELETE, REFUND, SMALL, SUPPORT
from tests.proofs.clauses.acting import LEASE_S, permit_of, reports
from tests.proofs.clauses.permits import again
from tests.proofs.clauses.stage import Stage, scenario
from tests.proofs.clauses.waiting import timed, with_a_missed_mail


def renews(stage: Stage, head: Head) -> Any:
    """The attempt that claimed the first call says that it is still at it."""
    return stage.attempt(renew_claim, stage.ports, SUPPORT, call_id(head.pause, 1), "w1")


def unwatched(stage: Stage, head: Head, number: int = 1) -> bool:
    """Whether the sweep comes later than the claim of a call is over."""
    item = stage.item(head.pause)
    return bool(moment_at(item["wsk"]) > item["calls"][str(number)]["permit"]["over_ms"])


def kept_from_its_agent(stage: Stage, head: Head) -> bool:
    """Whether a decided pause stands on its agent's list with a moment that is to come."""
    item = stage.item(head.pause)
    return bool(item["wpk"] == stage.keys.out(SUPPORT.name) and item["wsk"] > stage.clock.now_ms())


@scenario("renew_claim", "permit_claimed")
def a_claim_is_kept_that_is_over(stage: Stage) -> bool:
    head = stage.claimed()
    stage.meanwhile = lambda: reports(stage, head)
    return isinstance(renews(stage, head), int)


@scenario("renew_claim", "same_worker")
def an_old_attempt_keeps_the_claim_of_a_fresh_one(stage: Stage) -> bool:
    head = stage.claimed()
    stage.meanwhile = lambda: again(stage, head)
    return isinstance(renews(stage, head), int)


@scenario("give_up", "not_renewed")
def an_attempt_is_given_up_that_has_just_renewed(stage: Stage) -> bool:
    head = stage.claimed()
    stage.clock.move(LEASE_S)
    stage.meanwhile = lambda: renews(stage, head)
    sweep(stage.ports)
    return permit_of(stage, head) is PermitState.UNKNOWN


@scenario("free_again", "not_renewed")
def a_permit_is_freed_whose_attempt_has_just_renewed(stage: Stage) -> bool:
    head = stage.claimed()
    stage.force(head.pause, calls__1__takes_key=True)
    stage.clock.move(LEASE_S)
    stage.meanwhile = lambda: renews(stage, head)
    sweep(stage.ports)
    return permit_of(stage, head) is PermitState.FREE


@scenario("claim", "same_moment")
def a_claim_keeps_a_pause_from_its_agent_that_was_just_decided(stage: Stage) -> bool:
    head = stage.shown(SMALL, REFUND)
    stage.meanwhile = lambda: stage.decide(head, 2, Verdict.ACCEPT)
    stage.claim(head, "w1")
    return kept_from_its_agent(stage, head)


@scenario("claim", "open_as_seen")
def a_claim_is_looked_at_late_because_another_call_was_asked_for_again(stage: Stage) -> bool:
    head = stage.shown(REFUND, DELETE)
    for number in (1, 2):
        stage.decide(stage.head(head.pause), number, Verdict.ACCEPT)
    stage.force(head.pause, calls__2__permit__until_ms=0)

    def asked_for_again() -> None:
        stage.attempt(claim, stage.ports, SUPPORT, call_id(head.pause, 2), head.calls[1].digest, "late")
        notify(stage.ports, head.pause, 2, "token 2")

    stage.meanwhile = asked_for_again
    stage.claim(head, "w1")
    return unwatched(stage, head)


@scenario("renew_claim", "claim_grows")
def a_renewal_that_comes_late_makes_a_claim_shorter(stage: Stage) -> bool:
    head = stage.approved()
    claim(stage.ports, SUPPORT, call_id(head.pause, 1), head.calls[0].digest, "w1", renews=True)
    began = stage.clock.now_ms()

    def renews_later() -> None:
        stage.clock.move(80)
        renews(stage, head)
        stage.clock.at_ms = began

    stage.meanwhile = renews_later
    renews(stage, head)
    return bool(stage.item(head.pause)["calls"]["1"]["permit"]["over_ms"] < began + 80_000 + CLAIM_MS)


@scenario("notify", "permits_as_seen")
def a_pause_is_shown_until_long_after_a_claim_is_over(stage: Stage) -> bool:
    head = stage.capture(SMALL, REFUND).head
    stage.meanwhile = lambda: stage.claim(head, "w1")
    stage.write("notify", head, timed(stage, head), stage.clock.now_ms())  # its verb ends before it could look again
    return unwatched(stage, head)


@scenario("decide", "permits_as_seen")
def a_pause_is_left_in_a_queue_until_long_after_a_claim_is_over(stage: Stage) -> bool:
    head = stage.shown(SMALL, REFUND, DELETE)
    stage.meanwhile = lambda: stage.claim(head, "w1")
    stage.attempt(stage.decide, head, 2, Verdict.ACCEPT)
    return unwatched(stage, head)


@scenario("tell_at", "permits_as_seen")
def mails_are_begun_and_a_claim_is_looked_at_after_them(stage: Stage) -> bool:
    """The claim is over later than the moment that it finds, and sooner than the one that is written."""
    pause = with_a_missed_mail(stage, SMALL, REFUND)
    head, at = stage.head(pause), call_id(pause, 1)
    stage.meanwhile = lambda: claim(stage.ports, SUPPORT, at, head.calls[0].digest, "w1", renews=True)
    stage.write("tell_at", head, stage.clock.now_ms() + AT_WORK_MS)
    return unwatched(stage, head)


@scenario("mailed", "permits_as_seen")
def mails_are_sent_and_a_claim_is_forgotten(stage: Stage) -> bool:
    pause = with_a_missed_mail(stage, SMALL, REFUND)
    head = stage.head(pause)
    stage.meanwhile = lambda: stage.claim(head, "w1")
    mail_again(stage.ports, pause)
    return unwatched(stage, head)
