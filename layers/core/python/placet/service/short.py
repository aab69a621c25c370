"""What a sweep looks at on a list: what is due, and in a queue what nobody can decide any more, whenever it would be due."""

from __future__ import annotations

from placet.model.errors import Unreadable
from placet.policy.classes import ActionClass
from placet.policy.evaluate import tool_of
from placet.policy.rules import Policy
from placet.records.cards import read_card
from placet.records.lanes import moment_at
from placet.records.lists import Kind, WorkList
from placet.records.ops import Item
from placet.service.asking import Groups, count, there
from placet.service.ports import Ports
from placet.service.walks import Bound
from placet.service.work_lists import is_todays

# People at most who may not decide a pause whatever groups they are in: its requester and the owner of its agent; of a call that
# takes another one back also those of that one. Of one that takes such a call back there may be more: that its people are too few
# is seen when it becomes visible, and at its moments.
KEPT_OUT, KEPT_OUT_OF_UNDO = 2, 4


def bound(ports: Ports, groups: Groups, work_list: WorkList, now: int) -> Bound:
    """What is due; of queues also what nobody can decide, since a deploy or since somebody left, whenever it would be due."""
    if work_list.kind is not Kind.QUEUE:
        return Bound(now)
    if not is_todays(ports, work_list):
        return Bound(None)
    known = ports.policy.classes.get(work_list.of)  # none for a queue of several classes
    if known is not None:
        people = {one.sub: one for one in groups.members(known, work_list.level) if groups.away.of(one.sub) is None}
        if count(people) >= known.quorum + _most_kept_out(ports.policy, known):
            return Bound(now)
    return Bound(None, lambda entry: moment_at(entry["wsk"]) <= now or _is_short(ports, groups, entry, work_list.level))


def _most_kept_out(policy: Policy, known: ActionClass) -> int:
    """How many people at most may not decide a call of this class, whatever groups they are in."""
    undoes = (tool_of(policy, one.undo.tool) for one in policy.tools.values() if one.undo is not None)
    return KEPT_OUT_OF_UNDO if any(one.action_class == known.name for one in undoes) else KEPT_OUT


def _is_short(ports: Ports, groups: Groups, entry: Item, level: int) -> bool:
    """Whether the people of a class of this entry cannot decide it at a level, as far as the entry tells."""
    try:
        card = read_card(entry)
    except Unreadable:
        return True
    agent = ports.registry.by_name(entry["agent"])
    kept_out = (card.requester, *card.kept_out, agent.owner if agent else "")
    known = (ports.policy.classes.get(name) for name in card.classes)
    return any(one is None or count(there(groups, one, level, kept_out)) < one.quorum for one in known)
