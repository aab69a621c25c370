"""resume: the state machine's last task, or the sweep; {tenant, pause, gen}. With `list` it puts the pause on the stuck list."""

from typing import Any

from placet import wiring
from placet.service.resume import list_stuck, resume
from placet.service.unreadable import set_aside


def handler(event: dict[str, Any], context: object) -> dict[str, str]:
    """Entry."""
    ports, pause = wiring.ports("agents", "bodies", "ids", "runtime", "executors"), event["pause"]
    result = "listed"
    with set_aside(ports, pause):
        if reason := event.get("list"):
            return {"result": "listed" if list_stuck(ports, pause, reason, event.get("gen")) else "went_on"}
        result = resume(ports, pause)
    wiring.log("resume", {"pause": pause, "result": result})
    return {"result": result}
