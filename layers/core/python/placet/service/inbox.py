"""inbox: what waits for a person, as the pages and the API list it. Reads only."""

from __future__ import annotations

from dataclasses import replace

from placet.model.cursors import LanesRead, lanes_cursor, lanes_in
from placet.model.errors import NotFound, Unreadable
from placet.model.pauses import Reviewer
from placet.model.people import is_anyone_of, is_same_person
from placet.policy.rules import Effect
from placet.records.cards import card_in, read_card
from placet.records.heads import Head
from placet.records.keys import SEVERAL
from placet.records.lanes import moment_at
from placet.records.ops import Item
from placet.records.reading import reads, typed
from placet.service.absences import reach
from placet.service.loading import head_of, readable
from placet.service.ports import Ports
from placet.service.queues import Entry, Queue, dealt, lanes_of
from placet.service.rights import Rights, standing_votes
from placet.service.standing import MAY_WAIT, OVER, for_you, hindrance, yours
from placet.service.views import Inbox, InboxRow
from placet.service.work_lists import levels_of

PAGE = 50
MOST_ENTRIES = 1_000  # looked at for one page


def inbox(ports: Ports, reviewer: Reviewer, limit: int = PAGE, after: str = "") -> Inbox:
    """One page of what waits for this person, in turns between agents; of each agent what is due soonest.

    Every agent of which something waits is on the first page, whatever another one has there (up to `limit`, and MOST_LANES, of
    them). Half of a page is dealt in turns, the other half goes to whatever somebody has to do something about soonest. Each page
    goes on in every lane where the last one ended, so it costs the same, and of what stays in its place nothing is shown twice or
    left out. Of entries that are not for this person, or cannot be shown, MOST_ENTRIES are passed; a page that ends there has
    fewer rows, and the next one goes on.

    Raises Invalid `cursor_invalid`.
    """
    read = lanes_in(after, "inbox") if after else LanesRead()
    groups = reach(ports, reviewer)
    rights = Rights(ports, reviewer)

    def row(entry: Entry) -> InboxRow | None:
        items = [entry.item] if _is_for(ports, groups, rights, entry.item, entry.level) else []
        return next(iter(readable(ports, items, _row)), None)

    lanes, looked_to = lanes_of(ports, _queues(ports, groups), read, limit, row, MOST_ENTRIES)
    rows = {one.pause: one for one in dealt(list(lanes.values()), limit)}
    left = {lane: one.place for lane, one in lanes.items() if one.next_place() is not None or not one.ended}
    more = lanes_cursor("inbox", LanesRead(left, looked_to)) if left or looked_to is not None else ""
    now = ports.clock.now_ms()
    ordered = sorted(rows.values(), key=lambda row: (row.deadline_ms, row.pause))
    return Inbox(tuple(_standing(ports, rights, reviewer, row, now) for row in ordered), more, now)


def _queues(ports: Ports, groups: frozenset[str]) -> list[Queue]:
    """Every queue that may have something for this person; of those for several classes it may have more."""
    queues: list[Queue] = []
    for action_class in ports.policy.classes.values():
        right = action_class.level_of(groups)
        levels = range(right[0], len(action_class.levels)) if right else ()
        queues += [Queue(ports.keys.queue(action_class.name, level), None) for level in levels]
    return queues + [Queue(ports.keys.queue(SEVERAL, level), level) for level in range(levels_of(ports))]


def _is_for(ports: Ports, groups: frozenset[str], rights: Rights, item: Item, level: int | None) -> bool:
    """Whether an open call in the queue of several classes is for this person at its level; one's own queues are. A call that was
    handed on stands in the queue of whom it was handed to, and is not for everybody there: its head says for whom."""
    cards = readable(ports, [item], read_card)
    if any(card.handed for card in cards) and not _is_reached(ports, rights, item):
        return False
    if level is None:
        return True
    classes = [name for card in cards for name in card.classes]
    known = (ports.policy.classes.get(name) for name in classes)
    levels = (one.level_of(groups) for one in known if one is not None)
    return any(found is not None and found[0] <= level for found in levels)


def _is_reached(ports: Ports, rights: Rights, item: Item) -> bool:
    """Whether this person may decide an open call of a pause by now, or it cannot be read, which is told elsewhere."""
    try:
        head = head_of(ports, item["pk"].rpartition("#")[2])
    except (NotFound, Unreadable):
        return True
    found = ((call, rights.of(head, call)) for call in head.pending)
    return any(right is not None and right.is_reached(call) for call, right in found)


def _standing(ports: Ports, rights: Rights, reviewer: Reviewer, row: InboxRow, now: int) -> InboxRow:
    """The row, with what stands against a decision of this person as far as an entry tells; the call's own page tells all of it.

    Until the timer has closed what is over, the entry still counts it: then the head says how many calls are open by the clock.
    """
    if row.deadline_ms <= now:
        row = replace(row, open_calls=_open_by_clock(ports, row, now))
        if not row.open_calls:
            return replace(row, why_not=OVER)
    agent = ports.registry.by_name(row.agent)
    if is_anyone_of((row.requester, *row.kept_out), reviewer.names):
        return replace(row, why_not=for_you())
    if agent is not None and is_same_person(agent.owner, reviewer.names):
        return replace(row, why_not=yours())
    if any(one.quorum > 1 for name in row.classes if (one := ports.policy.classes.get(name))):
        return replace(row, why_not=_agreed(ports, rights, reviewer, row, now))
    return row


def _agreed(ports: Ports, rights: Rights, reviewer: Reviewer, row: InboxRow, now: int) -> str:
    """Why nothing of a pause is left for somebody who has agreed to it; empty when something is. Votes stand on its head alone."""
    for head in heads_of(ports, row):
        found = [
            hindrance(head, call, rights.of(head, call), reviewer, standing_votes(ports, head, call), now)
            for call in head.pending
        ]
        if all(one is not None and one.code in MAY_WAIT for one in found):
            return next((one.says for one in found if one), "")
    return ""


def _open_by_clock(ports: Ports, row: InboxRow, now: int) -> int:
    if row.open_calls == 1:
        return 0
    return sum(call.deadline_ms > now for head in heads_of(ports, row) for call in head.pending)


def heads_of(ports: Ports, row: InboxRow) -> list[Head]:
    """The head of a row's pause; none when it is gone, or cannot be read, which is told elsewhere."""
    try:
        return readable(ports, [row.pause], lambda pause: head_of(ports, pause))
    except NotFound:
        return []


@reads("entry of this pause")
def _row(item: Item) -> InboxRow:
    """One entry of the list as it is in the index; one that this release cannot show is left out, and the sweep lists it."""
    card = card_in(item)
    deadline_ms: int = item["deadline_ms"] if "deadline_ms" in item else moment_at(item["wsk"])
    row = InboxRow(
        pause=item["pk"].rpartition("#")[2],
        title=card.title,
        tools=card.tools,
        entity=card.entity,
        classes=card.classes,
        why=card.why,
        requester=card.requester,
        kept_out=card.kept_out,
        question=card.question,
        agent=item["agent"],
        framework=card.framework,
        effect=Effect(card.effect),
        asked_ms=item["captured_ms"],
        deadline_ms=deadline_ms,
        open_calls=item["open_calls"],
        handed=card.handed,
    )
    return typed(row)
