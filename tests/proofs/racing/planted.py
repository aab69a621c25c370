"""Planted bugs, for the tests that see the proofs fail. They change the ports of the racing processes, never the product."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from placet.model.errors import Busy, Contended
from placet.records.ops import Op, Update
from placet.service.ports import Ports
from placet.service.timely import TRIES


class _Changed:
    """A table whose updates are changed on their way."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def write(self, ops: list[Op]) -> None:
        """Write the changed updates."""
        self._inner.write([_accepting(op) if isinstance(op, Update) else op for op in ops])


def silence_is_consent(ports: Ports) -> Ports:
    """Expiry accepts."""
    return replace(ports, table=_Changed(ports.table))


class _Stubborn:
    """A table that sends a write again as it was made, whatever the clock says by then."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def write(self, ops: list[Op]) -> None:
        """Write, tried again by itself."""
        for tried in range(TRIES):
            try:
                return self._inner.write(ops)
            except Contended as error:
                error.wait(tried)
        raise Busy


def clock_read_once(ports: Ports) -> Ports:
    """A decision carries the moment at which it was begun through every conflict."""
    return replace(ports, table=_Stubborn(ports.table))


def _accepting(op: Update) -> Update:
    changes: dict[Any, Any] = {}
    for path, value in op.set.items():
        if value == "expired":
            changes[path] = "accepted"
            changes[(*path[:-1], "permit")] = {"state": "free", "until_ms": 9_999_999_999_999}
        else:
            changes[path] = value
    return replace(op, set=changes)
