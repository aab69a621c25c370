"""What reviewers say, ask and give at the command line, and how an agent answers there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from placet.cli import __main__ as cli
from placet.cli import talking
from placet.client.errors import GatewayRefused
from placet.client.gateway import Gateway
from tests.cli.test_cli import Fake

AT = 1_795_968_000_000
ASKED = {"call": "abc-1", "question": 2, "group": "finance", "at": AT, "revision": 1, "text": "Which \x1b[2Jorder?"}
SAID = {"by": "Jonas \x1b[2J", "by_you": False, "at": AT, "text": "Call\nthem."}


def run(
    monkeypatch: pytest.MonkeyPatch, answer: dict[str, Any] | Exception, *arguments: str, typed: str = ""
) -> tuple[Result, Fake]:
    fake = Fake(answer)
    monkeypatch.setattr(talking, "reviewer", lambda url, token: fake)
    monkeypatch.setattr(talking, "Gateway", lambda url: Gateway(transport=fake))
    return CliRunner().invoke(cli.main, list(arguments), input=typed), fake


@pytest.mark.parametrize(
    ("arguments", "asked", "answer", "says"),
    [
        (
            ["comment", "abc", "Call them."],
            [("POST", "/v1/reviews/abc/comments", {"text": "Call them."})],
            {"pause": "abc", "comment": 3, "at": AT, "replayed": False},
            "It is comment 3 of abc.",
        ),
        (
            ["comments", "abc"],
            [("GET", "/v1/reviews/abc", None)],
            {"comments": [SAID]},
            "2026-11-29 16:00 UTC  Jonas [U+001B][2J: Call[U+000A]them.",
        ),
        (["comments", "abc"], [("GET", "/v1/reviews/abc", None)], {"comments": []}, "Nobody has said anything."),
        (
            ["extend", "abc-1", "--until", "2026-11-29T16:00", "--reason", "closed"],
            [("POST", "/v1/reviews/abc-1/extend", {"until_ms": AT, "reason": "closed"})],
            {"call": "abc-1", "deadline": AT, "extended_by": "Maria"},
            "abc-1 waits until 2026-11-29 16:00 UTC, by Maria.",
        ),
        (
            ["ask", "abc-1", "Why?", "--revision", "2"],
            [("POST", "/v1/reviews/abc-1/ask", {"text": "Why?", "revision": 2})],
            {"call": "abc-1", "question": 1, "asked_by": "Maria"},
            "It is question 1 about abc-1, asked by Maria.",
        ),
        (
            ["ask", "abc-2", "Why?"],
            [("GET", "/v1/reviews/abc", None), ("POST", "/v1/reviews/abc-2/ask", {"text": "Why?", "revision": 4})],
            {"calls": [{"call": "abc-2", "revision": 4}], "call": "abc-2", "question": 1, "asked_by": "Maria"},
            "It is question 1 about abc-2, asked by Maria.",
        ),
        (
            ["questions", "abc"],
            [("GET", "/v1/pauses/abc", None)],
            {"questions": [ASKED]},
            "abc-1 question 2, finance: Which [U+001B][2Jorder?",
        ),
        (["questions", "abc"], [("GET", "/v1/pauses/abc", None)], {"questions": []}, "Nothing is asked."),
        (
            ["answer", "abc-1", "2", "Order 1182."],
            [("POST", "/v1/pauses/abc/answer", {"call": "abc-1", "question": 2, "text": "Order 1182."})],
            {"call": "abc-1", "revision": 3},
            "abc-1 is revision 3 now.",
        ),
    ],
)
def test_each_command_asks_and_says(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], asked: list[Any], answer: dict[str, Any], says: str
) -> None:
    result, fake = run(monkeypatch, answer, *arguments)
    assert (result.exit_code, result.output, fake.asked) == (0, f"{says}\n", asked)
    result, _ = run(monkeypatch, answer, "--json", *arguments)
    assert (
        json.loads(result.output).items() >= {k: v for k, v in answer.items() if k in ("comments", "questions")}.items()
    )


def test_an_answer_takes_evidence_from_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    piece = {"title": "Terms", "source": "wiki", "trusted": False, "text": "30 days", "origin": "retrieved"}
    file = tmp_path / "evidence.json"
    file.write_text(json.dumps([piece]))
    words = ("answer", "abc-1", "2", "Yes.", "--evidence")
    for source, typed in ((str(file), ""), ("-", file.read_text())):
        result, fake = run(monkeypatch, {"call": "abc-1", "revision": 3}, *words, source, typed=typed)
        assert result.exit_code == 0
        assert fake.asked[0][2]["evidence"] == [piece]
    for typed in ("{", "{}", "[1]"):
        result, fake = run(monkeypatch, {}, *words, "-", typed=typed)
        assert (result.exit_code, fake.asked) == (2, [])


@pytest.mark.parametrize(
    "arguments", [["ask", "abc-9", "Why?"], ["answer", "abc-1", "0", "x"], ["extend", "abc-1", "--until", "soon"]]
)
def test_misuse_is_told(monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> None:
    result, fake = run(monkeypatch, {"calls": []}, *arguments)
    assert result.exit_code == 2
    assert not [one for one in fake.asked if one[0] == "POST"]


def test_a_refusal_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    late = GatewayRefused(409, "answer_too_late", "Nobody is asked about this call now.", {})
    result, _ = run(monkeypatch, late, "answer", "abc-1", "2", "Yes.")
    assert (result.exit_code, "answer_too_late" in result.output) == (1, True)
