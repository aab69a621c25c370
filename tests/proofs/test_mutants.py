"""The proof of mutants at its quick size, and that it fails when a clause, a scenario or a test is missing."""

from dataclasses import replace
from typing import Any

import pytest

from placet.local.memory import MemoryTable
from placet.records.ops import Op
from tests.proofs import Size, mutants
from tests.proofs.clauses import SCENARIOS, Scenario
from tests.proofs.mutating import changes
from tests.proofs.mutating.pool import CHECKOUT, survivors


def silent(line: str) -> None:
    """Say nothing."""


def test_the_proof_holds() -> None:
    proof = mutants.prove(print, Size(quick=True))
    assert proof.violations == []
    assert proof.figures["condition_clauses"] == proof.figures["condition_clauses_killed"] >= 90


class Forgetful(MemoryTable):
    """The planted bug: a store that does not look at one clause."""

    def write(self, ops: list[Op]) -> None:
        """As the real one, without `permit_free`."""
        super().write(
            [replace(op, clauses=tuple(one for one in op.clauses if one.name != "permit_free")) for op in ops]
        )


def wrong(found: dict[Any, str]) -> list[str]:
    return [text for text in found.values() if text]


def test_a_store_that_forgets_a_clause_is_seen() -> None:
    told = wrong(mutants.clauses(Forgetful(), [one for one in SCENARIOS if one.write == "claim"], silent))
    assert "claim.permit_free: a call is released twice: ends wrongly with every clause in place" in told


def test_a_clause_without_a_scenario_is_seen() -> None:
    left = [one for one in SCENARIOS if (one.write, one.clause) != ("claim", "permit_free")]
    assert "claim.permit_free: no scenario" in wrong(mutants.clauses(MemoryTable(), left, silent))


def test_a_scenario_that_does_not_need_its_clause_is_seen() -> None:
    idle = Scenario("claim", "permit_free", lambda stage: False)
    others = [one for one in SCENARIOS if (one.write, one.clause) != ("claim", "permit_free")]
    told = wrong(mutants.clauses(MemoryTable(), [*others, idle], silent))
    assert "claim.permit_free: <lambda>: nothing goes wrong without the clause" in told


def test_tests_that_notice_nothing_fail_the_proof() -> None:
    path = "layers/core/python/placet/service/cancel.py"
    tried = changes.mutants(path, (CHECKOUT / path).read_text())[:5]
    alive = survivors(tried, lambda mutant: [], silent)
    assert alive == sorted(tried, key=lambda one: (one.path, one.line))
    assert mutants.judged(tried, alive, {}, mutants.LEAST).violations == ["only 0 of 5 mutants were noticed"]


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("a < b", ["Lt becomes LtE", "Lt becomes Gt"]),
        ("x = a and not b", ["And becomes Or"]),
        ("x = 'a sentence for people'", []),
        ("x = 'call_pending'", ["'call_pending' becomes another text"]),
        ("x: int = 1", ["1 becomes 2"]),
        ("x = [p, q]", ["without p", "without q"]),
        ("x = {k: 1}", ["without k", "1 becomes 2"]),
        ("def f():\n    '''say.'''\n    go()\n    raise E", ["line 3 is gone: go()", "line 4 is gone: raise E"]),
        ("x = [p for p in q if p]", ["the filter is gone"]),
    ],
)
def test_the_changes_are_these(source: str, what: list[str]) -> None:
    found = changes.mutants("a.py", source)
    assert [one.what for one in found] == what
    assert len({str(changes.ast.unparse(changes.mutated(one, source))) for one in found}) == len(what)
