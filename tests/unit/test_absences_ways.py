"""Away, one after the other: how far a way leads, which circles are refused, and what is no absence."""

from __future__ import annotations

import itertools

import pytest

from placet.model.absences import Absence, Absences
from placet.model.errors import Conflict, Invalid, NotFound
from placet.model.pauses import Reviewer
from placet.records import writes
from placet.records.ops import Delete
from placet.service import members
from placet.service.absences import absences
from placet.service.away import away, back
from placet.service.inbox import inbox
from tests.gateway import REFUND, Gateway
from tests.unit.leaving import HOUR, accept, leave


def forced(gateway: Gateway, who: Reviewer, delegate: Reviewer) -> None:
    """An absence that no verb would write down."""
    now = gateway.clock.now_ms()
    one = Absence(who.sub, who.name, now, now + 24 * HOUR, delegate.sub, delegate.name, who.sub)
    gateway.table.write(writes.put_absence(gateway.keys, one, now))


def test_a_chain_leads_on_three_times_and_never_a_fourth(gateway) -> None:
    chain = [gateway.jonas, *(gateway.person(f"g{n}", f"Gardener {n}", "gardeners") for n in range(4))]
    for one, named in itertools.pairwise(chain[:4]):
        leave(gateway, one, named)
    with pytest.raises(Invalid) as caught:
        leave(gateway, chain[3], chain[4])
    assert caught.value.code == "delegates_too_many"
    forced(gateway, chain[3], chain[4])
    head = gateway.shown(REFUND)
    with pytest.raises(NotFound):
        accept(gateway, head, chain[4])
    assert accept(gateway, head, chain[3]).by == "Gardener 2 for Jonas Weber"


def test_a_chain_is_broken_by_whoever_left_on_the_way(gateway, ingrid) -> None:
    olga = gateway.person("olga", "Olga Brandt", "gardeners")
    leave(gateway, gateway.jonas, olga)
    leave(gateway, olga, ingrid)
    head = gateway.shown(REFUND)
    gateway.table.write([Delete(gateway.keys.member("olga", "gardeners"))])
    with pytest.raises(NotFound):
        accept(gateway, head, ingrid)


def test_a_circle_is_refused_and_one_that_came_about_lets_nobody_decide_for_themselves(gateway, ingrid) -> None:
    with pytest.raises(Invalid, match="lead back"):
        leave(gateway, gateway.jonas, gateway.jonas)
    leave(gateway, gateway.jonas, ingrid)
    with pytest.raises(Invalid, match="lead back"):
        leave(gateway, ingrid, gateway.jonas)
    forced(gateway, ingrid, gateway.jonas)
    gateway.with_policy(quorum=2)
    head = gateway.shown(REFUND)
    assert accept(gateway, head, gateway.jonas).by == "Jonas Weber"
    with pytest.raises(Conflict):
        accept(gateway, head, ingrid)
    assert absences(gateway.ports).instead_of("jonas") == ()


def test_periods_that_do_not_meet_are_no_circle(gateway, ingrid) -> None:
    leave(gateway, gateway.jonas, ingrid, hours=1)
    assert leave(gateway, ingrid, gateway.jonas, begins=1).delegate == "jonas"


@pytest.mark.parametrize(
    ("begins", "hours", "delegate", "code"),
    [
        (0, 0, "", "absence_over"),
        (2, 1, "", "absence_over"),
        (0, 24 * 367, "", "absence_too_long"),
        (0, 1, "nobody", "delegate_unknown"),
    ],
)
def test_what_is_no_absence_is_refused_by_its_code(gateway, begins, hours, delegate, code) -> None:
    now = gateway.clock.now_ms()
    with pytest.raises(Invalid) as caught:
        away(gateway.ports, gateway.jonas, now + begins * HOUR, now + hours * HOUR, delegate, "jonas")
    assert caught.value.code == code
    assert not gateway.table.query(gateway.keys.absences())


def test_who_belongs_to_no_group_is_not_away(gateway) -> None:
    with pytest.raises(NotFound):
        leave(gateway, members.reviewer(gateway.ports, "stranger"), None)
    with pytest.raises(NotFound):
        back(gateway.ports, members.reviewer(gateway.ports, "stranger"), "stranger")


def test_an_absence_that_cannot_be_read_lets_nobody_stand_in_and_hides_no_other(gateway, ingrid) -> None:
    head = gateway.shown(REFUND)
    leave(gateway, gateway.jonas, ingrid)
    leave(gateway, gateway.maria, ingrid)
    item = gateway.table.get(gateway.keys.absence("jonas"))
    gateway.table.items[gateway.keys.absence("jonas")] = {**item, "until_ms": "soon"}
    assert accept(gateway, head, ingrid).by == "Ingrid Solberg for Maria Keller"


def test_ways_follow_no_circle_however_absences_point() -> None:
    ring = [Absence(f"p{n}", "", 0, 10, f"p{(n + 1) % 5}", "") for n in range(5)]
    found = Absences(ring, 5)
    assert [len(way) for way in found.ways_to("p0")] == [1, 2, 3]
    assert found.instead_of("p0") == ()


def test_one_person_stands_in_for_twenty_and_is_never_asked_in_vain(gateway) -> None:
    dee = gateway.person("dee", "Dee", "approvers")
    for number in range(18):
        leave(gateway, gateway.person(f"a{number:02}", f"A {number}", "gardeners"), dee)
    for who in (gateway.maria, gateway.jonas):
        leave(gateway, who, dee)
    other = gateway.person("zoe", "Zoe", "approvers")
    with pytest.raises(Invalid) as caught:
        leave(gateway, other, dee)
    assert (caught.value.code, caught.value.members) == ("delegate_full", {"limit": 20})
    near = gateway.person("near", "Near", "approvers")
    leave(gateway, other, near)
    with pytest.raises(Invalid) as caught:
        leave(gateway, near, dee)
    assert caught.value.code == "delegate_full", "through somebody else"
    head = gateway.shown(REFUND)
    assert "dee" in [note.to for note in gateway.mail.sent]
    assert [row.pause for row in inbox(gateway.ports, dee).rows] == [head.pause]
    assert accept(gateway, head, dee).by.startswith("Dee for ")
    forced(gateway, other, dee)
    assert [row.pause for row in inbox(gateway.ports, dee).rows] == []
