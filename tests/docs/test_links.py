"""Every relative link and anchor of the documentation leads somewhere, and every command it names exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.reading import PAGES, ROOT, rows, without_code

LINK = re.compile(r"\]\(([^)\s]+)\)")
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
TARGETS |= {f"proof-{path.stem}" for path in (ROOT / "tests/proofs").glob("*.py")}


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


def anchors(page: Path) -> set[str]:
    """As GitHub makes them: small letters, spaces to hyphens, no other marks."""
    headings = re.findall(r"^#+ (.*)$", without_code(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(without_code(page)):
        if re.match(r"https?:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{link} leads nowhere"
        assert target.is_relative_to(ROOT), f"{link} leads out of the repository"
        assert not anchor or target.is_dir() or anchor in anchors(target), f"{link}: no such heading"


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_commands_that_are_named_exist(page: Path) -> None:
    text = page.read_text()
    commands = re.findall(r"`make ([a-z-]+)|^make ([a-z-]+)", text, re.MULTILINE)
    assert {one or other for one, other in commands} <= TARGETS


def test_every_page_is_reached_from_the_readme() -> None:
    seen, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in seen or page.suffix != ".md":
            continue
        seen.add(page)
        links = (link.partition("#")[0] for link in LINK.findall(without_code(page)) if not link.startswith("http"))
        waiting += [(page.parent / link).resolve() for link in links if link]
    assert not set(PAGES) - seen


def test_the_picture_tells_the_flow_in_its_order() -> None:
    picture = (ROOT / "docs/flow.svg").read_text()
    verbs = re.findall(r'class="verb"[^>]*>(\w+)<', picture)
    assert verbs == ["capture", "dispatch", "notify", "escalate", "review", "decide", "resume", "execute", "sweep"]


def test_every_room_of_the_tests_says_which_question_it_asks() -> None:
    folders = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir() and not path.name.startswith("_")}
    rooms = rows(ROOT / "tests/README.md", "room", "the question", "what it runs")
    assert {room.partition("`")[2].partition("`")[0] for room, *_ in rooms} == folders
    assert all(question and runs for _, question, runs in rooms)
