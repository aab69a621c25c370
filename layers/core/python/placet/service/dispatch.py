"""dispatch: every effect after a commit hangs off the table's stream. Idempotent: a record may come twice, late or out of order."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from placet.model.errors import NotFound
from placet.records import writes
from placet.records.heads import Head
from placet.records.marks import read_token
from placet.records.ops import ConditionFailed, Item
from placet.service.loading import head_of, readable
from placet.service.ports import Ports, wired
from placet.service.typical import learn


class Edge(StrEnum):
    """What a stream record can mean; the stream's filters (infra) let nothing else through."""

    CAPTURED = "captured"
    CLOSED = "closed"
    WAIT_LATE = "wait_late"
    CANCELLED = "cancelled"
    RELEASED = "released"


def edge_of(old: Item | None, new: Item | None) -> Edge | None:
    """The edge between two images of an item, or None. Edges, not levels: dispatch's own writes must not wake it again."""
    if new is None:
        return None
    if new.get("kind") == "TOKEN":
        return Edge.WAIT_LATE if "answer_now" in new and "answer_now" not in (old or {}) else None
    if new.get("kind") != "HEAD":
        return None
    if old is None:
        return Edge.CAPTURED if new.get("state", "open") == "open" else None
    if "cancelled" in new and "cancelled" not in old:
        return Edge.CANCELLED
    if new.get("open_calls") == 0 and old.get("open_calls") != 0:
        return Edge.CLOSED
    if "held_ms" in old and "held_ms" not in new:
        return Edge.RELEASED
    return None


def dispatch(ports: Ports, edge: Edge, pause: str, image: Item | None = None) -> None:
    """Do what the edge asks for. Raises Busy when a service is throttled: the stream brings the record again.

    Args:
        image: the head as the edge left it, which tells the moment of a decision.
    """
    try:
        head = head_of(ports, pause)
    except NotFound:
        return  # erased in the meantime: nothing waits for it
    _EFFECTS[edge](ports, head)
    if edge is Edge.CLOSED and image is not None:
        learn(ports, image)


def execution_name(head: Head) -> str:
    """Step Functions refuses a used name for 90 days, so the generation is part of it."""
    return f"{head.pause}-{head.gen}"


def start_wait(ports: Ports, head: Head) -> bool:
    """Start the execution that waits; False when this generation's has ended already.

    Its input is a function of the record alone, so that starting twice is starting once.
    """
    facts = {"tenant": ports.keys.tenant, "pause": head.pause, "gen": head.gen, "timeout_s": head.timeout_s}
    return wired(ports.waits).start(execution_name(head), facts)


def answer_wait(ports: Ports, head: Head) -> None:
    """Answer every token of a pause that is closed and not held; one that is not stored yet is answered when it is.

    Those of earlier generations too: their executions wait for nothing any more.
    """
    if head.open_calls or (head.held_ms and not head.cancelled):
        return
    _mend_index(ports, head)
    stored = ports.table.query(ports.keys.token(head.pause, head.gen).pk, "TOKEN#")
    for token in readable(ports, stored, read_token):
        wired(ports.waits).answer(token, {"pause": head.pause, "gen": head.gen})


def _closed(ports: Ports, head: Head) -> None:
    """Every call is decided: the run goes on, or is held as long as a decision may be taken back: then escalate sets the timer."""
    if head.held_ms and not head.open_calls and not head.cancelled:
        _look_at_moments(ports, head)
    else:
        answer_wait(ports, head)


def _released(ports: Ports, head: Head) -> None:
    """It is held no more: its time is over, or a decision was taken back, and then its timer stands at another moment."""
    if head.open_calls:
        _look_at_moments(ports, head)
    else:
        _closed(ports, head)


def _look_at_moments(ports: Ports, head: Head) -> None:
    wired(ports.verbs).call("escalate", {"tenant": ports.keys.tenant, "pause": head.pause})


def _mend_index(ports: Ports, head: Head) -> None:
    if head.wpk == ports.keys.out(head.agent) or head.state.value != "open":
        return
    try:
        ports.table.write(writes.mend_closed(ports.keys, head, ports.clock.now_ms()))
    except ConditionFailed:
        return  # resumed meanwhile


_EFFECTS: dict[Edge, Callable[[Ports, Head], object]] = {
    Edge.CAPTURED: start_wait,
    Edge.CLOSED: _closed,
    Edge.WAIT_LATE: answer_wait,
    Edge.CANCELLED: answer_wait,
    Edge.RELEASED: _released,
}
