"""Messages in chats: what happened, to which tools of which agent, until when, and a link to the page. Nothing in them decides.

Everything that an agent wrote stands where a chat parses nothing: Slack's `plain_text`, a text run of an Adaptive Card. What a chat
does parse is made of our own words and our own address. So `<!channel>`, a link that says another address, or Markdown stays text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from placet.web import phrases, visible_text
from placet.web.mail import without_schemes

LONGEST = 200  # characters of one value
LONGEST_HEADLINE = 600
SENTENCES = {
    "captured": "A run has paused.",
    "visible": "A call waits for a decision.",
    "voted": "One person has agreed; another one has to.",
    "decided": "A call is decided.",
    "undo_proposed": "It was proposed to take an executed call back.",
    "undone": "A decision was taken back in time: the call waits again.",
    "expired": "Nobody decided in time: nothing runs.",
    "ruled": "Nobody decided in time, and the rule of the class rejected it.",
    "reminded": "A call still waits for a decision.",
    "reassigned": "A call was handed on; more people may decide it now.",
    "widened": "More people may decide a call now.",
    "extended": "A call that waits has more time.",
    "asked": "An agent was asked about a call.",
    "answered": "An agent has answered a question about a call; earlier votes do not count.",
    "commented": "Somebody said something about a call.",
    "cancelled": "The run does not want this any more.",
    "claim_refused": "A worker asked to run a call and was refused.",
    "outcome": "A call has an outcome.",
    "reopened": "An approval got too old: the call waits again.",
    "reconciled": "An unknown outcome is settled.",
    "not_run": "A run went on without running an approved call.",
    "resumed": "The run went on.",
    "stuck": "A pause cannot go on by itself.",
    "released": "A pause that was stuck goes on.",
}
OTHER = "Something happened to a pause."
_WAITING = frozenset(
    {"visible", "reminded", "widened", "extended", "reassigned", "reopened", "undone", "voted", "asked", "answered"}
)
_SAID = (
    ("verdict", "Decision"),
    ("state", "Now"),
    ("permit", "Outcome"),
    ("reason", "Why"),
    ("why", "Why"),
    ("code", "Code"),
)


def sentence(detail: Mapping[str, Any]) -> str:
    """What happened, in our own words."""
    return SENTENCES.get(str(detail.get("event", "")), OTHER)


def facts(detail: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Label and value of what else is told, each in one line, short, with hidden characters as codes."""
    found = [
        ("Tools", ", ".join(map(str, detail.get("tools", ())))),
        ("Agent", str(detail.get("agent", ""))),
        ("Class", ", ".join(map(str, detail.get("classes", ())))),
        *((label, str(detail[name])) for name, label in _SAID if detail.get(name)),
    ]
    if detail.get("event") in _WAITING and detail.get("deadline_ms"):
        found.append(("Decide until", phrases.full(int(detail["deadline_ms"]))))
    return [(label, _short(value, LONGEST)) for label, value in found if value]


def slack(detail: Mapping[str, Any], headline: str) -> dict[str, Any]:
    """A message for an incoming webhook of Slack, in Block Kit."""
    said, link = sentence(detail), _address(detail)
    blocks: list[dict[str, Any]] = [{"type": "section", "text": _text(said)}]
    if headline:
        blocks.append({"type": "section", "text": _text(_short(headline, LONGEST_HEADLINE))})
    if rows := facts(detail):
        blocks.append({"type": "section", "fields": [_text(f"{label}: {value}") for label, value in rows[:10]]})
    if link:
        # The only text that Slack parses; our own address and words.
        blocks.append({"type": "context", "elements": [{"type": "mrkdwn", "text": f"<{link}|Open it in Placet>"}]})
    return {"text": f"Placet: {said}", "blocks": blocks, "unfurl_links": False, "unfurl_media": False}


def teams(detail: Mapping[str, Any], headline: str) -> dict[str, Any]:
    """A message for an incoming webhook of Teams (a workflow), as an Adaptive Card."""
    link = _address(detail)
    body = [_run(sentence(detail), bold=True)]
    if headline:
        body.append(_run(_short(headline, LONGEST_HEADLINE)))
    body += [_run(f"{label}: {value}") for label, value in facts(detail)]
    card: dict[str, Any] = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": body,
        "actions": [{"type": "Action.OpenUrl", "title": "Open it in Placet", "url": link}] if link else [],
    }
    attachment = {"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": None, "content": card}
    return {"type": "message", "attachments": [attachment]}


def _text(value: str) -> dict[str, Any]:
    """Text that Slack shows as it is. Its three control characters are written as it asks for, in every kind of text."""
    escaped = value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return {"type": "plain_text", "text": escaped, "emoji": False}


def _run(value: str, bold: bool = False) -> dict[str, Any]:
    """Text that a card shows as it is: a text block would read Markdown in it."""
    weight = {"weight": "Bolder"} if bold else {}
    return {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": value, **weight}]}


def _short(value: str, most: int) -> str:
    line = without_schemes(visible_text.one_line(value))
    return line if len(line) <= most else f"{line[: most - 1]}\u2026"


def _address(detail: Mapping[str, Any]) -> str:
    """The page's address, if it is one: it comes from the bus, where another could put an event one day."""
    link = str(detail.get("link", ""))
    return link if link.startswith("https://") and not set(link) & set("<>| ") else ""
