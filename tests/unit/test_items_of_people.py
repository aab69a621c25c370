"""What is stored of people beside pauses, attribute by attribute: a later release, a cleaner and an operator read these names."""

from __future__ import annotations

from typing import Any

import pytest

from local.memory import MemoryTable
from placet.model.absences import Absence
from placet.model.pauses import Reviewer
from placet.records import writes
from placet.records.badges import REMEMBERED_MS
from placet.records.history import key_of_day, step_of
from placet.records.keys import Keys
from placet.records.ops import ConditionFailed, Item
from placet.records.writes.mailing import APART_MS, DIGEST_AGAIN_MS

KEYS = Keys("main")
NOW = 1_000_000_000
LEA = Reviewer("lea", "Lea Lang", "lea@example.com")
DAY_S = 86_400


@pytest.fixture
def table() -> MemoryTable:
    return MemoryTable()


def items(table: MemoryTable) -> list[Item]:
    return [dict(one) for one in table.items.values()]


def mailbox(table: MemoryTable) -> Item:
    return {name: value for name, value in (table.get(KEYS.mailbox("lea")) or {}).items() if name not in ("pk", "sk")}


def test_a_membership_stands_on_both_sides(table: MemoryTable) -> None:
    table.write(writes.put_member(KEYS, LEA, "leads", NOW))
    shared = {"schema_version": 1, "since_ms": NOW, "name": "Lea Lang", "email": "lea@example.com"}
    assert items(table) == [
        {**KEYS.member("lea", "leads")._asdict(), "kind": "MEMBER", **shared},
        {**KEYS.group_member("leads", "lea")._asdict(), "kind": "GROUP_MEMBER", **shared},
    ]
    table.write(writes.drop_member(KEYS, "lea", "leads"))
    assert items(table) == []


def test_a_session_is_cleaned_up_a_day_after_it_ends(table: MemoryTable) -> None:
    table.write(writes.put_session(KEYS, "hash", "lea", "secret", NOW, NOW + 5_000))
    assert items(table) == [
        {
            **KEYS.session("hash")._asdict(),
            "schema_version": 1,
            "kind": "SESSION",
            "sub": "lea",
            "csrf": "secret",
            "signed_in_ms": NOW,
            "until_ms": NOW + 5_000,
            "ttl": 1_000_005 + DAY_S,
        }
    ]
    table.write(writes.end_session(KEYS, "hash"))
    assert items(table) == []


@pytest.mark.parametrize("delegate", [{}, {"delegate": "leo", "delegate_name": "Leo Linz"}])
def test_an_absence_is_kept_for_ninety_days_after_it(table: MemoryTable, delegate: dict[str, str]) -> None:
    absence = Absence(
        "lea", "Lea Lang", 10, NOW, delegate.get("delegate", ""), delegate.get("delegate_name", ""), "ops/o"
    )
    table.write(writes.put_absence(KEYS, absence, NOW + 1))
    assert items(table) == [
        {
            **KEYS.absence("lea")._asdict(),
            "schema_version": 1,
            "kind": "ABSENCE",
            "name": "Lea Lang",
            "from_ms": 10,
            "until_ms": NOW,
            "by": "ops/o",
            "at_ms": NOW + 1,
            "ttl": 1_000_000 + 90 * DAY_S,
            **delegate,
        }
    ]


