"""Who did something and in whose place: both names stand apart in every answer and event, beside the text that pages show."""

from __future__ import annotations

import copy
import json

import pytest

from placet.client.records import Call
from placet.http import views
from placet.model.acting import Acting
from placet.model.errors import Conflict
from placet.model.pauses import call_id
from placet.model.states import Verdict
from placet.records.handing import Handed, read_handed
from placet.service.answers import as_resume
from placet.service.away import away
from placet.service.escalate import escalate
from placet.service.extend import extend
from placet.service.publish import told_by
from placet.service.reassign import reassign
from placet.service.review import detail
from placet.service.undo import undo
from tests.gateway import REFUND, Gateway

BOTH = {"name": "Ingrid Solberg", "in_place_of": "Jonas Weber"}
TEXT = "Ingrid Solberg for Jonas Weber"


@pytest.fixture
def house(gateway: Gateway) -> Gateway:
    """Ingrid stands in for Jonas."""
    gateway.with_policy(undo_s=60)
    gateway.ingrid = gateway.person("ingrid", "Ingrid Solberg", "gardeners")  # type: ignore[attr-defined]
    gateway.person("lena", "Lena Brandt", "finance")
    now = gateway.clock.now_ms()
    away(gateway.ports, gateway.jonas, now, now + 86_400_000, "ingrid", "jonas")
    return gateway


def test_it_is_the_text_that_pages_show_and_knows_its_parts() -> None:
    acting = Acting("Ingrid Solberg", "Jonas Weber")
    assert (acting, json.dumps(acting), acting.parts) == (TEXT, f'"{TEXT}"', BOTH)
    same = copy.deepcopy(acting)
    assert (same, same.parts) == (TEXT, BOTH)
    assert Acting(TEXT).parts == {"name": TEXT, "in_place_of": None}, "a name that says more is one name"
    assert (Acting(""), Acting("").parts) == ("", None)


def test_every_answer_of_a_reviewer_has_both_names(house: Gateway) -> None:
    head = house.shown(REFUND)
    at, who = call_id(head.pause, 1), house.ingrid  # type: ignore[attr-defined]
    handed = views.reassigned(reassign(house.ports, who, at, to="lena"))
    again = views.reassigned(reassign(house.ports, who, at, to="lena"))
    more = views.extended(extend(house.ports, who, at, head.deadline_ms + 3_600_000, "Finance is closed."))
    made = views.decided(house.decide(house.head(head.pause), 1, Verdict.ACCEPT, who))
    stored = views.decided(house.decide(house.head(head.pause), 1, Verdict.ACCEPT, who))
    with pytest.raises(Conflict) as refused:
        house.decide(house.head(head.pause), 1, Verdict.REJECT, house.maria)
    back = views.undone(undo(house.ports, who, at, 1))
    names = ("handed_by", "handed_by", "extended_by", "decided_by", "decided_by", "decided_by", "undone_by")
    for name, answer in zip(names, (handed, again, more, made, stored, refused.value.members, back), strict=True):
        assert (answer[name], answer["by_whom"]) == (TEXT, BOTH), name


def test_the_page_of_a_call_and_its_agent_have_both_names(house: Gateway) -> None:
    house.with_policy(undo_s=0)
    head = house.shown(REFUND)
    at, who = call_id(head.pause, 1), house.ingrid  # type: ignore[attr-defined]
    reassign(house.ports, who, at, to="lena")
    extend(house.ports, who, at, head.deadline_ms + 3_600_000, "Finance is closed.")
    house.decide(house.head(head.pause), 1, Verdict.ACCEPT, who)
    shown = views.detail(detail(house.ports, house.maria, head.pause))
    (call,), (extension,) = shown["calls"], shown["extensions"]
    assert (call["decided"]["by"], call["decided"]["by_whom"]) == (TEXT, BOTH)
    assert [(one["by_name"], one["by_whom"]) for one in call["handed"]] == [(TEXT, BOTH)]
    assert (extension["by"], extension["by_whom"]) == (TEXT, BOTH)
    (told,) = as_resume(house.ports, house.head(head.pause))["calls"]
    assert (told["decided_by"], told["by_whom"]) == (TEXT, BOTH)
    read = Call.of(told)
    assert (read.decided_by, read.decided_by_name, read.decided_in_place_of) == (TEXT, *BOTH.values())


def test_of_ones_own_right_and_of_nobody_the_second_name_is_missing(house: Gateway) -> None:
    house.with_policy(undo_s=0)
    head = house.shown(REFUND)
    house.decide(head, 1, Verdict.REJECT)
    (told,) = as_resume(house.ports, house.head(head.pause))["calls"]
    assert told["by_whom"] == {"name": "Maria Keller", "in_place_of": None}
    assert Call.of(told).decided_in_place_of == ""
    late = house.shown(REFUND, checkpoint="cp-2")
    house.clock.at_ms = late.deadline_ms
    escalate(house.ports, late.pause)
    (told,) = as_resume(house.ports, house.head(late.pause))["calls"]
    assert (told["decided_by"], told["by_whom"]) == (None, None)


def test_the_bus_has_the_subs_of_both(house: Gateway) -> None:
    head = house.shown(REFUND)
    at, who = call_id(head.pause, 1), house.ingrid  # type: ignore[attr-defined]
    reassign(house.ports, who, at, to="lena")
    extend(house.ports, who, at, head.deadline_ms + 3_600_000, "Finance is closed.")
    house.decide(house.head(head.pause), 1, Verdict.ACCEPT, who)
    undo(house.ports, who, at, 1)
    house.decide(house.head(head.pause), 1, Verdict.REJECT)
    events = [item for item in house.table.items.values() if item["kind"] == "EVENT"]
    told = {one.kind.value: one.fields for item in events for one in told_by(None, item, 1) if "by" in one.fields}
    assert {(name, fields["by"], fields["in_place_of"]) for name, fields in told.items()} == {
        *((name, "ingrid", "jonas") for name in ("reassigned", "extended", "undone")),
        ("decided", "maria", ""),
    }


def test_a_handing_on_is_read_as_it_was_written() -> None:
    for by in (Acting("Ingrid Solberg", "Jonas Weber"), Acting("Maria Keller")):
        read = read_handed({"U#lena": Handed(1, "Lena Brandt", by, 5).item})["U#lena"]
        assert (read.by_name, read.by_name.parts) == (by, by.parts)
    plain = {"level": 1, "to_name": "Lena Brandt", "by_name": TEXT, "at_ms": 5}
    assert read_handed({"U#lena": plain})["U#lena"].by_name.parts == {"name": TEXT, "in_place_of": None}
    with pytest.raises(TypeError):
        read_handed({"U#lena": {**plain, "by": [1, 2]}})
