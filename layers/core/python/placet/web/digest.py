"""The mail of what waits: how many calls wait for somebody, until when the next, and the inbox. Nothing of any call is in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from markupsafe import Markup

from placet.web import phrases, visible_text
from placet.web.mail import Letter, words_of
from placet.web.rendering import render

_MOST_NAMES = 3  # of who handed something on


@dataclass(frozen=True)
class DigestFacts:
    """What it is made of; all text raw.

    Attributes:
        waiting: how many calls wait; `more`: there are others behind them.
        deadline_ms: of the most urgent one.
        link: address of the inbox.
        handed: how many of the calls were handed on to the reader, or to a group of theirs; handed_by: who did it.
    """

    to: str
    waiting: int
    more: bool
    deadline_ms: int
    link: str
    handed: int = 0
    handed_by: tuple[str, ...] = ()


def digest_of(facts: DigestFacts) -> Letter:
    """Subject and both forms."""
    parts = {"head": _head(facts), "until": phrases.full(facts.deadline_ms)}
    subject = f"{parts['head']}, the next until {parts['until']}"
    now = "".join(f"  Now              {told}\n" for told in _now(facts, visible_text.one_line))
    text = (
        f"{parts['head']}.\n\n  The next until   {parts['until']}\n{now}\nYour inbox:\n{facts.link}\n\n"
        "You get one mail for all of them: no more than one in five minutes.\n\n--\n"
        f"This mail was sent to {visible_text.one_line(facts.to)}. Passed on, its link\n"
        "decides nothing. Opening the link decides nothing either.\n"
    )
    shown = {"to": visible_text.mark_for_mail(facts.to), "now": _now(facts, visible_text.mark_for_mail)}
    html = render("digest.html", subject=subject, link=facts.link, **shown, **parts)
    return Letter(subject, text, html)


def _now(facts: DigestFacts, show: Callable[[str], str]) -> list[str]:
    """That calls were handed on to the reader, and by whom, as the mail of a single one says it; at most one sentence."""
    if not facts.handed:
        return []
    which = (
        "it is"
        if facts.waiting == 1 and not facts.more
        else f"{facts.handed} of them {'is' if facts.handed == 1 else 'are'}"
    )
    names = [words_of(name, show) for name in facts.handed_by[:_MOST_NAMES]]
    others = len(facts.handed_by) - len(names)
    by = Markup(", ").join(names) if any(isinstance(name, Markup) for name in names) else ", ".join(names)
    return [
        f"{which} handed to you, or to your group, by "
        + by
        + (f" and {phrases.many(others, 'other')}" if others else "")
    ]


def _head(facts: DigestFacts) -> str:
    many = f"More than {facts.waiting}" if facts.more else str(facts.waiting)
    return f"{many} calls wait for you" if facts.waiting != 1 or facts.more else "A call waits for you"
