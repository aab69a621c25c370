"""Messages in chats: our own words and address where a chat parses, and whatever an agent wrote where it does not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from placet.model.bus import Kind
from placet.web import chat
from tests.web import made
from tests.web.test_hostile_text import CLASSES

LINK = "https://placet.example.com/reviews/k3vq7mzpk3vq7mzpk3vq7mzpk3"
CHAT = {
    **CLASSES,
    "mention": "<!channel> <@U024BE7LH> <!subteam^S1|@finance> @here",
    "slack link": "<https://evil.example|Open it in Placet>",
    "entities": "&lt;!channel&gt;",
    "markdown": "[Approve](https://evil.example) **now** _x_ `y` ~z~",
    "card mention": "<at>everyone</at>",
    "list": "- one\n- two\n# head\n> quote",
}
PARSED = ("mrkdwn", "TextBlock", "FactSet")


def told(hostile: str = "issue_refund", **changed: Any) -> dict[str, Any]:
    return {
        "event": "visible", "tools": [hostile], "agent": "support-agent", "classes": ["money-out"], "link": LINK,
        "deadline_ms": made.NOW + made.HOUR, **changed,
    }  # fmt: skip


def parts(value: Any) -> Iterator[dict[str, Any]]:
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from parts(inner)
    if isinstance(value, dict):
        yield value


def test_slack_word_for_word() -> None:
    message = chat.slack(told(), "")
    assert message["text"] == "Placet: A call waits for a decision."
    assert [one["text"] for one in message["blocks"][1]["fields"]] == [
        "Tools: issue_refund", "Agent: support-agent", "Class: money-out", "Decide until: Mon 30 Nov 2026, 15:46 UTC",
    ]  # fmt: skip
    assert message["blocks"][-1]["elements"] == [{"type": "mrkdwn", "text": f"<{LINK}|Open it in Placet>"}]
    assert (message["unfurl_links"], message["unfurl_media"]) == (False, False)


def test_teams_word_for_word() -> None:
    (attachment,) = chat.teams(told(), "Refund 240.50")["attachments"]
    runs = [one["inlines"][0]["text"] for one in attachment["content"]["body"]]
    assert runs == [
        "A call waits for a decision.", "Refund 240.50",
        "Tools: issue_refund", "Agent: support-agent", "Class: money-out", "Decide until: Mon 30 Nov 2026, 15:46 UTC",
    ]  # fmt: skip
    assert attachment["content"]["actions"] == [{"type": "Action.OpenUrl", "title": "Open it in Placet", "url": LINK}]


@pytest.mark.parametrize("hostile", CHAT.values(), ids=list(CHAT))
def test_slack_parses_nothing_that_an_agent_wrote(hostile: str) -> None:
    plain = chat.slack(told(), "")
    for message in (chat.slack(told(hostile), ""), chat.slack(told(), hostile)):
        parsed = [one for one in parts(message) if one.get("type") in PARSED]
        assert parsed == [one for one in parts(plain) if one.get("type") in PARSED]
        assert message["text"] == plain["text"]
        texts = [one["text"] for one in parts(message) if one.get("type") == "plain_text"]
        assert not any("<" in one or ">" in one or "://" in one for one in texts)
        assert all(character.isprintable() for one in texts for character in one)


@pytest.mark.parametrize("hostile", CHAT.values(), ids=list(CHAT))
def test_a_card_parses_nothing_that_an_agent_wrote(hostile: str) -> None:
    for message in (chat.teams(told(hostile), ""), chat.teams(told(), hostile)):
        body = message["attachments"][0]["content"]["body"]
        assert {one["type"] for one in body} == {"RichTextBlock"}
        assert {run["type"] for one in body for run in one["inlines"]} == {"TextRun"}
        assert not any("://" in run["text"] or "\n" in run["text"] for one in body for run in one["inlines"])


@pytest.mark.parametrize("link", ["javascript:alert(1)", "https://evil.example|Open> <!channel>", "", "http://x"])
def test_a_link_that_is_none_of_ours_is_left_out(link: str) -> None:
    assert "evil" not in json.dumps(chat.slack(told(link=link), ""))
    assert chat.teams(told(link=link), "")["attachments"][0]["content"]["actions"] == []


@pytest.mark.parametrize("kind", Kind)
def test_every_kind_has_its_words(kind: Kind) -> None:
    assert chat.sentence({"event": kind.value}) != chat.OTHER
    assert chat.slack({"event": kind.value}, "")["blocks"]


def test_a_message_is_as_long_as_its_limits() -> None:
    message = chat.slack(told("x" * 5_000), "y" * 5_000)
    assert max(len(one["text"]) for one in parts(message) if one.get("type") == "plain_text") <= 620


def test_no_button_decides() -> None:
    for message in (chat.slack(told(), ""), chat.teams(told(), "")):
        assert not {"button", "Action.Submit", "Action.Execute", "Action.Http"} & {
            one.get("type") for one in parts(message)
        }
