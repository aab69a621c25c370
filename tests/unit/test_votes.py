"""A vote lasts as long as its voter's right: whoever may not decide any more has not agreed either."""

from __future__ import annotations

from dataclasses import replace

import pytest

from local.memory import MemoryTable
from placet.model.canonical import digest, parse
from placet.model.errors import NotFound
from placet.model.pauses import Reviewer
from placet.model.states import CallState, PermitState, Verdict
from placet.policy import Level
from placet.records.heads import Head
from placet.records.ops import Check, Delete, Op
from placet.service import members, review
from tests.gateway import REFUND, Gateway
from tests.unit.test_judged import Seen

LESS = '{"order_id":"1182","amount":200.00}'


def leaves(gateway: Gateway, person: Reviewer, *groups: str) -> None:
    for group in groups or sorted(person.groups):
        gateway.table.write([Delete(gateway.keys.member(person.sub, group))])
        gateway.table.write([Delete(gateway.keys.group_member(group, person.sub))])


def joins(gateway: Gateway, person: Reviewer, group: str) -> Reviewer:
    members.add(gateway.ports, person, group)
    return members.reviewer(gateway.ports, person.sub)


@pytest.fixture
def asked(gateway: Gateway) -> Head:
    gateway.with_policy(quorum=2)
    gateway.rita = gateway.person("rita", "Rita", "finance")
    return gateway.shown(REFUND)


def state(gateway: Gateway, head: Head) -> tuple[CallState, set[str], PermitState]:
    call = gateway.head(head.pause).calls[0]
    return call.state, set(call.votes), call.permit


def test_the_vote_of_somebody_who_left_does_not_count(gateway: Gateway, asked: Head) -> None:
    gateway.decide(asked, 1, Verdict.ACCEPT, gateway.rita)
    leaves(gateway, gateway.rita)
    assert gateway.decide(asked, 1, Verdict.ACCEPT).state is CallState.PENDING
    assert state(gateway, asked) == (CallState.PENDING, {"maria"}, PermitState.NONE)
    assert gateway.decide(asked, 1, Verdict.ACCEPT).replayed
    assert gateway.decide(asked, 1, Verdict.ACCEPT, gateway.jonas).state is CallState.ACCEPTED
    assert state(gateway, asked) == (CallState.ACCEPTED, {"maria", "jonas"}, PermitState.FREE)


def test_somebody_who_came_back_votes_anew(gateway: Gateway, asked: Head) -> None:
    gateway.decide(asked, 1, Verdict.ACCEPT, gateway.rita)
    leaves(gateway, gateway.rita)
    gateway.decide(asked, 1, Verdict.ACCEPT)
    gateway.clock.move(1)
    again = joins(gateway, gateway.rita, "finance")
    assert gateway.decide(asked, 1, Verdict.ACCEPT, again).state is CallState.ACCEPTED


def test_a_vote_of_somebody_who_is_back_in_time_counts(gateway: Gateway, asked: Head) -> None:
    gateway.decide(asked, 1, Verdict.ACCEPT, gateway.rita)
    leaves(gateway, gateway.rita)
    joins(gateway, gateway.rita, "finance")
    assert gateway.decide(asked, 1, Verdict.ACCEPT).state is CallState.ACCEPTED


def test_a_vote_lives_on_in_another_group_of_the_class_only_when_that_is_asked_already(gateway: Gateway) -> None:
    gateway.with_policy(quorum=2, levels=(Level(("finance", "treasury")), Level(("leads",), after_s=60)))
    for group, counts in (("treasury", True), ("leads", False), ("interns", False)):
        rita = gateway.person(f"rita-{group}", "Rita", "finance", group)
        head = gateway.shown(REFUND, run=group, checkpoint=group)
        gateway.decide(head, 1, Verdict.ACCEPT, rita)
        leaves(gateway, rita, "finance")
        found = gateway.decide(head, 1, Verdict.ACCEPT).state
        assert found is (CallState.ACCEPTED if counts else CallState.PENDING), group


