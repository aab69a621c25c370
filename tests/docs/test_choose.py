"""docs/choose.md shows the capability table of the code; ``python -m tests.docs.test_choose`` writes it anew."""

from __future__ import annotations

from placet.frameworks import frameworks, longest_wait_s
from placet.frameworks.contract import DAY_S, Framework
from tests.docs.reading import ROOT

PAGE = ROOT / "docs/choose.md"
HEADER = (
    *("framework", "in this release", "a pause arrives as", "a paused run can wait"),
    *("an edit runs", "calls in one pause", "answers are matched", "a late decision"),
)


def table() -> str:
    """The table as it stands in the page."""
    lines = [HEADER, ("---",) * len(HEADER), *(_row(one) for one in frameworks().values())]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _row(one: Framework) -> tuple[str, ...]:
    wait = f"{_span(longest_wait_s(one.name))}: {one.why}"
    taken = f"yes, as `{one.name}`" if one.taken else "no"
    calls = str(one.most_calls)
    return (one.title, taken, one.arrives, wait, one.edits.value, calls, one.matching.value, one.late)


def _span(seconds: int) -> str:
    return f"{seconds // DAY_S} days" if seconds >= DAY_S else f"{seconds // 3_600} hours"


def shown() -> str:
    """The table in the page."""
    lines = PAGE.read_text().splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith(f"| {HEADER[0]} |"))
    rest = lines[first:]
    return "\n".join(rest[: rest.index("")])


def test_the_table_is_that_of_the_code() -> None:
    assert shown() == table()


def test_what_is_not_taken_has_no_page_of_its_own() -> None:
    text = PAGE.read_text()
    for one in frameworks().values():
        assert one.title in text
        assert one.taken or not (ROOT / f"docs/{one.name}.md").exists()


if __name__ == "__main__":
    PAGE.write_text(PAGE.read_text().replace(shown(), table()))
