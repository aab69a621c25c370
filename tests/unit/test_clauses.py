"""Clauses: what each comparison holds on, their names, and that every scenario ends well with its clause."""

from typing import Any

import pytest

from local.memory import MemoryTable
from placet.records import clauses
from placet.records.conditions import clause, failing
from placet.records.questions import Questions
from tests.proofs.clauses import SCENARIOS, Scenario, ends_wrongly


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
def test_with_its_clause_a_scenario_ends_well(scenario: Scenario) -> None:
    assert not ends_wrongly(scenario, MemoryTable(), set(), without=False)


@pytest.mark.parametrize(
    ("operator", "value", "holding"),
    [
        ("=", 2, [False, True, False]),
        ("<>", 2, [True, False, True]),
        ("<", 2, [True, False, False]),
        ("<=", 2, [True, True, False]),
        (">", 2, [False, False, True]),
        (">=", 2, [False, True, True]),
    ],
)
def test_comparisons_hold_where_they_should(operator: Any, value: int, holding: list[bool]) -> None:
    one = clause("one", ("a.b", operator, value))
    assert [failing([one], {"a": {"b": number}}) == [] for number in (1, 2, 3)] == holding
    assert (failing([one], {}) == []) == (operator == "<>")  # as DynamoDB: what is absent differs
    assert failing([one], {"a": {"b": "2"}}) == ([] if operator == "<>" else ["one"])
    assert failing([one], {"a": 1}) == ([] if operator == "<>" else ["one"])


def test_sizes_and_presence() -> None:
    two, there, gone = (
        clause("two", ("a", "size=", 2)),
        clause("there", ("a", "exists")),
        clause("gone", ("a", "absent")),
    )
    assert failing([two, there, gone], {"a": {"x": 1, "y": 2}}) == ["gone"]
    assert failing([two, there, gone], {"a": {}}) == ["two", "gone"]
    assert failing([two, there, gone], None) == ["two", "there"]


def test_a_clause_has_the_name_of_its_constructor() -> None:
    given = {
        "number": 1,
        "revision": 1,
        "digest": "d",
        "now_ms": 1,
        "count": 1,
        "numbers": [1],
        "deadline_ms": 1,
        "over_ms": 1,
        "before_ms": 1,
        "sent_ms": 1,
        "name": "c",
        "most": 1,
        "counted_ms": 1,
        "until_ms": 1,
        "gen": 1,
        "fence": 1,
        "level": 1,
        "epoch": 1,
        "turn": 1,
        "left": 1,
        "undo_ms": 1,
        "held_ms": 1,
        "key": "U#a",
    }
    given |= {
        "sub": "s",
        "votes": {"s": "d"},
        "names": ("s", "e"),
        "worker": "w",
        "state": "free",
        "wpk": "l",
        "stands": 1,
        "stuck": "r",
        "since": "notified_ms",
        "least_ms": 1,
        "calls": [(1, 1)],
        "missed": ["s"],
        "marks": ["m"],
        "questions": Questions(1, (1,)),
        "sessions": {"s": 1},
    }
    pairs = {"claimed_by_me": ["permit_used", "my_permit"], "still_claimed": ["permit_claimed", "same_worker"]}
    pairs |= {name: [name] * 2 for name in ("not_requester", "not_kept_out", "not_owner")}
    made = 0
    for name, build in vars(clauses).items():
        if (
            callable(build)
            and getattr(build, "__annotations__", {}).get("return") in ("Clause", "list[Clause]")
            and name != "clause"
        ):
            found = build(**{one: given[one] for one in build.__annotations__ if one != "return"})
            names = [one.name for one in found] if isinstance(found, list) else [found.name]
            assert names == pairs.get(name, [name])
            made += 1
    assert made > 30
