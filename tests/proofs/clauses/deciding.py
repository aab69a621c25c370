"""decide: who may, what was shown, and what other calls do beside it."""

from __future__ import annotations

from placet.model.canonical import digest, parse
from placet.model.pauses import call_id
from placet.model.people import address_marks
from placet.model.states import PauseState, PermitState, Verdict
from placet.policy import Level
from placet.records.heads import Head
from placet.records.ops import Delete
from placet.service.decide import Decided, Decision, decide
from placet.service.escalate import escalate
from placet.service.notify import notify
from placet.service.stuck import list_stuck
from tests.gateway import DELETE, REFUND, SMALL
from tests.proofs.clauses.acting import reports
from tests.proofs.clauses.stage import Stage, scenario

TO_200, BACK = '{"order_id":"1182","amount":200.00}', '{"order_id":"1182","amount":240.5}'


def accepts(stage: Stage, head: Head, **more: object) -> bool:
    """Whether Maria is told that she decided or voted."""
    return isinstance(stage.attempt(stage.decide, head, 1, Verdict.ACCEPT, **more), Decided)


def edit(stage: Stage, pause: str, who: object, text: str) -> None:
    """An edit of what is shown now."""
    stage.decide(stage.head(pause), 1, Verdict.EDIT, who, arguments=text, new_digest=digest(parse(text)))  # type: ignore[arg-type]


@scenario("decide", "call_pending")
def a_vote_is_added_to_a_rejected_call(stage: Stage) -> bool:
    stage.with_policy(quorum=2)
    head = stage.shown(REFUND)
    stage.meanwhile = lambda: stage.decide(head, 1, Verdict.REJECT, stage.jonas)
    return accepts(stage, head)


@scenario("decide", "call_pending")
def an_expired_call_is_accepted_by_a_clock_that_is_behind(stage: Stage) -> bool:
    head = stage.shown(REFUND)

    def expire() -> None:
        stage.clock.at_ms = head.deadline_ms
        escalate(stage.ports, head.pause)

    stage.meanwhile = expire
    return accepts(stage, head)


@scenario("decide", "shown_revision")
def a_call_is_rejected_that_was_edited_after_it_was_shown(stage: Stage) -> bool:
    """Edited there and back: the digest is the shown one again. What an accept misses of that the votes tell."""
    stage.with_policy(quorum=3)
    peter = stage.person("peter", "Peter", "finance")
    head = stage.shown(REFUND)

    def there_and_back() -> None:
        edit(stage, head.pause, stage.jonas, TO_200)
        edit(stage, head.pause, peter, BACK)

    stage.meanwhile = there_and_back
    return isinstance(stage.attempt(stage.decide, head, 1, Verdict.REJECT), Decided)


@scenario("decide", "shown_digest")
def something_is_approved_that_was_not_shown(stage: Stage) -> bool:
    head = stage.shown(REFUND)
    decision = Decision(Verdict.ACCEPT, 1, "f" * 64)
    return isinstance(stage.attempt(decide, stage.ports, stage.maria, call_id(head.pause, 1), decision), Decided)


@scenario("decide", "in_time")
def a_call_is_accepted_at_its_deadline(stage: Stage) -> bool:
    head = stage.shown(REFUND)
    stage.clock.at_ms = head.deadline_ms
    return accepts(stage, head)


@scenario("decide", "not_cancelled")
def a_call_of_a_cancelled_pause_is_accepted(stage: Stage) -> bool:
    head = stage.shown(REFUND)
    stage.force(head.pause, cancelled="the user left")
    return accepts(stage, head)


@scenario("decide", "not_requester")
def the_requester_decides_by_subject(stage: Stage) -> bool:
    return accepts(stage, stage.shown(REFUND, requester="maria"))


@scenario("decide", "not_requester")
def the_requester_decides_by_address(stage: Stage) -> bool:
    return accepts(stage, stage.shown(REFUND, requester="maria@example.com"))


@scenario("decide", "not_kept_out")
def who_had_no_say_in_a_call_takes_it_back(stage: Stage) -> bool:
    """Under a `sub` or an address that the card of the second call knows of."""
    by_subject, by_address = stage.shown(REFUND), stage.shown(REFUND, checkpoint="cp-2")
    stage.keep_out(by_subject, "maria")
    stage.keep_out(by_address, "maria@example.com")
    return accepts(stage, by_subject) or accepts(stage, by_address)


@scenario("decide", "not_owner")
def the_owner_decides_for_the_agent(stage: Stage) -> bool:
    head = stage.shown(REFUND)
    stage.force(head.pause, owner="maria")
    by_subject = accepts(stage, head)
    other = stage.shown(REFUND, checkpoint="cp-2")
    stage.force(other.pause, owner="maria@example.com")
    return by_subject or accepts(stage, other)


@scenario("decide", "level_reached")
def a_later_level_decides_before_its_time(stage: Stage) -> bool:
    stage.with_policy(levels=(Level(groups=("accounting",)), Level(groups=("finance",), after_s=3600)))
    stage.person("anna", "Anna Roth", "accounting")
    return accepts(stage, stage.shown(REFUND))


@scenario("decide", "same_epoch")
def a_restored_call_is_decided_before_it_entered_the_epoch(stage: Stage) -> bool:
    head = stage.shown(REFUND)
    stage.epoch = 2
    return accepts(stage, head)


