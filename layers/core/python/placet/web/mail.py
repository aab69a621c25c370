"""The notification: a call waits. Says who asks for what class of action until when, and links to the page.

No argument of the call is in a mail, neither in the subject nor below: a mail is a copy that cannot be called back. The
subject is made of our own words, the time and the class; what an agent or person wrote stands below, in one line each,
with hidden characters as codes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from placet.web import marks, words
from placet.web.panels import EFFECT_WORDS
from placet.web.rendering import render


@dataclass(frozen=True)
class MailFacts:
    """What a notification is made of; all text raw.

    Attributes:
        title_class: the class as the subject names it; empty: `action_class`.
        headline: the action sentence. It holds arguments, so no mail shows it until a class can allow that.
        tools: names of the tools of the calls that are open.
        link: address of the pause's page.
        effect: the gravest effect of the calls, `never`, `hard` or `can`; empty: not said.
        now_ms, asked_ms: when the mail is made, when the agent asked; 0: not said.
        group: the group through which the reviewer is asked; empty: not said.
    """

    reviewer_name: str
    reviewer_email: str
    title_class: str
    headline: str
    tools: tuple[str, ...]
    agent: str
    requester: str
    entity: str
    deadline_ms: int
    link: str
    action_class: str
    effect: str = ""
    now_ms: int = 0
    asked_ms: int = 0
    group: str = ""


@dataclass(frozen=True)
class Mail:
    """A mail to one reviewer."""

    subject: str
    text: str
    html: str


def mail_of(facts: MailFacts) -> Mail:
    """Subject and both forms of the notification."""
    return Mail(subject(facts), text(facts), html(facts))


def subject(facts: MailFacts) -> str:
    """Time and class, in one line of ASCII: nothing that an agent wrote, nothing that could start another header."""
    what = "A call waits" if len(facts.tools) < 2 else f"{len(facts.tools)} calls wait"
    name = marks.one_line(facts.title_class or facts.action_class).encode("ascii", "replace").decode()
    return f"{what} for your decision until {words.full(facts.deadline_ms)} ({name})"


def text(facts: MailFacts) -> str:
    """The plain form; says the same as the other, in the same order."""
    parts = _parts(facts)
    rows = "\n".join(f"  {name:<15}  {value}" for name, value in parts["rows"])
    effect = f"{parts['effect'].upper()}.\n" if parts["effect"] else ""
    because = f"You get this mail because you are in {parts['group']}.\n" if parts["group"] else ""
    return (
        f"{parts['head']}.\n{effect}\n{rows}\n\nRead the call and decide:\n{facts.link}\n\n"
        f"Amounts and other arguments are kept out of mails.\nYou see them after you sign in.\n\n--\n"
        f"This mail was sent to {parts['to']}. Passed on, its link\n"
        f"decides nothing. Opening the link decides nothing either.\n{because}"
    )


def html(facts: MailFacts) -> str:
    """The form for mail programs: no picture, no remote style; its inline styles are for mail programs only."""
    return render("mail.html", subject=subject(facts), link=facts.link, **_parts(facts))


def _parts(facts: MailFacts) -> dict[str, Any]:
    tools = ", ".join(marks.one_line(tool) for tool in facts.tools) or "an unnamed tool"
    about = f" for {marks.one_line(facts.entity)}" if facts.entity else ""
    waits = "waits" if len(facts.tools) < 2 else "wait"
    what = f"A call of {tools}" if len(facts.tools) < 2 else f"{len(facts.tools)} calls ({tools})"
    return {
        "head": f"{what}{about} {waits} for your decision",
        "effect": EFFECT_WORDS.get(facts.effect, ""),
        "rows": _rows(facts),
        "to": marks.one_line(facts.reviewer_email),
        "group": marks.one_line(facts.group),
    }


def _rows(facts: MailFacts) -> list[tuple[str, str]]:
    left = f", {words.span((facts.deadline_ms - facts.now_ms) // 1000)} from this mail" if facts.now_ms else ""
    who = f"by {marks.one_line(facts.agent)}" + (f" for {marks.one_line(facts.requester)}" if facts.requester else "")
    asked = f"{words.clock(facts.asked_ms)} UTC, " if facts.asked_ms else ""
    return [
        ("Decide until", f"{words.full(facts.deadline_ms)}{left}"),
        ("Then", "it expires. Nothing runs"),
        ("Asked", f"{asked}{who}"),
        ("Class", marks.one_line(facts.action_class)),
    ]
