"""The proof of mutants at its quick size, and that it fails when a clause, a scenario or a test is missing."""

from dataclasses import replace
from typing import Any

import pytest

from placet.local.memory import MemoryTable
from placet.records.ops import Op
from tests.proofs import Size, mutants
from tests.proofs.clauses import SCENARIOS, Scenario
from tests.proofs.mutating import changes
from tests.proofs.mutating.changes import Planted
from tests.proofs.mutating.pool import CHECKOUT, survivors, unnoticed


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
    left = [one for one in SCENARIOS if one.write == "claim" and one.clause != "permit_free"]
    assert "claim.permit_free: no scenario" in wrong(mutants.clauses(MemoryTable(), left, silent))


def test_a_scenario_that_does_not_need_its_clause_is_seen() -> None:
    idle = Scenario("claim", "permit_free", lambda stage: False)
    others = [one for one in SCENARIOS if one.write == "claim" and one.clause != "permit_free"]
    told = wrong(mutants.clauses(MemoryTable(), [*others, idle], silent))
    assert "claim.permit_free: <lambda>: nothing goes wrong without the clause" in told


def test_tests_that_notice_nothing_fail_the_proof() -> None:
    path = "layers/core/python/placet/service/cancel.py"
    tried = changes.mutants(path, (CHECKOUT / path).read_text())[:5]
    alive = survivors(tried, lambda mutant: [], silent)
    assert alive == sorted(tried, key=lambda one: (one.path, one.line))
    assert mutants.judged(tried, alive, {}, mutants.LEAST).violations == ["only 0 of 5 mutants were noticed"]


SERVICE = "layers/core/python/placet/service"
# Bugs that no clause holds and that a sweep heals within a minute, so that only a test of their own notices them.
BUGS: dict[str, tuple[Planted, str]] = {
    "the clock is read once for all tries": (
        Planted(
            f"{SERVICE}/timely.py",
            "    for tried in range(TRIES):\n        now = ports.clock.now_ms()\n",
            "    now = ports.clock.now_ms()\n    for tried in range(TRIES):\n",
        ),
        "test_timely.py::test_a_deadline_that_passes_while_a_decision_meets_others_has_passed",
    ),
    "the record is read before the token is stored": (
        Planted(
            f"{SERVICE}/notify.py",
            "    ports.table.write(writes.store_token(ports.keys, pause, gen, token, ports.clock.now_ms()))\n"
            "    head = head_of(ports, pause)\n",
            "    head = head_of(ports, pause)\n"
            "    ports.table.write(writes.store_token(ports.keys, pause, gen, token, ports.clock.now_ms()))\n",
        ),
        "test_beside.py::test_a_decision_just_before_its_token_is_stored_is_told_to_that_token",
    ),
    "a permit is freed after its run has ended": (
        Planted(
            f"{SERVICE}/sweep.py",
            "if call.takes_key and head.resume_state is not ResumeState.DONE:",
            "if call.takes_key:",
        ),
        "test_meanwhile.py::test_a_keyed_permit_is_not_freed_once_the_run_has_ended",
    ),
    "decisions of another round count as handed over": (
        Planted(f"{SERVICE}/resume.py", "return head.delivered_gen == head.gen and now_ms", "return now_ms"),
        "test_beside.py::test_decisions_of_a_new_round_are_not_those_that_were_handed_over",
    ),
    "a repetition is known without its verdict": (
        Planted(
            f"{SERVICE}/decide.py",
            "(reviewer.sub, ballot.verdict.value, ballot.digest, ballot.reason)",
            "(reviewer.sub, fact.verdict, ballot.digest, ballot.reason)",
        ),
        "test_last_attempt.py::test_another_verdict_in_the_same_words_repeats_nothing",
    ),
    "after a partial expiry there is no timer": (
        Planted(
            f"{SERVICE}/escalate.py",
            '        if left:\n            set_timer(ports, pause, min(left))\n        return "expired"',
            '        return "expired"',
        ),
        "test_beside.py::test_after_a_partial_expiry_the_timer_holds_the_next_deadline",
    ),
    "a permit that became unknown does not ring": (
        Planted(
            f"{SERVICE}/sweep.py",
            '        ports.log("stuck", {"pause": head.pause, "reason": "permit_unknown"})\n',
            "",
        ),
        "test_beside.py::test_a_permit_that_nobody_reported_rings_after_the_time_of_its_class",
    ),
}


def test_a_bug_that_no_clause_holds_is_noticed_by_a_test_of_its_own() -> None:
    """One more has a test that does not look for it, and is not noticed."""
    planted = {name: (bug, f"tests/unit/{test}") for name, (bug, test) in BUGS.items()}
    forgotten = (BUGS["a repetition is known without its verdict"][0], "tests/unit/test_keys.py")
    assert unnoticed(planted | {"forgotten": forgotten}) == ["forgotten"]


def test_lines_that_are_not_there_cannot_be_planted() -> None:
    with pytest.raises(AssertionError, match="does not have"):
        Planted("a.py", "x = 1", "x = 2").tree("y = 1")


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
