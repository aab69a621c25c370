"""People as JSON, field by field, and whose address is taken back into use."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from placet.http import people as views
from placet.model.errors import Conflict, Invalid, NotFound
from placet.model.pauses import Reviewer
from placet.policy import Level
from placet.records import writes
from placet.service import members, people
from placet.service.away import away
from placet.service.bounces import bounce, mailbox_of
from tests.gateway import Gateway
from tests.unit.test_digests import BOUNCED

HOUR_MS = 3_600_000
BY_HAND = {"from": "reviewers", "until_ms": None}


def only(policy: Any, **changes: Any) -> Any:
    """The policy with the class money-out alone."""
    classes = {"money-out": replace(policy.classes["money-out"], **changes)}
    return replace(policy, classes=classes, tools={}, unknown_class="money-out")


def test_who_is_asked_for_what_is_told_field_by_field() -> None:
    gateway = Gateway()
    gateway.policy = only(gateway.policy, levels=(Level(("finance",)), Level(("leads", "board"), 7_200)), quorum=3)
    gateway.person("lea", "Lea Lang", "leads")
    now = gateway.clock.now_ms()
    away(gateway.ports, members.reviewer(gateway.ports, "jonas"), now, now + HOUR_MS, "lea", "jonas")
    bounce(gateway.ports, BOUNCED)
    maria = {"sub": "maria", "name": "Maria Keller", "email": "maria@example.com", **BY_HAND}
    jonas = {"sub": "jonas", "name": "Jonas Weber", "email": "jonas@example.com", **BY_HAND}
    lea = {"sub": "lea", "name": "Lea Lang", "email": "lea@example.com", **BY_HAND}
    stands_in = {"name": "Lea Lang", "in_place_of": "Jonas Weber"}
    assert views.people(people.people(gateway.ports)) == {
        "classes": [
            {
                "class": "money-out",
                "quorum": 3,
                "people": 2,
                "short": True,
                "levels": [{"after_s": 0, "groups": ["finance"]}, {"after_s": 7_200, "groups": ["leads", "board"]}],
            }
        ],
        "groups": [
            {"group": "board", "people": [], "asked": [], "away": [], "problem": "empty"},
            {
                "group": "finance",
                "people": [jonas, maria],
                "asked": [stands_in, {"name": "Maria Keller", "in_place_of": None}],
                "away": ["Jonas Weber"],
                "problem": None,
            },
            {
                "group": "leads",
                "people": [lea],
                "asked": [{"name": "Lea Lang", "in_place_of": None}],
                "away": [],
                "problem": None,
            },
        ],
        "absences": [
            {
                "sub": "jonas",
                "name": "Jonas Weber",
                "from_ms": now,
                "until_ms": now + HOUR_MS,
                "delegate": "lea",
                "delegate_name": "Lea Lang",
            }
        ],
        "mail_refused": [
            {
                "sub": "maria",
                "name": "Maria Keller",
                "address": "maria@example.com",
                "reason": "bounced",
                "since_ms": now,
            }
        ],
    }


def test_an_absence_without_a_delegate_names_nobody() -> None:
    gateway = Gateway()
    now = gateway.clock.now_ms()
    told = views.absence(away(gateway.ports, gateway.maria, now, now + HOUR_MS, "", "maria"))
    assert (told["delegate"], told["delegate_name"]) == (None, None)


def test_an_address_is_taken_back_into_use_once(gateway: Gateway) -> None:
    bounce(gateway.ports, BOUNCED)
    assert mailbox_of(gateway.ports, "maria").refused == "bounced"
    gateway.log.clear()
    assert people.accept_mail(gateway.ports, "ops", "maria@example.com") == (gateway.maria, True)
    assert gateway.log == [("mail_accepted", {"by": "ops", "person": "maria"})]
    assert mailbox_of(gateway.ports, "maria").refused == ""
    assert people.accept_mail(gateway.ports, "ops", "maria") == (gateway.maria, False)
    with pytest.raises(NotFound):
        people.accept_mail(gateway.ports, "ops", "nobody@example.com")


def test_nobody_is_a_delegate(gateway: Gateway) -> None:
    assert people.delegate_of(gateway.ports, "") == ""


def test_absences_stand_by_their_beginning_and_silent_people_by_their_name_in_records(gateway: Gateway) -> None:
    now = gateway.clock.now_ms()
    away(gateway.ports, gateway.jonas, now + HOUR_MS, now + 3 * HOUR_MS, "", "jonas")
    away(gateway.ports, gateway.maria, now, now + HOUR_MS, "", "maria")
    found = people.people(gateway.ports)
    assert [one.sub for one in found.absences] == ["maria", "jonas"]
    for sub in ("maria", "jonas"):
        gateway.table.write(writes.refuse_mail(gateway.keys, sub, "complained", f"{sub}@old.example", now))
    silent = people.people(gateway.ports).silent
    assert [(one.sub, one.name, one.address, one.why, one.since_ms) for one in silent] == [
        ("jonas", "Jonas Weber", "jonas@old.example", "complained", now),
        ("maria", "Maria Keller", "maria@old.example", "complained", now),
    ]


def test_a_name_of_several_people_is_told_with_whom_it_may_mean(gateway: Gateway) -> None:
    for sub in ("zoe", "ada"):
        members.add(gateway.ports, Reviewer(sub, sub, "desk@example.com"), "finance")
    with pytest.raises(Conflict) as caught:
        people.person_of(gateway.ports, "desk@example.com")
    assert (caught.value.code, caught.value.members) == ("person_ambiguous", {"people": ["ada", "zoe"]})
    assert people.person_of(gateway.ports, "zoe").sub == "zoe"
    with pytest.raises(Invalid) as nobody:
        people.delegate_of(gateway.ports, "nobody@example.com")
    assert nobody.value.code == "delegate_unknown"


@pytest.mark.parametrize(
    ("email", "sub", "name"),
    [
        ("new@example.com", "", "New"),
        ("new@example.com", "new", ""),
        ("new@example.com", "n#w", "New"),
        ("", "new", "New"),
    ],
)
def test_who_is_no_reviewer_yet_is_named_whole(gateway: Gateway, email: str, sub: str, name: str) -> None:
    with pytest.raises(Invalid) as caught:
        people.enter(gateway.ports, "ops", ["finance"], Reviewer(sub, name, email))
    assert caught.value.code == "person_incomplete"
