"""capture, the wait and its token, notify, mail, and the next generation."""

from __future__ import annotations

import contextlib
from decimal import Decimal
from typing import Any

from placet.model.errors import Busy
from placet.model.states import CallState, PauseState, Verdict
from placet.records.calls import HeadCall
from placet.records.heads import Head
from placet.service import sweep
from placet.service.cancel import cancel
from placet.service.notify import mail_again, notify
from placet.service.plan import planned
from placet.service.stuck import list_stuck
from tests.asking import Within, policy_of
from tests.gateway import DELETE, REFUND, SMALL, SUPPORT
from tests.proofs.clauses.stage import Stage, scenario


@scenario("capture", "not_captured")
def a_second_capture_undoes_a_decision(stage: Stage) -> bool:
    stage.meanwhile = lambda: stage.approved()
    head = stage.capture(REFUND).head
    return stage.head(head.pause).open_calls == 1


@scenario("capture", "within_budget")
def two_captures_spend_the_same_rest_of_a_budget(stage: Stage) -> bool:
    limit = Decimal(500)
    stage.policy = policy_of(Within(limit))
    refund = ("issue_refund", {"order_id": "1182", "amount": 300})
    heads = []
    stage.meanwhile = lambda: heads.append(stage.capture(refund, checkpoint="other", run="another").head)
    heads.append(stage.capture(refund).head)
    return 300 * sum(head.calls[0].state is CallState.PASSED for head in heads) > limit


@scenario("answer_token_now", "token_known")
def a_token_that_was_never_stored_is_marked(stage: Stage) -> bool:
    stage.write("answer_token_now", "a-pause", 1)
    return stage.table.get(stage.keys.token("a-pause", 1)) is not None


def timed(stage: Stage, head: Head) -> list[HeadCall]:
    """The pending calls as notify shows them now."""
    return [planned(call, None, 0, stage.clock.now_ms()) for call in head.pending]


@scenario("notify", "my_generation")
def a_call_that_was_just_asked_for_again_never_gets_a_deadline(stage: Stage) -> bool:
    """Set by hand: a call that is really asked for again loses its permit, which permits_as_seen sees too."""
    head = stage.capture(SMALL, REFUND).head
    stage.meanwhile = lambda: stage.force(head.pause, gen=2, open_calls=2, calls__1__state="pending")
    stage.write("notify", head, timed(stage, head), stage.clock.now_ms())
    after = stage.head(head.pause)
    return after.notified_ms > 0 and not all(call.deadline_ms for call in after.pending)


@scenario("notify", "urgent_pending")
def a_pause_is_shown_in_the_queue_of_a_call_that_just_closed(stage: Stage) -> bool:
    """Asked for again beside a call that its people are about to decide: that one's class must not keep the pause."""
    head = stage.shown(DELETE, REFUND)
    stage.decide(head, 1, Verdict.ACCEPT)
    stage.force(head.pause, calls__1__permit__until_ms=0)
    stage.claim(head, "late")
    stage.meanwhile = lambda: stage.decide(stage.head(head.pause), 2, Verdict.REJECT)
    notify(stage.ports, head.pause, 2, "token 2")
    return stage.head(head.pause).wpk != stage.keys.queue(head.calls[0].action_class, 0)


def missing(stage: Stage) -> Any:
    """A way to send mails on which Maria's cannot be sent now."""
    real = stage.mail.send

    def busy(note: Any) -> bool:
        if note.to_email == "maria@example.com":
            raise Busy
        return real(note)

    return busy


def with_a_missed_mail(stage: Stage, *calls: Any) -> str:
    """A shown pause one of whose mails has to be tried again."""
    real = stage.mail.send
    stage.mail.send = missing(stage)  # type: ignore[method-assign]
    pause = stage.shown(*calls).pause
    stage.mail.send = real  # type: ignore[method-assign]
    stage.clock.at_ms = stage.head(pause).wsk
    return pause


@scenario("mailed", "same_work_list")
def the_age_of_a_stuck_pause_is_lost(stage: Stage) -> bool:
    pause = with_a_missed_mail(stage, REFUND)
    stage.meanwhile = lambda: list_stuck(stage.ports, stage.head(pause), "wait_failed")
    mail_again(stage.ports, pause)
    return stage.head(pause).wsk > stage.clock.now_ms()


@scenario("mailed", "my_generation")
def a_mail_of_the_new_round_is_forgotten(stage: Stage) -> bool:
    """Set by hand, as above: asked for again meanwhile, and the mail of that was missed by the same person."""
    pause = with_a_missed_mail(stage, REFUND, REFUND)
    stage.meanwhile = lambda: stage.force(pause, gen=2)
    mail_again(stage.ports, pause)
    return not stage.head(pause).mails_missed


@scenario("mailed", "same_deadline")
def a_moment_is_kept_that_is_not_the_next_one(stage: Stage) -> bool:
    pause = with_a_missed_mail(stage, REFUND, REFUND)
    stage.force(pause, calls__2__deadline_ms=stage.head(pause).deadline_ms + 1)
    stage.meanwhile = lambda: stage.decide(stage.head(pause), 1, Verdict.ACCEPT)
    mail_again(stage.ports, pause)
    return stage.head(pause).wsk != stage.head(pause).deadline_ms


