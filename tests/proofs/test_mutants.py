"""The proof of mutants at its quick size, and that it fails when a clause, a scenario or a test is missing."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from local.memory import MemoryTable
from placet.records.ops import Op
from tests.proofs import Size, mutants
from tests.proofs.clauses import SCENARIOS, Scenario
from tests.proofs.mutating import changes, known
from tests.proofs.mutating.changes import Planted
from tests.proofs.mutating.healed import BUGS
from tests.proofs.mutating.marking import CHECKOUT, marked
from tests.proofs.mutating.pool import by_place, closest, covered, survivors, unnoticed, workers
from tests.proofs.mutating.swapping import Functions
from tests.proofs.mutating.worker import in_two


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


CANCEL = "layers/core/python/placet/service/cancel.py"


def test_tests_that_notice_nothing_fail_the_proof() -> None:
    tried = changes.mutants(CANCEL, (CHECKOUT / CANCEL).read_text())[:5]
    with workers(["tests/unit/test_keys.py"], 1) as started:
        alive = survivors(
            tried,
            lambda mutant: ["tests/unit/test_keys.py::test_what_a_sign_in_a_name_would_open_is_seen"],
            silent,
            started,
        )
    assert alive == sorted(tried, key=lambda one: (one.path, one.line))
    assert mutants.judged(tried, alive, {}, mutants.LEAST).violations == ["only 0 of 5 mutants were noticed"]


def test_a_change_of_one_function_is_made_in_place_and_any_other_by_importing_again() -> None:
    """Both ways a bug is noticed, and one that is none is not: what notices is the change, not the way it is made."""
    source = (CHECKOUT / CANCEL).read_text()
    found = changes.mutants(CANCEL, source)
    inside = next(one for one in found if one.function and "turned round" in one.what)
    first = source.splitlines()[0]
    with workers(["tests/unit/test_cancel.py"], 1) as (worker,):
        tests = covered([worker])(inside)
        assert worker.survives(inside, tests)[0] is False
        assert worker.survives(Planted(CANCEL, source, f"raise SystemExit\n{source}"), tests)[0] is False
        assert worker.survives(Planted(CANCEL, first, first), tests) == (True, "")


def test_what_is_imported_again_is_not_mixed_with_what_was_imported_before() -> None:
    """Folders of handlers are packages without a file: what stays of them would fail a test whatever the change is."""
    first = (CHECKOUT / CANCEL).read_text().splitlines()[0]
    test = "tests/bedrock/test_damaged.py::test_a_run_whose_record_cannot_be_read_lists_its_decided_pause"
    with workers([test, "tests/functions/test_propose_undo.py"], 1) as (
        worker,
    ):  # which imports that handler, as it is read
        assert worker.survives(Planted(CANCEL, first, first), [test]) == (True, "")


def test_what_ran_while_modules_were_imported_is_not_changed_in_place() -> None:
    found = changes.mutants(CANCEL, (CHECKOUT / CANCEL).read_text())
    inside, beside = (next(one for one in found if bool(one.function) is inside) for inside in (True, False))
    functions = Functions(set())
    before = [(one, one.__code__) for one in functions.of(CANCEL)]
    try:
        assert functions.swap(inside)
        assert sum(one.__code__ is not code for one, code in before) == 1
    finally:
        for one, code in before:
            one.__code__ = code
    assert not functions.swap(beside)
    assert not Functions({f"{CANCEL}:{inside.function}"}).swap(inside)
    assert all(one.__code__ is code for one, code in before)


def test_functions_of_every_file_are_changed_in_place_and_not_only_those_of_the_first() -> None:
    functions = Functions(set())
    for name in ("cancel", "comment", "timer"):
        path = CANCEL.replace("cancel", name)
        inside = next(one for one in changes.mutants(path, (CHECKOUT / path).read_text()) if one.function)
        assert functions.change(inside), name


def test_a_test_that_fails_without_any_mutant_notices_none(tmp_path: Path) -> None:
    odd = tmp_path / "test_odd.py"
    odd.write_text("def test_odd():\n    raise ValueError\n")
    inside = next(one for one in changes.mutants(CANCEL, (CHECKOUT / CANCEL).read_text()) if one.function)
    with workers([str(odd)], 1) as (worker,):
        (test,) = worker.ask({"files": True})
        with pytest.raises(AssertionError, match="fails without any mutant"):
            worker.survives(inside, [test])


def test_a_file_of_which_most_tests_run_a_statement_is_asked_first() -> None:
    among = ["a.py::1", "a.py::2", "a.py::3", "b.py::1", "b.py::2"]
    assert closest({"x": ["a.py::2", "b.py::2", "b.py::1", "a.py::1"], "y": []}, among) == {
        "x": ["b.py::2", "b.py::1", "a.py::2", "a.py::1"],
        "y": [],
    }


def test_what_passes_in_few_files_is_asked_of_the_others() -> None:
    tests = ["a.py::1", "b.py::1", "a.py::2", "c.py::1", "d.py::1", "e.py::1", "b.py::2"]
    assert in_two(tests) == [[one for one in tests if one != "e.py::1"], ["e.py::1"]]
    assert in_two(tests[:3]) == [tests[:3]]


def test_a_mutant_is_tried_with_the_tests_that_run_its_statement_and_beside_functions_with_all_of_its_file() -> None:
    marks = {"a.py:3()": ["one", "two"], "a.py:4": ["two"], "a.py:9": ["two", "three"], "b.py:1": ["four"]}
    tests = by_place(marks, {"a.py:9"})
    beside = changes.Mutant("a.py", 1, "", 0, 0, 0, 0)
    assert tests(beside) == ["one", "two", "three"]
    assert tests(replace(beside, function=3)) == ["one", "two"], "its defaults"
    assert tests(replace(beside, function=3, statement=4)) == ["two"]
    assert tests(replace(beside, function=3, statement=5)) == [], "nothing runs it"
    assert tests(replace(beside, function=8, statement=9)) == ["two", "three", "one"], "it runs at import too"
    assert tests(replace(beside, path="c.py")) == ["one", "two", "three", "four"]


MARKED = '''
HALF = half(2)

@cached
def half(number=HALF):
    """Say."""
    if number % 2:
        raise Odd
    elif number:
        return number // 2
    return [one for one in
            range(number)]
'''


def test_what_a_test_runs_is_marked_by_statement_and_a_mutant_knows_its_own() -> None:
    def runs(number: int) -> list[str]:
        marks: dict[str, None] = {}
        given = {"half": lambda number: number, "cached": lambda function: function, "__marks__": marks}
        exec(compile(marked("a.py", MARKED), "a.py", "exec"), given)  # noqa: S102 - the text above
        assert given["half"].__doc__ == "Say."
        assert not marks, "nothing beside functions"
        given["half"](number)  # type: ignore[operator]
        return [one.removeprefix("a.py:") for one in marks]

    assert runs(2) == ["4()", "7", "9", "10"]
    assert runs(0) == ["4()", "7", "9", "11"]
    own = {(one.line, one.what): (one.function, one.statement) for one in changes.mutants("a.py", MARKED)}
    assert own[2, "2 becomes 3"] == (0, 0)
    assert own[7, "the condition is turned round"] == (4, 7)
    assert own[8, "gone: raise Odd"] == (4, 8)
    assert own[9, "the condition is turned round"] == (4, 9)
    assert own[11, "nothing is returned"] == (4, 11)


def test_a_run_asks_anew_what_may_have_changed_since_the_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "CHECKOUT", tmp_path)
    record = tmp_path / ".placet" / "mutants.json"
    one, other, tests = "def f(x):\n    return x < 1\n", "def g(y):\n    return y > 1\n", ["t.py::one", "t.py::two"]

    def run(source: str, *told: str) -> list[tuple[str, bool]]:
        """What is known of each change of f, and of g; then it is found out: `told`, who notices those of f and of g."""
        (tmp_path / "a.py").write_text(source)
        known._parts.cache_clear()
        known._digest.cache_clear()
        made = changes.mutants("a.py", source)
        seen = known.Known(made, record)
        found = {(seen.noticed_by(each), seen.survives(each, tests)) for each in made if each.function == 1}
        rest = {(seen.noticed_by(each), seen.survives(each, tests)) for each in made if each.function != 1}
        for each in made if told else []:
            seen.note(each, told[each.function != 1], tests)
        seen.write()
        assert len(found) == len(rest) == 1
        return [*found, *rest]

    (tmp_path / "t.py").write_text("as it was")
    assert run(one + other, "t.py::one", "") == [("", False), ("", False)]
    assert run(one + other) == [("t.py::one", False), ("", True)]
    assert run(one + "\n\n" + other) == [("t.py::one", False), ("", True)], "moved"
    assert run(one + other.replace("1", "2")) == [("t.py::one", False), ("", False)], "g is another"
    assert run(one.replace("1", "2") + other) == [("", False), ("", True)], "f is another"
    tests.append("t.py::three")
    assert run(one + other) == [("t.py::one", False), ("", False)], "one more test runs it"
    tests.pop()
    (tmp_path / "t.py").write_text("another")
    assert run(one + other) == [("", False), ("", False)], "the tests are others"
    (tmp_path / "t.py").unlink()
    assert run(one + other) == [("", False), ("", False)], "the tests are gone"


def test_a_bug_that_no_clause_holds_is_noticed_by_a_test_of_its_own() -> None:
    """One more has a test that does not look for it, and is not noticed."""
    planted = {name: (bug, f"tests/{test}") for name, (bug, test) in BUGS.items()}
    forgotten = (BUGS["a repetition is known without its verdict"][0], "tests/unit/test_keys.py")
    assert unnoticed(planted | {"forgotten": forgotten}) == ["forgotten"]


def test_lines_that_are_not_there_cannot_be_planted() -> None:
    with pytest.raises(AssertionError, match="does not have"):
        Planted("a.py", "x = 1", "x = 2").tree("y = 1")


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("a < b", ["Lt becomes LtE", "Lt becomes Gt"]),
        ("a < b == c", ["Lt becomes LtE", "Lt becomes Gt", "Eq becomes NotEq"]),
        ("x = a and not b", ["And becomes Or"]),
        ("@dataclass(frozen=True)\nclass A:\n    x: int", []),
        ("T = TypeVar('T', bound='Body')", []),
        ("x = 'a sentence for people'", []),
        ("x = 'call_pending'", ["'call_pending' becomes another text"]),
        ("x: int = 1", ["1 becomes 2"]),
        ("x = [p, q]", ["without p", "without q"]),
        ("x = {k: 1}", ["without k", "1 becomes 2"]),
        ("def f():\n    '''say.'''\n    go()\n    raise E", ["gone: go()", "gone: raise E"]),
        ("x = [p for p in q if p]", ["the filter is gone"]),
    ],
)
def test_the_changes_are_these(source: str, what: list[str]) -> None:
    found = changes.mutants("a.py", source)
    assert [one.what for one in found] == what
    made = [changes.mutated(one, source) for one in found]
    assert all(compile(one, "a.py", "exec") for one in made), "what is no program would be taken for noticed"
    assert len({changes.ast.unparse(one) for one in made}) == len(what)
