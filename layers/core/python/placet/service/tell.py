"""tell: one event of the bus to one sink. It links to the page and decides nothing; who refuses for good is named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from placet.model.bus import VERSION
from placet.model.errors import Refused
from placet.model.sinks import Sink
from placet.records import writes
from placet.records.cards import read_card
from placet.records.mailboxes import read_refusal
from placet.service.loading import readable
from placet.service.ports import Ports, wired


def tell(ports: Ports, sinks: Sequence[Sink], name: str, detail: Mapping[str, Any]) -> str:
    """Tell a sink of an event.

    Returns:
        `told`; `refused`, which is marked and rings; or `gone`: a deploy took the sink away, or brought another contract.

    Raises:
        Busy: it may be told later.
    """
    sink = next((one for one in sinks if one.name == name), None)
    if sink is None or detail.get("version") != VERSION:
        return "gone"
    marked = ports.table.get(ports.keys.sink(sink.name))
    was = readable(ports, [marked] if marked else [], read_refusal)
    try:
        wired(ports.outlets).tell(sink, detail, _headline(ports, sink, str(detail["pause"])))
    except Refused as error:
        ports.table.write(writes.mark_sink(ports.keys, sink.name, str(error), ports.clock.now_ms()))
        ports.log("sink_refused", {"sink": sink.name, "code": error.code})
        return "refused"
    if any(was):
        ports.table.write(writes.mark_sink(ports.keys, sink.name, "", ports.clock.now_ms()))
    return "told"


def _headline(ports: Ports, sink: Sink, pause: str) -> str:
    """What the calls would do, for a sink that may be told: arguments are in it."""
    if not sink.headline:
        return ""
    item = ports.table.get(ports.keys.head(pause))
    cards = readable(ports, [item] if item else [], read_card)
    return cards[0].title if cards else ""
