"""Which work lists there are: those of today's policy and registry, and every one that was ever written to.

A deploy may take an agent or a class away while its pauses wait. They stand on lists that are named after it, so the lists are
remembered in the table before the first pause stands on one, and whoever has to see every pause asks here.
"""

from __future__ import annotations

from collections.abc import Iterable
from weakref import WeakKeyDictionary

from placet.policy.classes import ActionClass
from placet.records import writes
from placet.records.heads import Head
from placet.records.keys import SEVERAL
from placet.records.lists import WorkList, read_list
from placet.records.ops import Item
from placet.service.ports import Ports, Table

# What this process knows to be remembered: a warm capture neither reads nor writes the items.
_KNOWN: WeakKeyDictionary[Table, set[str]] = WeakKeyDictionary()


def queues_of(ports: Ports) -> list[str]:
    """The queues of every class and level of today's policy, and those of several classes at once."""
    classes = ports.policy.classes.values()
    own = [ports.keys.queue(one.name, level) for one in classes for level in range(len(one.levels))]
    return [*own, *(ports.keys.queue(SEVERAL, level) for level in range(levels_of(ports)))]


def levels_of(ports: Ports) -> int:
    """The most levels that a class has."""
    return max(len(one.levels) for one in ports.policy.classes.values())


def todays_lists(ports: Ports) -> list[str]:
    """Every list that today's policy and registry name."""
    outs = [ports.keys.out(agent.name) for agent in ports.registry.agents]
    return [ports.keys.new(), *queues_of(ports), *outs, ports.keys.stuck()]


def remember(ports: Ports, agent: str) -> None:
    """Remember today's lists and this agent's before a pause can stand on one of them."""
    names = {*todays_lists(ports), ports.keys.out(agent)}
    known = _KNOWN.setdefault(ports.table, set())
    if names <= known:
        return
    _add(ports, names, remembered(ports))
    known |= names


def remembered(ports: Ports) -> dict[str, Item]:
    """The remembered lists, by their key in the `work` index."""
    return {item["sk"]: item for item in ports.table.query(ports.keys.lists())}


def every_list(ports: Ports, stored: Iterable[str] | None = None) -> list[WorkList]:
    """Every list that a pause may stand on: today's first, then those that only the table remembers.

    Args:
        stored: keys of the remembered lists, when they were read already.
    """
    names = remembered(ports) if stored is None else stored
    found = []
    for name in dict.fromkeys([*todays_lists(ports), *sorted(names)]):
        try:
            found.append(read_list(name))
        except ValueError:
            ports.log("unreadable", {"what": "name of a work list", "list": name})
    return found


def remember_todays(ports: Ports, stored: dict[str, Item]) -> None:
    """What this release of policy and registry names is remembered within a minute of its deploy, before anything is captured."""
    _add(ports, set(todays_lists(ports)), stored)


def _add(ports: Ports, names: set[str], stored: dict[str, Item]) -> None:
    for name in sorted(names - stored.keys()):
        ports.table.write(writes.remember_list(ports.keys, name))


def is_todays(ports: Ports, work_list: WorkList) -> bool:
    """Whether today's policy or registry still names a list."""
    return work_list.pk in todays_lists(ports)


def last_level(ports: Ports, head: Head) -> int:
    """The level beyond which nobody of today's policy reads the pause; of one whose classes are gone, its own."""
    return max((len(one.levels) - 1 for one in classes_of(ports, head)), default=head.level)


def classes_of(ports: Ports, head: Head) -> list[ActionClass]:
    """The classes of a pause's open calls that today's policy knows; none: nobody has the right to decide it."""
    known = (ports.policy.classes.get(call.action_class) for call in head.pending)
    return [one for one in known if one is not None]
