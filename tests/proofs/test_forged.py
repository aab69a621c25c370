"""Forged inputs at their quick size, and the bugs that they must find."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from itertools import islice
from typing import Any
from unittest import mock

import pytest

from placet.http.messages import Request
from placet.records.keys import Keys
from placet.records.runs import Run
from placet.service import members, standing
from placet.service import names as service_names
from placet.service.bedrock.turns import run_of
from placet.service.loading import head_of
from tests.functions.calling import Called, every_route
from tests.proofs import Size, forged
from tests.proofs.forging import controls, cookies, delegates, edits, names, runs
from tests.proofs.forging.tally import Tally

SMALL = forged.Plan(controls=1, names=1, ways=2, cookies=1, edits=1, foreign=forged.FOREIGN, delegates=2)
Plant = Callable[[], AbstractContextManager[object]]


def say(line: str) -> None:
    print(line, flush=True)


def test_nothing_forged_runs_is_accepted_or_is_seen() -> None:
    proof = forged.prove(say, Size(quick=True))
    assert proof.violations == [], proof.table
    assert proof.figures["inputs"] >= forged.WANTED
    assert proof.line.startswith("forged: agents=4 frameworks=6 inputs=")
    assert proof.line.endswith(" executed_unproposed=0 accepted_by_self=0 seen_by_others=0")


def patched(*changes: tuple[str, Any]) -> AbstractContextManager[object]:
    """Some names replaced."""
    stack = ExitStack()
    for name, value in changes:
        stack.enter_context(mock.patch(name, value))
    return stack


def exact_spelling() -> AbstractContextManager[object]:
    """Names are compared as they are written."""
    return patched(("placet.records.writes.deciding.spellings", lambda own, written: frozenset(own)))


def first_address() -> AbstractContextManager[object]:
    """Of several memberships one address counts."""
    real = members.reviewer

    def reviewer(ports: Any, sub: str) -> Any:
        found = real(ports, sub)
        return replace(found, addresses=frozenset({found.email}))

    return patched(("placet.service.members.reviewer", reviewer))


def anybody_captures() -> AbstractContextManager[object]:
    """The route takes what the gateway captures itself."""
    both = ("placet.http.bodies.agents.check_origin", "placet.service.capture.check_origin")
    return patched(*((name, lambda *_: None) for name in both))


def anybody_is_answered() -> AbstractContextManager[object]:
    """And whatever was taken is answered, as if its agent had proposed it: by no record of a run, and in a run that is made up."""

    def made_up(ports: Any, agent: Any, run: str) -> Run:
        return run_of(ports, agent, run) or Run(agent.name, run, run, broken=True)

    stack = ExitStack()
    stack.enter_context(anybody_captures())
    stack.enter_context(patched(("placet.service.bedrock.answering.is_proposed", lambda *_: True)))
    stack.enter_context(patched(("placet.service.bedrock.looking.run_of", made_up)))
    return stack


def python_equality() -> AbstractContextManager[object]:
    """Fixed arguments are compared as Python compares: 1 is True, a kept fraction is its text, absent is null."""
    return patched(("placet.service.editing.canonical_of", lambda arguments, name: arguments.get(name)))


def strip_everything() -> AbstractContextManager[object]:
    """A cookie's name is what Python's strip leaves, and the last one counts."""

    def cookie(self: Request, name: str) -> str:
        return dict(line.strip().split("=", 1) for line in self.cookies if "=" in line).get(name, "")

    return mock.patch.object(Request, "cookie", cookie)


def last_line() -> AbstractContextManager[object]:
    """Of two lines with the name the last one counts."""

    def cookie(self: Request, name: str) -> str:
        return dict(line.strip(" \t").split("=", 1) for line in self.cookies if "=" in line).get(name, "")

    return mock.patch.object(Request, "cookie", cookie)


def any_agents_pause() -> AbstractContextManager[object]:
    """Whoever knows an id sees the pause."""

    def pause_of(ports: Any, agent: Any, pause: str) -> Any:
        return head_of(ports, pause)

    users = ("origin", "cancel", "execute", "status", "went_on")
    changes = [(f"placet.service.{user}.pause_of", pause_of) for user in users]
    return patched(*changes, ("functions.pick_up.handler.pause_of", pause_of))


def run_without_agent() -> AbstractContextManager[object]:
    """A run's name is all agents' together, and a window of fixed size stands in front of the filter."""
    names = "placet.service.names._places"
    real = service_names._places
    stack = ExitStack()
    stack.enter_context(mock.patch.object(Keys, "run", lambda self, agent, run: f"T#{self.tenant}#R#{run}"))
    stack.enter_context(mock.patch(names, lambda *args: islice(real(*args), 50)))
    return stack


def the_delegates_name_alone() -> AbstractContextManager[object]:
    """Requester and owner are compared with who decides, and not with those in whose place."""
    real = standing.by_person
    return patched(
        ("placet.service.standing.by_person", lambda head, own, away: real(head, own, None)),
        ("placet.records.writes.deciding.Ballot.names", property(lambda ballot: ballot.reviewer.names)),
    )


def handed_on_without_end() -> AbstractContextManager[object]:
    """A right goes on from delegate to delegate."""
    return patched(("placet.model.absences.MOST_STEPS", 9))


def away_for_ever() -> AbstractContextManager[object]:
    """An absence that is written down lasts."""
    return patched(("placet.model.absences.Absence.lasts", lambda self, now_ms: True))


PLANTS: dict[str, tuple[Plant, str, str]] = {
    "names as they are written": (exact_spelling, names.KIND, "accepted_by_self"),
    "one address of several": (first_address, names.KIND, "accepted_by_self"),
    "anybody captures controls": (anybody_captures, controls.KIND, ""),
    "anybody's control is answered": (anybody_is_answered, controls.KIND, "executed_unproposed"),
    "equality of Python": (python_equality, edits.KIND, "executed_unproposed"),
    "every space is stripped": (strip_everything, cookies.KIND, "accepted_by_self"),
    "the last of two cookies": (last_line, cookies.KIND, "accepted_by_self"),
    "the delegate's name alone": (the_delegates_name_alone, delegates.KIND, "accepted_by_self"),
    "a right without end": (handed_on_without_end, delegates.KIND, ""),
    "away for ever": (away_for_ever, delegates.KIND, ""),
    "any agent's pause": (any_agents_pause, runs.KIND, "seen_by_others"),
    "a run's name without its agent": (run_without_agent, runs.KIND, "seen_by_others"),
}


@pytest.mark.parametrize("name", PLANTS)
def test_a_planted_bug_is_found(name: str) -> None:
    plant, kind, figure = PLANTS[name]
    with plant():
        tally, agents = forged.played(lambda line: None, SMALL, kinds=(kind,))
    proof = forged.judged(tally, agents)
    assert any(kind in one for one in tally.violations), proof.table
    assert not figure or proof.figures[figure] > 0, proof.violations


def test_too_little_proves_nothing() -> None:
    told = forged.judged(Tally(), 4).violations
    assert f"coverage: 0 inputs, {forged.WANTED} are wanted" in told
    assert sum(one.startswith("coverage: nothing forged") for one in told) == 6
    assert sum(one.startswith("coverage: nothing honest") for one in told) == 6


def test_planted_a_route_that_nobody_tries_is_noticed() -> None:
    new = Called("execute", "POST /v1/calls/{id}/new", "agent")
    with mock.patch.object(runs, "every_route", return_value=[*every_route(), new]):
        proof = forged.prove(say, Size(quick=True))
    assert any("nobody tries ['POST /v1/calls/{id}/new']" in one for one in proof.violations)
