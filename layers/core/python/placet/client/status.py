"""For the person who waits: where their request stands, as text, as a piece of a page, or as events for one's own stream.

Nothing here decides, names a person or links anywhere. The piece of a page needs no script; its texts are escaped.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, tzinfo
from html import escape
from typing import Any

from placet.client.gateway import Gateway
from placet.client.waiting import Pace
from placet.model.status import AskedBack, CallStatus, Standing, Status

SOON_S, LONGEST_S = 5.0, 60.0

# What `html` needs of a page that has no stylesheet of Placet's.
CSS = """\
.wait { display: grid; grid-template-columns: 1.5rem minmax(0, 1fr); gap: 0 .75rem; max-inline-size: 30rem; padding: 1rem;
  border: 1px solid; border-radius: .5rem; font: 1rem/1.45 system-ui, sans-serif; overflow-wrap: anywhere; }
.wait > svg { inline-size: 1.5rem; block-size: 1.5rem; }
.wait p { margin: 0; }
.wait .wait-h { font-weight: 600; }
"""


@dataclass(frozen=True)
class Waiting:
    """What to tell the person who waits for one pause.

    Attributes:
        status: everything that the gateway said.
    """

    status: Status

    @property
    def is_over(self) -> bool:
        """Whether nothing is expected to change any more."""
        return self.status.state.is_over

    def text(self, zone: tzinfo = UTC) -> str:
        """One line, with times in the zone of the person who waits."""
        return self.status.line(zone)

    def html(self, zone: tzinfo = UTC) -> str:
        """A piece of a page: an element of class `wait`, said once and politely by a screen reader when it changes."""
        kind, drawn = _SHAPES[self.status.state]
        said = "".join(f"<p>{escape(sentence)}</p>" for sentence in self.status.sentences(zone))
        title = escape(self.status.title)
        return (
            f'<div class="wait wait-{kind}" role="status" data-state="{self.status.state.value}">'
            f'<svg width="24" height="24" viewBox="0 0 20 20" aria-hidden="true" focusable="false">{drawn}</svg>'
            f'<div><p class="wait-h">{title}</p>{said}</div></div>'
        )

    def event(self, zone: tzinfo = UTC) -> str:
        """A server-sent event for one's own stream: `status`, with `state`, `over`, `text` and `html`."""
        told = {
            "state": self.status.state.value,
            "over": self.is_over,
            "text": self.text(zone),
            "html": self.html(zone),
        }
        return f"event: status\ndata: {json.dumps(told)}\n\n"


def waiting(pause: str, gateway: Gateway | None = None) -> Waiting:
    """Where a pause stands now. Raises as every method of Gateway."""
    return Waiting(read_status((gateway or Gateway()).status(pause)))


def watch(
    pause: str,
    gateway: Gateway | None = None,
    *,
    pace: Pace | None = None,
    sleep: Callable[[float], object] = time.sleep,
) -> Iterator[Waiting]:
    """What there is to tell, first at once and then whenever it has changed, until it is over."""
    gateway, pace = gateway or Gateway(), pace or Pace(soon_s=SOON_S, longest_s=LONGEST_S)
    told = ""
    while True:
        now = waiting(pause, gateway)
        if (text := now.text()) != told:
            told = text
            yield now
        if now.is_over:
            return
        sleep(pace.next_s())


def read_status(body: dict[str, Any]) -> Status:
    """The status in an answer of the gateway (docs/api.md)."""
    return Status(
        pause=body["pause"],
        calls=tuple(
            CallStatus(one["call"], Standing(one["state"]), one["at"] or 0, one["reason"] or "", tuple(one["changed"]))
            for one in body["calls"]
        ),
        on=tuple(body["on"]),
        asked_ms=body["asked_at"],
        typical_s=body["typical_s"] or 0,
        until_ms=body["until"] or 0,
        as_of_ms=body["as_of"],
        held_ms=body.get("held_until") or 0,
        widens=tuple(body.get("widens_to", ())),
        widens_ms=body.get("widens_at") or 0,
        asked_back=tuple(
            AskedBack(one["call"], one["by"], one["at"], one["text"] or "") for one in body.get("asked", ())
        ),
    )


_RING = '<circle cx="10" cy="10" r="8.6" fill="none" stroke="currentColor" stroke-width="1.6"/>'
_YES = f'{_RING}<path d="m5.8 10.2 3 3 5.4-6" fill="none" stroke="currentColor" stroke-width="1.8"/>'
_NO = f'{_RING}<path d="m6.7 6.7 6.6 6.6m0-6.6-6.6 6.6" stroke="currentColor" stroke-width="1.8"/>'
_CLOCK = f'{_RING}<path d="M10 4.8V10l3.6 2.4" fill="none" stroke="currentColor" stroke-width="1.8"/>'
_PEN = (
    '<path d="M3 17l1-4L14 3l3 3L7 16z" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linejoin="round"/>'
)
_HALF = f'{_RING}<path d="M10 1.400a8.600 8.600 0 0 0 0 17.200z" fill="currentColor"/>'
_BROKEN = (
    '<circle cx="10" cy="10" r="8.6" fill="none" stroke="currentColor" stroke-width="1.6" stroke-dasharray="3.4 2.6"/>'
)
# A no, time that ran out and an outcome that nobody knows differ in shape as in word.
_SHAPES = {
    Standing.WAITING: ("wait", _CLOCK),
    Standing.GOING_ON: ("wait", _CLOCK),
    Standing.DONE: ("fine", _YES),
    Standing.CHANGED: ("fine", _PEN),
    Standing.REJECTED: ("stop", _NO),
    Standing.FORBIDDEN: ("stop", _NO),
    Standing.EXPIRED: ("care", _BROKEN),
    Standing.WITHDRAWN: ("care", _BROKEN),
    Standing.FAILED: ("stop", _NO),
    Standing.NOT_RUN: ("care", _BROKEN),
    Standing.UNKNOWN: ("care", _HALF),
    Standing.SEVERAL: ("care", _HALF),
}
