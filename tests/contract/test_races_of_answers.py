"""An answer beside votes, questions and other answers, on DynamoDB's own transactions: one comes first, and neither is half."""

from __future__ import annotations

from typing import Any

from placet.model.errors import PlacetError
from placet.model.pauses import call_id
from placet.model.states import CallState, Verdict
from placet.records.heads import Head
from placet.service import review
from placet.service.answer import answer
from placet.service.ask import ask
from tests.contract.test_races import ROUNDS, Recording, at_once
from tests.gateway import REFUND, SUPPORT, Gateway

ASKED = 4


def shown(gateway: Gateway, number: int, *people: str) -> Head:
    """A call that these people ask about at once, one after the other's number or the same."""
    head = gateway.shown(REFUND, checkpoint=f"cp-{number}")
    at = call_id(head.pause, 1)
    at_once([lambda who=who: ask(gateway.ports, getattr(gateway, who), at, f"{who}?", 1) for who in people])
    return gateway.head(head.pause)


def both(gateway: Gateway) -> int:
    """In how many rounds a last vote was counted for a page without the answer, which was taken as well."""
    gateway.with_policy(quorum=2)
    count = 0
    for number in range(ROUNDS):
        head = shown(gateway, number, "maria")
        gateway.decide(head, 1, Verdict.ACCEPT)
        voted, told = at_once(
            [
                lambda head=head: gateway.decide(head, 1, Verdict.ACCEPT, gateway.jonas),
                lambda head=head: answer(gateway.ports, SUPPORT, call_id(head.pause, 1), 1, "Order 1182.", ()),
            ]
        )
        refused = [one.code for one in (voted, told) if isinstance(one, PlacetError)]
        now = gateway.head(head.pause).calls[0]
        if refused == ["answer_too_late"]:
            assert (now.state, now.rev, set(now.votes)) == (CallState.ACCEPTED, 1, {"maria", "jonas"})
        elif refused == ["revision_differs"]:
            assert (now.state, now.rev, now.votes) == (CallState.PENDING, 2, {})
        else:
            count += 1
    return count


def test_a_last_vote_and_an_answer_at_once_are_one_or_the_other(dynamo_table: Any) -> None:
    assert both(Gateway(table=Recording(dynamo_table))) == 0


def test_without_the_revision_a_vote_counts_for_what_nobody_had_read(dynamo_table: Any) -> None:
    dropped = ("shown_revision", "call_pending", "same_work_list", "votes_seen", "mails_as_seen", "as_listed")
    assert both(Gateway(table=Recording(dynamo_table, drop=dropped))) > 0


def test_questions_and_answers_at_once_are_all_heard_and_all_stand(dynamo_table: Any) -> None:
    gateway = Gateway(table=Recording(dynamo_table))
    for name in ("lea", "bea"):
        setattr(gateway, name, gateway.person(name, name.title(), "finance"))
    head = shown(gateway, 1, "maria", "jonas", "lea", "bea")
    assert head.calls[0].questions.open == tuple(range(1, ASKED + 1))
    at = call_id(head.pause, 1)
    jobs = [
        lambda one=one: answer(gateway.ports, SUPPORT, at, one, f"Answer {one}.", ()) for one in range(1, ASKED + 1)
    ]
    told = at_once([*jobs, *jobs])
    assert [one for one in told if isinstance(one, PlacetError)] == []
    now = gateway.head(head.pause).calls[0]
    assert (now.rev, now.same_as, now.questions.open) == (1 + ASKED, 1, ())
    found = review.detail(gateway.ports, gateway.maria, head.pause).questions
    assert [one.answer.text for one in sorted(found, key=lambda one: one.number) if one.answer] == [
        f"Answer {one}." for one in range(1, ASKED + 1)
    ]
    assert sorted(one.answer.revision for one in found if one.answer) == list(range(2, 2 + ASKED))
