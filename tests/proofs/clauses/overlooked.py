"""A claim that comes while another write finds the pause's next moment: of a call that might run, or of one that was still open."""

from __future__ import annotations

from collections.abc import Callable

from placet.model.pauses import call_id
from placet.model.states import Verdict
from placet.records.heads import Head
from placet.service.escalate import escalate
from placet.service.execute import CLAIM_MS, claim
from placet.service.notify import AT_WORK_MS, mail_again
from tests.gateway import DELETE, REFUND, SMALL, SUPPORT
from tests.proofs.clauses.claims import unwatched
from tests.proofs.clauses.stage import Stage, scenario
from tests.proofs.clauses.waiting import timed, with_a_missed_mail


def claims_the_second(stage: Stage, head: Head) -> Callable[[], object]:
    """What is quicker than a write that read all calls as open: the second one is accepted, and its worker begins."""

    def claimed() -> None:
        stage.decide(stage.head(head.pause), 2, Verdict.ACCEPT)
        claim(stage.ports, SUPPORT, call_id(head.pause, 2), head.calls[1].digest, "w2", renews=True)

    return claimed


@scenario("decide", "unclaimed")
def a_decision_forgets_the_claim_of_a_call_that_it_read_as_open(stage: Stage) -> bool:
    head = stage.shown(REFUND, DELETE, DELETE)
    stage.meanwhile = claims_the_second(stage, head)
    stage.attempt(stage.decide, head, 1, Verdict.REJECT)
    return unwatched(stage, head, 2)


@scenario("expire", "permits_as_seen")
def an_expiry_forgets_a_claim(stage: Stage) -> bool:
    head = stage.shown(REFUND, SMALL, DELETE)
    stage.clock.at_ms = head.calls[0].deadline_ms
    small = head.calls[1]
    stage.meanwhile = lambda: claim(stage.ports, SUPPORT, call_id(head.pause, 2), small.digest, "w2", renews=True)
    escalate(stage.ports, head.pause)
    return unwatched(stage, head, 2)


@scenario("expire", "unclaimed")
def an_expiry_forgets_the_claim_of_a_call_that_it_read_as_open(stage: Stage) -> bool:
    head = stage.shown(REFUND, DELETE, DELETE)
    stage.clock.at_ms = head.calls[0].deadline_ms
    stage.meanwhile = claims_the_second(stage, head)
    escalate(stage.ports, head.pause)
    return unwatched(stage, head, 2)


@scenario("notify", "unclaimed")
def a_pause_is_shown_again_and_a_claim_forgotten_of_a_call_that_was_open(stage: Stage) -> bool:
    """One of its calls is asked for again, while the others wait where they are."""
    stage.with_policy(freshness_s=60)
    head = stage.shown(REFUND, DELETE, DELETE)
    stage.decide(head, 1, Verdict.ACCEPT)
    stage.clock.move(120)
    stage.claim(head, "w0")
    head = stage.head(head.pause)
    stage.meanwhile = claims_the_second(stage, head)
    stage.write("notify", head, timed(stage, head), stage.clock.now_ms())
    return unwatched(stage, head, 2)


@scenario("widen", "unclaimed")
def a_widening_forgets_the_claim_of_a_call_that_it_read_as_open(stage: Stage) -> bool:
    """Set by hand, with as many calls open as before: a decision leaves fewer, which open_as_seen sees too."""
    head = stage.shown(REFUND, DELETE, DELETE)
    over = stage.clock.now_ms() + CLAIM_MS
    permit = {"state": "claimed", "worker": "w2", "at_ms": stage.clock.now_ms(), "over_ms": over}
    stage.meanwhile = lambda: stage.force(head.pause, calls__2__permit=permit, wsk=over)
    stage.write("widen", head, {1: 1}, [], "after", stage.clock.now_ms())
    return unwatched(stage, head, 2)


@scenario("remind", "permits_as_seen")
def a_reminder_that_names_nobody_forgets_a_claim(stage: Stage) -> bool:
    head = stage.shown(SMALL, REFUND)
    stage.meanwhile = lambda: stage.claim(head, "w1")
    stage.write("remind", head, {2: 1}, [], stage.clock.now_ms())
    return unwatched(stage, head)


@scenario("remind", "unclaimed")
def a_reminder_that_names_nobody_forgets_the_claim_of_a_call_that_it_read_as_open(stage: Stage) -> bool:
    head = stage.shown(REFUND, DELETE, DELETE)
    stage.meanwhile = claims_the_second(stage, head)
    stage.write("remind", head, {1: 1}, [], stage.clock.now_ms())
    return unwatched(stage, head, 2)


@scenario("tell_at", "unclaimed")
def mails_are_begun_and_the_claim_of_a_call_that_was_open_is_looked_at_after_them(stage: Stage) -> bool:
    pause = with_a_missed_mail(stage, REFUND, DELETE, DELETE)
    head = stage.head(pause)
    stage.meanwhile = claims_the_second(stage, head)
    stage.write("tell_at", head, stage.clock.now_ms() + AT_WORK_MS)
    return unwatched(stage, head, 2)


@scenario("mailed", "unclaimed")
def mails_are_sent_and_the_claim_of_a_call_that_was_open_is_forgotten(stage: Stage) -> bool:
    pause = with_a_missed_mail(stage, REFUND, DELETE, DELETE)
    head = stage.head(pause)
    stage.meanwhile = claims_the_second(stage, head)
    mail_again(stage.ports, pause)
    return unwatched(stage, head, 2)
