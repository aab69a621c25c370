"""dispatch: the table's stream. From the first record that fails everything comes again, so only what may work later fails.

The shard waits meanwhile; what was done already is done twice without harm. A record that cannot be read is done once its pause is
listed: waiting would not make it readable.
"""

from typing import Any

from placet import wiring
from placet.aws.expressions import from_wire
from placet.model.faults import fault
from placet.service.dispatch import dispatch, edge_of
from placet.service.unreadable import set_aside


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Entry."""
    wiring.begin(context)
    failed = [record["dynamodb"]["SequenceNumber"] for record in event["Records"] if not _handled(record)]
    return {"batchItemFailures": [{"itemIdentifier": number} for number in failed]}


def _handled(record: dict[str, Any]) -> bool:
    change, pause = record["dynamodb"], ""
    try:
        old, new = (from_wire(change[image]) if change.get(image) else None for image in ("OldImage", "NewImage"))
        edge = edge_of(old, new)
        if edge is None or new is None:
            return True
        pause = str(new["pk"]).rpartition("#")[2]
        ports = wiring.ports("waits", "verbs")
        with set_aside(ports, pause):
            dispatch(ports, edge, pause, new)
    except Exception as error:
        wiring.log("failed", {"verb": "dispatch", "pause": pause, **fault(error)})
        return False
    wiring.log("dispatch", {"edge": edge.value, "pause": pause})
    return True
