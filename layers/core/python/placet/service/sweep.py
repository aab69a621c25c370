"""sweep: once a minute, whatever the work index shows as overdue is done again or listed. The net under every lost event."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from placet.model.errors import PlacetError
from placet.records import writes
from placet.records.heads import Head
from placet.records.ops import ConditionFailed
from placet.service.dispatch import start_wait
from placet.service.loading import head_of
from placet.service.ports import Ports, wired
from placet.service.resume import list_stuck

BATCH = 50
GRACE_MS = 90_000  # the timer has a minute's precision; only what is later than that is lost
PATIENCE_MS = 24 * 3_600_000  # a decided pause that its agent did not pick up for this long is listed


@dataclass
class Swept:
    """What one sweep asked for, by kind, and how many pauses failed again."""

    started: int = 0
    expired: int = 0
    resumed: int = 0
    listed: int = 0
    failed: int = 0


def sweep(ports: Ports) -> Swept:
    """Redo what is overdue. Each pause is judged on its own: one that fails does not hold the others up."""
    swept, now = Swept(), ports.clock.now_ms()
    _each(ports, swept, ports.keys.new(), now, _restart)
    for action_class in ports.policy.classes.values():
        for level in range(len(action_class.levels)):
            _each(ports, swept, ports.keys.queue(action_class.name, level), now - GRACE_MS, _expire)
    for agent in ports.registry.agents:
        _each(ports, swept, ports.keys.out(agent.name), now - GRACE_MS, _resume)
    ports.log("swept", vars(swept))
    return swept


def _each(
    ports: Ports, swept: Swept, list_pk: str, up_to: int, redo: Callable[[Ports, Swept, Head, int], None]
) -> None:
    for item in ports.table.work(list_pk, up_to=up_to, limit=BATCH):
        pause = item["pk"].rpartition("#")[2]
        try:
            head = head_of(ports, pause)
            if head.wpk == list_pk:  # the index may lag
                redo(ports, swept, head, item["wsk"])
        except PlacetError as error:
            swept.failed += 1
            ports.log("sweep_failed", {"pause": pause, "code": error.code})


def _restart(ports: Ports, swept: Swept, head: Head, since_ms: int) -> None:
    """The execution was never started, or it ended before anybody was told: then a new generation waits."""
    if not start_wait(ports, head):
        try:
            ports.table.write(writes.next_generation(ports.keys, head, ports.clock.now_ms()))
        except ConditionFailed:
            return  # it got on meanwhile
        start_wait(ports, head_of(ports, head.pause))
    swept.started += 1


def _expire(ports: Ports, swept: Swept, head: Head, since_ms: int) -> None:
    wired(ports.verbs).call("escalate", {"tenant": ports.keys.tenant, "pause": head.pause})
    swept.expired += 1


def _resume(ports: Ports, swept: Swept, head: Head, since_ms: int) -> None:
    agent = ports.registry.by_name(head.agent)
    if agent is not None and agent.target == "pick_up":
        if ports.clock.now_ms() - since_ms > PATIENCE_MS:
            list_stuck(ports, head.pause, "not_picked_up")
            swept.listed += 1
        return
    wired(ports.verbs).call("resume", {"tenant": ports.keys.tenant, "pause": head.pause, "gen": head.gen})
    swept.resumed += 1
