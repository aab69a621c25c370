"""The turns of a Bedrock run."""

from __future__ import annotations

from dataclasses import replace

from placet.model.errors import PlacetError
from placet.records.runs import Run, RunState
from placet.service.bedrock.turns import begin, end, next_session, run_of
from tests.gateway import SUPPORT
from tests.proofs.clauses.stage import Stage, scenario

NEW = Run(SUPPORT.name, "conversation-1", session="conversation-1")


def _begins(stage: Stage, run: Run) -> bool:
    return not isinstance(stage.attempt(begin, stage.ports, SUPPORT, run, run.state), PlacetError)


@scenario("begin_turn", "first")
def two_first_texts_of_a_run_are_sent(stage: Stage) -> bool:
    stage.meanwhile = lambda: _begins(stage, NEW)
    return _begins(stage, NEW)


@scenario("begin_turn", "same_turn")
def two_answers_are_sent_after_one_turn(stage: Stage) -> bool:
    seen = begin(stage.ports, SUPPORT, NEW, NEW.state)
    stage.meanwhile = lambda: _begins(stage, seen)
    return _begins(stage, seen)


@scenario("begin_turn", "run_as_seen")
def a_session_is_left_although_its_turn_has_just_come_back(stage: Stage) -> bool:
    seen = begin(stage.ports, SUPPORT, replace(NEW, state=RunState.RUNNING), NEW.state)
    stage.meanwhile = lambda: end(stage.ports, seen, state=RunState.FINISHED)
    return not isinstance(stage.attempt(begin, stage.ports, SUPPORT, next_session(seen), seen.state), PlacetError)


@scenario("end_turn", "same_turn")
def a_turn_that_was_given_up_ends_its_successor(stage: Stage) -> bool:
    given_up = begin(stage.ports, SUPPORT, NEW, NEW.state)
    begin(stage.ports, SUPPORT, given_up, given_up.state)
    end(stage.ports, given_up, state=RunState.FAILED)
    found = run_of(stage.ports, SUPPORT, NEW.run)
    return found is not None and found.state is RunState.FAILED
