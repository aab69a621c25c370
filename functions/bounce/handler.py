"""bounce: SES tells the account's bus of a mail that did not reach its reader."""

from typing import Any

from placet import wiring
from placet.service.bounces import bounce


def handler(event: dict[str, Any], context: object) -> dict[str, str]:
    """Entry."""
    wiring.begin(context)
    result = bounce(wiring.ports(), event.get("detail"))
    wiring.log("bounce", {"result": result})
    return {"result": result}
