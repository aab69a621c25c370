"""A policy that lets calls wait longer than a run is kept is refused at synth, by name and with both numbers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from infra.policy_file import deployed_policy
from infra.registry import Agent, SettingsError
from infra.waits import check_undo, check_waits
from placet.frameworks.contract import DAY_S
from placet.policy import Effect, Undo
from tests.infra.conftest import synthesize

POLICY = deployed_policy()
BEDROCK: dict[str, Any] = {"kind": "bedrock", "agent_id": "A", "alias_id": "B", "executor": "x", "session_ttl_s": 60}


def agent(days: int = 0, **target: Any) -> Agent:
    return Agent("support", "r", "o@example.com", target or {"kind": "pick_up"}, days)


def waiting(days: float) -> Any:
    """The deployed policy, in which calls of one class may wait so long."""
    one = replace(POLICY.classes["money-out"], hard_maximum_s=int(days * DAY_S))
    return replace(POLICY, classes={**POLICY.classes, "money-out": one})


def test_a_class_that_outlives_a_run_is_named_with_the_agent_and_both_numbers() -> None:
    with pytest.raises(SettingsError, match=r"class money-out may wait 30.5 days .* of support is kept for 30 days"):
        check_waits(waiting(30.5), [agent(days=30)])


def test_a_class_may_wait_exactly_as_long() -> None:
    check_waits(waiting(30), [agent(days=30)])


def test_the_time_to_take_a_decision_back_counts_too() -> None:
    one = replace(waiting(30).classes["money-out"], undo_s=60)
    held = replace(POLICY, classes={**POLICY.classes, "money-out": one})
    with pytest.raises(
        SettingsError, match=r"class money-out may wait 30 days .* held for 60 seconds .* kept for 30 days"
    ):
        check_waits(held, [agent(days=30)])
    check_waits(held, [agent(days=31)])


def test_who_says_nothing_of_his_saver_is_bound_by_nothing() -> None:
    check_waits(waiting(300), [agent()])


def test_a_bedrock_session_bounds_nothing() -> None:
    """It ends after a minute; late decisions go through the executor."""
    check_waits(waiting(300), [agent(**BEDROCK)])


def test_each_agent_is_judged_by_its_own_framework_and_not_by_the_shortest(monkeypatch: pytest.MonkeyPatch) -> None:
    """A framework that waits 30 days and is taken as well bounds its own agents and nobody else's."""
    monkeypatch.setattr("infra.registry.handed_in", lambda: ["claude", "langchain"])
    check_waits(waiting(300), [agent(), agent(**BEDROCK)])
    with pytest.raises(SettingsError, match=r"of support is kept for 30 days"):
        check_waits(waiting(300), [replace(agent(), framework="claude")])


def test_the_synth_says_what_it_takes_a_silent_entry_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    entry = {
        "name": "support",
        "role": "r",
        "owner": "o@example.com",
        "target": {"kind": "pick_up"},
        "keeps_runs_days": 7,
    }
    with pytest.raises(SettingsError):  # stopped before anything is built
        synthesize(tmp_path, agents=[entry])
    assert "synth: the registry does not say what support is built with: taken for langchain" in capsys.readouterr().err


def test_the_synth_refuses_it(tmp_path: Path) -> None:
    entry = {
        "name": "support",
        "role": "r",
        "owner": "o@example.com",
        "target": {"kind": "pick_up"},
        "keeps_runs_days": 7,
    }
    with pytest.raises(SettingsError, match=r"may wait 30 days .* of support is kept for 7 days"):
        synthesize(tmp_path, agents=[entry])


def test_a_file_without_a_policy_is_named(tmp_path: Path) -> None:
    (tmp_path / "placet_policy.py").write_text("RULES = []\n")
    with pytest.raises(SettingsError, match=r"placet_policy.py must define POLICY"):
        deployed_policy(tmp_path / "placet_policy.py")


def test_a_call_that_nobody_could_take_back_is_refused_with_both_tools() -> None:
    tool = replace(POLICY.tools["issue_refund"], effect=Effect.HARD, undo=Undo("delete_records", {}))
    policy = replace(POLICY, tools={**POLICY.tools, "issue_refund": tool})
    with pytest.raises(
        SettingsError, match="tool issue_refund is taken back by delete_records, and no agent has an executor"
    ):
        check_undo(policy, [agent()])
    check_undo(policy, [agent(), agent(**BEDROCK)])
    check_undo(policy, [replace(agent(), executor="desk")])
    check_undo(POLICY, [agent()])


@pytest.mark.parametrize("executor", ["arn:aws:lambda:x", "a b", 5])
def test_an_executor_is_the_name_of_a_function(executor: Any) -> None:
    with pytest.raises(SettingsError, match="executor of support must be the name of a Lambda function"):
        replace(agent(), executor=executor)
    with pytest.raises(SettingsError, match="executor of support stands in its target"):
        replace(agent(**BEDROCK), executor="desk")
