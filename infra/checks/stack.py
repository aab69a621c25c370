"""The stacks as CloudFormation takes them: their size, what they ask for, what they leave behind."""

from __future__ import annotations

import json
from collections.abc import Iterator

from infra.checks.template import DATA, GATEWAY, Templates, walk

MOST_RESOURCES, MOST_BYTES = 500, 1_000_000  # of one template
BOOTSTRAP = {"BootstrapVersion"}
INDEXES = {"work": ("wpk", "wsk", "INCLUDE"), "find": ("fpk", "pk", "KEYS_ONLY")}


def templates_fit(templates: Templates) -> Iterator[str]:
    """A template has at most 500 resources and a megabyte; a fifth is left for what a registry adds."""
    for stack, template in ((DATA, templates.data), (GATEWAY, templates.gateway)):
        count, size = len(template["Resources"]), len(json.dumps(template))
        if count > MOST_RESOURCES * 0.8:
            yield f"{stack}: {count} resources; CloudFormation takes {MOST_RESOURCES}"
        if size > MOST_BYTES * 0.8:
            yield f"{stack}: {size} bytes; CloudFormation takes {MOST_BYTES}"
        if len(template.get("Outputs", {})) > 200 * 0.8:
            yield f"{stack}: {len(template['Outputs'])} outputs; CloudFormation takes 200"


def nothing_is_asked_at_deploy(templates: Templates) -> Iterator[str]:
    """A template is whole: no parameter but the bootstrap's, no value or secret looked up at deploy, no macro."""
    for stack, template in ((DATA, templates.data), (GATEWAY, templates.gateway)):
        if extra := sorted(set(template.get("Parameters", {})) - BOOTSTRAP):
            yield f"{stack}: asks for {extra}"
        if "Transform" in template:
            yield f"{stack}: is written by {template['Transform']} at deploy"
        for value in walk(template["Resources"]):
            if isinstance(value, str) and "{{resolve:" in value:
                yield f"{stack}: looks {value[:60]} up at deploy"


def nothing_is_traced(templates: Templates) -> Iterator[str]:
    """X-Ray takes rights on * and is paid by the trace: the machine, the functions and the API have none."""
    for name, properties in templates.of("AWS::StepFunctions::StateMachine").items():
        if properties.get("TracingConfiguration", {}).get("Enabled"):
            yield f"{name}: traces"
    for _, name, properties in templates.functions():
        if properties.get("TracingConfig", {}).get("Mode") == "Active":
            yield f"{name}: traces"


def nothing_is_locked(templates: Templates) -> Iterator[str]:
    """No object is locked: what a lock keeps can be erased for nobody, and a lock is never taken off."""
    for name, properties in templates.of("AWS::S3::Bucket").items():
        if properties.get("ObjectLockEnabled") or "ObjectLockConfiguration" in properties:
            yield f"{name}: locks objects"
        if "ReplicationConfiguration" in properties:
            yield f"{name}: copies texts elsewhere"


def logs_go_with_their_stack(templates: Templates) -> Iterator[str]:
    """Log groups end with their stack: one that stays keeps its name, and costs on with nobody reading it."""
    for name, one in templates.resources.items():
        if one["Type"] == "AWS::Logs::LogGroup" and one.get("DeletionPolicy", "Delete") != "Delete":
            yield f"{name}: stays"
        if one["Type"] == "AWS::Logs::LogGroup" and one["Properties"].get("LogGroupClass", "STANDARD") != "STANDARD":
            yield f"{name}: takes no metric filters"


def one_region_writes(templates: Templates) -> Iterator[str]:
    """One table in one region: where two regions write, both can accept, for a condition sees its own copy only."""
    for name in templates.of("AWS::DynamoDB::GlobalTable"):
        yield f"{name}: may be written in two regions"
    for name, properties in templates.of("AWS::DynamoDB::Table").items():
        if properties.get("Replicas"):
            yield f"{name}: may be written in two regions"


def table_grows_by_itself(templates: Templates) -> Iterator[str]:
    """Paid by the request: provisioned units throttle a burst, and nothing beside is bought that is paid by the event."""
    for name, properties in templates.of("AWS::DynamoDB::Table").items():
        if properties.get("BillingMode") != "PAY_PER_REQUEST":
            yield f"{name}: has provisioned units"
        if properties.get("ContributorInsightsSpecification", {}).get("Enabled"):
            yield f"{name}: Contributor Insights is paid by the event"
        if properties.get("TableClass", "STANDARD") != "STANDARD":
            yield f"{name}: its class makes every request dearer"


def indexes_stay(templates: Templates) -> Iterator[str]:
    """Both indexes as they are: an update makes or drops one index, and a changed one is empty while it is filled."""
    for name, properties in templates.of("AWS::DynamoDB::Table").items():
        found = {
            one["IndexName"]: (
                *(key["AttributeName"] for key in one["KeySchema"]),
                one.get("Projection", {}).get("ProjectionType"),
            )
            for one in properties.get("GlobalSecondaryIndexes", [])
        }
        if found != INDEXES:
            yield f"{name}: indexes {found}"
        if "LocalSecondaryIndexes" in properties:
            yield f"{name}: local indexes limit a partition to 10 GB and can never be dropped"
