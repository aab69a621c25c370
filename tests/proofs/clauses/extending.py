"""extend: more time for a call, beside the clock, decisions, claims and other people; and decisions beside more time."""

from __future__ import annotations

from placet.model.pauses import Reviewer, call_id
from placet.model.states import Verdict
from placet.records import writes
from placet.records.heads import Head
from placet.records.ops import Delete
from placet.service.extend import Extended, extend
from tests.gateway import DELETE, REFUND, SMALL
from tests.proofs.clauses.handing import hands, waiting
from tests.proofs.clauses.moments import widened
from tests.proofs.clauses.signing_in import signed_in
from tests.proofs.clauses.stage import Stage, scenario
from tests.proofs.clauses.standing_in import HOUR_MS, scenarios_of_a_delegate


def extends(
    stage: Stage,
    head: Head,
    by_ms: int = HOUR_MS,
    number: int = 1,
    who: Reviewer | None = None,
    why: str = "needs a look",
) -> bool:
    """Whether somebody is told that they moved a call's deadline by so much, from what the head says."""
    call = head.calls[number - 1]
    answer = stage.attempt(
        extend, stage.ports, who or stage.maria, call_id(head.pause, number), call.deadline_ms + by_ms, why
    )
    return isinstance(answer, Extended)


def agrees(stage: Stage, head: Head) -> bool:
    """The pause stands by the nearest deadline of its open calls, and the sweep comes no later than something is due."""
    now = stage.head(head.pause)
    nearest = min((call.deadline_ms for call in now.pending), default=now.deadline_ms)
    return now.deadline_ms == nearest and now.wsk <= writes.next_look(now)


@scenario("extend", "call_pending")
def a_decided_call_is_given_more_time(stage: Stage) -> bool:
    """Of two calls, the other one keeps the pause open; set by hand, for a decision also changes how many are open."""
    head = stage.shown(REFUND, DELETE)
    stage.meanwhile = lambda: stage.force(head.pause, calls__1__state="rejected")
    return extends(stage, head)


@scenario("extend", "in_time")
def a_call_whose_time_was_over_comes_back(stage: Stage) -> bool:
    head = stage.shown(REFUND)
    stage.clock.at_ms = head.deadline_ms
    return extends(stage, head)


@scenario("extend", "deadline_grows")
def time_is_taken_from_a_call(stage: Stage) -> bool:
    return extends(stage, stage.shown(REFUND), by_ms=-HOUR_MS)


@scenario("extend", "within_maximum")
def a_call_waits_longer_than_its_run_may(stage: Stage) -> bool:
    return extends(stage, stage.shown(REFUND), by_ms=31 * 24 * HOUR_MS)


@scenario("extend", "not_requester")
def the_requester_gives_their_own_call_more_time(stage: Stage) -> bool:
    return extends(stage, stage.shown(REFUND, requester="maria@example.com"))


@scenario("extend", "not_kept_out")
def who_had_no_say_in_a_call_gives_its_undo_more_time(stage: Stage) -> bool:
    head = stage.shown(REFUND)
    stage.keep_out(head, "maria@example.com")
    return extends(stage, stage.head(head.pause))


@scenario("extend", "not_owner")
def the_owner_of_an_agent_gives_its_call_more_time(stage: Stage) -> bool:
    head = stage.shown(REFUND)
    stage.force(head.pause, owner="maria@example.com")
    return extends(stage, head)


@scenario("extend", "level_reached")
def somebody_of_a_later_level_gives_more_time_before_they_are_asked(stage: Stage) -> bool:
    head = widened(stage)
    lea = stage.person("lea", "Lea Lang", "leads")
    return extends(stage, head, who=lea)


@scenario("extend", "handed_over")
def somebody_gives_more_time_to_what_was_asked_for_anew(stage: Stage) -> bool:
    head = waiting(stage)
    hands(stage, head)
    lea = stage.person("lea", "Lea Lang", "leads")
    stage.meanwhile = lambda: stage.force(head.pause, calls__1__handed={"U#olga": {}})
    return extends(stage, stage.head(head.pause), who=lea)