def test_an_editor_who_left_has_not_agreed_to_the_edit(gateway: Gateway, asked: Head) -> None:
    gateway.decide(asked, 1, Verdict.EDIT, gateway.rita, arguments=LESS, new_digest=digest(parse(LESS)))
    leaves(gateway, gateway.rita)
    edit = gateway.head(asked.pause)
    assert gateway.decide(edit, 1, Verdict.ACCEPT).state is CallState.PENDING
    assert gateway.decide(edit, 1, Verdict.ACCEPT, gateway.jonas).state is CallState.EDITED


def test_reviewers_are_shown_the_votes_that_count(gateway: Gateway, asked: Head) -> None:
    gateway.decide(asked, 1, Verdict.ACCEPT, gateway.rita)
    assert review.detail(gateway.ports, gateway.maria, asked.pause).calls[0].votes == 1
    leaves(gateway, gateway.rita)
    assert review.detail(gateway.ports, gateway.maria, asked.pause).calls[0].votes == 0
    gateway.decide(asked, 1, Verdict.ACCEPT)
    gateway.decide(asked, 1, Verdict.ACCEPT, gateway.jonas)
    leaves(gateway, gateway.jonas)
    assert review.detail(gateway.ports, gateway.maria, asked.pause).calls[0].votes == 2, "how it was decided stays told"


class Left(MemoryTable):
    """A table on which something happens just before the first write of a decision."""

    def __init__(self) -> None:
        super().__init__()
        self.first = lambda: None

    def write(self, ops: list[Op]) -> None:
        if any(isinstance(op, Check) for op in ops):
            happens, self.first = self.first, lambda: None
            happens()
        super().write(ops)


def test_a_voter_who_leaves_between_the_read_and_the_write_does_not_count() -> None:
    gateway = Gateway(table=Left())
    gateway.with_policy(quorum=2)
    rita = gateway.person("rita", "Rita", "finance")
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT, rita)
    gateway.table.first = lambda: leaves(gateway, rita)
    assert gateway.decide(head, 1, Verdict.ACCEPT).state is CallState.PENDING
    assert state(gateway, head) == (CallState.PENDING, {"maria"}, PermitState.NONE)


def test_of_two_votes_that_take_the_place_of_one_that_lapsed_both_count() -> None:
    """As many votes as were read are there when the second one is written, and they are others."""
    gateway = Gateway()
    gateway.with_policy(quorum=2)
    nina = gateway.person("nina", "Nina", "finance", "approvers")
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    leaves(gateway, gateway.maria)
    others, table = replace(gateway), gateway.table
    leaves(others, gateway.maria)  # who is seeded anew with every gateway
    seen = Seen(gateway, head.pause, lambda: others.decide(head, 1, Verdict.ACCEPT, nina))
    gateway.decide(head, 1, Verdict.ACCEPT, gateway.jonas)
    assert seen.met
    gateway.table = table
    assert state(gateway, head) == (CallState.ACCEPTED, {"nina", "jonas"}, PermitState.FREE)


def test_the_last_voter_who_leaves_in_between_decides_nothing() -> None:
    gateway = Gateway(table=Left())
    gateway.with_policy(quorum=2)
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT, gateway.jonas)
    gateway.table.first = lambda: leaves(gateway, gateway.maria, "finance")
    with pytest.raises(NotFound):
        gateway.decide(head, 1, Verdict.ACCEPT)
    assert state(gateway, head)[0] is CallState.PENDING


@pytest.mark.parametrize("who", [3, 50])
def test_every_vote_that_is_counted_is_checked_in_the_write(gateway: Gateway, who: int) -> None:
    gateway.with_policy(quorum=who)
    people = [gateway.person(f"p{n:02}", f"P{n}", "finance") for n in range(who)]
    head = gateway.shown(REFUND)
    for person in people[:-1]:
        assert gateway.decide(head, 1, Verdict.ACCEPT, person).state is CallState.PENDING
    written: list[list[Op]] = []
    write, gateway.table.write = gateway.table.write, lambda ops: (written.append(ops), write(ops))
    assert gateway.decide(head, 1, Verdict.ACCEPT, people[-1]).state is CallState.ACCEPTED
    checked = {op.key.pk.rpartition("#")[2] for op in written[-1] if isinstance(op, Check)}
    assert checked == {person.sub for person in people}
    assert len(written[-1]) <= 100
