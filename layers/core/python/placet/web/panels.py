"""What a page needs for one call: the arguments as read, how it ended, and what stands in its forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from placet.model.canonical import exact_text
from placet.model.limits import MOST_COMMENTS
from placet.service.views import CallView, Detail
from placet.web import phrases, talk, typed, visible_text
from placet.web.arguments import Argument, arguments_of, exact_for_reading, findings, is_number, size
from placet.web.forms import Problem
from placet.web.outcomes import Ending, ending_of
from placet.web.visible_text import Counts

EFFECT_WORDS = {"never": "Cannot be undone", "hard": "Hard to undo", "can": "Can be undone"}
_IF_ACCEPTED = {
    "never": "If you accept, the agent runs it. It cannot be undone.",
    "hard": "If you accept, the agent runs it. It is hard to undo.",
    "can": "If you accept, the agent runs it. It can be undone.",
}
_FITS, _MOST_APART = 60, 3  # characters of a value in a line, and values
BESIDE = frozenset({"comment"})  # fields of the pause, and of no call
_OWN_FIELDS = ("reason", "own", "typed", "saw", "until", "why", "question")


@dataclass(frozen=True)
class Panel:
    """One call on a page.

    Attributes:
        n: the number of the call; every id of the panel ends in it.
        problems: field name -> what is wrong with it.
        kept: what was posted before and is put into the forms again.
        moments: the deadlines that it can be given, each with its words.
        apart: (argument, value) of what tells it from the other calls of its tool in the pause.
    """

    call: CallView
    n: int
    arguments: tuple[Argument, ...]
    found: Counts
    exact: str
    exact_size: str
    ending: Ending | None
    problems: Mapping[str, str]
    kept: Mapping[str, str]
    moments: Sequence[tuple[int, str]] = ()
    apart: tuple[tuple[str, str], ...] = ()

    @property
    def open(self) -> bool:
        """Whether the call still waits."""
        return self.ending is None

    @property
    def may_decide(self) -> bool:
        """Whether the page holds forms that decide."""
        return self.open and self.call.may_decide

    @property
    def fields(self) -> frozenset[str]:
        """The fields in which a person can write about it now, by the names of `typed.OF_CALL`."""
        there = {
            "own": self.may_decide,
            "typed": self.may_decide and self.call.type_to_accept is not None and not self.call.unreadable,
            "question": self.open and self.call.may_ask,
            "why": self.open and bool(self.moments),
        }
        return frozenset(name for name, is_there in there.items() if is_there)

    @property
    def consequence(self) -> str:
        """What accepting does, in the policy's words or in ours."""
        return self.call.consequence or _IF_ACCEPTED[self.call.effect]

    @property
    def marked(self) -> str:
        """`3 hidden characters and 1 look-alike`, empty without any."""
        return marked_words(self.found)

    @property
    def marked_total(self) -> str:
        """`the 4 marked characters`."""
        return marked_total(self.found)

    @property
    def can_change(self) -> tuple[str, ...]:
        """Names of the arguments that an edit may change."""
        return tuple(name for name in self.call.arguments if name not in self.call.fixed)

    @property
    def typed_is_number(self) -> bool:
        """Whether the value to type is a number."""
        return self.call.type_to_accept is not None and is_number(self.call.type_to_accept[1])

    @property
    def cannot_be_typed(self) -> bool:
        """Whether the value to type holds characters that no keyboard has."""
        return self.call.type_to_accept is not None and visible_text.counts(self.call.type_to_accept[1]).hidden > 0

    @property
    def quorum_words(self) -> str:
        """How many people it takes."""
        if self.call.quorum == 1:
            return "One decision is needed."
        votes = f"{self.call.votes} {'has' if self.call.votes == 1 else 'have'} so far"
        return f"{self.call.quorum} different people must accept; {votes}. One reject ends it."


def marked_total(found: Counts) -> str:
    """`the 4 marked characters`."""
    return f"the {found.total} marked characters" if found.total > 1 else "the marked character"


def marked_words(found: Counts) -> str:
    """`3 hidden characters and 1 look-alike`, empty for none."""
    said = [
        phrases.many(count, one)
        for count, one in (
            (found.hidden, "hidden character"),
            (found.alike, "look-alike"),
            (found.turned, "right-to-left letter"),
        )
        if count
    ]
    return " and ".join([", ".join(said[:-1]), said[-1]] if len(said) > 2 else said)


