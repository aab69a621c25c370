"""What was said and done about a pause beside its decisions, read from its events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from placet.model.events import EventName
from placet.model.pauses import Reviewer
from placet.model.states import CallState
from placet.records import writes
from placet.records.facts import Fact
from placet.records.heads import Head
from placet.service.happened import Comment, Earlier, Extension


def extensions_in(facts: Iterable[Fact]) -> tuple[Extension, ...]:
    """The extensions among the events of a pause, in the order of time."""
    told = sorted((one for one in facts if one.name == EventName.EXTENDED), key=lambda one: (one.at_ms, one.until_ms))
    return tuple(Extension(one.call, one.who, one.at_ms, one.before_ms, one.until_ms, one.reason) for one in told)


_EARLIER = (EventName.VOTED, EventName.DECIDED, EventName.RULED, EventName.UNDONE, EventName.REOPENED)


def earlier_in(head: Head, facts: Mapping[str, Fact]) -> tuple[Earlier, ...]:
    """Votes, decisions that do not stand any more and what became of them, in the order of time.

    Args:
        facts: the events of the pause by their sort keys.
    """
    standing = {f"E#{writes.decided_fact(call)}" for call in head.calls if call.state is not CallState.PENDING}
    told = [fact for name, fact in facts.items() if fact.name in _EARLIER and name not in standing]
    return tuple(
        Earlier(one.call, one.name, one.at_ms, one.who, one.verdict, one.reason)
        for one in sorted(told, key=lambda one: (one.at_ms, one.revision))
    )


def comments_in(facts: Iterable[Fact], reviewer: Reviewer) -> tuple[Comment, ...]:
    """The comments among the events of a pause, in the order of time, as this person sees them."""
    told = sorted((one for one in facts if one.name == EventName.COMMENTED), key=lambda one: one.at_ms)
    return tuple(Comment(one.by_name, one.by == reviewer.sub, one.at_ms, one.text) for one in told)
