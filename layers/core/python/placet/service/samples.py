"""samples: what was let pass without a person and drawn for a look afterwards, newest first. Reads only, and changes no call."""

from __future__ import annotations

from typing import Any

from placet.service.find import row_of
from placet.service.names import Name, newest_first
from placet.service.pages import Page, page_of, place_behind
from placet.service.ports import Ports

KIND = "samples"


def samples(ports: Ports, limit: int = 50, after: str = "") -> Page[dict[str, Any]]:
    """One page of the pauses with a call that was drawn, of the last 90 days. Raises Invalid `cursor_invalid`."""
    name = Name((ports.keys.samples(),), ())
    found = newest_first(ports, name, place_behind(KIND, after))
    return page_of(KIND, ((one.place, row_of(one)) for one in found), limit)
