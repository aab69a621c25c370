"""An absence, read from its item."""

from __future__ import annotations

from placet.model.absences import Absence
from placet.records.ops import Item
from placet.records.reading import reads, typed


@reads("absence")
def read_absence(item: Item) -> Absence:
    """The absence in a stored item. Raises Parked, Damaged: then nobody stands in by it."""
    return typed(
        Absence(
            sub=item["sk"],
            name=item["name"],
            from_ms=item["from_ms"],
            until_ms=item["until_ms"],
            delegate=item.get("delegate", ""),
            delegate_name=item.get("delegate_name", ""),
            by=item["by"],
        )
    )
