"""review: what a reviewer sees. Reads only; GET never changes anything."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator
from typing import Any

from placet.adapters import adapter_of
from placet.model.canonical import digest as digest_of
from placet.model.canonical import exact_text
from placet.model.cursors import Place, cursor
from placet.model.errors import NotFound
from placet.model.events import EventName
from placet.model.pauses import Reviewer, call_id
from placet.model.people import is_comparable, is_same_person
from placet.model.states import CallState, PauseState
from placet.policy.evaluate import fixed_in, tool_of
from placet.policy.rules import Effect, Tool
from placet.records import writes
from placet.records.bodies import Body
from placet.records.cards import card_in, read_card
from placet.records.facts import NOTHING, Fact, read_fact
from placet.records.heads import Head, HeadCall
from placet.records.keys import SEVERAL
from placet.records.lists import place_of_entry
from placet.records.ops import Item
from placet.records.reading import reads, typed
from placet.service.editing import edited
from placet.service.headlines import headline, value_text
from placet.service.loading import arguments_of, body_of, call_of, head_of, in_order, readable
from placet.service.pages import place_behind
from placet.service.ports import Ports
from placet.service.rights import Right, find_right, head_for, standing_votes
from placet.service.views import CallView, Decided, Detail, EditPreview, Inbox, InboxRow
from placet.service.work_lists import levels_of

PAGE = 50
MOST_ENTRIES = 1_000  # looked at for one page


def inbox(ports: Ports, reviewer: Reviewer, limit: int = PAGE, after: str = "") -> Inbox:
    """One page of what waits for this person: whatever somebody has to do something about soonest, by its deadline.

    All queues are read as one, from the place of the last page on, so each page costs the same. Of entries that are not for this
    person, or cannot be shown, MOST_ENTRIES are passed; a page that ends there has fewer rows, and the next one goes on.

    Raises Invalid `cursor_invalid`.
    """
    place = place_behind("inbox", after)
    rows: dict[str, InboxRow] = {}
    more = False
    for looked, (item, level) in enumerate(_waiting(ports, reviewer, place)):
        if looked == MOST_ENTRIES:
            more = True
            break
        shown = readable(ports, [item] if _is_for(ports, reviewer, item, level) else [], _row)
        if shown and len(rows) == limit:
            more = True
            break
        rows |= {row.pause: row for row in shown}
        place = place_of_entry(item)
    ordered = sorted(rows.values(), key=lambda row: (row.deadline_ms, row.pause))
    return Inbox(tuple(ordered), cursor("inbox", place) if more and place else "", ports.clock.now_ms())


def _waiting(ports: Ports, reviewer: Reviewer, behind: Place | None) -> Iterator[tuple[Item, int | None]]:
    """Entries of every queue that may have something for this person, by moment; the level of those of several classes."""
    queues: list[tuple[str, int | None]] = []
    for action_class in ports.policy.classes.values():
        right = action_class.level_of(reviewer.groups)
        levels = range(right[0], len(action_class.levels)) if right else ()
        queues += [(ports.keys.queue(action_class.name, level), None) for level in levels]
    queues += [(ports.keys.queue(SEVERAL, level), level) for level in range(levels_of(ports))]
    return heapq.merge(
        *(zip(in_order(ports, queue, behind=behind), itertools.repeat(level)) for queue, level in queues),
        key=lambda entry: place_of_entry(entry[0]),
    )


def _is_for(ports: Ports, reviewer: Reviewer, item: Item, level: int | None) -> bool:
    """Whether an open call in the queue of several classes is for this person at its level; one's own queues are."""
    if level is None:
        return True
    classes = [name for card in readable(ports, [item], read_card) for name in card.classes]
    known = (ports.policy.classes.get(name) for name in classes)
    rights = (one.level_of(reviewer.groups) for one in known if one is not None)
    return any(right is not None and right[0] <= level for right in rights)


def detail(ports: Ports, reviewer: Reviewer, pause: str) -> Detail:
    """A pause with its calls. Raises NotFound when it is absent or no call of it is this person's to see."""
    head = head_for(ports, reviewer, pause)
    rights = {call.number: find_right(ports, reviewer, call) for call in head.calls}
    if not any(rights.values()):
        raise NotFound
    body = body_of(ports, head)
    told = ports.table.query(ports.keys.pause(pause), "E#")
    facts = dict(readable(ports, told, lambda item: (str(item["sk"]), read_fact(item))))
    now = ports.clock.now_ms()
    named = {"requester": head.requester, "owner": head.owner}
    return Detail(
        pause=pause,
        run=head.run,
        agent=head.agent,
        framework=head.framework,
        requester=head.requester,
        entity=body.entity,
        asked_ms=head.captured_ms,
        deadline_ms=head.deadline_ms,
        as_of_ms=now,
        state=head.state.value,
        calls=tuple(_call(ports, head, body, call, rights[call.number], reviewer, facts, now) for call in head.calls),
        evidence=body.evidence,
        says=body.says,
        policy_version=body.policy_version,
        not_compared=tuple(name for name, text in named.items() if text and not is_comparable(text)),
    )


