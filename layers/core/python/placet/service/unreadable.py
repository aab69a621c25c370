"""What cannot be read is set aside: its pause is listed as stuck, once, by whoever meets it on its way; everything else goes on."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from placet.model.errors import PlacetError, Unreadable
from placet.records import writes
from placet.records.keys import SCHEMA_VERSION
from placet.records.ops import ConditionFailed, Item
from placet.service.ports import Ports


def list_unreadable(ports: Ports, pause: str, error: Unreadable) -> bool:
    """Put the pause whose record cannot be read onto the stuck list; returns whether it was put there now.

    It leaves the list that it stood on, so that no sweep meets it again, and an alarm rings once. `placet repair` puts it back.
    """
    item = ports.table.get(ports.keys.head(pause))
    if item is None or "stuck" in item or _has_ended(item):
        return False
    try:
        ports.table.write(writes.list_unreadable(ports.keys, item, error.reason, ports.clock.now_ms()))
    except ConditionFailed:
        return False  # a release that can read it got on with it, or another sweep was faster
    ports.log("stuck", {"pause": pause, "reason": error.reason, "code": error.code, "what": error.what})
    return True


def met(ports: Ports, error: Unreadable) -> None:
    """Whoever asked is told of the error in any case; that its pause is listed as well must not become another one."""
    if error.pause:
        with contextlib.suppress(PlacetError):
            list_unreadable(ports, error.pause, error)


@contextlib.contextmanager
def set_aside(ports: Ports, pause: str) -> Iterator[None]:
    """Work on a pause that ends early when a record that it needs cannot be read: the pause is listed, coming again is no use."""
    try:
        yield
    except Unreadable as error:
        list_unreadable(ports, pause, error)


def _has_ended(item: Item) -> bool:
    """A head of another release says only by its place whether it has ended."""
    return "wpk" not in item and item.get("schema_version") != SCHEMA_VERSION