def panels_of(
    detail: Detail, problems: Sequence[str | Problem] = (), kept: Mapping[str, str] | None = None
) -> list[Panel]:
    """One panel per call. Problems belong to the call that `kept["call"]` names, or to the only one; each keeps its own fields."""
    posted = dict(kept or {})
    only = detail.calls[0].call if len(detail.calls) == 1 else ""
    meant = posted.pop("call", only)
    panels = [
        panel_of(
            call,
            detail.as_of_ms,
            problems if call.call == meant else (),
            typed.fields_of(posted, call.number, alone=call.call == meant),
        )
        for call in detail.calls
    ]
    return [replace(panel, apart=_apart(panel.call, detail)) for panel in panels]


def _apart(call: CallView, detail: Detail) -> tuple[tuple[str, str], ...]:
    """What tells a call from the other calls of its tool: the first arguments that differ, as far as they fit into a line."""
    beside = [one.arguments for one in detail.calls if one.tool == call.tool and one.number != call.number]
    if not beside:
        return ()
    found = []
    for name, value in call.arguments.items():
        text = exact_text(value)
        if any(name not in other or exact_text(other[name]) != text for other in beside):
            found.append((name, text if len(text) <= _FITS else f"{len(text):,} characters, above"))
    return tuple(found[:_MOST_APART]) or (("alike", "every argument is the same in both"),)


def panel_of(
    call: CallView, now_ms: int, problems: Sequence[str | Problem] = (), kept: Mapping[str, str] | None = None
) -> Panel:
    """The panel of one call."""
    read = arguments_of(call)
    found = findings(call, read)
    by_field = {item.field: item.text for item in problems if isinstance(item, Problem) and item.field}
    exact = exact_for_reading(call.text)
    return Panel(
        call,
        call.number,
        read,
        found,
        exact,
        size(call.text),
        ending_of(call, now_ms),
        by_field,
        _of_this_revision(call, kept or {}),
        talk.more_time(call, now_ms),
    )


def without_field(detail: Detail, panels: Sequence[Panel], kept: Mapping[str, str]) -> dict[str, str]:
    """What was typed and stands in no field of this page of a pause: its call is closed, or the form was of another page.

    Args:
        kept: as `panels_of` had it.
    """
    meant = next((panel for panel in panels if panel.call.call == kept.get("call", "")), panels[0])
    numbered = {str(panel.n): panel for panel in panels}
    found = {}
    for name, text in typed.texts(kept).items():
        field, number = typed.split(name)
        panel = numbered.get(number) if number else meant
        if field in BESIDE:
            stands = takes_comments(detail)
        else:
            stands = panel is not None and field in panel.fields and panel.kept.get(field) == text
        if not stands:
            found[name] = text
    return found


def takes_comments(detail: Detail) -> bool:
    """Whether its page has a field for a comment."""
    return len(detail.comments) < MOST_COMMENTS


def _of_this_revision(call: CallView, kept: Mapping[str, str]) -> dict[str, str]:
    """What is kept of a form: of a page that showed another revision no tick, and no value that was typed for it."""
    shown = (kept.get("revision", str(call.revision)), kept.get("digest", call.digest))
    if shown == (str(call.revision), call.digest):
        return dict(kept)
    return {name: value for name, value in kept.items() if name in ("reason", "own", "until", "why", "question")}


def links_of(
    problems: Sequence[str | Problem], panels: Sequence[Panel], kept: Mapping[str, str] | None
) -> list[tuple[str, str]]:
    """(anchor, text) of each problem for the list on top of a page with calls."""
    meant = (kept or {}).get("call", "")
    panel = next((item for item in panels if item.call.call == meant), panels[0])
    known = {*_OWN_FIELDS, *(f"read-{argument.number}" for argument in panel.arguments if argument.boxed)}
    found = []
    for item in problems:
        field, text = (item.field, item.text) if isinstance(item, Problem) else ("", item)
        if field in BESIDE:
            found.append((field, text))
            continue
        shown = panel.may_decide or (field in ("until", "why") and panel.call.latest_ms)
        shown = panel.open and panel.call.may_ask if field == "question" else shown
        found.append((f"{field if field in known and shown else 'call'}-{panel.n}", text))
    return found


def nearest(panels: Sequence[Panel]) -> int:
    """The first deadline of these calls; 0 when nobody is asked yet."""
    return min((panel.call.deadline_ms for panel in panels if panel.call.deadline_ms), default=0)
