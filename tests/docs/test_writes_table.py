"""docs/data-model.md against the code: every write is a row, and the row names every clause that the write can carry."""

import re
from pathlib import Path

from tests.proofs.clauses.code import builders, constructors_in_the_code

PAGE = Path(__file__).parents[2] / "docs" / "data-model.md"
NAME = re.compile(r"\*(\w+)\*")
PLACE = re.compile(
    r"^\*its_place\* is ((?:.+\n)+?)A write", re.M
)  # a name for the clauses that every move of an open pause has
ROW = re.compile(r"^\| `(\w+)` \| [^|]* \| ([^|]*) \|$", re.M)


def test_every_write_is_a_row_with_its_clauses() -> None:
    found = PLACE.search(PAGE.read_text())
    assert found is not None
    place = set(NAME.findall(found[1]))
    named = {name: set(NAME.findall(clauses)) for name, clauses in ROW.findall(PAGE.read_text())}
    rows = {name: (one - {"its_place"}) | (place if "its_place" in one else set()) for name, one in named.items()}
    assert rows.pop("put_event") == {"first"}  # a part of the others
    reached = constructors_in_the_code()
    code = {write: {made for one, made in reached if one == write} for write in builders()}
    assert {name: sorted(clauses) for name, clauses in rows.items()} == {
        name: sorted(clauses) for name, clauses in code.items()
    }
