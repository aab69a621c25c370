"""find: what an operator looks up, in any state, by entity, run or id, newest first. Reads only."""

from __future__ import annotations

import itertools
from typing import Any

from placet.model.cursors import cursor, place_in
from placet.model.errors import Unreadable
from placet.model.ids import is_pause_id
from placet.model.limits import LONGEST_NAME
from placet.model.pauses import call_id
from placet.records.heads import Head
from placet.records.lists import Kind
from placet.service.loading import head_in
from placet.service.names import Found, Name, newest_first
from placet.service.pages import Page
from placet.service.ports import Ports
from placet.service.work_lists import every_list

NEW, OLD = "find", "find-old"  # cursors: where the last pause of a page was found


def find(ports: Ports, wanted: str, agent: str = "", limit: int = 50, after: str = "") -> Page[dict[str, Any]]:
    """One page of the pauses of a name, newest first; by id when no page has any. Nothing is found under what no capture takes.

    Args:
        agent: whose runs and pauses; empty for those of every agent that the registry names or the table remembers.

    Raises Invalid `cursor_invalid`.
    """
    kind, before = place_in(after, NEW, OLD) if after else (NEW, None)
    if not 1 <= len(wanted) <= LONGEST_NAME or len(agent) > LONGEST_NAME or "#" in agent:
        return Page()
    pauses = newest_first(ports, _name(ports, wanted, agent), before, old=kind == OLD)
    found = list(itertools.islice(pauses, limit + 1))
    if not found and not after:
        return Page(_by_id(ports, wanted, agent))
    page = found[:limit]
    more = cursor(OLD if page[-1].old else NEW, page[-1].place) if len(found) > limit else ""
    return Page(map(_row, page), more)


def _name(ports: Ports, wanted: str, agent: str) -> Name:
    """A business thing, and the run of this name of each agent that there may be one of."""
    keys = ports.keys
    agents = [agent] if agent else [one.of for one in every_list(ports) if one.kind is Kind.OUT]
    partitions = [keys.entity(wanted), *(keys.run(one, wanted) for one in agents)]
    return Name(tuple(partitions), (keys.old_entity(wanted), keys.old_run(wanted)), agent)


def _by_id(ports: Ports, wanted: str, agent: str) -> list[dict[str, Any]]:
    """The pause of this id, or of this call."""
    named = wanted.partition("-")[0]
    if not is_pause_id(named):
        return []
    item = ports.table.get(ports.keys.head(named))
    if item is None or (agent and item.get("agent") != agent):
        return []
    try:
        return [_of_head(head_in(item))]
    except Unreadable as error:
        return [_unread(named, error)]


def _row(found: Found) -> dict[str, Any]:
    """A record that this release cannot read is shown as such, not hidden."""
    head = found.pause
    return _unread(found.place.pause, head) if isinstance(head, Unreadable) else _of_head(head)


def _unread(pause: str, error: Unreadable) -> dict[str, Any]:
    empty = dict.fromkeys(("agent", "run", "entity"), "") | {"captured_at": 0, "deadline": 0, "calls": []}
    return {"pause": pause, "state": error.reason, "title": error.detail, "stuck": error.reason, **empty}


def _of_head(head: Head) -> dict[str, Any]:
    return {
        "pause": head.pause,
        "state": head.state.value,
        "agent": head.agent,
        "run": head.run,
        "entity": head.card.entity,
        "title": head.card.title,
        "captured_at": head.captured_ms,
        "deadline": head.deadline_ms,
        "stuck": head.stuck,
        "calls": [
            {
                "call": call_id(head.pause, call.number),
                "tool": call.tool,
                "state": call.state.value,
                "permit": call.permit.value,
            }
            for call in head.calls
        ],
    }