@scenario("tell_at", "same_moment")
def one_person_gets_two_mails(stage: Stage) -> bool:
    pause = with_a_missed_mail(stage, REFUND)
    sent = len(stage.mail.sent)

    def another() -> None:
        real, stage.mail.send = stage.mail.send, no_answer_yet  # type: ignore[method-assign]
        with contextlib.suppress(Killed):
            mail_again(stage.ports, pause)
        stage.mail.send = real  # type: ignore[method-assign]
        for sub in ("maria", "jonas"):  # as if the mailboxes did not keep one person from two mails as well
            stage.write("return_mail", sub, stage.clock.now_ms())

    stage.meanwhile = another
    mail_again(stage.ports, pause)
    return len(stage.mail.sent) > sent


class Killed(Exception):
    """The function was cut off while it waited."""


def no_answer_yet(note: Any) -> bool:
    raise Killed


@scenario("tell_at", "same_work_list")
def a_decided_pause_is_kept_from_its_agent(stage: Stage) -> bool:
    pause = with_a_missed_mail(stage, REFUND)
    stage.force(
        pause, wsk=stage.head(pause).wsk
    )  # as an earlier release wrote it, in no lane: the moment alone tells little
    stage.meanwhile = lambda: stage.decide(stage.head(pause), 1, Verdict.ACCEPT)
    mail_again(stage.ports, pause)
    return stage.head(pause).wsk > stage.clock.now_ms()


def never_told(stage: Stage) -> Any:
    """A captured pause whose execution ended before anybody was told; the sweep is due."""
    head = stage.capture(REFUND).head
    stage.deliver()
    stage.waits.ended.add(f"{head.pause}-1")
    stage.clock.move(120)
    return head


@scenario("next_generation", "still_open")
def a_wait_starts_for_a_cancelled_pause(stage: Stage) -> bool:
    head = never_told(stage)
    stage.meanwhile = lambda: cancel(stage.ports, SUPPORT, head.pause, "the user left")
    sweep.sweep(stage.ports)
    return stage.head(head.pause).state is PauseState.ENDED and stage.head(head.pause).gen == 2


@scenario("next_generation", "not_notified")
def a_second_wait_starts_for_a_pause_that_is_shown(stage: Stage) -> bool:
    head = never_told(stage)
    stage.meanwhile = lambda: notify(stage.ports, head.pause, 1, "token")
    sweep.sweep(stage.ports)
    return stage.head(head.pause).gen == 2


@scenario("next_generation", "my_generation")
def a_generation_goes_backwards(stage: Stage) -> bool:
    head = never_told(stage)

    def two_more() -> None:
        for _ in range(2):
            stage.write("next_generation", stage.head(head.pause), stage.clock.now_ms())

    stage.meanwhile = two_more
    sweep.sweep(stage.ports)
    return stage.head(head.pause).gen < 3


def requeues(stage: Stage, head: Head) -> bool:
    """The sweep, that read the head before, moves it out of a queue that a deploy took away."""
    return stage.write("requeue", head, 0)


def in_a_queue_of_yesterday(stage: Stage, *calls: tuple[str, dict[str, Any]]) -> Head:
    """A pause that stands where no class of today's policy has its people."""
    head = stage.shown(*calls)
    stage.force(head.pause, wpk=stage.keys.queue("yesterday", 0))
    return stage.head(head.pause)


@scenario("requeue", "open_as_seen")
def a_pause_is_moved_by_a_call_that_was_decided(stage: Stage) -> bool:
    """Set by hand, in the same queue: a decision leaves it, which same_work_list sees too."""
    head = in_a_queue_of_yesterday(stage, REFUND, DELETE)
    stage.meanwhile = lambda: stage.force(head.pause, open_calls=1)
    return requeues(stage, head)


@scenario("requeue", "same_work_list")
def a_decided_pause_is_put_back_into_a_queue(stage: Stage) -> bool:
    """Set by hand: what takes it off the queue changes its open calls as well."""
    head = in_a_queue_of_yesterday(stage, REFUND)
    stage.meanwhile = lambda: stage.force(head.pause, wpk=stage.keys.out(SUPPORT.name))
    return requeues(stage, head)


@scenario("requeue", "my_generation")
def a_pause_that_waits_anew_is_moved_by_its_old_moment(stage: Stage) -> bool:
    head = in_a_queue_of_yesterday(stage, REFUND)
    stage.meanwhile = lambda: stage.force(head.pause, gen=2)
    return requeues(stage, head)


@scenario("requeue", "as_listed")
def a_listed_pause_is_moved_into_a_queue(stage: Stage) -> bool:
    """Set by hand: listing moves it too, which same_work_list sees."""
    head = in_a_queue_of_yesterday(stage, REFUND)
    stage.meanwhile = lambda: stage.force(head.pause, stuck="wait_failed")
    return requeues(stage, head)


@scenario("next_generation", "as_listed")
def a_pause_that_was_just_listed_waits_beside_its_list(stage: Stage) -> bool:
    head = stage.capture(REFUND).head
    stage.clock.move(120)
    stage.meanwhile = lambda: list_stuck(stage.ports, stage.head(head.pause), "wait_failed")
    stage.write("next_generation", stage.head(head.pause), stage.clock.now_ms())
    return stage.head(head.pause).gen > 1