@scenario("extend", "open_as_seen")
def a_pause_stands_by_the_deadline_of_a_call_that_was_decided(stage: Stage) -> bool:
    """Both are of one class, so that the pause stays in its queue."""
    shown = stage.shown(REFUND, REFUND)
    stage.force(shown.pause, calls__2__deadline_ms=shown.deadline_ms + 2 * HOUR_MS)
    head = stage.head(shown.pause)
    stage.meanwhile = lambda: stage.decide(head, 2, Verdict.REJECT)
    extends(stage, head, by_ms=beyond_the_other(head))
    return not agrees(stage, head)


@scenario("extend", "deadline_as_seen")
def two_calls_get_more_time_at_once(stage: Stage) -> bool:
    head = stage.shown(REFUND, DELETE)
    stage.meanwhile = lambda: extends(stage, head, by_ms=10 * HOUR_MS, number=2)
    extends(stage, head, by_ms=beyond_the_other(head))
    return not agrees(stage, head)


def beyond_the_other(head: Head) -> int:
    """How much more time the first call needs to end an hour after the second one."""
    assert head.calls[0].deadline_ms < head.calls[1].deadline_ms
    return head.calls[1].deadline_ms - head.calls[0].deadline_ms + HOUR_MS


@scenario("extend", "mails_as_seen")
def who_is_to_be_mailed_by_the_old_deadline_is_mailed_at_the_new_one(stage: Stage) -> bool:
    """As of a notify that was given up shortly before a moment of its pause: it is called then anyway."""
    head = stage.shown(REFUND)
    stage.meanwhile = lambda: stage.force(head.pause, mails_missed=["jonas"])
    extends(stage, head)
    return stage.head(head.pause).wsk > head.wsk


@scenario("extend", "permits_as_seen")
def a_claim_that_is_over_before_the_new_deadline_is_overlooked(stage: Stage) -> bool:
    head = stage.shown(SMALL, REFUND)
    stage.clock.at_ms = head.deadline_ms - 600_000  # a claim lasts longer than what is left
    stage.meanwhile = lambda: stage.claim(head, "w1")
    extends(stage, stage.head(head.pause), number=2)
    return not agrees(stage, head)


@scenario("extend", "first")
def an_extension_is_told_over_another(stage: Stage) -> bool:
    head = stage.shown(REFUND)
    fact = f"1#extended#{head.deadline_ms + HOUR_MS}"
    stage.tell(head.pause, fact)
    extends(stage, head)
    return stage.told_again(head.pause, fact)


@scenario("extend", "still_member")
def somebody_who_left_gives_more_time(stage: Stage) -> bool:
    head = stage.shown(REFUND)
    stage.meanwhile = lambda: stage.table.write([Delete(stage.keys.member("maria", "finance"))])
    return extends(stage, head)


@scenario("extend", "badge_lasts")
def somebody_gives_more_time_who_is_in_the_group_no_more(stage: Stage) -> bool:
    head, clara, ends = signed_in(stage)
    stage.meanwhile = ends
    return extends(stage, head, who=clara)


def gives_more_time(stage: Stage, head: Head, who: Reviewer) -> bool:
    """The same, by somebody else."""
    return extends(stage, head, who=who)


scenarios_of_a_delegate("extend", gives_more_time)


@scenario("decide", "urgent_deadline")
def a_decision_leaves_a_pause_by_the_deadline_of_a_closed_call(stage: Stage) -> bool:
    """Both are of one class, so that the pause stays where it is."""
    head = stage.shown(REFUND, REFUND)
    stage.meanwhile = lambda: extends(stage, head)
    stage.attempt(stage.decide, head, 2, Verdict.REJECT)
    return not agrees(stage, head)


@scenario("expire", "urgent_deadline")
def an_expiry_leaves_a_pause_by_the_deadline_of_a_closed_call(stage: Stage) -> bool:
    """Set by hand: what is left has the deadline of what expires, as it is read."""
    head = stage.shown(REFUND, REFUND)
    stage.clock.at_ms = head.deadline_ms
    stage.meanwhile = lambda: stage.force(head.pause, calls__1__deadline_ms=head.deadline_ms + HOUR_MS)
    stage.write("expire", head, [head.calls[1]], stage.clock.now_ms())
    return not agrees(stage, head)
