"""find: what an operator looks up, in any state, by id, entity or run, newest first. Reads only."""

from __future__ import annotations

import itertools
from typing import Any

from placet.model.cursors import Place, cursor, place_in
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
    """One page of the pauses of a name, newest first; the pause of this id stands before them, so that no name hides it.

    Nothing is found under what no capture takes.

    Args:
        agent: whose runs and pauses; empty for those of every agent that the registry names or the table remembers.

    Raises Invalid `cursor_invalid`.
    """
    kind, before = place_in(after, NEW, OLD) if after else (NEW, None)
    if not 1 <= len(wanted) <= LONGEST_NAME or len(agent) > LONGEST_NAME or "#" in agent:
        return Page()
    named = wanted.partition("-")[0]
    itself = [] if after else _by_id(ports, named, agent)
    pauses = newest_first(ports, _name(ports, wanted, agent), before, old=kind == OLD)
    others = (one for one in pauses if one.place.pause != named)
    room = limit - len(itself)
    found = list(itertools.islice(others, room + 1))
    return Page([*itself, *map(row_of, found[:room])], _behind(found, room))


def _behind(found: list[Found], room: int) -> str:
    """The cursor of a page that has room for so many; of one that has none left, it is just before the first of the next."""
    if len(found) <= room:
        return ""
    last = found[max(room - 1, 0)]
    at_ms, pause = last.place
    return cursor(OLD if last.old else NEW, last.place if room else Place(at_ms + 1, pause))


def _name(ports: Ports, wanted: str, agent: str) -> Name:
    """A business thing, and the run of this name of each agent that there may be one of."""
    keys = ports.keys
    agents = [agent] if agent else [one.of for one in every_list(ports) if one.kind is Kind.OUT]
    partitions = [keys.entity(wanted), *(keys.run(one, wanted) for one in agents)]
    return Name(tuple(partitions), (keys.old_entity(wanted), keys.old_run(wanted)), agent)


def _by_id(ports: Ports, named: str, agent: str) -> list[dict[str, Any]]:
    """The pause of this id."""
    if not is_pause_id(named):
        return []
    item = ports.table.get(ports.keys.head(named))
    if item is None or (agent and item.get("agent") != agent):
        return []
    try:
        return [_of_head(head_in(item))]
    except Unreadable as error:
        return [_unread(named, error)]


def row_of(found: Found) -> dict[str, Any]:
    """A pause in a list of operators. A record that this release cannot read is shown as such, not hidden."""
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
                "observed": call.observed,
                "sampled": call.sampled,
            }
            for call in head.calls
        ],
    }
