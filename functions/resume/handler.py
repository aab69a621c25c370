"""resume: the state machine's last task, or the sweep; {tenant, pause, gen}. With `list`, the reason, an execution failed.

With `undo`, a call, `by` and `names` of who asks, it proposes the call that takes that one back: for decide and operate, which may
not capture.
"""

from typing import Any

from placet import wiring
from placet.service.lost_wait import lost_wait
from placet.service.resume import resume
from placet.service.unreadable import set_aside


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Entry."""
    wiring.begin(context)
    if "undo" in event:
        from placet.service.undo_calls import proposed

        return proposed(wiring.ports("ids", "bodies"), event["by"], event["undo"], event.get("names", ()))
    ports, pause = wiring.ports("agents", "bodies", "ids", "runtime", "executors"), event["pause"]
    result = "listed"
    with set_aside(ports, pause):
        if reason := event.get("list"):
            return {"result": lost_wait(ports, pause, reason, event.get("gen"))}
        result = resume(ports, pause)
    wiring.log("resume", {"pause": pause, "result": result})
    return {"result": result}
