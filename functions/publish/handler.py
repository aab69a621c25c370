"""publish: the table's stream, read beside dispatch. What happened goes onto the bus; what was not taken comes again."""

from typing import Any

from placet import wiring
from placet.aws.expressions import from_wire
from placet.model.errors import Busy
from placet.service.publish import Change, publish


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Entry."""
    wiring.begin(context)
    records = [record["dynamodb"] for record in event["Records"]]
    try:
        done = publish(wiring.ports("bus"), [_change(record) for record in records])
    except Busy as error:
        wiring.log("not_published", {"records": len(records), "code": error.code})
        done = [False] * len(records)
    failed = [record["SequenceNumber"] for record, one in zip(records, done, strict=True) if not one]
    wiring.log("publish", {"records": len(records), "failed": len(failed)})
    return {"batchItemFailures": [{"itemIdentifier": number} for number in failed]}


def _change(record: dict[str, Any]) -> Change:
    old, new = (from_wire(record[image]) if record.get(image) else None for image in ("OldImage", "NewImage"))
    return Change(old, new, int(1000 * float(record.get("ApproximateCreationDateTime", 0))))
