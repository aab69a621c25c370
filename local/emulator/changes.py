"""Change sets in which only outputs change.

MiniStack 1.5.33 compares resources only and calls such a change set empty; AWS makes and executes it, so that `cdk deploy` does not
leave the outputs as they were.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from local.emulator.replacing import replace


def apply() -> None:
    import ministack.services.cloudformation.changesets as changesets

    replace(changesets, "_resolve_props_for_diff", keeping_outputs(changesets._resolve_props_for_diff))
    replace(changesets, "_diff_resources", with_outputs(changesets._diff_resources))


class OutputsOnly(list[Any]):
    """No change of a resource, and yet something to do."""

    def __bool__(self) -> bool:
        return True


def keeping_outputs(resolved: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """A template as it is compared, with its outputs beside its resources."""
    return lambda template, *others: {**resolved(template, *others), "Outputs": template.get("Outputs") or {}}


def with_outputs(diff: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
    """The changes between two templates; none, but not nothing, when only outputs differ."""

    def run(old: dict[str, Any], new: dict[str, Any], *others: Any, **more: Any) -> list[Any]:
        changes = diff(old, new, *others, **more)
        return changes or ([] if old.get("Outputs") == new.get("Outputs") else OutputsOnly())

    return run
