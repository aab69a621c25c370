"""The doctor's questions about who is told: reviewers whose address takes no mail, and sinks that refuse."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from infra.doctor_lists import KEYS, partition, table_of
from infra.findings import Clients, Finding
from infra.policy_file import deployed_policy
from infra.settings import Settings
from placet.records.keys import Key


def mailboxes(clients: Clients, settings: Settings) -> Iterator[Finding]:
    """dynamodb:Query, dynamodb:GetItem: is there a reviewer to whom mail came back?"""
    table = table_of(clients)
    if not table:
        yield Finding("ok", "mailboxes", "there is no table yet, so nobody was mailed")
        return
    dynamodb = clients("dynamodb")
    groups = {group for one in deployed_policy().classes.values() for step in one.levels for group in step.groups}
    people = {name.removeprefix("U#") for group in groups for name in partition(dynamodb, table, KEYS.group(group))}
    refused = 0
    for sub in sorted(people):
        item = _item(dynamodb, table, KEYS.mailbox(sub))
        if why := item.get("refused", ""):
            refused += 1
            sentence = f"mail_refused: {sub} at {item.get('address') or 'an unknown address'}: {why}"
            yield Finding("look", "mailboxes", sentence, "correct the address, then `placet reviewers accept-mail`")
    if not refused:
        yield Finding("ok", "mailboxes", f"mail came back from none of {len(people)} reviewers")


def sinks(clients: Clients, settings: Settings) -> Iterator[Finding]:
    """dynamodb:GetItem: does a sink of the settings refuse what it is told?"""
    table = table_of(clients)
    if not table or not settings.sinks:
        yield Finding("ok", "sinks", "no sink is told of anything" if not settings.sinks else "nothing was told yet")
        return
    for sink in settings.sinks:
        why = _item(clients("dynamodb"), table, KEYS.sink(sink.name)).get("refused", "")
        if why:
            yield Finding(
                "look", "sinks", f"{sink.name} refused the last message: {why}", "correct its secret or address"
            )
        else:
            yield Finding("ok", "sinks", f"{sink.name} refused nothing")


def _item(dynamodb: Any, table: str, key: Key) -> dict[str, str]:
    """The texts of an item; none when it is not there."""
    answer = dynamodb.get_item(TableName=table, Key={"pk": {"S": key.pk}, "sk": {"S": key.sk}})
    return {name: value["S"] for name, value in answer.get("Item", {}).items() if "S" in value}
