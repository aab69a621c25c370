"""The operators' command line: sentences, tables, JSON and exit codes; hostile text cannot move a terminal's cursor."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from click.testing import CliRunner, Result

from placet.cli import __main__ as cli
from placet.client.errors import ClientError, GatewayRefused, GatewayUnavailable
from placet.client.transport import Answer
from placet.web import visible_text

STUCK = {
    "pause": "abc",
    "reason": "permit_unknown",
    "means": "A worker claimed a call and never reported.",
    "repair": "placet settle abc-1 --done|--failed --evidence …",
    "since_ms": 1_795_968_000_000,
    "agent": "support-agent",
    "title": "Refund \x1b[2J[bold]240[/bold] for 1182",
    "unknown": ["abc-1"],
}
CALL = {"call": "abc-1", "tool": "issue_refund", "state": "accepted", "permit": "unknown"}
PAUSE = {
    "pause": "abc",
    "state": "closed",
    "stuck": "",
    "agent": "support-agent",
    "run": "thread-1",
    "captured_at": 1_795_968_000_000,
    "calls": [CALL],
}


REFUSED = {"status": 502, "code": "table_refused", "detail": "No right."}


@dataclass
class Fake:
    """Answers with what it was given; keeps what it was asked."""

    answer: dict[str, Any] | Exception
    asked: list[tuple[str, str, Any]] = field(default_factory=list)

    def send(self, method: str, path: str, body: str | None = None) -> Answer:
        self.asked.append((method, path, json.loads(body) if body else None))
        if isinstance(self.answer, Exception):
            raise self.answer
        return Answer(self.answer, 0)


def run(monkeypatch: pytest.MonkeyPatch, answer: dict[str, Any] | Exception, *arguments: str) -> tuple[Result, Fake]:
    fake = Fake(answer)
    monkeypatch.setattr(cli, "operations", lambda url: fake)
    return CliRunner().invoke(cli.main, list(arguments)), fake


def test_the_stuck_list_names_the_repair_and_shows_control_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    result, fake = run(monkeypatch, {"stuck": [STUCK]}, "stuck")
    assert result.exit_code == 0
    assert STUCK["repair"] in result.output
    assert "\x1b" not in result.output
    assert "[U+001B][2J[bold]240" in result.output
    assert fake.asked == [("GET", "/v1/operations/stuck", None)]


@pytest.mark.parametrize(
    "text",
    [
        "pay\U000e0100me",
        "pay\ufe00",
        "pay\u034f",
        "\u3164",
        "\u2800",
        "g\u05e1ogle.com",
        "\u0440aypal.com",
        "ls" + " " * 20,
    ],
)
def test_the_terminal_marks_what_the_pages_mark(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    shown = run(monkeypatch, {"stuck": [STUCK | {"title": text}]}, "stuck")[0].output
    assert text not in shown
    assert visible_text.one_line(text) in shown
    found = run(monkeypatch, {"pauses": [PAUSE | {"run": text}]}, "find", "x")[0].output
    assert text not in found
    assert "[U+" in "".join(found.split())
    exact = run(monkeypatch, {"stuck": [STUCK | {"title": text}]}, "--json", "stuck")[0].output
    assert json.loads(exact)["stuck"][0]["title"] == text
    refused = run(monkeypatch, GatewayRefused(409, "not_stuck", text), "repair", "abc")[0].output
    assert text not in refused


def test_nothing_stuck_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, {"stuck": []}, "stuck")[0].output == "Nothing is stuck.\n"


def test_every_command_has_json(monkeypatch: pytest.MonkeyPatch) -> None:
    result, _ = run(monkeypatch, {"stuck": [STUCK]}, "--json", "stuck")
    assert json.loads(result.output) == {"stuck": [STUCK]}


@pytest.mark.parametrize(
    ("arguments", "asked", "answer", "says"),
    [
        (
            ["find", "order:1182"],
            ("GET", "/v1/operations/find?of=order%3A1182", None),
            {"pauses": [PAUSE]},
            "issue_refund",
        ),
        (
            ["find", "a b&c", "--agent", "support-agent", "--limit", "7", "--after", "Zm9v"],
            ("GET", "/v1/operations/find?of=a%20b%26c&agent=support-agent&limit=7&after=Zm9v", None),
            {"pauses": [PAUSE], "more": True, "next": "YmFy"},
            "There are more: placet find 'a b&c' --agent support-agent --limit 7 --after YmFy",
        ),
        (
            ["find", "order:1182", "--after", "Zm9v"],
            ("GET", "/v1/operations/find?of=order%3A1182&after=Zm9v", None),
            {"pauses": [], "more": False, "next": ""},
            "No more pauses of 'order:1182'.",
        ),
        (
            ["stuck", "--limit", "1"],
            ("GET", "/v1/operations/stuck?limit=1", None),
            {"stuck": [STUCK], "more": True, "next": "YmFy"},
            "There are more: placet stuck --limit 1 --after YmFy",
        ),
        (
            ["samples", "--limit", "2"],
            ("GET", "/v1/operations/samples?limit=2", None),
            {"pauses": [PAUSE], "more": True, "next": "YmFy"},
            "There are more: placet samples --limit 2 --after YmFy",
        ),
        (
            ["repair", "abc"],
            ("POST", "/v1/operations/pauses/abc/repair", {}),
            {"pause": "abc", "did": "waits again"},
            "waits again",
        ),
        (
            ["reconcile", "abc-1", "--done", "--evidence", "statement 7"],
            ("POST", "/v1/operations/calls/abc-1/reconcile", {"permit": "done", "evidence": "statement 7"}),
            {"call": "abc-1", "permit": "done"},
            "abc-1 is done now",
        ),
        (
            ["freeze", "--reason", "restore"],
            ("POST", "/v1/operations/freeze", {"reason": "restore"}),
            {"frozen": True},
            "Held",
        ),
        (["thaw"], ("POST", "/v1/operations/thaw", {}), {"frozen": False, "entered": 2, "more": True}, "thaw again"),
    ],
)
def test_a_command_asks_one_route(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], asked: tuple, answer: dict, says: str
) -> None:
    result, fake = run(monkeypatch, answer, *arguments)
    assert (result.exit_code, fake.asked) == (0, [asked])
    assert says in result.output


@pytest.mark.parametrize(
    ("error", "code", "says"),
    [
        (GatewayRefused(409, "not_stuck", "This pause is not stuck.", {}), 1, "not_stuck"),
        (GatewayUnavailable("GET: 503"), 3, "every command is safe to repeat"),
        (GatewayUnavailable("no", 503, problem={"code": "busy", "detail": "Busy."}), 3, "Busy. (busy) Try again"),
        (GatewayUnavailable("no", 502, problem=REFUSED), 1, "No right. (table_refused). Somebody has to mend it"),
        (ClientError("There are no AWS credentials."), 2, "no AWS credentials"),
    ],
)
def test_errors_are_a_sentence_and_an_exit_code(
    monkeypatch: pytest.MonkeyPatch, error: Exception, code: int, says: str
) -> None:
    result, _ = run(monkeypatch, error, "repair", "abc")
    assert result.exit_code == code
    assert says in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    "arguments",
    [
        *([verb, "abc-1", *rest] for verb in ("reconcile", "settle") for rest in (["--evidence", "x"], ["--done"])),
        ["nonsense"],
        ["repair"],
    ],
)
def test_misuse_is_told_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> None:
    result, fake = run(monkeypatch, {}, *arguments)
    assert (result.exit_code, fake.asked) == (2, [])


def test_no_command_can_decide() -> None:
    assert set(cli.main.commands) == {
        "sign-in",
        *("stuck", "find", "samples", "repair", "reconcile", "settle", "undo", "freeze", "thaw"),
        *("people", "away", "back", "reviewers", "reassign"),
        *("comment", "comments", "extend", "ask", "questions", "answer"),
    }


class Settling(Fake):
    """Settles, and answers the repair with `answer`."""

    def send(self, method: str, path: str, body: str | None = None) -> Answer:
        if path.endswith("/reconcile"):
            self.asked.append((method, path, json.loads(body or "{}")))
            return Answer({"call": "abc-1", "permit": "done"}, 0)
        return super().send(method, path, body)


@pytest.mark.parametrize(
    ("repair", "code", "says", "left"),
    [
        ({"pause": "abc", "did": "is offered to its agent again"}, 0, "abc-1 is done now. abc is offered", []),
        (GatewayRefused(409, "not_stuck", "no", {}), 0, "abc-1 is done now. abc is not on the stuck list.", []),
        (GatewayRefused(409, "needs_reconcile", "", {"calls": ["abc-2"]}), 0, "settle abc-2 too", ["abc-2"]),
        (GatewayRefused(409, "agent_gone", "The agent is gone.", {}), 1, "agent_gone", None),
        (GatewayUnavailable("POST: 503"), 3, "does not answer", None),
    ],
)
def test_settling_a_call_sets_its_pause_going(
    monkeypatch: pytest.MonkeyPatch, repair: Any, code: int, says: str, left: list[str] | None
) -> None:
    words = ["settle", "abc-1", "--done", "--evidence", "statement 7"]
    for as_json in (False, True):
        fake = Settling(repair)
        monkeypatch.setattr(cli, "operations", lambda url, fake=fake: fake)
        result = CliRunner().invoke(cli.main, ["--json", *words] if as_json else words)
        assert result.exit_code == code
        assert fake.asked == [
            ("POST", "/v1/operations/calls/abc-1/reconcile", {"permit": "done", "evidence": "statement 7"}),
            ("POST", "/v1/operations/pauses/abc/repair", {}),
        ]
        if not as_json or left is None:
            assert says in result.output
        else:
            assert json.loads(result.output)["left"] == left
    if code == 1:
        assert "abc-1 is done now, and its pause is not repaired" in result.output


def test_find_shows_a_pause_that_nobody_can_read(monkeypatch: pytest.MonkeyPatch) -> None:
    unread = {"pause": "abc", "state": "parked", "stuck": "parked", "agent": "", "run": "", "calls": []}
    result, _ = run(monkeypatch, {"pauses": [unread], "more": False, "next": ""}, "find", "order:1182")
    assert result.exit_code == 0
    assert "abc" in result.output
    assert "not readable" in result.output


def test_settle_says_what_is_done_when_the_repair_is_not_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    class Half:
        def send(self, method: str, path: str, body: str | None = None) -> Answer:
            if path.endswith("repair"):
                raise GatewayUnavailable("no answer")
            return Answer({"call": "abc-1", "permit": "done"}, 0)

    monkeypatch.setattr(cli, "operations", lambda url: Half())
    result = CliRunner().invoke(cli.main, ["settle", "abc-1", "--done", "--evidence", "seen"])
    assert result.exit_code == 3
    assert "abc-1 is done now" in result.stderr
    assert "Nothing was changed" not in result.stderr


@pytest.mark.parametrize(("status", "code"), [(502, 1), (503, 3)])
def test_what_the_gateway_cannot_do_is_its_problem_document(
    monkeypatch: pytest.MonkeyPatch, status: int, code: int
) -> None:
    told = {**REFUSED, "status": status}
    result, _ = run(monkeypatch, GatewayUnavailable("x", status, problem=told), "--json", "undo", "abc", "1")
    assert (result.exit_code, json.loads(result.stdout), result.stderr) == (code, told, "")


@pytest.mark.parametrize(("replayed", "did"), [(False, "is proposed"), (True, "was proposed before")])
def test_undo_proposes_and_names_the_pause(monkeypatch: pytest.MonkeyPatch, replayed: bool, did: str) -> None:
    answer = {"call": "abc-2", "undo": "xyz", "tool": "cancel_\x1b[2Jrefund", "replayed": replayed}
    result, fake = run(monkeypatch, answer, "undo", "abc", "2")
    assert fake.asked == [("POST", "/v1/operations/calls/abc-2/undo", {})]
    assert f"{did}: pause xyz." in result.output
    assert "\x1b" not in result.output
    assert json.loads(run(monkeypatch, answer, "--json", "undo", "abc", "2")[0].output) == answer
    assert run(monkeypatch, answer, "undo", "abc", "0")[0].exit_code == 2
