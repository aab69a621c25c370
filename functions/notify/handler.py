"""notify: the machine's task {tenant, pause, gen, token}, answered later; or the sweep asks for what is owed, {digest} too."""

from typing import Any

from placet import wiring
from placet.service.digests import send_digest
from placet.service.notify import mail_again, notify
from placet.service.unreadable import set_aside


def handler(event: dict[str, Any], context: object) -> None:
    """Entry."""
    wiring.begin(context)
    ports = wiring.ports("timers", "mail", "secrets")
    if person := event.get("digest"):
        wiring.log("digest", {"person": person, "sent": send_digest(ports, person)})
        return
    pause = event["pause"]
    with set_aside(ports, pause):
        if event.get("mail_again"):
            wiring.log("mailed_again", {"pause": pause, "missing": mail_again(ports, pause)})
            return
        notify(ports, pause, event["gen"], event["token"])
        wiring.log("notify", {"pause": pause})
