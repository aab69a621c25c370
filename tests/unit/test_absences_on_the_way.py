"""Away, one after the other, with a quorum: who is asked is who may decide, and by a right of nobody who has a vote already."""

from __future__ import annotations

import pytest

from placet.model.errors import Conflict, NotFound
from placet.model.pauses import Reviewer, call_id
from placet.model.states import CallState
from placet.records.heads import Head
from placet.service import members
from placet.service.asking import GROUP_EMPTY, TOO_FEW, Groups, asked, nobody_left
from placet.service.away import back
from placet.service.escalate import escalate
from placet.service.reassign import reassign
from placet.service.review import detail
from placet.service.sweep import sweep
from placet.service.views import CallView
from tests.gateway import REFUND, Gateway
from tests.unit.leaving import accept, leave

PEOPLE = ("maria", "jonas", "ingrid", "olga", "lena")


@pytest.fixture
def house(gateway: Gateway, ingrid: Reviewer) -> Gateway:
    """Jonas and Maria decide, two together; Maria names Jonas, who names Ingrid."""
    gateway.with_policy(quorum=2, remind_after_s=(3600,))
    gateway.person("olga", "Olga Brandt", "gardeners")
    return gateway


def who(house: Gateway, sub: str) -> Reviewer:
    return members.reviewer(house.ports, sub)


def waits_for(house: Gateway, head: Head) -> set[str]:
    """Who is asked: exactly those who are here and of whom the page says that they may decide."""
    head = house.head(head.pause)
    found = {*asked(house.ports, Groups(house.ports), head, head.calls[0])}
    here = [sub for sub in PEOPLE if Groups(house.ports).away.of(sub) is None]
    assert found == {sub for sub in here if _may(house, head, sub)}
    return found


def _may(house: Gateway, head: Head, sub: str) -> bool:
    reviewer = who(house, sub)
    return bool(reviewer.groups) and any(one.may_decide for one in _seen(house, head, reviewer))


def _seen(house: Gateway, head: Head, reviewer: Reviewer) -> list[CallView]:
    try:
        return list(detail(house.ports, reviewer, head.pause).calls)
    except NotFound:
        return []


def nobody(house: Gateway, head: Head) -> str:
    return nobody_left(house.ports, Groups(house.ports), house.head(head.pause))


def away_through_jonas(house: Gateway, *, first: str = "maria") -> None:
    """Maria names Jonas, and he Ingrid; which absence begins first is no matter."""
    steps = {"maria": "jonas", "jonas": "ingrid"}
    for sub in (first, *(steps.keys() - {first})):
        leave(house, who(house, sub), who(house, steps[sub]))


@pytest.mark.parametrize("first", ["maria", "jonas"])
@pytest.mark.parametrize("votes_at", [0, 1])
def test_by_the_right_that_comes_through_who_has_agreed_nobody_is_asked(house, first: str, votes_at: int) -> None:
    head = house.shown(REFUND)
    if votes_at:
        leave(house, who(house, "maria"), who(house, "jonas"))
    accept(house, head, house.jonas)
    away_through_jonas(house, first=first)
    assert waits_for(house, head) == set()
    assert nobody(house, head) == TOO_FEW
    with pytest.raises(Conflict, match="Jonas Weber has a vote") as caught:
        accept(house, head, who(house, "ingrid"))
    assert caught.value.code == "vote_given"


def test_the_sweep_lists_it_nobody_is_reminded_and_who_is_back_decides(house) -> None:
    head = house.shown(REFUND)
    accept(house, head, house.jonas)
    away_through_jonas(house)
    house.mail.sent.clear()
    house.clock.move(61)
    sweep(house.ports)
    assert house.head(head.pause).stuck == TOO_FEW
    house.clock.at_ms = head.calls[0].remind_ms[0]
    escalate(house.ports, head.pause)
    assert "ingrid" not in {note.to for note in house.mail.sent}
    back(house.ports, house.maria, "maria")
    house.clock.move(61)
    sweep(house.ports)
    assert (house.head(head.pause).stuck, waits_for(house, head)) == ("", {"maria"})
    assert accept(house, house.head(head.pause), house.maria).state is CallState.ACCEPTED


def test_who_agreed_and_is_back_is_asked_for_nobody(house) -> None:
    head = house.shown(REFUND)
    accept(house, head, house.jonas)
    away_through_jonas(house)
    back(house.ports, house.jonas, "jonas")
    assert waits_for(house, head) == set()
    assert nobody(house, head) == TOO_FEW


def test_at_the_end_of_three_steps_it_is_the_same(house) -> None:
    """Maria names Jonas, he Ingrid, and she Olga: once Jonas has agreed, Olga has nobody's right; before, she has one vote."""
    head, other = house.shown(REFUND), house.shown(REFUND, checkpoint="cp-2")
    accept(house, head, house.jonas)
    away_through_jonas(house)
    leave(house, who(house, "ingrid"), who(house, "olga"))
    assert waits_for(house, head) == set()
    assert waits_for(house, other) == {"olga"}
    accept(house, other, who(house, "olga"))
    assert waits_for(house, other) == set()
    assert nobody(house, other) == TOO_FEW


def test_another_way_to_the_same_person_is_theirs_to_use(house) -> None:
    """Ingrid stands in for Maria through Jonas, who has agreed, and for Lena through Olga, who has not: the second is hers."""
    lena = house.person("lena", "Lena Brandt", "finance")
    head = house.shown(REFUND)
    accept(house, head, house.jonas)
    away_through_jonas(house)
    leave(house, lena, who(house, "olga"))
    leave(house, who(house, "olga"), who(house, "ingrid"))
    assert waits_for(house, head) == {"ingrid"}
    assert nobody(house, head) == ""
    answer = accept(house, head, who(house, "ingrid"))
    assert (answer.state, answer.by) == (CallState.ACCEPTED, "Ingrid Solberg for Lena Brandt")


def test_another_account_of_who_has_agreed_hands_nothing_on_either(house) -> None:
    members.add(house.ports, Reviewer("google_9", "Jonas Weber", "JONAS@example.com"), "gardeners")
    head = house.shown(REFUND)
    accept(house, head, house.jonas)
    leave(house, who(house, "maria"), who(house, "google_9"))
    leave(house, who(house, "google_9"), who(house, "ingrid"))
    leave(house, house.jonas, None)
    assert waits_for(house, head) == set()
    with pytest.raises(Conflict, match="Somebody through whom"):
        accept(house, head, who(house, "ingrid"))


def test_a_call_is_handed_to_nobody_whose_right_leads_through_who_has_agreed(house) -> None:
    lena = house.person("lena", "Lena Brandt", "finance")
    head = house.shown(REFUND)
    accept(house, head, house.jonas)
    away_through_jonas(house)
    with pytest.raises(Conflict) as caught:
        reassign(house.ports, lena, call_id(head.pause, 1), to="maria")
    assert caught.value.code == "reassign_away"


def test_without_a_vote_who_stands_in_through_others_is_asked(house) -> None:
    head = house.shown(REFUND)
    away_through_jonas(house)
    assert waits_for(house, head) == {"ingrid"}
    leave(house, who(house, "ingrid"), None)
    assert waits_for(house, head) == set()
    assert nobody(house, head) == GROUP_EMPTY
