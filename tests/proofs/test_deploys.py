"""The proof of deploys at its quick size, and planted bugs that it has to see."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any
from unittest import mock

import pytest

from placet.records.lists import read_list
from placet.records.people import Member
from placet.service import sweep
from placet.service.stuck import list_stuck
from placet.service.work_lists import classes_of, todays_lists
from tests.proofs import Proof, Size, deploys
from tests.proofs.deploying.changes import CHANGES
from tests.proofs.deploying.course import play
from tests.proofs.deploying.states import FROZEN, STATES, State
from tests.proofs.world.planted import without_events


def test_the_proof_holds() -> None:
    proof = deploys.prove(print, Size(quick=True))
    assert proof.violations == []
    assert proof.figures["changes"] == 12
    assert proof.figures["states"] == len(STATES) + len(FROZEN)
    assert proof.figures["cells"] == proof.figures["changes"] * proof.figures["states"]
    assert {proof.figures[name] for name in ("invisible", "unlisted", "lost")} == {0}


def of(change: str, *states: str) -> Proof:
    """Some states under one change, judged."""
    (found,) = (one for one in CHANGES if one.name == change)
    return deploys.judged(play(found, tuple(one for one in (*STATES, *FROZEN) if one.name in states)))


def todays_only(ports: Any, stored: Any = None) -> list[Any]:
    """The sweep walks what today's policy and registry name."""
    return [read_list(name) for name in todays_lists(ports)]


class EverybodyIsThere:
    """Groups are never looked at."""

    def __init__(self, ports: Any) -> None:
        pass

    def members(self, action_class: Any, level: int) -> list[Member]:
        return [Member(f"somebody{number}", "everybody", "Somebody", "") for number in range(9)]


def everybody_decides_it(ports: Any, groups: Any, head: Any) -> str:
    """Groups are looked at for a queue, and not for a pause of it."""
    return ""


def every_level_is_there(ports: Any, head: Any) -> int:
    """An index that is one too high."""
    return max((len(one.levels) for one in classes_of(ports, head)), default=head.level)


def no_agent_is_missed(ports: Any, head: Any, reason: str) -> bool:
    return reason != "agent_gone" and list_stuck(ports, head, reason)


def planted(where: str, bug: Any) -> AbstractContextManager[Any]:
    return mock.patch(where, bug)


SWEEP = "placet.service.sweep"
BUGS: list[tuple[str, Any, str, tuple[str, ...], str]] = [
    ("every_list", todays_only, "agent removed", ("offered", "leased"), "unlisted"),
    ("every_list", todays_only, "class renamed", ("mailed", "voted"), "invisible"),
    # Nobody takes a pause out of a queue that is not of today, and the inbox reads today's only.
    ("queues_of", lambda ports: mock.MagicMock(__contains__=lambda *given: True), "levels shortened", (), "invisible"),
    ("classes_of", lambda ports, head: ["one"], "class renamed", ("one of two decided",), "invisible"),
    ("last_level", every_level_is_there, "levels shortened", (), "invisible"),
    ("list_stuck", no_agent_is_missed, "agent removed", ("rejected, offered",), "unlisted"),
    ("is_answerable", lambda agent, framework: True, "framework of a Bedrock agent", ("Bedrock: decided",), "unlisted"),
    ("nobody_left", everybody_decides_it, "group emptied", ("mailed",), "invisible"),
    ("Groups", EverybodyIsThere, "group emptied", ("mailed", "voted"), "invisible"),
]


@pytest.mark.parametrize(("name", "bug", "change", "states", "figure"), BUGS, ids=[f"{b[0]}: {b[2]}" for b in BUGS])
def test_a_planted_bug_of_the_sweep_is_seen(
    name: str, bug: Any, change: str, states: tuple[str, ...], figure: str
) -> None:
    assert hasattr(sweep, name)
    states = states or ("second level reached",)
    assert of(change, *states).violations == []
    with planted(f"{SWEEP}.{name}", bug):
        proof = of(change, *states)
    assert proof.figures[figure] > 0, proof.violations


def test_an_inbox_that_reads_no_queue_of_several_classes_is_seen() -> None:
    with planted("placet.service.inbox.levels_of", lambda ports: 0):
        assert of("class of several removed", "two classes").figures["invisible"] == 1


def test_a_later_queue_of_several_classes_that_is_only_looked_at_when_it_is_due_is_seen() -> None:
    cell = ("levels shortened", "two classes, second level reached")
    assert of(*cell).violations == []
    with planted("placet.service.short.is_todays", lambda ports, work_list: True):
        assert of(*cell).figures["invisible"] == 1


def test_an_end_without_its_event_is_seen() -> None:
    with without_events():
        assert of("groups of a class", "mailed").figures["lost"] == 1


def test_a_cell_that_was_not_reached_is_no_proof() -> None:
    (state,) = (one for one in STATES if one.name == "mailed")
    elsewhere: State = replace(state, holds=lambda house, head: head.stuck == "wait_failed")
    proof = deploys.judged(play(CHANGES[0], (elsewhere,)))
    assert proof.violations == ["agent removed: mailed was not reached"]
