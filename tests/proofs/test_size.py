"""Many pauses at their quick size, and the bugs that hide some of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import cache
from itertools import islice
from typing import Any
from unittest import mock

import pytest

from placet.service import inbox, names, operate, resume
from placet.service.pages import Budget, Page
from tests.proofs import Proof, Size, size
from tests.proofs.sizing.crowd import DEAD, FULL, QUICK, Crowd, copied, made
from tests.proofs.sizing.readers import Seen

Plant = Callable[[], AbstractContextManager[object]]


def say(line: str) -> None:
    print(line, flush=True)


@cache
def crowd() -> Crowd:
    return made(QUICK)


def proof() -> Proof:
    """The quick proof, on a crowd that is made once."""
    return size.judged(*size.played(say, size.SMALL, lambda mix: copied(crowd())))


def test_everybody_comes_to_every_live_pause_and_no_dead_one_is_unlisted() -> None:
    found = size.prove(say, Size(quick=True))
    assert found.violations == [], found.table
    assert found.line.startswith("size: pauses=")
    assert found.line.endswith(" starved=0 unlisted=0 answers_over_limit=0")


def test_the_full_size_is_a_thousand_and_a_third_of_them_dead() -> None:
    assert (sum(FULL.values()), sum(FULL[kind] for kind in DEAD)) == (1_000, 333)
    assert QUICK.keys() == FULL.keys()


def patched(module: Any, name: str, made: Callable[[Any], Any]) -> AbstractContextManager[object]:
    """A function replaced by what is made of it."""
    return mock.patch.object(module, name, made(getattr(module, name)))


def first(many: int) -> Callable[[Any], Any]:
    """A window of so many in front of whatever comes after."""

    def windowed(real: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
        return lambda *args, **facts: islice(real(*args, **facts), many)

    return windowed


def one_page(real: Callable[..., Page[Any]]) -> Callable[..., Page[Any]]:
    """A list that does not say that there is more."""
    return lambda *args: Page(real(*args))


def from_the_beginning(real: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
    """Whoever takes a pause begins with the oldest one every time."""
    return lambda ports, agent, skip, holder, behind: real(ports, agent, skip, holder, None)


PLANTS: dict[str, tuple[Plant, str]] = {
    "an inbox of one page": (lambda: mock.patch.object(inbox, "lanes_cursor", return_value=""), "starved"),
    "a pick-up list that looks at so many": (lambda: patched(resume, "_out", first(25)), "starved"),
    "a name that is read so far": (lambda: patched(names, "_places", first(50)), "starved"),
    "the oldest first, every time": (lambda: patched(resume, "_free", from_the_beginning), "starved"),
    "no budget": (lambda: mock.patch.object(resume, "Budget", side_effect=lambda: Budget(10**9)), "answers_over_limit"),
    "a stuck list of one page": (lambda: patched(operate, "page_of", one_page), "unlisted"),
    "a damaged record that nobody lists": (
        lambda: mock.patch("placet.service.sweep.list_unreadable", return_value=False),
        "unlisted",
    ),
}


@pytest.mark.parametrize("name", PLANTS)
def test_a_planted_bug_is_found(name: str) -> None:
    plant, figure = PLANTS[name]
    with plant():
        found = proof()
    assert found.figures[figure] > 0, found.violations
    assert found.violations


def test_a_sweep_that_begins_anew_every_time_is_found() -> None:
    with mock.patch("placet.service.walks._mark"):
        assert any("sweep" in one for one in proof().violations)


def test_a_sweep_without_an_end_is_found() -> None:
    with mock.patch("placet.service.sweep.BUDGET_MS", 10**9):
        found = proof().violations
    assert any(one.startswith("a sweep took") for one in found), found
    assert "coverage: every sweep came to the end of its lists" in found


def test_a_crowd_without_dead_pauses_proves_nothing() -> None:
    alive = made({"waiting": 3, **dict.fromkeys(DEAD, 0)})
    told = size.judged(alive, Seen()).violations
    assert {"coverage: not a third is dead", "coverage: no list was read to its end"} <= set(told)
    assert "coverage: no pause is damaged" in told
