"""docs/guarantees.md names proofs that exist, leaves none out, and quotes last lines as the proofs print them."""

from __future__ import annotations

import importlib
import inspect
import re

import pytest

from tests.docs.reading import ROOT, rows
from tests.proofs.__main__ import main

PAGE = ROOT / "docs/guarantees.md"
TEXT = PAGE.read_text()
BESIDE = {"cost"}  # no promise, but named
NAMES = sorted(path.stem for path in (ROOT / "tests/proofs").glob("*.py") if not path.stem.startswith(("_", "test_")))
ROWS = rows(PAGE, "command", "size", "of commit", "last line")
LINES = [cells for cells in ROWS if cells[1] != "not run yet"]
SUITES = ("agentbarrier", "crashresume")
# What a figure of these names has to be for the promise to hold.
HELD = {
    "winners_per_round": 1,
    "effects_per_round": 1,
    "outcomes_per_call": 1,
    "skipped": 0,
    **dict.fromkeys(
        ("server_errors", "late_accepts", "auto_accepts", "violations", "lost", "double", "unexplained", "failed"), 0
    ),
    **dict.fromkeys(("faults_never_fired", "transitions_never_taken", "state_differences", "blocked", "findings"), 0),
    **dict.fromkeys(("resumed_twice", "private_addresses_reached", "others_stopped", "unlisted", "invisible"), 0),
    **dict.fromkeys(("executed_unproposed", "accepted_by_self", "seen_by_others"), 0),
    **dict.fromkeys(("invisible", "unsent", "over_time", "starved", "answers_over_limit"), 0),
    **dict.fromkeys(("accepted_wrong", "refused_wrong", "bytes_changed"), 0),
    **dict.fromkeys(("reminders_missing", "reminders_doubled", "escalations_wrong", "silent", "waiting_forever"), 0),
    **dict.fromkeys(("fail_open", "impure", "oracle_differs", "mistakes_passed"), 0),
    **dict.fromkeys(("allowed_missing", "allowed_unused"), 0),
    "left_over": 0,
    "budget_overrun": 0,
    "let_in": 0,
    "shut_out": 0,
    "other_first_page": 1,
    "mails_per_person_5min": 1,
    **dict.fromkeys(("opened", "slow", "leaked", "inexact", "wrongly_refused"), 0),
}

OF_ONE = {"schemas": {"killed": 0}}  # the same word is another thing in another proof


def test_every_proof_that_is_named_exists_and_none_is_left_out() -> None:
    named = set(re.findall(r"`make proof-([a-z-]+)`", TEXT))
    assert named == set(NAMES) - BESIDE
    assert "`make cost`" in TEXT
    for name in named:
        assert list(inspect.signature(importlib.import_module(f"tests.proofs.{name}").prove).parameters)


def test_the_command_that_runs_them_takes_the_flags_that_are_named() -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    assert {"--quick", "--seed"} <= set(re.findall(r"--\w+", TEXT))


def test_each_promise_has_its_row() -> None:
    numbers = [cells[0] for cells in rows(PAGE, "", "promise", "shown by", "planted bugs")]
    assert numbers == [str(number) for number in range(1, 13)]


def test_each_proof_has_its_row_of_figures() -> None:
    commands = [command for command, _, _, _ in ROWS]
    assert set(commands) == {f"`make proof-{name}`" for name in {*NAMES} - BESIDE} | {"`make conformance`"}
    assert all(not line for _, size, _, line in ROWS if size == "not run yet")


@pytest.mark.parametrize(("command", "size", "commit", "line"), LINES, ids=[cells[3].split(":")[0] for cells in LINES])
def test_a_quoted_line_is_one_that_its_proof_prints_and_it_holds(
    command: str, size: str, commit: str, line: str
) -> None:
    name, _, told = line.strip("`").partition(": ")
    figures = dict(part.split("=") for part in told.split())
    source = "".join(path.read_text() for path in _sources(name))
    assert command == ("`make conformance`" if name in SUITES else f"`make proof-{name}`")
    assert size.split(",")[0] in ("full", "quick")
    assert re.fullmatch(r"`[0-9a-f]{7}`", commit)
    assert all(re.search(rf"\b{figure}\b", source) for figure in figures)
    held = HELD | OF_ONE.get(name, {})
    assert {key: int(value) for key, value in figures.items() if key in held} == {
        key: wanted for key, wanted in held.items() if key in figures
    }


def _sources(name: str) -> list:
    return [ROOT / f"tests/{'conformance/__main__' if name in SUITES else f'proofs/{name}'}.py"]