@scenario("decide", "votes_seen")
def the_vote_of_another_is_lost(stage: Stage) -> bool:
    stage.with_policy(quorum=2)
    head = stage.shown(REFUND)
    stage.meanwhile = lambda: stage.decide(head, 1, Verdict.ACCEPT, stage.jonas)
    accepts(stage, head)
    return set(stage.head(head.pause).calls[0].votes) != {"jonas", "maria"}


@scenario("decide", "new_voter")
def one_person_votes_twice(stage: Stage) -> bool:
    stage.with_policy(quorum=2)
    head = stage.shown(REFUND)
    stage.force(head.pause, calls__1__votes={"maria": head.calls[0].digest})
    return not stage.decide(head, 1, Verdict.ACCEPT).replayed


@scenario("decide", "new_person")
def one_person_votes_with_two_accounts(stage: Stage) -> bool:
    stage.with_policy(quorum=2)
    head = stage.shown(REFUND)
    (mark,) = address_marks(("maria@example.com",))
    stage.force(head.pause, calls__1__votes={"jonas": head.calls[0].digest}, calls__1__voted={mark: "jonas"})
    return accepts(stage, head)


@scenario("decide", "first")
def a_decision_is_told_over_another(stage: Stage) -> bool:
    head = stage.shown(REFUND)
    stage.tell(head.pause, "1#decided")
    accepts(stage, head)
    return stage.told_again(head.pause, "1#decided")


@scenario("decide", "still_member")
def somebody_decides_who_was_taken_out_of_the_group(stage: Stage) -> bool:
    head = stage.shown(REFUND)
    stage.meanwhile = lambda: stage.table.write([Delete(stage.keys.member("maria", "finance"))])
    return accepts(stage, head)


@scenario("decide", "as_listed")
def a_pause_that_was_just_listed_is_lost_to_the_list_by_a_decision(stage: Stage) -> bool:
    head = stage.shown(REFUND)
    stage.meanwhile = lambda: list_stuck(stage.ports, stage.head(head.pause), "wait_failed")
    accepts(stage, head)
    return stage.astray(head.pause)


def beside_a_stale_approval(stage: Stage) -> Head:
    """Of two calls one waits; the other was approved, which is too old now."""
    head = stage.shown(REFUND, DELETE)
    stage.decide(head, 1, Verdict.ACCEPT)
    stage.force(head.pause, calls__1__permit__until_ms=0)
    stage.meanwhile = lambda: stage.claim(head, "late")
    return stage.head(head.pause)


def closed_with_an_open_call(stage: Stage, head: Head) -> bool:
    """The pause is called closed while a person has to decide."""
    after = stage.head(head.pause)
    return after.open_calls > 0 and after.state is not PauseState.OPEN


@scenario("decide", "permits_as_seen")
def a_last_decision_closes_a_pause_that_was_just_opened_again(stage: Stage) -> bool:
    head = beside_a_stale_approval(stage)
    stage.decide(head, 2, Verdict.ACCEPT)
    return closed_with_an_open_call(stage, head)


@scenario("decide", "not_notified")
def a_pause_stays_where_its_closed_call_was_shown(stage: Stage) -> bool:
    """The stale call beside it is shown between the read and the write, and put both into the queue of the one that closes."""
    head = asked_again_beside(stage)
    stage.decide(head, 2, Verdict.ACCEPT)
    return lost_to_its_people(stage, head)


def asked_again_beside(stage: Stage) -> Head:
    """A call waits beside one that is asked for again and not shown yet; it is shown meanwhile."""
    head = stage.shown(DELETE, REFUND)
    stage.decide(head, 1, Verdict.ACCEPT)
    stage.force(head.pause, calls__1__permit__until_ms=0)
    stage.claim(head, "late")
    stage.meanwhile = lambda: notify(stage.ports, head.pause, 2, "token 2")
    return head


def lost_to_its_people(stage: Stage, head: Head) -> bool:
    """Only the first call waits, and not in the queue of its class."""
    after = stage.head(head.pause)
    return after.open_calls == 1 and after.wpk != stage.keys.queue(head.calls[0].action_class, 0)


@scenario("decide", "urgent_pending")
def two_calls_close_and_the_third_waits_in_the_queue_of_one(stage: Stage) -> bool:
    head = two_money_and_one(stage)
    stage.meanwhile = lambda: stage.decide(head, 2, Verdict.ACCEPT, stage.jonas)
    stage.decide(head, 1, Verdict.ACCEPT)
    return left_behind(stage, head)


def two_money_and_one(stage: Stage) -> Head:
    """Three calls wait, the two urgent ones of one class and the last of another."""
    return stage.shown(REFUND, REFUND, DELETE)


def left_behind(stage: Stage, head: Head) -> bool:
    """The last call waits where its people do not look."""
    after = stage.head(head.pause)
    return after.open_calls == 1 and after.wpk != stage.keys.queue(head.calls[2].action_class, 0)


def unknown_meanwhile(stage: Stage) -> Head:
    """One call runs beside an open one, and its worker says that it does not know."""
    head = stage.shown(SMALL, REFUND)
    stage.claim(head, "w1")
    stage.meanwhile = lambda: reports(stage, head, PermitState.UNKNOWN)
    return stage.head(head.pause)


def unlisted(stage: Stage, head: Head) -> bool:
    """Nobody knows whether a call ran, and nobody is told."""
    after = stage.head(head.pause)
    return after.calls[0].permit is PermitState.UNKNOWN and not after.stuck


@scenario("decide", "permits_as_seen")
def a_last_decision_hides_a_call_that_just_became_unknown(stage: Stage) -> bool:
    head = unknown_meanwhile(stage)
    stage.decide(head, 2, Verdict.REJECT)
    return unlisted(stage, head)
