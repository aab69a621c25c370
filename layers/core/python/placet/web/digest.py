"""The mail of what waits: how many calls wait for somebody, until when the next, and the inbox. Nothing of any call is in it."""

from __future__ import annotations

from dataclasses import dataclass

from placet.web import marks, words
from placet.web.mail import Mail
from placet.web.rendering import render


@dataclass(frozen=True)
class DigestFacts:
    """What it is made of; all text raw.

    Attributes:
        waiting: how many calls wait; `more`: there are others behind them.
        deadline_ms: of the most urgent one.
        link: address of the inbox.
    """

    to: str
    waiting: int
    more: bool
    deadline_ms: int
    link: str


def digest_of(facts: DigestFacts) -> Mail:
    """Subject and both forms."""
    parts = {"head": _head(facts), "until": words.full(facts.deadline_ms)}
    subject = f"{parts['head']}, the next until {parts['until']}"
    text = (
        f"{parts['head']}.\n\n  The next until   {parts['until']}\n\nYour inbox:\n{facts.link}\n\n"
        "You get one mail for all of them: no more than one in five minutes.\n\n--\n"
        f"This mail was sent to {marks.one_line(facts.to)}. Passed on, its link\n"
        "decides nothing. Opening the link decides nothing either.\n"
    )
    html = render("digest.html", subject=subject, link=facts.link, to=marks.mark_for_mail(facts.to), **parts)
    return Mail(subject, text, html)


def _head(facts: DigestFacts) -> str:
    many = f"More than {facts.waiting}" if facts.more else str(facts.waiting)
    return f"{many} calls wait for you" if facts.waiting != 1 or facts.more else "A call waits for you"
