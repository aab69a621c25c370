"""One real approval holds the targets and is what the docs say; and whatever is planted beside it is found."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import pytest

from tests import proofs
from tests.cost.kinds import ACCEPTED, PRICES, micro_usd
from tests.cost.ledger import COLUMNS, Invocation, Seen, Transition, ledger
from tests.cost.metering import Access, Effect, _read
from tests.proofs import Proof, Size, cost
from tests.proofs.__main__ import main

DOCS = Path(__file__).parents[2] / "docs" / "data-model.md"
LINE = re.compile(
    r"^cost: lambda=\d+ wru=\d+ rru=\d+(\.5)? transitions=\d+ schedules=\d+ mails=\d+ http=\d+ events=\d+ micro_usd=\d+ kinds=5$",
    re.MULTILINE,
)


@pytest.fixture(scope="module")
def measured() -> tuple[dict[str, Seen], list[str]]:
    """One approval of each kind, played once for this module."""
    return cost.measure(lambda line: print(line, flush=True))


@pytest.fixture
def seen(measured: tuple[dict[str, Seen], list[str]]) -> Seen:
    """A copy of the accepted one to plant something in."""
    return deepcopy(measured[0]["accepted"])


def moment(seen: Seen, phase: str) -> float:
    """A moment in this part of the play."""
    return next(start for name, start in seen.phases if name == phase) + 0.001


def test_one_approval_of_each_kind_holds_its_targets(measured: tuple[dict[str, Seen], list[str]]) -> None:
    proof = cost.judged(cost.books_of(measured[0]), measured[1])
    assert proof.violations == [], proof.table
    assert LINE.fullmatch(proof.line)
    assert (proof.figures["mails"], proof.figures["schedules"]) == (2, 1)


def test_the_docs_have_the_measured_table(seen: Seen) -> None:
    told = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in _table_of("## Measured cost")]
    measured = cost.rows_of(ledger(seen))
    assert told == measured, "docs/data-model.md should say:\n" + "\n".join(cost.markdown(ledger(seen)))


def test_the_docs_have_a_row_of_each_kind(measured: tuple[dict[str, Seen], list[str]]) -> None:
    books = cost.books_of(measured[0])
    told = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in _table_of("### By kind")]
    wanted = [cost.kinds_head(), *cost.kinds_rows(books)]
    assert told == wanted, "docs/data-model.md should say:\n" + "\n".join(cost.table(wanted))
    assert PRICES["as_of"] in DOCS.read_text()


def test_the_price_is_of_what_is_counted() -> None:
    one = dict.fromkeys(COLUMNS, 0.0)
    assert micro_usd(one | {"transitions": 4, "mails": 9}) == 100
    assert micro_usd(one | {"events": 4}) == 4
    assert micro_usd(one | {"wru": 24, "rru": 33}) == round(24 * 0.625 + 33 * 0.125)
    assert set(PRICES["micro_usd"]) == set(COLUMNS) - {"mails"} == set(PRICES["notes"])


def test_a_kind_that_was_not_played_is_missed(seen: Seen) -> None:
    violations = cost.judged({"accepted": ledger(seen)}, []).violations
    assert violations == [f"{name} was not played" for name in ("edited", "rejected", "expired", "Bedrock")]


PLANTED: dict[str, tuple[Callable[[Seen], object], str]] = {
    "a step that did not happen": (
        lambda seen: seen.invocations.remove(next(one for one in seen.invocations if one.function == "resume")),
        "the step resume was not seen",
    ),
    "a write after its step": (
        lambda seen: seen.accesses.append(Access(moment(seen, "detail"), "notify", "PutItem", ("EVENT 90 B",), wru=1)),
        "PutItem [EVENT 90 B] by notify during 'detail' belongs to no step",
    ),
    "a write before the play": (
        lambda seen: seen.accesses.append(Access(0, "capture", "PutItem", ("BODY 90 B",), wru=1)),
        "PutItem [BODY 90 B] by capture during 'before' belongs to no step",
    ),
    "a write by the sweep": (
        lambda seen: seen.accesses.append(Access(moment(seen, "claim"), "sweep", "UpdateItem", ("HEAD 9 B",), wru=1)),
        "UpdateItem [HEAD 9 B] by sweep during 'claim' belongs to no step",
    ),
    "a read by somebody without a name": (
        lambda seen: seen.accesses.append(Access(moment(seen, "claim"), "nobody", "GetItem", (), rru=1)),
        "GetItem [] by nobody during 'claim' belongs to no step",
    ),
    "a request that is not understood": (
        lambda seen: seen.accesses.append(Access(moment(seen, "claim"), "execute", "Scan", (), unknown="Scan is new")),
        "Scan is new",
    ),
    "a second delivery": (
        lambda seen: seen.invocations.append(Invocation(moment(seen, "decide"), "resume")),
        "12 lambda, at most 11 allowed",
    ),
    "a mail in the wrong place": (
        lambda seen: seen.effects.append(Effect(moment(seen, "outcome"), "notify", "mail")),
        "a mail by notify during 'outcome' belongs to no step",
    ),
    "an event that nothing tells": (
        lambda seen: seen.effects.append(Effect(moment(seen, "outcome"), "publish", "event", "renamed")),
        "an event renamed belongs to no step",
    ),
    "two states more": (
        lambda seen: seen.transitions.extend([Transition(moment(seen, "decide"), "resume")] * 2),
        "6 transitions, at most 4 allowed",
    ),
}


@pytest.mark.parametrize("name", PLANTED)
def test_what_is_planted_is_found(name: str, seen: Seen) -> None:
    plant, violation = PLANTED[name]
    plant(seen)
    assert ledger(seen).violations() == [violation]


def test_a_step_without_a_row_fails(seen: Seen) -> None:
    steps = tuple(step for step in ACCEPTED.steps if step.name != "claim")
    violations = ledger(seen, steps=steps).violations()
    assert "the step claim has no row" in violations
    assert any("by execute during 'claim' belongs to no step" in one for one in violations)


def test_heads_that_outgrow_a_kilobyte_are_found(seen: Seen) -> None:
    seen.accesses = [
        replace(one, wru=2 * one.wru) if any("HEAD" in item for item in one.items) else one for one in seen.accesses
    ]
    assert ledger(seen).violations() == [f"{ledger(seen).total()['wru']:g} wru, at most 25 allowed"]


def test_the_sweep_may_look_on(seen: Seen) -> None:
    before = ledger(seen).fixed.get("lambda", 0)
    seen.invocations.append(Invocation(moment(seen, "claim"), "sweep"))
    seen.accesses.append(Access(moment(seen, "claim"), "sweep", "Query", (), rru=0.5))
    book = ledger(seen)
    assert (book.violations(), book.fixed["lambda"]) == ([], before + 1)


def test_a_read_that_hides_items_is_not_judged() -> None:
    access = _read(1, "review", "Query", {"FilterExpression": "a = :a", "ConsistentRead": True}, {"Items": []})
    assert access.unknown == "Query with FilterExpression reads more than it shows"


@pytest.mark.parametrize(("violations", "code"), [([], 0), (["the step resume was not seen"], 1)])
def test_the_runner_ends_with_one_line_and_a_code(
    violations: list[str],
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    proof = Proof("cost", "a table", {"lambda": 11, "rru": 29.5}, violations, {"rows": []})
    monkeypatch.setattr(cost, "prove", lambda say, size: proof)
    assert main(["cost", "--json", str(tmp_path / "told.json")]) == code
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "cost: lambda=11 rru=29.5"
    assert [f"violation: {one}" for one in violations] == [one for one in lines if one.startswith("violation")]
    assert json.loads((tmp_path / "told.json").read_text())["figures"] == proof.figures


def test_a_proof_that_does_not_come_to_its_end_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def prove(say: Callable[[str], None], size: Size) -> Proof:
        raise AssertionError("waited 60 s in vain for notify")

    monkeypatch.setattr(cost, "prove", prove)
    assert main(["cost"]) == 1
    assert capsys.readouterr().out.splitlines()[-2:] == ["violation: waited 60 s in vain for notify", "cost: failed=1"]


def test_the_runner_knows_its_proofs_only(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["nothing"])
    assert ended.value.code == 2
    assert "cost" in capsys.readouterr().err
    assert proofs.__doc__


def _table_of(heading: str) -> list[str]:
    """The lines of the first table under a heading, without its rule."""
    text = DOCS.read_text().partition(f"\n{heading}\n")[2].partition("\n#")[0]
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [line for line in lines if not set(line) <= set("|-: ")]
