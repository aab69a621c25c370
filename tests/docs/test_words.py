"""One word for one thing: those of the design, and none of the words that mean the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.reading import PAGES, ROOT, without_code

SYNONYMS = {
    r"\bapproval requests?\b": "pause or call",
    r"\bapprovers?\b": "reviewer",
    r"\bdecline[sd]?\b": "reject",
    r"\badmin(istrator)?s?\b": "operator, or who administers the account",
    r"\bsweeper\b": "sweep",
    r"\bdashboards?\b": "inbox",
    r"\bworkflows?\b": "run, or the flow",
    r"\bhuman[- ]in[- ]the[- ]loop\b": "review",
    r"\b(tokens? of approval|approval tokens?)\b": "permit",
    r"\b(Manager|Helper|Utils)\b": "a name that says what it is",
}
MACHINE = re.compile(r"(?<![\w.:/])/(?:home|root|tmp|work|mnt|Users)/")


def prose(page: Path) -> str:
    """Without code, names in code type and links' addresses."""
    return re.sub(r"`[^`]*`|\]\([^)]*\)", "", without_code(page))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_words(page: Path) -> None:
    text = prose(page)
    found = {
        match.group(): word
        for pattern, word in SYNONYMS.items()
        for match in re.finditer(pattern, text, 0 if "Manager" in pattern else re.IGNORECASE)
    }
    assert not found, "say instead"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_path_of_one_machine(page: Path) -> None:
    assert not MACHINE.findall(page.read_text())
