"""The notification: a call waits. Says who asks for what class of action until when, and links to the page.

No argument of the call is in a mail, neither in the subject nor below: a mail is a copy that cannot be called back. The
subject is made of our own words, the time and the class; what an agent or person wrote stands below, in one line each, short,
hidden characters as codes, look-alikes in frames as on the pages (in plain text: with their codes), and so that no mail
program makes a link of it: the one address in a mail is ours.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from placet.web import marks, words
from placet.web.panels import EFFECT_WORDS
from placet.web.rendering import render
from placet.web.unanswered import ends

FRAMED = (marks.ALIKE, marks.TURNED)  # what a mail of markup shows in frames and plain text by its code
_LONGEST_NAME = 64
_LONGEST_SENTENCE = 160
_MOST_RULES = 3
_NAME = re.compile(r"[\w.-]{1,64}")
_SCHEME = re.compile(r"(\w):(?=//)|\b(mailto|tel|sms|callto|skype|data|file|javascript|ftp|https?):", re.IGNORECASE)
_DOT = re.compile(r"(?<=\w)([.\u3002])(?=\w)")
_NOW = {
    "reminded": "a reminder: nobody has decided so far",
    "handed": "a colleague hands it to you, or to your group",
    "widened": "you are asked as well: whoever was asked before has not decided",
}
_PATH = re.compile(r"\\(?=\\)")


@dataclass(frozen=True)
class MailFacts:
    """What a notification is made of; all text raw.

    Attributes:
        title_class: the class as the subject names it; empty: `action_class`.
        headline: the action sentence. It holds arguments, so no mail shows it until a class can allow that.
        tools: names of the tools of the calls that are open.
        calls: how many calls are open; 0: as many as tools.
        link: address of the pause's page.
        effect: the gravest effect of the calls, `never`, `hard` or `can`; empty: not said.
        now_ms, asked_ms: when the mail is made, when the agent asked; 0: not said.
        rules: sentences of the policy's rules that asked for a person; they are the policy's, and short.
        group: the group through which the reviewer is asked; empty: not said.
        why: `reminded` or `widened`; empty for the first mail about these calls.
        thens: what becomes of the open calls that nobody decides, each way once (`policy.Then`).
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
    calls: int = 0
    why: str = ""
    thens: tuple[str, ...] = ("expire",)
    rules: tuple[str, ...] = ()

    @property
    def several(self) -> int:
        """How many calls wait, 0 for a single one."""
        count = self.calls or len(self.tools)
        return count if count > 1 else 0


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
    what = f"{facts.several} calls wait" if facts.several else "A call waits"
    what = f"Reminder: {what[0].lower()}{what[1:]}" if facts.why == "reminded" else what
    name = marks.one_line(facts.title_class or facts.action_class).encode("ascii", "replace").decode()
    return f"{what} for your decision until {words.full(facts.deadline_ms)} ({name})"


def text(facts: MailFacts) -> str:
    """The plain form; says the same as the other, in the same order."""
    parts = _parts(facts, keep=())
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
    return render("mail.html", subject=subject(facts), link=facts.link, **_parts(facts, keep=FRAMED))


def _parts(facts: MailFacts, keep: tuple[str, ...]) -> dict[str, Any]:
    tools = ", ".join(_name(tool, keep) for tool in facts.tools) or "an unnamed tool"
    about = f" for {_words(facts.entity, keep)}" if facts.entity else ""
    what = f"{facts.several} calls ({tools})" if facts.several else f"A call of {tools}"
    return {
        "head": f"{what}{about} {'wait' if facts.several else 'waits'} for your decision",
        "effect": EFFECT_WORDS.get(facts.effect, ""),
        "rows": _rows(facts, keep),
        "to": marks.one_line(facts.reviewer_email, keep=keep),
        "group": marks.one_line(facts.group, keep=keep),
    }


def _rows(facts: MailFacts, keep: tuple[str, ...]) -> list[tuple[str, str]]:
    left = f", {words.span((facts.deadline_ms - facts.now_ms) // 1000)} from this mail" if facts.now_ms else ""
    who = f"by {_words(facts.agent, keep)}" + (f" for {_words(facts.requester, keep)}" if facts.requester else "")
    asked = f"{words.clock(facts.asked_ms)} UTC, " if facts.asked_ms else ""
    return [
        ("Decide until", f"{words.full(facts.deadline_ms)}{left}"),
        ("Then", f"{ends(facts.thens, 'each call' if facts.several else 'it')}. Nothing runs"),
        ("Asked", f"{asked}{who}"),
        ("Class", marks.one_line(facts.action_class, keep=keep)),
        *([("Now", _NOW[facts.why])] if facts.why in _NOW else []),
        *(("Because", _sentence(one, keep)) for one in facts.rules[:_MOST_RULES]),
    ]


def _sentence(rule: str, keep: tuple[str, ...]) -> str:
    """Why a rule stopped a call, in one line; what it may quote of an argument is kept short and makes no link."""
    short = rule if len(rule) <= _LONGEST_SENTENCE else f"{rule[: _LONGEST_SENTENCE - 1]}\u2026"
    return without_schemes(marks.one_line(short, keep=keep))


def _name(tool: str, keep: tuple[str, ...]) -> str:
    """A tool's name, if it looks like one."""
    return _words(tool, keep) if _NAME.fullmatch(tool) else "a tool whose name is not shown here"


def _words(text: str, keep: tuple[str, ...]) -> str:
    """What an agent wrote, short and with nothing that mail programs make a link of: `https[:]//evil[.]example`."""
    short = text if len(text) <= _LONGEST_NAME else f"{text[: _LONGEST_NAME - 1]}\u2026"
    return _PATH.sub("[\\\\]", _DOT.sub(r"[\1]", without_schemes(marks.one_line(short, keep=keep))))


def without_schemes(line: str) -> str:
    """A line in which no program finds an address that begins with its scheme: `https[:]//`."""
    return _SCHEME.sub(lambda found: f"{found[1] or found[2]}[:]", line)
