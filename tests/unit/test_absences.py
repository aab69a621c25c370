"""Away: whoever was named decides what the absent person may decide, under both names, and nobody gets a second vote by it."""

from __future__ import annotations

import pytest

from placet.model.errors import NotAllowed, NotFound
from placet.model.pauses import Reviewer
from placet.model.states import CallState, PermitState
from placet.policy import Level
from placet.records.ops import Delete
from placet.service import members, review
from placet.service.away import back
from placet.service.inbox import inbox
from tests.gateway import REFUND, Gateway
from tests.unit.leaving import HOUR, accept, leave, meanwhile


def event(gateway: Gateway, head):
    return gateway.table.get(gateway.keys.event(head.pause, "1#decided"))


def test_a_delegate_sees_and_decides_what_the_absent_person_may_and_both_names_are_recorded(gateway, ingrid) -> None:
    head = gateway.shown(REFUND)
    with pytest.raises(NotFound):
        accept(gateway, head, ingrid)
    assert not inbox(gateway.ports, ingrid).rows
    leave(gateway, gateway.jonas, ingrid)
    assert [row.pause for row in inbox(gateway.ports, ingrid).rows] == [head.pause]
    shown = review.detail(gateway.ports, ingrid, head.pause).calls[0]
    assert (shown.may_decide, shown.in_place_of) == (True, "Jonas Weber")
    assert accept(gateway, head, ingrid).by == "Ingrid Solberg for Jonas Weber"
    told = event(gateway, head)
    assert (told["by"], told["in_place_of"], told["in_place_of_name"]) == ("ingrid", "jonas", "Jonas Weber")
    assert told["membership"] == "finance"
    assert gateway.head(head.pause).calls[0].permit is PermitState.FREE
    decided = review.detail(gateway.ports, gateway.maria, head.pause).calls[0].decided
    assert decided is not None
    assert decided.by == "Ingrid Solberg for Jonas Weber"
    assert accept(gateway, head, ingrid).replayed


def test_nobody_stands_in_before_an_absence_begins_after_it_ends_or_once_it_is_withdrawn(gateway, ingrid) -> None:
    head = gateway.shown(REFUND)
    leave(gateway, gateway.jonas, ingrid, begins=1, hours=2)
    for at, may in ((0, False), (HOUR - 1, False), (HOUR, True), (2 * HOUR - 1, True), (2 * HOUR, False)):
        moment = gateway.clock.at_ms
        gateway.clock.at_ms += at
        assert bool(inbox(gateway.ports, ingrid).rows) is may, at
        gateway.clock.at_ms = moment
    leave(gateway, gateway.jonas, ingrid)
    back(gateway.ports, gateway.jonas, "jonas")
    with pytest.raises(NotFound):
        accept(gateway, head, ingrid)
    assert back(gateway.ports, gateway.jonas, "jonas").until_ms == gateway.clock.now_ms()


@pytest.mark.parametrize("gone", ["withdrawn", "put off", "another delegate", "delegator left", "delegate left"])
def test_a_right_that_ends_between_the_page_and_the_click_decides_nothing(gateway, ingrid, monkeypatch, gone) -> None:
    head = gateway.shown(REFUND)
    olga = gateway.person("olga", "Olga Brandt", "gardeners")
    leave(gateway, gateway.jonas, ingrid)
    happens = {
        "withdrawn": lambda: back(gateway.ports, gateway.jonas, "jonas"),
        "put off": lambda: leave(gateway, gateway.jonas, ingrid, begins=1),
        "another delegate": lambda: leave(gateway, gateway.jonas, olga),
        "delegator left": lambda: gateway.table.write([Delete(gateway.keys.member("jonas", "finance"))]),
        "delegate left": lambda: gateway.table.write([Delete(gateway.keys.member("ingrid", "gardeners"))]),
    }
    meanwhile(gateway, monkeypatch, happens[gone])
    with pytest.raises(NotFound):
        accept(gateway, head, ingrid)
    assert gateway.head(head.pause).calls[0].state is CallState.PENDING


def test_a_delegate_gets_the_delegators_groups_and_levels_and_never_more(gateway, ingrid) -> None:
    gateway.with_policy(levels=(Level(groups=("finance",)), Level(groups=("leads",), after_s=60)))
    petra = gateway.person("petra", "Petra Vogt", "leads")
    head = gateway.shown(REFUND)
    leave(gateway, petra, ingrid)
    with pytest.raises(NotFound):
        accept(gateway, head, ingrid)
    assert (
        review.detail(gateway.ports, ingrid, head.pause).calls[0].why_not
        == "It has not been widened to your group yet."
    )


@pytest.mark.parametrize("requester", ["ingrid@example.com", "ingrid", "Jonas Weber <JONAS@example.com>"])
def test_neither_delegate_nor_delegator_may_be_the_requester(gateway, ingrid, requester) -> None:
    head = gateway.shown(REFUND, requester=requester)
    leave(gateway, gateway.jonas, ingrid)
    with pytest.raises(NotAllowed, match="somebody else"):
        accept(gateway, head, ingrid)
    assert not review.detail(gateway.ports, ingrid, head.pause).calls[0].may_decide


def test_whoever_stands_in_between_may_not_be_the_requester_either(gateway, ingrid) -> None:
    olga = gateway.person("olga", "Olga Brandt", "gardeners")
    head = gateway.shown(REFUND, requester="olga@example.com")
    leave(gateway, gateway.jonas, olga)
    leave(gateway, olga, ingrid)
    with pytest.raises(NotAllowed):
        accept(gateway, head, ingrid)


def test_the_owner_of_the_agent_decides_in_nobodys_place(gateway, ingrid) -> None:
    owner = Reviewer("boss", "Boss", "owner@example.com")
    members.add(gateway.ports, owner, "gardeners")
    head = gateway.shown(REFUND)
    leave(gateway, gateway.jonas, owner)
    with pytest.raises(NotAllowed):
        accept(gateway, head, members.reviewer(gateway.ports, "boss"))


def test_another_right_is_used_where_one_is_the_requesters(gateway, ingrid) -> None:
    head = gateway.shown(REFUND, requester="jonas@example.com")
    leave(gateway, gateway.jonas, ingrid)
    leave(gateway, gateway.maria, ingrid)
    assert accept(gateway, head, ingrid).by == "Ingrid Solberg for Maria Keller"
