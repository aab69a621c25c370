"""Whom a class would ask at a moment, and what an absence means for a person's groups, before either happens."""

from __future__ import annotations

from datetime import UTC, datetime

from placet.model.absences import Absence
from placet.model.pauses import Reviewer
from placet.policy import WorkingHours
from placet.policy.classes import Level
from placet.records import writes
from placet.service import members
from placet.service.asking import Groups
from placet.service.away import away
from placet.service.forecast import Cell, Seat, forecast, names_of
from placet.service.foresight import Follows, follows
from tests.gateway import REFUND, Gateway

HOUR, DAY = 3_600_000, 86_400_000


def leave(gateway: Gateway, who: str, begins: int, ends: int, delegate: str = "") -> None:
    now = gateway.clock.now_ms()
    away(gateway.ports, members.reviewer(gateway.ports, who), now + begins, now + ends, delegate, "ops")


def rows(gateway: Gateway, kept_out: tuple[str, ...] = (), quorum: int = 1, **changes):
    levels = (Level(("finance",)), Level(("leads",), after_s=3600))
    gateway.with_policy(levels=levels, quorum=quorum, deadline_s=2 * 86_400, **changes)
    one = gateway.policy.classes["money-out"]
    return [row.cells for row in forecast(Groups(gateway.ports), one, kept_out, gateway.clock.now_ms()).rows]


MARIA, JONAS, LENA = Seat("Maria Keller"), Seat("Jonas Weber"), Seat("Lena Brandt")


def test_each_level_is_asked_from_its_moment_on(gateway: Gateway) -> None:
    gateway.person("lena", "Lena Brandt", "leads")
    first, second = rows(gateway)
    assert first == (Cell("asked", (JONAS, MARIA)),) * 3
    assert second == (Cell("later"), Cell("asked", (LENA,)), Cell("asked", (LENA,)))


def test_a_level_that_cannot_decide_is_passed_at_once(gateway: Gateway) -> None:
    gateway.person("lena", "Lena Brandt", "leads")
    for who in ("maria", "jonas"):
        leave(gateway, who, 0, DAY)
    first, second = rows(gateway)
    until = gateway.clock.now_ms() + DAY
    assert first[0] == Cell("asked", (Seat("Jonas Weber", until), Seat("Maria Keller", until)), "group_empty")
    assert second[0] == Cell("asked", (LENA,)), "at once, not after an hour"
    assert first[2] == Cell("asked", (JONAS, MARIA)), "both are back at that very moment"


def test_who_asks_is_not_asked_and_a_stand_in_is_named(gateway: Gateway) -> None:
    leave(gateway, "jonas", 0, 2 * DAY, "maria")
    first, second = rows(gateway, kept_out=("maria", "Maria <MARIA@example.com>"))
    assert first[0].seats == (Seat("Jonas Weber", gateway.clock.now_ms() + 2 * DAY),), (
        "nor does she stand in for another"
    )
    assert first[0].short == second[0].short == "" or first[0].short == "group_empty"
    assert rows(gateway)[0][0].seats[0] == Seat("Jonas Weber", gateway.clock.now_ms() + 2 * DAY, "Maria Keller")


def test_too_few_for_a_quorum_are_said_to_be_too_few_and_the_end_is_over(gateway: Gateway) -> None:
    first, second = rows(gateway, quorum=3)
    assert {cell.short for cell in first} == {"too_few_people"}
    assert second[0] == Cell("later"), "no level can decide, so none is passed to"
    one = gateway.policy.classes["money-out"]
    gateway.with_policy(deadline_s=7200)
    one = gateway.policy.classes["money-out"]
    found = forecast(Groups(gateway.ports), one, (), gateway.clock.now_ms())
    assert [row.cells[2] for row in found.rows] == [Cell("over")] * 2
    assert found.deadline_ms == gateway.clock.now_ms() + 2 * HOUR


