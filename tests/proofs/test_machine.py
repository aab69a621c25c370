"""The property machine at its quick size, and the bugs that it must see."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any
from unittest import mock

import pytest

from local.memory import MemoryTable
from placet.model.pauses import Reviewer
from placet.records import writes
from placet.records.conditions import Clause
from placet.records.lists import read_list
from placet.records.ops import Op, Update
from placet.service import asking
from placet.service.work_lists import todays_lists
from tests.proofs import Size, machine
from tests.proofs.stateful import house
from tests.proofs.stateful.held import Held
from tests.proofs.stateful.house import House
from tests.proofs.stateful.rules import Verbs

EXAMPLES, STEPS = 200, 30


def test_any_order_of_everything_holds() -> None:
    proof = machine.prove(lambda line: print(line, flush=True), Size(quick=True))
    assert proof.violations == [], proof.violations[0]
    figures = f"examples=150 steps={STEPS} config_changes=N handed_on=N held=50 taken_back=N violations=0"
    assert re.fullmatch(f"machine: {figures}".replace("=N", "=[1-9][0-9]*"), proof.line)


class Forgetful(MemoryTable):
    """A table that knows some clauses not (the planted bug)."""

    forgotten: tuple[str, ...] = ()

    def write(self, ops: list[Op]) -> None:
        super().write([self._without(op) for op in ops])

    def _without(self, op: Any) -> Any:
        left: tuple[Clause, ...] = tuple(one for one in op.clauses if one.name not in self.forgotten)
        return replace(op, clauses=left)


def with_table(made: type[MemoryTable], machine: type[Verbs] = Verbs) -> type[Verbs]:
    """The machine on another table."""

    class Planted(machine):
        def make_house(self) -> House:
            house = super().make_house()
            table = made()
            table.items, table.changes = house.gateway.table.items, house.gateway.table.changes
            house.gateway.table = table
            return house

    return Planted


@pytest.mark.parametrize(
    ("forgotten", "invariant"),
    [
        (("in_time",), "8: "),
        (("not_requester",), "8: "),
        (("not_owner",), "8: "),
        (("level_reached",), "8: "),
        (("shown_revision", "shown_digest"), "8: "),
        (("not_cancelled", "not_resumed"), "3: |6: |7: "),
        (("permit_free",), "3: "),
        (("still_fresh",), "3: "),
        (("digest_named",), "4: "),
        (("same_epoch",), "3: |8: "),
        (("lease_free",), "2: "),
    ],
)
def test_a_clause_that_is_forgotten_is_seen(forgotten: tuple[str, ...], invariant: str) -> None:
    table = type("Table", (Forgetful,), {"forgotten": forgotten})
    tries = (machine.run(with_table(table), EXAMPLES, STEPS, seed, shrink=False) for seed in (1, 2, 3))
    told = next(filter(None, tries), "")
    assert told
    assert any(f"AssertionError: {one}" in told for one in invariant.split("|")), told


@pytest.mark.parametrize(
    ("forgotten", "invariant"),
    [
        ("window_over", "3: a permit although {'call_held'}"),
        ("window_open", "8: .* took a decision back although {'undo_over'}"),
    ],
)
def test_a_clause_of_the_hold_that_is_forgotten_is_seen(forgotten: str, invariant: str) -> None:
    table = type("Table", (Forgetful,), {"forgotten": (forgotten,)})
    with mock.patch("placet.service.undo.is_open", return_value=True):  # the clause alone judges
        told = machine.run(with_table(table, Held), EXAMPLES, STEPS, 1, shrink=False)
    assert re.search(invariant, told.partition("\n")[0]), told


def _keeps_the_edit(*given: Any, real: Any = writes.undo) -> Any:
    keys, head, back, *rest = given
    return real(keys, head, replace(back, call=replace(back.call, back_rev=0, back_digest="")), *rest)


HOLDS: dict[str, tuple[str, Any, str]] = {
    "a hold is never ended": (
        "placet.service.escalate.end_hold",
        lambda ports, head: "held",
        "7: the hold of .* never ended",
    ),
    "nobody knows that a run is held": (
        "placet.records.heads.Head.is_held",
        lambda head, now_ms: False,
        "3: .* is handed out while|10: resumed is told that the record is busy",
    ),
    "what was taken back keeps the edit": (
        "placet.records.writes.undo",
        _keeps_the_edit,
        "5: it was taken back and is",
    ),
}


@pytest.mark.parametrize("bug", HOLDS)
def test_a_bug_of_a_hold_is_seen(bug: str) -> None:
    where, planted, invariant = HOLDS[bug]
    with mock.patch(where, planted):
        told = machine.run(Held, EXAMPLES, STEPS, 1, shrink=False)
    assert re.search(invariant, told.partition("\n")[0]), told


DEPLOYS: list[tuple[str, Any, str]] = [
    ("placet.service.sweep.every_list", lambda ports, stored=None: [read_list(n) for n in todays_lists(ports)], "7: "),
    ("placet.service.sweep.classes_of", lambda ports, head: ["one"], "which nobody reads any more"),
    ("placet.service.asking.Groups.members", lambda groups, action_class, level: [], "and that is not so"),
]


@pytest.mark.parametrize(("where", "bug", "invariant"), DEPLOYS, ids=[one[0].rpartition(".")[2] for one in DEPLOYS])
def test_a_sweep_that_does_not_see_a_deploy_is_seen(where: str, bug: Any, invariant: str) -> None:
    with mock.patch(where, bug):
        told = machine.run(Verbs, EXAMPLES, STEPS, 1, shrink=False)
    assert any(one in told for one in invariant.split("|")), told


def _mails_everybody_again(*given: Any, real: Any = writes.mailed) -> Any:
    keys, head, _, *rest = given
    return real(keys, head, list(head.mails_missed), *rest)


def _one_too_many(*given: Any, real: Any = asking.first_level) -> int:
    head, call = given[2], given[3]
    return real(*given) if call.levels_ms == () or head.gen > 1 else len(call.levels_ms)


PEOPLE: dict[str, tuple[str, Any, str]] = {
    "who is away counts as here": ("placet.service.asking.here", lambda groups, people, *_: people, "7: "),
    "reminders have no moment": (
        "placet.records.calls.HeadCall.next_ms",
        property(lambda call: call.deadline_ms),
        "7: nobody comes",
    ),
    "mails are sent again": ("placet.records.writes.mailed", _mails_everybody_again, "7: "),
    "a level is passed that can decide": ("placet.service.escalate.first_level", _one_too_many, "passed level"),
    "who was handed a call does not find it": (
        "placet.records.calls.HeadCall.queue_level",
        property(lambda call: call.level),
        "7: ",
    ),
    "who was handed a call may not decide it": (
        "placet.service.rights.Right.handed",
        lambda right, call: "",
        "10: not_found is not so",
    ),
    "who leaves has named somebody for good": (
        "placet.service.absences.members.reviewer",
        lambda ports, sub: STILL[sub],
        "decide",
    ),
}
STILL = {
    sub: Reviewer(sub, sub.title(), f"{sub}@example.com", frozenset(groups), frozenset({f"{sub}@example.com"}))
    for sub, groups in house.PEOPLE.items()
}


@pytest.mark.parametrize("bug", PEOPLE)
def test_a_bug_of_moments_and_people_is_seen(bug: str) -> None:
    where, planted, invariant = PEOPLE[bug]
    with mock.patch(where, planted):
        tries = (machine.run(Verbs, EXAMPLES, STEPS, seed, shrink=False) for seed in (1, 2, 3))
        told = next(filter(None, tries), "")
    assert invariant in told.partition("\n")[0], told


class Silent(MemoryTable):
    """Expiry accepts, as some products do."""

    def write(self, ops: list[Op]) -> None:
        super().write([_accepting(op) if isinstance(op, Update) else op for op in ops])


def _accepting(op: Update) -> Update:
    changes = {path: "accepted" if value == "expired" else value for path, value in op.set.items()}
    return replace(op, set=changes)


def test_an_expiry_that_accepts_is_seen() -> None:
    told = machine.run(with_table(Silent), EXAMPLES, STEPS, 1, shrink=False)
    assert "no decision is on record" in told


def test_a_machine_that_does_little_is_no_proof() -> None:
    Verbs.counts.clear()
    assert machine.run(Verbs, 1, 2, 1) == ""
    assert any("call pending -> edited" in one for one in machine.not_reached(Verbs))
