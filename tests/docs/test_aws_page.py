"""docs/aws.md: its table has every item, and each names a check, a test, a proof or a sentence; what is named exists."""

from __future__ import annotations

import re

import pytest

from infra.checks import CHECKS
from tests.docs.reading import ROOT, rows

PAGE = ROOT / "docs/aws.md"
ITEMS = rows(PAGE, "", "what would break", "held by")
NAMES = {check.__name__ for check in CHECKS}
PROOFS = {f"make proof-{one.stem}" for one in (ROOT / "tests/proofs").glob("*.py")}
BESIDE = {"ExecutionThrottled", "TimerNotSet", "placet repair"}  # an alarm's metric, an alarm, a command


def held(cell: str) -> tuple[set[str], set[str]]:
    """What a cell names in code outside of links, and the files that it links to."""
    bare = re.sub(r"\[[^\]]*\]\([^)]*\)", "", cell)
    return set(re.findall(r"`([^`]+)`", bare)), set(re.findall(r"\]\(([^)#]+)", cell))


def test_every_item_has_its_row() -> None:
    assert [cells[0] for cells in ITEMS] == [str(number) for number in range(1, 120)]
    assert len({cells[1] for cells in ITEMS}) == 119


@pytest.mark.parametrize("cells", ITEMS, ids=lambda cells: cells[0])
def test_what_holds_an_item_exists(cells: list[str]) -> None:
    named, linked = held(cells[2])
    assert named <= NAMES | PROOFS | BESIDE, named - NAMES - PROOFS - BESIDE
    assert all((PAGE.parent / one).exists() for one in linked)
    assert named & (NAMES | PROOFS) or any("tests/" in one for one in linked) or len(re.sub(r"\W", "", cells[2])) > 30


def test_a_check_that_is_renamed_would_be_missed() -> None:
    named, linked = held("`no_such_check`, [`test_x.py`](../tests/test_x.py)")
    assert named - NAMES - PROOFS == {"no_such_check"}
    assert not (PAGE.parent / linked.pop()).exists()


def test_most_checks_hold_an_item() -> None:
    named = {name for cells in ITEMS for name in held(cells[2])[0]} & NAMES
    assert len(named) >= 60
