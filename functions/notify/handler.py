"""notify: the state machine's task; it gets {tenant, pause, gen, token} and returns at once, the token is answered later."""

from typing import Any

from placet import wiring
from placet.service.notify import notify


def handler(event: dict[str, Any], context: object) -> None:
    """Entry."""
    notify(wiring.ports("timers", "mail"), event["pause"], event["gen"], event["token"])
    wiring.log("notify", {"pause": event["pause"]})
