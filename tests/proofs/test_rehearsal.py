"""The rehearsal's looks see what they are for: a pause that a deploy loses, a schedule left over, an assembly that was changed.

The rehearsal itself is played by `tests/e2e/test_rehearsal.py` and `make rehearsal`: it needs emulators of its own.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from local.endpoint import Endpoint
from tests.proofs import Size
from tests.proofs.rehearsal import judged
from tests.proofs.rehearsing import assemblies, later, removal
from tests.proofs.rehearsing.account import STACKS, Account, Ended
from tests.proofs.rehearsing.leftover import inventory
from tests.proofs.rehearsing.play import Play
from tests.proofs.rehearsing.waiting import Waiting
from tests.shared import shared_aws

FULL, QUICK = Size(), Size(quick=True)


def silent(line: str) -> None:
    """Nobody listens."""


class Lists:
    """Somebody who reads lists that have two pages."""

    def __init__(self, **rows: list[dict[str, str]]) -> None:
        self._rows = rows

    def call(self, _method: str, path: str) -> tuple[int, dict[str, Any]]:
        name = path.partition("?")[0].rpartition("/")[2]
        rows = self._rows[name]
        return 200, {name: rows[1:], "next": ""} if "?" in path else {
            name: rows[:1],
            "next": "more" if rows[1:] else "",
        }


class Heads(Waiting):
    """Pauses on paper: by id, the state of each; and who sees what."""

    def __init__(self, states: dict[str, str], *, inbox: list[str], stuck: list[str], resumes: list[str]) -> None:
        super().__init__(None, {one: (one, "an agent") for one in states}, patience_s=0)  # type: ignore[arg-type] # nothing runs
        self._states = states
        self._inbox, self._stuck, self._resumes = (
            [{"pause": one, "reason": "class_gone"} for one in rows] for rows in (inbox, stuck, resumes)
        )

    def head(self, pause: str) -> dict[str, Any]:
        return {"state": self._states[pause]}

    def operator(self) -> Any:
        return Lists(stuck=self._stuck)

    def reviewer(self, name: str) -> Any:
        return Lists(reviews=self._inbox)

    def agent(self, name: str) -> Any:
        return Lists(resumes=self._resumes)


STATES = {"a": "waiting", "b": "waiting", "c": "closed", "d": "ended", "e": "waiting"}


def played(waiting: Waiting) -> Play:
    return Play(None, waiting, silent)  # type: ignore[arg-type] # nothing runs


def test_each_pause_is_found_where_it_is_on_whatever_page() -> None:
    waiting = Heads(STATES, inbox=["a", "e"], stuck=["b"], resumes=["x", "c"])
    places, unseen = waiting.invisible()
    assert places == {"a": "inbox", "b": "stuck: class_gone", "c": "offered", "d": "ended", "e": "inbox"}
    assert unseen == []


@pytest.mark.parametrize("lost", ["a", "b", "c", "e"])
def test_a_deploy_that_loses_a_pause_is_found(lost: str) -> None:
    rows = {"inbox": ["a", "e"], "stuck": ["b"], "resumes": ["c"]}
    play = played(Heads(STATES, **{name: [one for one in found if one != lost] for name, found in rows.items()}))
    play.look("a deploy")
    proof = judged(play, FULL)
    assert proof.figures["invisible"] == 1
    assert f"after a deploy nobody sees {lost} ({lost})" in proof.violations


def test_what_is_neither_decided_nor_listed_at_the_end_is_lost() -> None:
    play = played(Heads(STATES, inbox=["a"], stuck=["b"], resumes=["c"]))
    assert play.close() == "1 of 5 pauses have ended"
    assert play.lost == ["nobody sees e (e)", "a (a) is still inbox", "c (c) is still offered"]
    assert judged(play, FULL).figures["lost"] == 3
    assert judged(play, FULL).line.startswith("rehearsal: cli=real steps=0 deploys=0 ")


def test_a_rehearsal_that_played_too_little_is_none() -> None:
    play = played(Heads({}, inbox=[], stuck=[], resumes=[]))
    for number in range(19):
        play.step(f"step {number}", lambda _on: "done")
    found = judged(play, FULL).violations
    assert found == [
        "only 19 steps, not 20",
        "only 0 deploys, not 5",
        "only 0 rollbacks, not 1",
        "only 0 pauses_waiting, not 5",
    ]
    assert judged(play, QUICK, "it broke off").violations == ["it broke off", "only 0 deploys, not 1"]


def test_a_step_that_fails_is_named() -> None:
    def fails(_on: Play) -> str:
        raise AssertionError("the stack is not there")

    play = played(Heads({}, inbox=[], stuck=[], resumes=[]))
    with pytest.raises(AssertionError, match="first deploy: the stack is not there"):
        play.step("first deploy", fails)
    assert play.steps == []


@pytest.fixture
def aws() -> Endpoint:
    return Endpoint(shared_aws())


def test_what_is_left_over_has_a_name_and_fails_the_rehearsal(aws: Endpoint) -> None:
    before = inventory(aws, aws)
    timers, keys = aws.client("scheduler"), aws.client("kms")
    timers.create_schedule_group(Name="rehearsed")
    timers.create_schedule(
        Name="left",
        GroupName="rehearsed",
        ScheduleExpression="at(2099-01-01T00:00:00)",
        FlexibleTimeWindow={"Mode": "OFF"},
        Target={
            "Arn": "arn:aws:lambda:us-east-1:000000000000:function:x",
            "RoleArn": "arn:aws:iam::000000000000:role/x",
        },
    )
    key = keys.create_key()["KeyMetadata"]["KeyId"]
    aws.client("s3").create_bucket(Bucket="rehearsed-left")
    aws.client("logs").create_log_group(logGroupName="rehearsed")
    found = inventory(aws, aws) - before
    assert {"schedule group rehearsed", f"key {key}", "bucket rehearsed-left", "log group rehearsed"} < found
    assert any(one.startswith("schedule arn:") and one.endswith("/left") for one in found)
    play = played(Heads({}, inbox=[], stuck=[], resumes=[]))
    play.left_over = sorted(found)
    assert judged(play, FULL).figures["left_over"] == 5
    timers.delete_schedule(Name="left", GroupName="rehearsed")
    timers.delete_schedule_group(Name="rehearsed")
    keys.schedule_key_deletion(KeyId=key, PendingWindowInDays=7)
    removal.drop_bucket(aws.client("s3"), "rehearsed-left")
    removal.drop_bucket(aws.client("s3"), "rehearsed-left")  # safe to repeat
    aws.client("logs").delete_log_group(logGroupName="rehearsed")
    assert inventory(aws, aws) == before


class Writes(Account):
    """An account whose deploy writes into the assembly, and whose stacks are what it is told."""

    deployed: dict[str, Any]

    def __init__(self, name: str) -> None:
        self._name = name

    def cdk_deploy(self, assembly: Path) -> Ended:
        (assembly / self._name).parent.mkdir(exist_ok=True)
        (assembly / self._name).write_text("changed")
        return Ended(0, "")

    def template(self, name: str) -> Any:
        return self.deployed[name]


@pytest.fixture
def assembly(tmp_path: Path) -> Path:
    (tmp_path / "manifest.json").write_text("{}")
    for name in STACKS:
        (tmp_path / f"{name}.template.json").write_text(json.dumps({"Resources": {name: {}}}))
    return tmp_path


@pytest.mark.parametrize("name", ["manifest.json", "PlacetData.template.json", "asset.1/code.py"])
def test_a_deploy_that_changes_the_assembly_is_found(assembly: Path, name: str) -> None:
    with pytest.raises(AssertionError, match="the deploy changed"):
        Writes(name).cdk_deploy_unchanged(assembly)
    assert Writes(".cache/asset.zip").cdk_deploy_unchanged(assembly) == Ended(0, "")


def test_a_stack_that_is_not_what_was_synthesized_is_found(assembly: Path) -> None:
    account = Writes("")
    account.deployed = {name: {"Resources": {name: {}}} for name in STACKS}
    play = Play(account, Heads({}, inbox=[], stuck=[], resumes=[]), silent)
    play.as_synthesized(assembly)
    account.deployed["PlacetGateway"] = {"Resources": {}}
    with pytest.raises(AssertionError, match="PlacetGateway is not deployed as it was synthesized"):
        play.as_synthesized(assembly)


def event(name: str, status: str) -> dict[str, str]:
    return {"LogicalResourceId": name, "ResourceStatus": status}


def test_half_way_is_where_something_was_made_before_the_first_failure() -> None:
    begun = [event("Layer", "CREATE_COMPLETE"), event("Function", "UPDATE_COMPLETE"), event("Domain", "CREATE_FAILED")]
    assert later.half_way([*begun, event("Layer", "DELETE_COMPLETE")]) == (2, "Domain")
    assert later.half_way(begun[2:]) == (0, "Domain")
    with pytest.raises(AssertionError, match="nothing failed"):
        later.half_way(begun[:2])


def test_a_command_that_fails_says_how_it_ended() -> None:
    with pytest.raises(AssertionError, match=r"cdk deploy ended with 1: .*no such stack"):
        Ended(1, "…\nno such stack\n").taken("cdk deploy")
    assert Ended(0, "fine").taken("cdk deploy") == "fine"


def test_a_change_that_changes_nothing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text("a = 1\n")
    assemblies.replaced(Path("code.py"), "1", "2")(tmp_path)
    assert (tmp_path / "code.py").read_text() == "a = 2\n"
    with pytest.raises(AssertionError, match="does not hold '1'"):
        assemblies.replaced(Path("code.py"), "1", "2")(tmp_path)
