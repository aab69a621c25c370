"""Filter patterns of event source mappings, as AWS matches them.

MiniStack 1.5.33 lets ``exists: false`` match only beside fields that are there: a record without ``OldImage`` never matches
``{"OldImage": {"pk": {"S": [{"exists": false}]}}}``, which is how a new item is told from a changed one. It also lets
``anything-but`` match an absent field, and ``numeric`` the text in which DynamoDB writes a number.
"""

from __future__ import annotations

from typing import Any

from local.emulator.replacing import replace


def apply() -> None:
    import ministack.services.lambda_svc as lambdas

    replace(lambdas, "_match_esm_filter", matches)


def matches(record: Any, pattern: dict[str, Any]) -> bool:
    """Whether every path of the pattern matches; an absent branch has no fields."""
    fields = record if isinstance(record, dict) else {}
    return all(
        matches(fields.get(name), wanted)
        if isinstance(wanted, dict)
        else any(_leaf(entry, name in fields, fields.get(name)) for entry in wanted)
        for name, wanted in pattern.items()
    )


def _leaf(entry: Any, present: bool, value: Any) -> bool:
    if not isinstance(entry, dict):
        return present and bool(entry == value)
    if "exists" in entry:
        return bool(entry["exists"]) == present
    if "anything-but" in entry:
        banned = entry["anything-but"]
        return present and value not in (banned if isinstance(banned, list) else [banned])
    if isinstance(value, str) and "prefix" in entry:
        return value.startswith(entry["prefix"])
    if isinstance(value, str) and "suffix" in entry:
        return value.endswith(entry["suffix"])
    raise ValueError(f"a filter uses {sorted(entry)}, which the local mode does not know")
