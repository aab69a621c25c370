"""Rights that MiniStack 1.5.33 checks against the wrong resource, or whose conditions it does not know.

With these the functions' own policies decide here too: a schedule in its group, a mail from its identity through its
configuration set, and ``dynamodb:LeadingKeys``, which keeps each function on its own kinds of item.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

EQUALS = re.compile(r"([#\w.]+)\s*=\s*(:\w+)")
SEND_EMAIL = "/v2/email/outbound-emails"
_keys_of_items: ContextVar[Iterator[list[str]]] = ContextVar("keys of a transaction's items")


def apply() -> None:
    import ministack.app as app
    import ministack.core.iam_actions as actions
    import ministack.core.iam_evaluator as evaluator
    from ministack.core.responses import get_account_id, get_region

    def mail_arn(kind: str, name: str) -> str:
        return f"arn:aws:ses:{get_region()}:{get_account_id()}:{kind}/{name}"

    app.pin_request_origin = over_https(app.pin_request_origin)
    actions.extract_resource_arn = with_schedule_groups(actions.extract_resource_arn)
    app._enforce_ses_v2 = with_sender(app._enforce_ses_v2, app._enforce_data_plane, mail_arn)
    actions.dynamodb_service_context = with_leading_keys(actions.dynamodb_service_context, _partition_name)
    actions.dynamodb_transaction_checks = remembering_items(actions.dynamodb_transaction_checks, _partition_name)
    evaluator.enforce = per_item(evaluator.enforce)


def over_https(pin: Callable[[str, bool], None]) -> Callable[[str, bool], None]:
    """Plain HTTP on this machine stands for the HTTPS of AWS; policies that refuse plain HTTP are deployed as they are."""

    def run(client: str, _secure: bool) -> None:
        pin(client, True)

    return run


def with_schedule_groups(arn_of: Callable[..., str]) -> Callable[..., str]:
    """A right on ``schedule/<group>/*`` covers the schedules of that group; MiniStack takes all for the default group's."""

    def run(service: str, method: str, path: str, headers: Any, body: bytes, query: dict[str, Any], *where: str) -> str:
        arn = arn_of(service, method, path, headers, body, query, *where)
        if service != "scheduler" or ":schedule/default/" not in arn:
            return arn
        return arn.replace(":schedule/default/", f":schedule/{_group(body, query)}/")

    return run


def _group(body: bytes, query: dict[str, Any]) -> str:
    """Create and update name the group in the body, get and delete in the query."""
    named = query.get("groupName")
    if named:
        return str(named[0] if isinstance(named, list) else named)
    return str(_json(body).get("GroupName", "default"))


def with_sender(
    enforce: Callable[..., Any], on: Callable[..., Any], arn: Callable[[str, str], str]
) -> Callable[..., Any]:
    """SendEmail needs the right on the identity and on the configuration set, for this sender."""

    def run(method: str, path: str, headers: Any, body: bytes, query: Any, request_id: str) -> Any:
        if method != "POST" or path.rstrip("/") != SEND_EMAIL:
            return enforce(method, path, headers, body, query, request_id)
        request = _json(body)
        sender, configuration_set = request.get("FromEmailAddress", ""), request.get("ConfigurationSetName")
        resources = [arn("identity", sender)]
        if configuration_set:
            resources.append(arn("configuration-set", configuration_set))
        for resource in resources:
            denied = on(
                "sesv2", "ses:SendEmail", headers, query, request_id, resource_arn=resource,
                service_context={"ses:FromAddress": sender}, named_resource=resource,
            )  # fmt: skip
            if denied:
                return denied
        return None

    return run


def with_leading_keys(
    context_of: Callable[[bytes], dict[str, Any]], partition: Callable[[dict[str, Any]], str | None]
) -> Callable[[bytes], dict[str, Any]]:
    """A request for items, or a query, carries the partitions that it touches."""

    def run(body: bytes) -> dict[str, Any]:
        keys = [key for request in _single(_json(body)) for key in leading_keys(request, partition(request))]
        return context_of(body) | ({"dynamodb:LeadingKeys": keys} if keys else {})

    return run


def _single(request: dict[str, Any]) -> list[dict[str, Any]]:
    """A request as those for single items that it stands for: of a batch, one for each key that it reads or item that it writes."""
    if not isinstance(batch := request.get("RequestItems"), dict):
        return [request]
    return [{"TableName": table, **item} for table, asked in batch.items() for item in _items(asked)]


def _items(asked: Any) -> list[dict[str, Any]]:
    """Of one table: a batch that reads names keys, one that writes has a list of puts and deletes."""
    if isinstance(asked, dict):
        return [{"Key": key} for key in asked.get("Keys", ())]
    return [write for one in asked for write in one.values()]


def leading_keys(request: dict[str, Any], partition: str | None) -> list[str]:
    """The partition key values that a request names; none for requests without keys, like Scan."""
    if partition is None:
        return []
    item = request.get("Key") or request.get("Item")
    if isinstance(item, dict):
        return [str(value) for value in (item.get(partition) or {}).values()]
    names, values = request.get("ExpressionAttributeNames") or {}, request.get("ExpressionAttributeValues") or {}
    for name, value in EQUALS.findall(request.get("KeyConditionExpression") or ""):
        if names.get(name, name) == partition:
            return [str(one) for one in (values.get(value) or {}).values()]
    return []


def remembering_items(
    checks_of: Callable[..., list[tuple[str, str]]], partition: Callable[[dict[str, Any]], str | None]
) -> Callable[..., list[tuple[str, str]]]:
    """A transaction is checked item by item; remember each item's keys for its own check."""

    def run(action: str, body: bytes, region: str, account: str) -> list[tuple[str, str]]:
        checks = checks_of(action, body, region, account)
        if checks:
            items = [one for item in _json(body)["TransactItems"] for one in item.values()]
            _keys_of_items.set(iter([leading_keys(one, partition(one)) for one in items]))
        return checks

    return run


def per_item(enforce: Callable[..., Any]) -> Callable[..., Any]:
    """Give the check of a transaction's item that item's keys."""

    def run(*args: Any, service_context: dict[str, Any] | None = None, **kwargs: Any) -> Any:
        if service_context and "dynamodb:EnclosingOperation" in service_context:
            service_context = service_context | {"dynamodb:LeadingKeys": next(_keys_of_items.get())}
        return enforce(*args, service_context=service_context, **kwargs)

    return run


def _partition_name(request: dict[str, Any]) -> str | None:
    """The name of the partition key of the table, or of the index that a query goes to."""
    from ministack.services import dynamodb

    table = dynamodb._tables.get(str(request.get("TableName", "")).rsplit("/", 1)[-1])
    if not table:
        return None
    indexes = {one["IndexName"]: one for one in table.get("GlobalSecondaryIndexes", [])}
    schema = indexes.get(request.get("IndexName"), table)["KeySchema"]
    return next((str(one["AttributeName"]) for one in schema if one["KeyType"] == "HASH"), None)


def _json(body: bytes) -> dict[str, Any]:
    try:
        parsed = json.loads(body or b"{}")
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}
