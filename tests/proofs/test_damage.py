"""The proof of damage at its quick size, and planted bugs that it has to see."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from random import Random
from typing import Any
from unittest import mock

import pytest

from placet.model.errors import Unreadable
from tests.proofs import Proof, Size, damage
from tests.proofs.hurting.scene import play


def test_the_proof_holds() -> None:
    proof = damage.prove(print, Size(quick=True))
    assert proof.violations == []
    assert proof.figures["kinds"] == len(damage.KINDS)
    assert {proof.figures[name] for name in ("others_stopped", "unlisted", "server_errors")} == {0}


def one(kind: str, state: str, name: str) -> Proof:
    """One case, judged."""
    made = damage.cases(kind, Random(1), 100)  # noqa: S311 - a seed has to repeat
    case = next(one for one in made if (one.state, one.damage) == (state, name))
    return damage.judged([(case, play(case, damage.hurts))])


def meant(proof: Proof) -> list[str]:
    return [what for what in proof.violations if "never" not in what]


CASES = [
    ("HEAD", "new", "texts for maps and lists"),
    ("HEAD", "queue", "version 3, another shape"),
    ("BODY", "accepted", "no JSON"),
    ("BODY", "accepted", "another JSON"),
    ("TEXT", "long", "gone or denied"),
    ("TOKEN", "queue", "nothing for everything"),
    ("HEAD", "accepted", "a call without state"),
]


@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_without_a_bug_these_cases_hold(case: tuple[str, str, str]) -> None:
    assert meant(one(*case)) == []


def raising(ports: Any, stored: Any, read: Callable[[Any], Any]) -> list[Any]:
    """A list that one entry takes away."""
    return [read(one) for one in stored]


@contextlib.contextmanager
def letting(ports: Any, pause: str) -> Any:
    """An event of a pause that cannot be read comes again."""
    yield


BUGS: list[tuple[str, Any, tuple[str, str, str], str]] = [
    # The list breaks off at the record, and everything behind it is left: once the sweep did so.
    ("placet.records.reading.OTHER_SHAPE", (), ("HEAD", "new", "texts for maps and lists"), "new"),
    ("placet.service.inbox.readable", raising, ("HEAD", "queue", "version 3, another shape"), "GET /v1/reviews"),
    # A stored text that does not parse is called a bad request.
    ("placet.records.reading.OTHER_SHAPE", (LookupError, TypeError), ("BODY", "accepted", "no JSON"), "accepted"),
    ("placet.service.dispatch.readable", raising, ("TOKEN", "queue", "nothing for everything"), "do without"),
    ("functions.dispatch.handler.set_aside", letting, ("HEAD", "accepted", "a call without state"), "the shard"),
    # Nobody lists it.
    (
        "placet.service.unreadable.writes.list_unreadable",
        lambda *given: [],
        ("HEAD", "new", "texts for maps and lists"),
        "",
    ),
    # It is listed, and stays where it was: it rings every minute.
    (
        "placet.records.writes.ending.listed_as",
        lambda keys, reason, now_ms: {"wsk": now_ms},
        ("HEAD", "new", "texts for maps and lists"),
        "rang",
    ),
    ("placet.http.problems.STATUS", {Unreadable: 500}, ("TEXT", "long", "gone or denied"), "GET"),
]


@pytest.mark.parametrize(("where", "bug", "case", "told"), BUGS, ids=[f"{w} {c[0]}" for w, _, c, _ in BUGS])
def test_a_planted_bug_is_seen(where: str, bug: Any, case: tuple[str, str, str], told: str) -> None:
    with mock.patch(where, bug):
        found = meant(one(*case))
    assert any(told in what for what in found), found
