"""Who is asked now, which groups cannot decide, and who joins and leaves."""

from __future__ import annotations

import pytest

from placet.model.errors import Conflict, Invalid, NotFound
from placet.model.pauses import Reviewer
from placet.model.states import Verdict
from placet.service import members, people
from placet.service.away import away
from placet.service.people import Asked
from tests.gateway import REFUND, Gateway

DAY = 86_400_000


def leave(gateway: Gateway, who: str, delegate: str = "", begins: int = 0) -> None:
    now = gateway.clock.now_ms() + begins
    away(gateway.ports, members.reviewer(gateway.ports, who), now, now + DAY, delegate, "ops")


def finance(gateway: Gateway) -> people.GroupView:
    return next(one for one in people.people(gateway.ports).groups if one.name == "finance")


def test_a_group_names_who_is_asked_and_in_whose_place(gateway: Gateway) -> None:
    gateway.person("ingrid", "Ingrid Solberg", "gardeners")
    assert finance(gateway).asked == (Asked("Jonas Weber"), Asked("Maria Keller"))
    leave(gateway, "jonas", "ingrid")
    leave(gateway, "maria", begins=DAY)
    found = finance(gateway)
    assert found.asked == (Asked("Ingrid Solberg", "Jonas Weber"), Asked("Maria Keller"))
    assert [one.sub for one in found.away] == ["jonas"]
    assert [one.sub for one in people.people(gateway.ports).absences] == ["jonas", "maria"]


def test_a_group_that_cannot_decide_says_why_and_a_class_that_is_short_is_marked(gateway: Gateway) -> None:
    gateway.with_policy(quorum=2)
    assert (finance(gateway).problem, short(gateway)) == ("", False)
    leave(gateway, "jonas", "maria")
    assert (finance(gateway).problem, short(gateway)) == ("", True)
    leave(gateway, "jonas")
    leave(gateway, "maria")
    assert (finance(gateway).problem, finance(gateway).asked, short(gateway)) == ("away", (), True)
    for who in ("jonas", "maria"):
        people.leave(gateway.ports, "ops", who, "finance")
    assert finance(gateway).problem == "empty"


def short(gateway: Gateway) -> bool:
    return next(one for one in people.people(gateway.ports).classes if one.name == "money-out").short


