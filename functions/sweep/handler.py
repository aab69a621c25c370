"""sweep: every minute, whatever is overdue."""

from typing import Any

from placet import wiring
from placet.service.sweep import sweep


def handler(event: dict[str, Any], context: object) -> dict[str, int]:
    """Entry."""
    wiring.begin(context)
    return vars(sweep(wiring.ports("waits", "verbs")))
