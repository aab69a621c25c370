"""Reading a pause: its head, its body, and what is shown of a call."""

from __future__ import annotations

from typing import Any

from placet.model.errors import Lost, NotFound
from placet.records.bodies import Body, read_body, read_revision
from placet.records.heads import Head, HeadCall, read_head
from placet.service.ports import Ports


def head_of(ports: Ports, pause: str) -> Head:
    """The head of a pause. Raises NotFound."""
    item = ports.table.get(ports.keys.head(pause))
    if item is None:
        raise NotFound
    return read_head(item)


def call_of(head: Head, number: int) -> HeadCall:
    """One call of a pause. Raises NotFound."""
    call = head.call(number)
    if call is None:
        raise NotFound
    return call


def body_of(ports: Ports, head: Head) -> Body:
    """The immutable body of a pause. Raises Lost when it is gone: it is written before the head."""
    item = ports.table.get(ports.keys.body(head.pause, head.body))
    if item is None:
        raise Lost("body_lost", f"The body of pause {head.pause} is gone.")
    return read_body(item)


def arguments_of(ports: Ports, head: Head, body: Body, call: HeadCall) -> dict[str, Any]:
    """The exact arguments of the revision that the head names. Raises Lost when the revision is gone."""
    if call.rev == 1:
        return body.call(call.number).arguments
    item = ports.table.get(ports.keys.revision(head.pause, call.number, call.rev, call.digest))
    if item is None:
        raise Lost("revision_lost", f"Revision {call.rev} of call {call.number} of pause {head.pause} is gone.")
    return read_revision(item)
