"""The doctor's questions about the table: what waits under names that are gone, and whether anybody is there to decide."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from botocore.exceptions import ClientError

from infra.deployed import outputs
from infra.findings import Clients, Finding
from infra.policy_file import deployed_policy
from infra.settings import Settings
from placet.policy.rules import Policy
from placet.records.keys import SEVERAL, Keys
from placet.records.lists import Kind, WorkList, read_list

KEYS = Keys("main")
MOST = 1_000  # counted of one list


def lists(clients: Clients, settings: Settings) -> Iterator[Finding]:
    """dynamodb:Query: do pauses wait under names that registry and policy, as they are here, do not know?"""
    table = table_of(clients)
    if not table:
        yield Finding("ok", "lists", "there is no table yet, so nothing waits")
        return
    dynamodb, policy = clients("dynamodb"), deployed_policy()
    known, waiting = 0, 0
    for name in partition(dynamodb, table, KEYS.lists()):
        try:
            found = read_list(name)
        except ValueError:
            yield Finding("look", "lists", f"{name} is no work list that this release knows", "look who wrote it")
            continue
        known += 1
        told = _gone(found, settings, policy)
        here = count(dynamodb, table, found.pk) if told else 0
        waiting += here
        if told and here:
            what, way_out = told
            many = f"{here} pauses wait" if here > 1 else "one pause waits"
            yield Finding("look", "lists", f"{many} {what}", way_out)
    if not waiting:
        yield Finding(
            "ok", "lists", f"{known} remembered, and nothing waits under a name that is not in settings or policy"
        )


def reviewers(clients: Clients, settings: Settings) -> Iterator[Finding]:
    """dynamodb:Query: is anybody in the groups that decide?"""
    table = table_of(clients)
    if not table:
        yield Finding("ok", "reviewers", "there is no table yet; enter reviewers after the deploy")
        return
    dynamodb, policy = clients("dynamodb"), deployed_policy()
    groups = sorted({group for one in policy.classes.values() for step in one.levels for group in step.groups})
    empty = [group for group in groups if not list(partition(dynamodb, table, KEYS.group(group), most=1))]
    for group in empty:
        names = ", ".join(sorted(one.name for one in policy.classes.values() if _asks(one, group)))
        sentence = f"nobody is in the group {group}, which decides {names}"
        yield Finding("look", "reviewers", sentence, "enter somebody; what only it may decide is listed as group_empty")
    if not empty:
        yield Finding("ok", "reviewers", f"somebody is in each of: {', '.join(groups)}")


def _asks(action_class: Any, group: str) -> bool:
    return any(group in step.groups for step in action_class.levels)


def _gone(found: WorkList, settings: Settings, policy: Policy) -> tuple[str, str] | None:
    """What waits on a list that today's names do not lead to, and what to do; None for one that they do."""
    if found.kind is Kind.OUT and found.of not in {agent.name for agent in settings.agents}:
        return (
            f"for the agent {found.of}, which the registry does not name: listed as agent_gone when it is deployed so",
            f"deploy with {found.of} until its pick-up list is empty, or settle them with `placet stuck`",
        )
    if found.kind is not Kind.QUEUE or found.of == SEVERAL:
        return None
    known = policy.classes.get(found.of)
    if known is None:
        return (
            f"in the class {found.of}, which the policy does not name: listed as class_gone when it is deployed so",
            f"keep {found.of} in the policy, without tools, until they are decided",
        )
    if found.level >= len(known.levels):
        return f"at level {found.level} of {found.of}, which has {len(known.levels)}: they move to its last level", ""
    return None


def table_of(clients: Clients) -> str:
    """The table of the deployed stack; empty before there is one."""
    try:
        return outputs(clients("cloudformation"), "PlacetData").get("TableName", "")
    except ClientError as error:
        if error.response["Error"]["Code"] != "ValidationError":
            raise
        return ""


def partition(dynamodb: Any, table: str, pk: str, most: int | None = None) -> Iterator[str]:
    """The sort keys of a partition."""
    limit = {} if most is None else {"Limit": most}
    pages = dynamodb.get_paginator("query").paginate(
        TableName=table,
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues={":pk": {"S": pk}},
        ProjectionExpression="sk",
        **limit,
    )
    for page in pages:
        yield from (item["sk"]["S"] for item in page["Items"])
        if most is not None:
            return


def count(dynamodb: Any, table: str, list_pk: str) -> int:
    """How many pauses stand on a list; MOST of them at most."""
    asked = {"KeyConditionExpression": "wpk = :pk", "ExpressionAttributeValues": {":pk": {"S": list_pk}}}
    answer = dynamodb.query(TableName=table, IndexName="work", Select="COUNT", Limit=MOST, **asked)
    return int(answer["Count"])
