"""Deploys while pauses wait: another policy, a renamed class, one agent less, changed code, and an update that is rolled back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.gateway import DELETE, REFUND
from tests.proofs.rehearsing.assemblies import MARK, TAKEN, domain
from tests.proofs.rehearsing.play import Play
from tests.proofs.rehearsing.scripts import Script
from tests.proofs.rehearsing.waiting import claim, until

FREE = ("send_parcel", {"to": "Elif"})  # a tool that no policy names


def steps(play: Play, script: Script) -> None:
    """Everything that comes while somebody waits."""
    play.step("pauses wait", pauses)
    play.step("a point in time", point_in_time)
    play.step("policy changed", lambda on: on.deploy("the policy changed", script.policy))
    play.step("class renamed", lambda on: listed_as(on, "class_gone", "a class was renamed", script.renamed))
    play.step("agent removed", lambda on: listed_as(on, "agent_gone", "an agent was removed", script.removed))
    play.step("code changed", lambda on: code(on, script))
    play.step("an update fails", lambda on: failing(on, script))
    play.step("after the rollback", after_the_rollback)


def pauses(on: Play) -> str:
    """Of each agent and class, undecided and decided, run and not."""
    waiting = on.waiting
    waiting.capture("support-agent", "money that waits", REFUND)
    waiting.capture("support-agent", "records that wait", DELETE)
    waiting.capture("billing-agent", "a tool without a policy", FREE)
    both = waiting.capture("billing-agent", "one of two decided", REFUND, DELETE)
    person = waiting.reviewer("jonas")
    person.decide(next(one for one in person.detail(both)["calls"] if one["tool"] == DELETE[0]), "accept")
    waiting.capture("courier", "one of the agent that goes", DELETE)
    for what in ("decided and not picked up", "run after the point in time"):
        waiting.decide(
            waiting.capture("courier" if "not" in what else "support-agent", what, DELETE), "accept", "maria"
        )
    return f"{len(on.waiting.captured) - 2} wait, of which two are decided and not picked up"


def point_in_time(on: Play) -> str:
    """A snapshot: what the restore will be played from. What happens after it, the restored table does not know."""
    made = on.account.client("dynamodb").create_backup(TableName=on.account.table_name, BackupName="point-in-time")
    on.snapshot = made["BackupDetails"]["BackupArn"]
    pause = on.waiting.by_name("run after the point in time")
    call = on.waiting.offered(pause)[0]
    claim(on.waiting.agent("support-agent"), call)
    on.at_the_point = set(on.waiting.captured)
    return "the table's moment is kept, and after it one permit is used"


def listed_as(on: Play, reason: str, name: str, assembly: Path) -> str:
    """A name is gone: what nobody may decide, or pick up, any more is listed for it, and all else is where it was."""
    on.deploy(name, assembly)
    on.listed(reason)
    return on.look(name)


def code(on: Play, script: Script) -> str:
    """The names are back, and a function has other code, which runs from now on."""
    before = on.account.functions()
    on.deploy("the code changed", script.code)
    changed = sum(before[name] != now for name, now in on.account.functions().items())
    assert changed == len(before), f"only {changed} functions have the new layer"
    on.waiting.capture("courier", "one for the new code", FREE)
    assert until(lambda: said(on, MARK), 30), "the changed code did not run"
    gone = [pause for pause, place in on.waiting.places().items() if "gone" in place]
    for pause in gone:
        on.operate("repair", pause)
    return f"{changed} functions changed, {len(gone)} pauses repaired by the command; {on.look('the repair')}"


def said(on: Play, text: str) -> bool:
    """Whether any function wrote this into its log."""
    logs = on.account.client("logs")
    groups = [one["logGroupName"] for one in logs.describe_log_groups()["logGroups"]]
    return any(logs.filter_log_events(logGroupName=one, filterPattern=f'"{text}"')["events"] for one in groups)


def failing(on: Play, script: Script) -> str:
    """Half of an update is made when a name turns out to be taken: CloudFormation takes all of it back."""
    taken = on.account.client("cognito-idp").create_user_pool(PoolName="somebody-elses")["UserPool"]["Id"]
    on.account.client("cognito-idp").create_user_pool_domain(Domain=domain(TAKEN), UserPoolId=taken)
    before, seen = on.account.functions(), len(on.account.events("PlacetGateway"))
    ended = on.account.cdk_deploy_unchanged(script.failing)
    assert ended.code, "an update with a domain that is taken went through"
    status = on.account.statuses()["PlacetGateway"]
    assert status == "UPDATE_ROLLBACK_COMPLETE", status
    made, failed = half_way(on.account.events("PlacetGateway")[seen:])
    assert made, f"{failed} failed before anything was made: that is no half of an update"
    changed = [name for name, now in on.account.functions().items() if before.get(name) != now]
    assert not changed, f"the rollback left {changed} as the update made them"
    on.as_synthesized(script.code)
    on.rollbacks += 1
    on.account.client("cognito-idp").delete_user_pool_domain(Domain=domain(TAKEN), UserPoolId=taken)
    on.account.client("cognito-idp").delete_user_pool(UserPoolId=taken)
    return f"{made} resources were made before {failed} failed, and everything is as before; {on.look('the rollback')}"


def half_way(events: list[dict[str, Any]]) -> tuple[int, str]:
    """How many resources an update had made when its first one failed, and which that was."""
    made = 0
    for one in events:
        if one["ResourceStatus"].endswith("_FAILED"):
            return made, str(one["LogicalResourceId"])
        made += one["ResourceStatus"] in ("UPDATE_COMPLETE", "CREATE_COMPLETE")
    raise AssertionError(f"nothing failed: {json.dumps(events, default=str)[-300:]}")


def after_the_rollback(on: Play) -> str:
    """The gateway works as before: one comes through, under the policy of before the update."""
    pause = on.waiting.capture("support-agent", "one after the rollback", DELETE)
    on.waiting.decide(pause, "accept", "maria")
    on.waiting.go_on(pause)
    return "one was captured, accepted and run"
