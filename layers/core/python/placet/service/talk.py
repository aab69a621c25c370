"""What was said and done about a pause beside its decisions, read from its events."""

from __future__ import annotations

from collections.abc import Iterable

from placet.model.events import EventName
from placet.model.pauses import Reviewer
from placet.records.facts import Fact
from placet.service.views import Comment, Extension


def extensions_in(facts: Iterable[Fact]) -> tuple[Extension, ...]:
    """The extensions among the events of a pause, in the order of time."""
    told = sorted((one for one in facts if one.name == EventName.EXTENDED), key=lambda one: (one.at_ms, one.until_ms))
    return tuple(Extension(one.call, one.who, one.at_ms, one.before_ms, one.until_ms, one.reason) for one in told)


def comments_in(facts: Iterable[Fact], reviewer: Reviewer) -> tuple[Comment, ...]:
    """The comments among the events of a pause, in the order of time, as this person sees them."""
    told = sorted((one for one in facts if one.name == EventName.COMMENTED), key=lambda one: one.at_ms)
    return tuple(Comment(one.by_name, one.by == reviewer.sub, one.at_ms, one.text) for one in told)
