"""tell: a rule of the bus asks for one sink to be told of one event, {sink, event}."""

from typing import Any

from placet import wiring
from placet.service.tell import tell


def handler(event: dict[str, Any], context: object) -> dict[str, str]:
    """Entry."""
    wiring.begin(context)
    result = tell(wiring.ports("outlets"), wiring.sinks(), event["sink"], event["event"])
    wiring.log("tell", {"sink": event["sink"], "event": event["event"].get("event", ""), "result": result})
    return {"result": result}
