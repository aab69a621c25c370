"""The notification: a call waits. Says who asks for what class of action until when, and links to the page.

No argument of the call is in a mail, neither in the subject nor below: a mail is a copy that cannot be called back. The
subject is made of our own words, the time and the class; what an agent or person wrote stands below, in one line each, short,
hidden characters as codes, look-alikes in frames as on the pages (in plain text: with their codes), and so that no mail
program makes a link of it: the one address in a mail is ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from placet.web import phrases, visible_text
from placet.web.panels import EFFECT_WORDS
from placet.web.rendering import render
from placet.web.unanswered import ends

_LONGEST_NAME = 64
_LONGEST_SENTENCE = 160
_MOST_RULES = 3
_NAME = re.compile(r"[\w.-]{1,64}")
_SCHEME = re.compile(r"(\w):(?=//)|\b(mailto|tel|sms|callto|skype|data|file|javascript|ftp|https?):", re.IGNORECASE)
_DOT = re.compile(r"(?<=[\w>\]])([.\u3002])(?=[\w<])")  # beside a letter, or beside its frame or code
_NOW = {
    "reminded": "a reminder: nobody has decided so far",
    "answered": "the agent has answered a question about it: read it afresh, earlier votes do not count",
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
        group: for which the reviewer may decide, as its member or in a member's place; empty: not said.
        why: `reminded`, `widened`, `handed` or `answered`; empty for the first mail about these calls.
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


class Letter(NamedTuple):
    """A rendered mail to one reviewer."""

    subject: str
    text: str
    html: str


def mail_of(facts: MailFacts) -> Letter:
    """Subject and both forms of the notification."""
    return Letter(subject(facts), text(facts), html(facts))


def subject(facts: MailFacts) -> str:
    """Time and class, in one line of ASCII: nothing that an agent wrote, nothing that could start another header."""
    what = f"{facts.several} calls wait" if facts.several else "A call waits"
    what = f"Reminder: {what[0].lower()}{what[1:]}" if facts.why == "reminded" else what
    name = visible_text.one_line(facts.title_class or facts.action_class).encode("ascii", "replace").decode()
    return f"{what} for your decision until {phrases.full(facts.deadline_ms)} ({name})"


def text(facts: MailFacts) -> str:
    """The plain form; says the same as the other, in the same order."""
    parts = _Parts(facts, visible_text.one_line)
    rows = "\n".join(f"  {name:<15}  {value}" for name, value in parts.rows())
    effect = f"{parts.effect.upper()}.\n" if parts.effect else ""
    because = f"You get this mail because you may decide for {parts.group}.\n" if parts.group else ""
    return (
        f"{parts.head()}.\n{effect}\n{rows}\n\nRead the call and decide:\n{facts.link}\n\n"
        f"Amounts and other arguments are kept out of mails.\nYou see them after you sign in.\n\n--\n"
        f"This mail was sent to {parts.to}. Passed on, its link\n"
        f"decides nothing. Opening the link decides nothing either.\n{because}"
    )


def html(facts: MailFacts) -> str:
    """The form for mail programs: no picture, no remote style; its inline styles are for mail programs only."""
    parts = _Parts(facts, visible_text.mark_for_mail)
    shown = {"head": parts.head(), "effect": parts.effect, "rows": parts.rows(), "to": parts.to, "group": parts.group}
    return render("mail.html", subject=subject(facts), link=facts.link, **shown)


class _Parts:
    """What both forms say. Each text of others is marked by itself and as it was written; only then its links are broken.

    Args:
        show: makes a text visible, as a line of plain text or as markup.
    """

    def __init__(self, facts: MailFacts, show: Callable[[str], str]) -> None:
        self._facts, self._show = facts, show
        self.effect = EFFECT_WORDS.get(facts.effect, "")
        self.to, self.group = show(facts.reviewer_email), show(facts.group)

    def head(self) -> str:
        """Who waits, in one sentence without a full stop."""
        facts, several = self._facts, self._facts.several
        tools = self._joined(", ", [self._name(tool) for tool in facts.tools]) or "an unnamed tool"
        what = [f"{several} calls (", tools, ")"] if several else ["A call of ", tools]
        about = [" for ", self._words(facts.entity)] if facts.entity else []
        return self._joined("", [*what, *about, f" {'wait' if several else 'waits'} for your decision"])

    def rows(self) -> list[tuple[str, str]]:
        """Name and value of what a reader has to know before the link."""
        facts = self._facts
        left = f", {phrases.span((facts.deadline_ms - facts.now_ms) // 1000)} from this mail" if facts.now_ms else ""
        asked = f"{phrases.clock(facts.asked_ms)} UTC, " if facts.asked_ms else ""
        whom = [" for ", self._words(facts.requester)] if facts.requester else []
        return [
            ("Decide until", f"{phrases.full(facts.deadline_ms)}{left}"),
            ("Then", f"{ends(facts.thens, 'each call' if facts.several else 'it')}. Nothing runs"),
            ("Asked", self._joined("", [f"{asked}by ", self._words(facts.agent), *whom])),
            ("Class", self._show(facts.action_class)),
            *([("Now", _NOW[facts.why])] if facts.why in _NOW else []),
            *(("Because", self._sentence(one)) for one in facts.rules[:_MOST_RULES]),
        ]

    def _joined(self, between: str, parts: list[str]) -> str:
        """Our own words between texts of others, as what those are: plain, or markup."""
        return (Markup(between) if any(isinstance(part, Markup) for part in parts) else between).join(parts)  # noqa: S704

    def _sentence(self, rule: str) -> str:
        """Why a rule stopped a call; what it may quote of an argument is kept short and makes no link."""
        return _changed(without_schemes, self._show(_shortened(rule, _LONGEST_SENTENCE)))

    def _name(self, tool: str) -> str:
        """A tool's name, if it looks like one."""
        return self._words(tool) if _NAME.fullmatch(tool) else "a tool whose name is not shown here"

    def _words(self, text: str) -> str:
        return words_of(text, self._show)


def words_of(text: str, show: Callable[[str], str]) -> str:
    """What others wrote, short and with nothing that mail programs make a link of: `https[:]//evil[.]example`."""
    return _changed(_without_links, show(_shortened(text, _LONGEST_NAME)))


def without_schemes(line: str) -> str:
    """A line in which no program finds an address that begins with its scheme: `https[:]//`."""
    return _SCHEME.sub(lambda found: f"{found[1] or found[2]}[:]", line)


def _without_links(line: str) -> str:
    return _PATH.sub("[\\\\]", _DOT.sub(r"[\1]", without_schemes(line)))


def _shortened(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}\u2026"


def _changed(change: Callable[[str], str], shown: str) -> str:
    """Signs between letters are changed, no tag and no entity: what was markup still is."""
    changed = change(str(shown))
    return Markup(changed) if isinstance(shown, Markup) else changed  # noqa: S704 - escaped before, in `show`