def test_what_follows_is_what_is_left_at_the_worst_moment(gateway: Gateway) -> None:
    gateway.person("lena", "Lena Brandt", "finance")
    leave(gateway, "jonas", DAY, 2 * DAY)
    now = gateway.clock.now_ms()
    absence = Absence("maria", "Maria Keller", now, now + 3 * DAY, "lena", "Lena Brandt", "maria")
    found = follows(gateway.policy, Groups(gateway.ports), gateway.maria, absence)
    assert [one.group for one in found] == ["approvers", "finance"]
    assert found[1] == Follows("finance", ("Lena Brandt",), "", 1, 1), "Lena is one person, whomever she stands in for"
    assert found[0] == Follows("approvers", (), "Lena Brandt", 1, 1), "Jonas, the other one, is away for a day of it"
    alone = Absence("maria", "Maria Keller", now, now + HOUR, "", "", "maria")
    assert [one.stays for one in follows(gateway.policy, Groups(gateway.ports), gateway.maria, alone)] == [
        ("Jonas Weber",),
        ("Jonas Weber", "Lena Brandt"),
    ]


def test_accounts_of_one_person_are_one_of_those_who_stay(gateway: Gateway) -> None:
    """Two accounts of Jonas are no quorum of two, nor is his other one when it stands in for Maria."""
    gateway.with_policy(quorum=2)
    members.add(gateway.ports, Reviewer("google_9", "Jonas W.", "JONAS@example.com"), "finance")
    now = gateway.clock.now_ms()
    for delegate in ("", "google_9"):
        absence = Absence("maria", "Maria Keller", now, now + HOUR, delegate, "Jonas W." if delegate else "", "maria")
        (found,) = [
            one
            for one in follows(gateway.policy, Groups(gateway.ports), gateway.maria, absence)
            if one.group == "finance"
        ]
        assert (len(found.stays), found.people, found.quorum) == (2, 1, 2)
    members.add(gateway.ports, Reviewer("google_9", "Jonas W.", "JONAS@example.com"), "others")
    gateway.table.write(writes.drop_member(gateway.keys, "google_9", "finance"))
    (found,) = [
        one for one in follows(gateway.policy, Groups(gateway.ports), gateway.maria, absence) if one.group == "finance"
    ]
    assert (found.stays, found.instead, found.people) == (("Jonas Weber",), "Jonas W.", 1)


def test_whoever_is_in_a_group_is_compared_under_every_name(gateway: Gateway) -> None:
    members.add(gateway.ports, Reviewer("jonas", "Jonas Weber", "weber@example.com"), "approvers")
    looked = Groups(gateway.ports)
    assert names_of(looked, gateway.policy, "jonas") == ("jonas", "jonas@example.com", "weber@example.com")
    assert names_of(looked, gateway.policy, "jonas@example.com") == names_of(looked, gateway.policy, "") == ()


def test_it_foresees_the_moments_that_a_call_gets(gateway: Gateway) -> None:
    """Working hours reach beyond the hard maximum: over it ends everything, whatever would come then."""
    gateway.with_policy(
        hours=WorkingHours("Europe/Berlin"),
        levels=(Level(("finance",)), Level(("approvers",), after_s=2 * 3600)),
        remind_after_s=(1800, 3 * 3600),
        deadline_s=8 * 3600,
        hard_maximum_s=24 * 3600,
    )
    gateway.clock.at_ms = int(datetime(2026, 12, 4, 15, 0, tzinfo=UTC).timestamp()) * 1000  # Friday, 16:00 in Berlin
    (call,) = gateway.shown(REFUND).calls
    told = forecast(Groups(gateway.ports), gateway.policy.classes["money-out"], (), gateway.clock.now_ms())
    assert (told.deadline_ms, told.reminders) == (call.deadline_ms, call.remind_ms)
    assert told.deadline_ms == gateway.clock.now_ms() + DAY
    assert [row.too_late for row in told.rows] == [False, True]
    assert not call.levels_ms
    assert told.rows[0].cells[2].state == "over"
