"""How many pauses wait, and for whom: what a deploy leaves as it is."""

from __future__ import annotations

from collections.abc import Iterator

from infra.doctor_lists import KEYS, MOST, count, partition, table_of
from infra.findings import Clients, Finding
from infra.settings import Settings
from placet.records.lists import Kind, read_list

FOR = {
    Kind.QUEUE: "for people, in {of}",
    Kind.OUT: "decided, for {of}",
    Kind.NEW: "to be shown",
    Kind.STUCK: "on the stuck list",
}


def waiting(clients: Clients, settings: Settings) -> Iterator[Finding]:
    """dynamodb:Query: how many pauses wait, and for whom?"""
    if not (table := table_of(clients)):
        return
    dynamodb, found = clients("dynamodb"), dict[str, int]()
    for name in partition(dynamodb, table, KEYS.lists()):
        try:
            one = read_list(name)
        except ValueError:
            continue  # the question `lists` tells of it
        where = FOR[one.kind].format(of=one.of.rstrip(".") or "several classes")
        found[where] = found.get(where, 0) + count(dynamodb, table, one.pk)
    told = [f"{many if many < MOST else f'{MOST} or more'} {where}" for where, many in found.items() if many]
    yield Finding("ok", "waiting", f"what waits stays: {', '.join(told)}" if told else "nothing waits")
