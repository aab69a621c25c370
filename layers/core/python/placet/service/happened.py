"""What was said and done about a pause beside its decisions, as values: built by `talk` and `questions`, shown with the pause.

All text from an agent is raw here, as in `views`.
"""

from __future__ import annotations

from dataclasses import dataclass

from placet.model.acting import Acting
from placet.model.pauses import Evidence


@dataclass(frozen=True)
class Extension:
    """One call was given more time: by whom, when, and its deadline before and after."""

    call: int
    by: Acting
    at_ms: int
    before_ms: int
    until_ms: int
    reason: str


@dataclass(frozen=True)
class Earlier:
    """What happened to a call before the state that it is in, and did not last or was one of several.

    Attributes:
        what: `voted`, `decided`, `ruled`, `undone` or `reopened`.
        verdict: of a decision or vote: accept, edit or reject. reason: a person's own words, raw.
    """

    call: int
    what: str
    at_ms: int
    by: Acting
    verdict: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Comment:
    """What somebody who may see the pause said about it; by_you: whether it is who looks."""

    by: str
    by_you: bool
    at_ms: int
    text: str


@dataclass(frozen=True)
class Answered:
    """What the agent answered, and the revision that the call is by it."""

    at_ms: int
    revision: int
    text: str
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True)
class Question:
    """What somebody who may decide a call asked its agent; by_you: whether it is who looks.

    Attributes:
        call, number: which call, and which of its questions.
        revision: of the call, as they saw it.
        answer: None while there is none.
    """

    call: int
    number: int
    by: Acting
    by_you: bool
    at_ms: int
    revision: int
    text: str
    answer: Answered | None