def test_one_mail_in_a_while_and_then_one_of_what_waits(table: MemoryTable) -> None:
    table.write(writes.take_mail(KEYS, "lea", "p-1", NOW))
    sent = {"schema_version": 1, "kind": "MAILBOX", "sent_ms": NOW, "taken_by": "p-1", "ttl": 1_000_000 + DAY_S}
    assert mailbox(table) == sent
    for early in (NOW, NOW + APART_MS - 1):
        with pytest.raises(ConditionFailed):
            table.write(writes.take_mail(KEYS, "lea", "p-1", early))
    table.write(writes.take_mail(KEYS, "lea", "p-1", NOW + APART_MS))
    table.write(writes.hold_mail(KEYS, "lea", NOW + 2 * APART_MS))
    owed = {"wpk": KEYS.held_mail(), "wsk": NOW + 2 * APART_MS}
    shape = {"schema_version": 1, "kind": "MAILBOX"}
    assert mailbox(table) == {**shape, "sent_ms": NOW + APART_MS, "taken_by": "p-1", **owed}
    with pytest.raises(ConditionFailed):
        table.write(writes.take_mail(KEYS, "lea", "p-1", NOW + 9 * APART_MS))
    begun = NOW + 3 * APART_MS
    table.write(writes.begin_digest(KEYS, "lea", NOW + 2 * APART_MS, begun))
    assert mailbox(table) == {**shape, "sent_ms": begun, "wpk": KEYS.held_mail(), "wsk": begun + DIGEST_AGAIN_MS}
    table.write(writes.end_digest(KEYS, "lea", begun))
    assert mailbox(table) == {**shape, "sent_ms": begun, "ttl": begun // 1000 + DAY_S}


def test_a_mail_that_did_not_go_is_no_mail(table: MemoryTable) -> None:
    table.write(writes.take_mail(KEYS, "lea", "p-1", NOW))
    with pytest.raises(ConditionFailed):
        table.write(writes.return_mail(KEYS, "lea", NOW - 1))
    table.write(writes.return_mail(KEYS, "lea", NOW))
    assert "sent_ms" not in mailbox(table)
    table.write(writes.take_mail(KEYS, "lea", "p-1", NOW + 1))


def test_an_address_that_takes_none_is_marked_until_an_operator_takes_the_mark_away(table: MemoryTable) -> None:
    table.write(writes.hold_mail(KEYS, "lea", NOW))
    table.write(writes.refuse_mail(KEYS, "lea", "bounced", "lea@example.com", NOW))
    refused = {"refused": "bounced", "refused_ms": NOW, "address": "lea@example.com"}
    assert mailbox(table) == {"schema_version": 1, "kind": "MAILBOX", **refused}
    for ops in (writes.take_mail(KEYS, "lea", "p-1", NOW + APART_MS), writes.hold_mail(KEYS, "lea", NOW + APART_MS)):
        with pytest.raises(ConditionFailed):
            table.write(ops)
    table.write(writes.accept_mail(KEYS, "lea"))
    assert mailbox(table) == {"schema_version": 1, "kind": "MAILBOX"}
    with pytest.raises(ConditionFailed):
        table.write(writes.accept_mail(KEYS, "lea"))


def test_what_a_sink_said_last(table: MemoryTable) -> None:
    table.write(writes.mark_sink(KEYS, "slack", "gone", NOW))
    told: dict[str, Any] = {"schema_version": 1, "kind": "SINK", "refused": "gone", "at_ms": NOW}
    assert items(table) == [{**KEYS.sink("slack")._asdict(), **told}]


def test_how_long_people_took_is_counted_by_class_and_day_for_thirty_five_days(table: MemoryTable) -> None:
    for seconds in (60, 60, 3_600):
        table.write(writes.count_wait(KEYS, "money-out", seconds, NOW))
    shape = {"schema_version": 1, "kind": "WAITED", "ttl": 1_000_000 + 35 * DAY_S}
    counts = {f"b{step_of(60)}": 2, f"b{step_of(3_600)}": 1}
    assert items(table) == [{**key_of_day(KEYS, "money-out", NOW)._asdict(), **shape, **counts}]


@pytest.mark.parametrize(("until_ms", "ttl"), [(NOW + 5_000, 1_000_005), (0, 1_000_000)])
def test_a_badge_stands_on_both_sides_and_is_remembered_after_its_end(
    table: MemoryTable, until_ms: int, ttl: int
) -> None:
    table.write(writes.put_badges(KEYS, LEA, ["leads"], until_ms, NOW, {"hash": 7}))
    shared = {
        "schema_version": 1,
        "sub": "lea",
        "group": "leads",
        "name": "Lea Lang",
        "email": "lea@example.com",
        "since_ms": NOW,
        "until_ms": until_ms,
        "sessions": {"hash": 7},
        "ttl": ttl + REMEMBERED_MS // 1000 + DAY_S,
    }
    assert items(table) == [
        {**KEYS.badge("lea", "leads")._asdict(), "kind": "BADGE", **shared},
        {**KEYS.badge_holder("leads", "lea")._asdict(), "kind": "BADGE_HOLDER", **shared},
    ]


def test_open_pauses_are_counted_by_class_up_to_the_bound_and_then_anew(table: MemoryTable) -> None:
    def count() -> Item:
        return {
            name: one for name, one in (table.get(KEYS.open_count("desk")) or {}).items() if name not in ("pk", "sk")
        }

    shape = {"schema_version": 1, "kind": "COUNT"}
    table.write(writes.count_open(KEYS, "desk", {"money-out": 2, "general": 1}, 3))
    assert count() == {**shape, "open_money-out": 2, "open_general": 1}
    table.write(writes.count_open(KEYS, "desk", {"money-out": 1}, 3))
    with pytest.raises(ConditionFailed):
        table.write(writes.count_open(KEYS, "desk", {"money-out": 1}, 3))
    table.write(writes.recount_open(KEYS, "desk", {"money-out": 1}, 0, NOW))
    assert count() == {**shape, "open_money-out": 1, "open_general": 1, "counted_ms": NOW}
    with pytest.raises(ConditionFailed):
        table.write(writes.recount_open(KEYS, "desk", {"money-out": 0}, 0, NOW + 1))
    table.write(writes.recount_open(KEYS, "desk", {"money-out": 0}, NOW, NOW + 1))