def test_who_joins_may_decide_and_who_left_may_not(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    people.enter(gateway.ports, "ops", ["finance"], Reviewer("olga", "Olga Brandt", "olga@example.com"))
    olga = members.reviewer(gateway.ports, "olga")
    assert olga.groups == {"finance"}
    people.leave(gateway.ports, "ops", "Olga <OLGA@example.com>", "finance")
    assert not members.reviewer(gateway.ports, "olga").groups
    assert "olga" not in {one.sub for one in finance(gateway).people}
    with pytest.raises(NotFound):
        gateway.decide(head, 1, Verdict.ACCEPT, olga)
    told = {"by": "ops", "group": "finance"}
    assert [one for one in gateway.log if one[0].startswith("reviewer")] == [
        ("reviewer_added", told),
        ("reviewer_removed", told),
    ]


@pytest.mark.parametrize(
    ("group", "email", "sub", "name", "code"),
    [
        ("nobodys", "o@example.com", "olga", "Olga", "group_unknown"),
        ("finance", "o@example.com", "", "Olga", "person_incomplete"),
        ("finance", "o@example.com", "olga", "", "person_incomplete"),
        ("finance", "o@example.com", "ol#ga", "Olga", "person_incomplete"),
        ("finance", "olga", "olga", "Olga", "person_incomplete"),
        ("finance", "a@example.com, b@example.com", "olga", "Olga", "person_incomplete"),
        ("finance", "a@example.com b@example.com", "olga", "Olga", "person_incomplete"),
        ("finance", "not an address @ all", "olga", "Olga", "person_incomplete"),
        ("finance", "x@@example.com", "olga", "Olga", "person_incomplete"),
        ("finance", "mailto:o@example.com", "olga", "Olga", "person_incomplete"),
        ("finance", "Olga <o@example.com>", "olga", "Olga", "person_incomplete"),
        ("finance", "o@example.com\n", "olga", "Olga", "person_incomplete"),
        ("finance", "o\r\nBcc: x@example.com", "olga", "Olga", "person_incomplete"),
        ("finance", f"{'o' * 65}@example.com", "olga", "Olga", "person_incomplete"),
        ("finance", f"o@{'e.' * 126}com", "olga", "Olga", "person_incomplete"),
        ("finance", ".o@example.com", "olga", "Olga", "person_incomplete"),
        ("finance", "o@example", "olga", "Olga", "person_incomplete"),
        ("finance", "\u00f6@example.com", "olga", "Olga", "person_incomplete"),
        ("finance", "o@example.com", "ol ga", "Olga", "person_incomplete"),
        ("finance", "o@example.com", "o" * 129, "Olga", "person_incomplete"),
        ("finance", "o@example.com", "ol\u200bga", "Olga", "person_incomplete"),
        ("finance", "o@example.com", "olga", "O" * 201, "person_incomplete"),
        ("finance", "o@example.com", "olga", "Olga\nBrandt", "person_incomplete"),
        ("finance", "o@example.com", "olga", "Olga \u202eBrandt", "person_incomplete"),
    ],
)
def test_who_cannot_be_a_reviewer_is_refused_by_its_code(gateway: Gateway, group, email, sub, name, code) -> None:
    with pytest.raises(Invalid) as caught:
        people.enter(gateway.ports, "ops", [group], Reviewer(sub, name, email))
    assert caught.value.code == code


def test_an_address_of_two_people_names_neither(gateway: Gateway) -> None:
    for sub in ("a", "b"):
        members.add(gateway.ports, Reviewer(sub, sub, "both@example.com"), "finance")
    with pytest.raises(Conflict) as caught:
        people.person_of(gateway.ports, "both@example.com")
    assert caught.value.members["people"] == ["a", "b"]
    assert people.person_of(gateway.ports, "a").sub == "a"
    with pytest.raises(Invalid, match="delegate"):
        people.delegate_of(gateway.ports, "nobody@example.com")


@pytest.mark.parametrize(
    "email", ["o@example.com", "O.Brandt+placet@sub.example.co.uk", "o'b_x-1@xn--bcher-kva.example", "a@b.cd"]
)
def test_an_address_that_is_one_is_taken(gateway: Gateway, email: str) -> None:
    people.enter(gateway.ports, "ops", ["finance"], Reviewer("olga", "Olga Bra\u00f1dt \U0001f44d", email))
    assert members.reviewer(gateway.ports, "olga").email == email


def test_who_names_nobody_is_told_who_is_near(gateway: Gateway) -> None:
    with pytest.raises(NotFound) as caught:
        people.person_of(gateway.ports, "Maria@exampel.com")
    assert (caught.value.code, caught.value.members) == ("person_unknown", {"near": ["maria@example.com"]})
    assert (
        caught.value.detail == "No reviewer is 'Maria@exampel.com', by sub or mail address. Near it: maria@example.com."
    )
    with pytest.raises(NotFound) as caught:
        people.person_of(gateway.ports, "q" * 5_000)
    assert caught.value.members == {"near": []}
    assert len(caught.value.detail) < 400
    gateway.person("olga", "Olga Brandt", "finance")
    with pytest.raises(NotFound) as caught:
        people.leave(gateway.ports, "ops", "olga", "approvers")
    assert (caught.value.code, caught.value.members) == ("not_in_group", {"groups": ["finance"]})


def test_a_sub_as_it_is_written_names_its_person_alone(gateway: Gateway) -> None:
    members.add(gateway.ports, Reviewer("a@example.com", "First", "first@example.com"), "finance")
    members.add(gateway.ports, Reviewer("b", "Second", "a@example.com"), "finance")
    assert people.person_of(gateway.ports, "a@example.com").name == "First"
    with pytest.raises(Conflict, match="several people"):
        people.person_of(gateway.ports, "A@Example.com")


def test_nobody_leaves_a_group_they_are_not_in(gateway: Gateway) -> None:
    for group, who in (("approvers", "stranger"), ("nobodys", "maria")):
        with pytest.raises(NotFound):
            people.leave(gateway.ports, "ops", who, group)
