"""How many pauses of one agent may wait for people in one class: an agent that floods has to wait, and costs nobody else a thing.

A counter per agent, one number per class, only ever grows with captures, and its bound is a condition of the write. A process
keeps a hundredth of the bound to itself before it writes: a single capture costs no write, and the bound may be passed by that
much for each process that captures at once. Nothing is written when a pause closes. Once the counter is at the bound, what is
really open is counted from the work lists, at most every ten seconds, and the counter is put to that. So room that closed pauses
left is found within ten seconds, and the bound may be passed by what was captured in the moment of a count: lists lag by about
a second.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from weakref import WeakKeyDictionary

from placet.model.errors import TooManyOpen
from placet.model.frameworks import OWN
from placet.records import writes
from placet.records.counts import NOTHING_COUNTED, Counted, read_counted
from placet.records.lanes import NO_LANE, lane_of
from placet.records.ops import ConditionFailed, Item
from placet.service.loading import entries_of, lane_in, readable
from placet.service.ports import Ports, Table
from placet.service.work_lists import queues_of

COUNT_AGAIN_MS = 10_000
MOST_ENTRIES = 10_000  # looked at for one count; what stands behind them is not counted
ATTEMPTS = 4

# What this process let through and has not counted yet, by agent and class.
_KEPT: WeakKeyDictionary[Table, Counter[tuple[str, str]]] = WeakKeyDictionary()


def admit(ports: Ports, agent: str, classes: Iterable[str]) -> None:
    """Count a new pause with open calls of these classes. Raises TooManyOpen when the agent has as many open as it may."""
    wanted = sorted(set(classes))
    mine = _KEPT.setdefault(ports.table, Counter())
    more = {name: 1 + mine[agent, name] for name in wanted}
    if all(number < max(1, ports.most_open // 100) for number in more.values()):
        mine.update((agent, name) for name in wanted)
        return
    for _ in range(ATTEMPTS):
        now = ports.clock.now_ms()
        try:
            ports.table.write(writes.count_open(ports.keys, agent, more, ports.most_open))
            for name in wanted:
                del mine[agent, name]
            return
        except ConditionFailed as lost:
            seen = _counted(ports, lost.old)
        left_ms = seen.counted_ms + COUNT_AGAIN_MS - now
        if seen.counted_ms and left_ms > 0:
            raise TooManyOpen(agent, ports.most_open, 1 + left_ms // 1000)
        found = _open(ports, agent, wanted)
        try:
            ports.table.write(writes.recount_open(ports.keys, agent, found, seen.counted_ms, now))
        except ConditionFailed:
            continue  # somebody else has counted
        if any(count >= ports.most_open for count in found.values()):
            raise TooManyOpen(agent, ports.most_open, COUNT_AGAIN_MS // 1000)
    raise TooManyOpen(agent, ports.most_open, COUNT_AGAIN_MS // 1000)


def _counted(ports: Ports, item: Item | None) -> Counted:
    return next(iter(readable(ports, [item] if item else [], read_counted)), NOTHING_COUNTED)


def _open(ports: Ports, agent: str, classes: list[str]) -> dict[str, int]:
    """How many pauses of this agent wait for people in these classes, as the lists say."""
    found, looked = dict.fromkeys(classes, 0), 0
    for entry in _of(ports, agent):
        looked += 1
        if looked > MOST_ENTRIES:
            return found
        if entry.get("agent") != agent or not entry.get("open_calls"):
            continue
        card = entry.get("card")
        if isinstance(card, dict) and card.get("framework") == OWN:
            continue  # a person proposed it
        named = card.get("classes", ()) if isinstance(card, dict) else ()
        for name in found.keys() & set(named if isinstance(named, list) else ()):
            found[name] += 1
    return found


def _of(ports: Ports, agent: str) -> Iterator[Item]:
    """Entries of every list on which this agent's open pauses may stand: of queues its own lane, and what has none."""
    yield from entries_of(ports, ports.keys.new())
    for queue in queues_of(ports):
        for lane in (NO_LANE, lane_of(agent)):
            yield from lane_in(ports, queue, lane)
    yield from entries_of(ports, ports.keys.stuck())