def preview(ports: Ports, reviewer: Reviewer, pause: str, number: int, text: str, reason: str) -> EditPreview:
    """An edit as it would be decided. Changes nothing. Raises as `decide.edited`, and NotFound."""
    view = next((call for call in detail(ports, reviewer, pause).calls if call.number == number), None)
    if view is None:
        raise NotFound
    head = head_of(ports, pause)
    arguments = edited(ports, head, call_of(head, number), text)
    tool = tool_of(ports.policy, view.tool)
    return EditPreview(
        call=view,
        text=exact_text(arguments),
        digest=digest_of(arguments),
        headline=headline(tool, arguments),
        rows=_differences(view.arguments, arguments),
        reason=reason,
        type_to_accept=_typed(tool, arguments),
    )


def _call(
    ports: Ports,
    head: Head,
    body: Body,
    call: HeadCall,
    right: Right | None,
    reviewer: Reviewer,
    facts: dict[str, Fact],
    now: int,
) -> CallView:
    arguments = arguments_of(ports, head, body, call)
    tool = tool_of(ports.policy, call.tool)
    why_not = _why_not(head, call, right, reviewer, now)
    return CallView(
        call=call_id(head.pause, call.number),
        number=call.number,
        tool=call.tool,
        headline=headline(tool, arguments),
        effect=tool.effect,
        consequence=tool.consequence,
        action_class=call.action_class,
        arguments=arguments,
        text=exact_text(arguments),
        digest=call.digest,
        revision=call.rev,
        schema=body.call(call.number).schema,
        why=body.fired.get(call.number, ()),
        deadline_ms=call.deadline_ms,
        state=call.state.value,
        may_decide=not why_not,
        why_not=why_not,
        may_edit=not why_not and not call.unreadable and right is not None and right.action_class.may_edit,
        fixed=tuple(sorted({*tool.fixed, *fixed_in(tool, arguments)})),
        type_to_accept=_typed(tool, arguments),
        group=right.group if right else "",
        quorum=call.quorum,
        votes=len(standing_votes(ports, head, call) if call.state is CallState.PENDING else call.votes),
        decided=_decided(head, body, call, arguments, facts),
        unreadable=body.call(call.number).unreadable,
        notes=adapter_of(head.framework).notes(body.native, call.number),
    )


def _typed(tool: Tool, arguments: dict[str, Any]) -> tuple[str, str] | None:
    """What the reviewer types before accepting; friction only where it pays."""
    name = tool.type_to_accept
    if tool.effect is not Effect.NEVER or name not in arguments:
        return None
    return name, value_text(arguments[name])


def _why_not(head: Head, call: HeadCall, right: Right | None, reviewer: Reviewer, now: int) -> str:
    if call.state is not CallState.PENDING:
        return "It is decided already."
    if right is None:
        return "Another group decides this call."
    if right.level > call.level:
        return "It has not been widened to your group yet."
    if is_same_person(head.requester, reviewer.names):
        return "The agent says it acts for you, so somebody else has to decide."
    if is_same_person(head.owner, reviewer.names):
        return "You answer for this agent, so somebody else has to decide."
    if call.votes.get(reviewer.sub) == call.digest:
        return "You have agreed already; it needs another person."
    if call.deadline_ms <= now:
        return "The deadline has passed." if call.deadline_ms else "It is not in the queue yet."
    return ""


def _decided(
    head: Head, body: Body, call: HeadCall, arguments: dict[str, Any], facts: dict[str, Fact]
) -> Decided | None:
    if call.state is CallState.PENDING:
        return None
    fact = facts.get(f"E#{writes.decided_fact(call)}", NOTHING)
    expired = [one for one in facts.values() if one.name == "expired" and call.number in one.calls]
    at_ms = fact.at_ms if fact.name else expired[0].at_ms if expired else 0
    edit = call.state is CallState.EDITED
    return Decided(
        state=call.state.value,
        by=fact.by_name,
        at_ms=at_ms,
        reason=fact.reason,
        before=body.call(call.number).text if edit else "",
        after=exact_text(arguments) if edit else "",
        permit=call.permit.value,
        ended=head.state is PauseState.ENDED,
        successor=head.successor if call.state is CallState.SUPERSEDED else "",
        by_rule=fact.name == EventName.RULED,
    )


def _differences(before: dict[str, Any], after: dict[str, Any]) -> tuple[tuple[str, str, str, bool], ...]:
    rows = []
    for name in [*before, *(name for name in after if name not in before)]:
        old = value_text(before[name]) if name in before else ""
        new = value_text(after[name]) if name in after else ""
        same = name in before and name in after and exact_text(before[name]) == exact_text(after[name])
        rows.append((name, old, new, not same))
    return tuple(sorted(rows, key=lambda row: not row[3]))


@reads("entry of this pause")
def _row(item: Item) -> InboxRow:
    """One entry of the list as it is in the index; one that this release cannot show is left out, and the sweep lists it."""
    card = card_in(item)
    deadline_ms: int = item["deadline_ms"] if "deadline_ms" in item else item["wsk"]
    row = InboxRow(
        pause=item["pk"].rpartition("#")[2],
        title=card.title,
        tools=card.tools,
        entity=card.entity,
        classes=card.classes,
        why=card.why,
        requester=card.requester,
        agent=item["agent"],
        framework=card.framework,
        effect=Effect(card.effect),
        asked_ms=item["captured_ms"],
        deadline_ms=deadline_ms,
        open_calls=item["open_calls"],
    )
    return typed(row)
