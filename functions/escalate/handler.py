"""escalate: the pause's timer, or the sweep in its place; it gets {tenant, pause}."""

from typing import Any

from placet import wiring
from placet.service.escalate import escalate


def handler(event: dict[str, Any], context: object) -> dict[str, str]:
    """Entry."""
    result = escalate(wiring.ports("timers"), event["pause"])
    wiring.log("escalate", {"pause": event["pause"], "result": result})
    return {"result": result}
