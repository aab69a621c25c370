"""escalate: the pause's timer, or the sweep in its place; it gets {tenant, pause}."""

from typing import Any

from placet import wiring
from placet.service.escalate import escalate
from placet.service.unreadable import set_aside


def handler(event: dict[str, Any], context: object) -> dict[str, str]:
    """Entry."""
    wiring.begin(context)
    ports, pause = wiring.ports("timers", "verbs"), event["pause"]
    result = "listed"
    with set_aside(ports, pause):
        result = escalate(ports, pause)
    wiring.log("escalate", {"pause": pause, "result": result})
    return {"result": result}
