"""How long things may take, from the inside out: a call of Bedrock, its function, the lease and the task around it."""

from __future__ import annotations

import json

from infra.checks.template import Templates, flat
from placet.aws import bedrock, executors
from placet.service.bedrock import answering, turns


def seconds(templates: Templates, verb: str) -> int:
    return next(int(one["Timeout"]) for own, _, one in templates.functions() if own == verb)


def test_a_function_outlives_the_turn_that_it_waits_for(templates: Templates) -> None:
    """Else nobody would write down that the turn came to nothing, and its run would look busy until the turn is given up."""
    assert seconds(templates, "invoke_agent") > bedrock.READ_TIMEOUT_S


def test_resume_outlives_what_it_begins_at_the_last_moment(templates: Templates) -> None:
    begun_s = answering.BUDGET_MS / 1000
    assert seconds(templates, "resume") > begun_s + max(bedrock.READ_TIMEOUT_S, executors.READ_TIMEOUT_S)


def test_a_lease_and_a_turn_outlive_every_function_that_holds_one(templates: Templates) -> None:
    longest_ms = 1000 * max(seconds(templates, verb) for verb in ("invoke_agent", "resume"))
    assert longest_ms < answering.LEASE_MS
    assert longest_ms < turns.TURN_MS


def test_the_machine_waits_for_resume_longer_than_resume_runs(templates: Templates) -> None:
    (machine,) = templates.of("AWS::StepFunctions::StateMachine").values()
    states = json.loads(flat(machine["DefinitionString"]))["States"]
    assert states["Resume"]["TimeoutSeconds"] > seconds(templates, "resume")
