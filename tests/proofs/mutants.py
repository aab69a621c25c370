"""Mutants: whether the tests would notice a change of the code between a request and the table, and of each clause.

Small changes of the source, of what stands around deciding too, have to fail a test that needs no emulator. Each clause of each
write, taken out by its name, has to make a scenario of `tests.proofs.clauses` end wrongly: in memory at the quick size, through
DynamoDB at the full one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

from local.memory import MemoryTable
from tests.proofs import Proof, Size
from tests.proofs.clauses import SCENARIOS, Pair, Scenario, ends_wrongly, pairs_in_the_code
from tests.proofs.mutating.changes import Mutant, mutants
from tests.proofs.mutating.known import RECORD, Known
from tests.proofs.mutating.marking import CHECKOUT
from tests.proofs.mutating.pool import NOTHING, covered, survivors, workers

CORE = "layers/core/python/placet"


def _folder(name: str, pattern: str = "*.py", without: Container[str] = ()) -> list[str]:
    """Every module of a folder that has code of its own."""
    found = sorted((CHECKOUT / name).glob(pattern))
    return [str(one.relative_to(CHECKOUT)) for one in found if one.stem not in ("__init__", *without)]


DECIDING = [
    *(f"{CORE}/service/{name}.py" for name in ("decide", "execute", "resume", "leases", "cancel")),
    f"{CORE}/model/transitions.py",
    f"{CORE}/records/conditions.py",
    *_folder(f"{CORE}/records/clauses"),
    *(f"{CORE}/records/writes/{name}.py" for name in ("deciding", "running", "waiting", "ending", "places")),
]
# What only reads, to show or to tell: what it makes is compared where it is shown.
SHOWING = {"cards", "facts", "find", "headlines", "inbox", "mistyped", "names", "pages", "ports", "publish", "review"}
SHOWING |= {"samples", "status", "views"}
AROUND = [
    *_folder(f"{CORE}/service", without=SHOWING),
    *_folder(f"{CORE}/service/bedrock"),
    *_folder(f"{CORE}/records/writes"),
    *(f"{CORE}/records/{name}.py" for name in ("absences", "counters", "mailboxes")),
    *(f"{CORE}/policy/{name}.py" for name in ("budgets", "evaluate", "undoing", "working_time")),
    f"{CORE}/model/absences.py",
    f"{CORE}/aws/table.py",
    *_folder(f"{CORE}/http"),
]
FILES = list(dict.fromkeys([*DECIDING, *AROUND]))
# What needs no emulator, and runs what is changed: tests of schemas do not.
TESTS = [
    *_folder("tests/unit", "test_*.py"),
    "tests/bedrock",
    "tests/functions",
    *(f"tests/contract/test_{name}.py" for name in ("bare_errors", "table_requests", "time_left")),
]
# At the quick size files are drawn of which a few test files say nearly everything: to see what all tests run takes a minute.
QUICK_TESTS = {
    f"{CORE}/service/cancel.py": ["tests/unit/test_cancel.py"],
    f"{CORE}/service/dispatch.py": ["tests/unit/test_wait.py", "tests/unit/test_beside.py"],
    f"{CORE}/service/escalate.py": ["tests/unit/test_escalate.py"],
    f"{CORE}/service/leases.py": ["tests/unit/test_leases.py"],
}
SAMPLE = 30
LEAST, LEAST_OF_SAMPLE = 0.9, 0.5  # a few drawn mutants say little; the full size is the judgement


def prove(say: Callable[[str], None], size: Size) -> Proof:
    """Mutants against tests, clauses against scenarios."""
    files = sorted(QUICK_TESTS) if size.quick else FILES
    among = sorted({test for tests in QUICK_TESTS.values() for test in tests}) if size.quick else TESTS
    made = [one for path in files for one in mutants(path, (CHECKOUT / path).read_text())]
    tried = Random(size.seed).sample(made, SAMPLE if size.quick else len(made))  # noqa: S311 - drawn, so that any part is a sample
    say(f"mutants: {len(made)} made of {len(files)} files, {len(tried)} tried")
    with workers(among) as started:
        known = NOTHING if size.quick else Known(tried, RECORD)
        alive = survivors(tried, covered(started), say, started, known)
    with memory() if size.quick else dynamodb() as table:
        found = clauses(table, SCENARIOS, say)
    return judged(tried, alive, found, LEAST_OF_SAMPLE if size.quick else LEAST)


@contextmanager
def memory() -> Iterator[Any]:
    """A table in this process."""
    yield MemoryTable()


@contextmanager
def dynamodb() -> Iterator[Any]:
    """A table of the local DynamoDB."""
    from placet.aws.table import DynamoTable
    from tests.proofs.racing.tables import empty_table
    from tests.shared import end_shared_stack, shared_stack

    client = shared_stack().client("dynamodb")
    try:
        with empty_table(client) as name:
            yield DynamoTable(name, client)
    finally:
        end_shared_stack()


def clauses(table: Any, scenarios: list[Scenario], say: Callable[[str], None]) -> dict[Pair, str]:
    """What is wrong with each pair of write and clause; empty: it is needed, and enough."""
    seen: set[Pair] = set()
    wrong: dict[Pair, str] = {}
    for one in scenarios:
        pair = (one.write, one.clause)
        if ends_wrongly(one, table, seen, without=False):
            wrong[pair] = f"{one.name}: ends wrongly with every clause in place"
        elif not ends_wrongly(one, table, seen, without=True):
            wrong[pair] = f"{one.name}: nothing goes wrong without the clause"
        else:
            wrong.setdefault(pair, "")
    for write, clause in (pairs_in_the_code() | seen) - set(wrong):
        wrong[write, clause] = f"{write}.{clause}: no scenario"
    say(f"mutants: {len(scenarios)} scenarios for {len(wrong)} clauses played twice")
    return wrong


def judged(tried: list[Mutant], alive: list[Mutant], found: dict[Pair, str], least: float) -> Proof:
    """The figures, the survivors by line, and what makes the proof fail."""
    killed = len(tried) - len(alive)
    violations = sorted(text for text in found.values() if text)
    if killed < least * len(tried):
        violations.append(f"only {killed} of {len(tried)} mutants were noticed")
    figures = {
        "killed": killed,
        "condition_clauses": len(found),
        "condition_clauses_killed": sum(not text for text in found.values()),
        "of": len(tried),
    }
    made, left = Counter(one.path for one in tried), Counter(one.path for one in alive)
    rows = [
        f"{path.removeprefix(CORE + '/'):<28} {made[path]:>6} {made[path] - left[path]:>6}" for path in sorted(made)
    ]
    table = [f"{'file':<28} {'made':>6} {'killed':>6}", *rows, "", *(f"survives {one}" for one in alive)]
    return Proof("mutants", "\n".join(table), figures, violations, {"survivors": [str(one) for one in alive]})
