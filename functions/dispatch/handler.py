"""dispatch: the table's stream. One record that fails does not hold the others up; it alone comes again."""

from typing import Any

from placet import wiring
from placet.aws.expressions import from_wire
from placet.service.dispatch import dispatch, edge_of


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Entry."""
    failed = [record["dynamodb"]["SequenceNumber"] for record in event["Records"] if not _handled(record)]
    return {"batchItemFailures": [{"itemIdentifier": number} for number in failed]}


def _handled(record: dict[str, Any]) -> bool:
    change, pause = record["dynamodb"], ""
    try:
        old, new = (from_wire(change[image]) if change.get(image) else None for image in ("OldImage", "NewImage"))
        edge = edge_of(old, new)
        if edge is None or new is None:
            return True
        pause = new["pk"].rpartition("#")[2]
        dispatch(wiring.ports("waits"), edge, pause)
    except Exception as error:
        wiring.log("failed", {"verb": "dispatch", "pause": pause, "error": type(error).__name__, "exception": True})
        return False
    wiring.log("dispatch", {"edge": edge.value, "pause": pause})
    return True
