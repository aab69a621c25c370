"""Ids that live outside of the stacks for weeks: in the data itself, pending waits, timers, mail links and partners' policies.

After a change that is meant: ``python -m tests.infra.test_logical_ids`` writes the file anew. Say in the release's
migration note what becomes of pauses that are open while it is deployed.
"""

from __future__ import annotations

import json
from pathlib import Path

from infra.checks.template import Templates

LOCK = Path(__file__).with_name("logical_ids.lock")
# Running executions name functions and machine, schedules name escalate and their role, agents' roles name the policy,
# mails carry the API's id, sessions the client's; a queue that is replaced takes its messages with it.
DURABLE = {
    "AWS::ApiGatewayV2::Api", "AWS::Cognito::UserPoolClient", "AWS::Cognito::UserPoolDomain", "AWS::IAM::ManagedPolicy",
    "AWS::Lambda::Function", "AWS::Scheduler::ScheduleGroup", "AWS::SQS::Queue", "AWS::StepFunctions::StateMachine",
}  # fmt: skip
DURABLE_ROLES = ("TimersRole", "LifecycleRole")


def locked(templates: Templates) -> list[str]:
    """One line per id that must not change."""
    lines = [f"PlacetData {one['Type']} {name}" for name, one in templates.data["Resources"].items()]
    lines += [f"PlacetData output {name}" for name in templates.data["Outputs"]]
    for table in templates.of("AWS::DynamoDB::Table").values():
        lines += [f"PlacetData index {index['IndexName']}" for index in table["GlobalSecondaryIndexes"]]
    for name, one in templates.gateway["Resources"].items():
        if one["Type"] in DURABLE or (name.startswith(DURABLE_ROLES) and one["Type"] == "AWS::IAM::Role"):
            lines.append(f"PlacetGateway {one['Type']} {name}")
        if one["Type"] == "AWS::IAM::ManagedPolicy":  # another of these is another policy, and the old one is attached
            fixed = {key: one["Properties"].get(key) for key in ("ManagedPolicyName", "Path", "Description")}
            lines.append(f"PlacetGateway policy {name} {json.dumps(fixed)}")
    lines += [f"PlacetGateway output {name}" for name in templates.gateway["Outputs"]]
    return sorted(lines)


def test_logical_ids_are_locked(templates: Templates) -> None:
    now, then = locked(templates), LOCK.read_text().splitlines()
    changed = [f"gone: {line}" for line in then if line not in now] + [
        f"new: {line}" for line in now if line not in then
    ]
    assert not changed, "needs a migration note (see this file's docstring):\n" + "\n".join(changed)


if __name__ == "__main__":
    LOCK.write_text("\n".join(locked(Templates.read(Path("cdk.out")))) + "\n")
