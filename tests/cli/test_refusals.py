"""What the command line shows of a refusal, and of a name that cannot be one."""

from __future__ import annotations

import json
from typing import Any

import pytest
import urllib3
from click.testing import CliRunner, Result

from placet.cli import __main__ as cli
from placet.cli import reassign, talking
from placet.cli.directory import people
from placet.client import bearer
from placet.client.bearer import Bearer
from placet.client.errors import GatewayRefused
from placet.client.gateway import Gateway
from placet.model.errors import Invalid
from tests.cli.test_cli import Fake

AT = 1_795_968_000_000
EXTEND = ["extend", "abc-1", "--until", "2026-12-30", "--reason", "closed"]
REASSIGN = ["reassign", "abc-1", "--to", "nobody@example.com"]


def run(monkeypatch: pytest.MonkeyPatch, answer: dict[str, Any] | Exception, *arguments: str) -> tuple[Result, Fake]:
    fake = Fake(answer)
    monkeypatch.setattr(cli, "operations", lambda url: fake)
    monkeypatch.setattr(talking, "Gateway", lambda url: Gateway(transport=fake))
    for room in (talking, reassign):
        monkeypatch.setattr(room, "reviewer", lambda url, token: fake)
    return CliRunner().invoke(cli.main, list(arguments)), fake


@pytest.mark.parametrize(
    ("code", "detail", "members", "words", "says"),
    [
        (
            "deadline_beyond_maximum",
            "Too long.",
            {"latest_ms": AT},
            EXTEND,
            "Too long. (deadline_beyond_maximum; latest: 2026-11-29 16:00 UTC)",
        ),
        (
            "deadline_not_later",
            "Too soon.",
            {"deadline_ms": AT, "least_ms": 60_000},
            EXTEND,
            "Too soon. (deadline_not_later; deadline: 2026-11-29 16:00 UTC; least: 60 s)",
        ),
        (
            "reassign_unknown",
            "Nobody.",
            {"groups": ["finance", "approvers"]},
            REASSIGN,
            "Nobody. (reassign_unknown; groups: finance, approvers)",
        ),
        (
            "absence_too_long",
            "Long.",
            {"longest_ms": 31_622_400_000},
            EXTEND,
            "Long. (absence_too_long; longest: 366 days)",
        ),
        ("reassign_too_often", "Often.", {"limit": 20}, REASSIGN, "Often. (reassign_too_often; limit: 20)"),
        (
            "already_decided",
            "Over.",
            {
                "state": "accepted",
                "by_whom": {"name": "Lea", "in_place_of": None},
                "decided_at": AT,
                "observed": False,
            },
            EXTEND,
            "Over. (already_decided; state: accepted; by whom: name Lea; decided at: 2026-11-29 16:00 UTC; observed: no)",
        ),
        (
            "schema_invalid",
            "No.",
            {"problems": [{"at": "/a", "problem": "is\x1b odd"}, {"at": "", "problem": "b"}]},
            EXTEND,
            "No. (schema_invalid; problems: at /a, problem is[U+001B] odd, problem b)",
        ),
        ("needs_reconcile", "", {"calls": []}, ["repair", "abc"], "(needs_reconcile; calls: none)"),
    ],
)
def test_a_refusal_says_its_code_once_and_every_member(
    monkeypatch: pytest.MonkeyPatch, code: str, detail: str, members: dict[str, Any], words: list[str], says: str
) -> None:
    refused = GatewayRefused(409, code, detail, members)
    result, _ = run(monkeypatch, refused, *words)
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", f"placet: {says}\n")
    result, _ = run(monkeypatch, refused, "--json", *words)
    told = {"type": f"urn:placet:problem:{code}", "title": "Conflict", "status": 409, "detail": detail, "code": code}
    assert (result.exit_code, json.loads(result.stdout), result.stderr) == (1, {**told, **members}, "")


def test_a_refusal_of_the_table_is_a_problem_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses() -> None:
        raise Invalid("absence_too_long", "Too long.", longest_ms=86_400_000)

    monkeypatch.setattr(people, "tables", refuses)
    result = CliRunner().invoke(cli.main, ["people"])
    assert (result.exit_code, result.stderr) == (1, "placet: Too long. (absence_too_long; longest: 86400 s)\n")
    result = CliRunner().invoke(cli.main, ["--json", "people"])
    assert (result.exit_code, json.loads(result.stdout)["longest_ms"]) == (1, 86_400_000)
    assert json.loads(result.stdout)["status"] == 422


@pytest.mark.parametrize("typed", ["2026-02-30", "soon", "2026-12-04T25:00", "", "2026-12-04T17:00+01:00"])
def test_a_moment_that_is_none_is_told_how_one_is_written(typed: str) -> None:
    result = CliRunner().invoke(cli.main, ["extend", "abc-1", "--until", typed, "--reason", "x"])
    assert result.exit_code == 2
    assert f"{typed!r} is no moment that there is: write 2026-12-04 or 2026-12-04T17:00, in UTC" in result.stderr
    assert "%" not in result.stderr


def test_a_token_with_its_scheme_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLACET_TOKEN", "Bearer abc")
    result = CliRunner().invoke(cli.main, ["--url", "https://gateway.test", "comments", "abc"])
    assert (result.exit_code, result.stderr) == (
        2, "placet: PLACET_TOKEN holds the token alone, without 'Bearer' before it.\n",
    )  # fmt: skip


EVIDENCE = ["--done", "--evidence", "seen"]
OF_A_CALL = {
    "ask": ["x"],
    "answer": ["1", "x"],
    "extend": ["--until", "2026-12-30", "--reason", "x"],
    "reassign": ["--to", "a@example.com"],
    "reconcile": EVIDENCE,
    "settle": EVIDENCE,
}
OF_A_PAUSE = {"comment": ["x"], "comments": [], "questions": [], "repair": [], "undo": ["1"]}


def test_every_command_that_takes_one_is_here() -> None:
    taking: dict[str, set[str]] = {"call": set(), "pause": set()}
    for name, command in cli.main.commands.items():
        first = next((one for one in command.params if one.param_type_name == "argument"), None)
        taking.get(first.name or "" if first else "", set()).add(name)
    assert (taking["call"], taking["pause"]) == (set(OF_A_CALL), set(OF_A_PAUSE))


@pytest.mark.parametrize("wrong", ["abc", "abc-", "abc-0", "abc-100", "abc-x", "-1", "a/b-1", "", "abc-1\n", "../x-1"])
@pytest.mark.parametrize("verb", OF_A_CALL)
def test_what_names_no_call_is_told_before_anything_is_sent(
    monkeypatch: pytest.MonkeyPatch, verb: str, wrong: str
) -> None:
    result, fake = (
        run(monkeypatch, {}, verb, *OF_A_CALL[verb], "--", wrong)
        if wrong == "-1"
        else run(monkeypatch, {}, verb, wrong, *OF_A_CALL[verb])
    )
    assert (result.exit_code, fake.asked) == (2, [])
    if wrong == "abc":
        assert "a call is named <pause>-<number>, abc-1 for example" in result.stderr


@pytest.mark.parametrize("wrong", ["abc-1", "a/b", "a b", "", "abc-"])
@pytest.mark.parametrize("verb", OF_A_PAUSE)
def test_what_names_no_pause_is_told_before_anything_is_sent(
    monkeypatch: pytest.MonkeyPatch, verb: str, wrong: str
) -> None:
    result, fake = run(monkeypatch, {}, verb, wrong, *OF_A_PAUSE[verb])
    assert (result.exit_code, fake.asked) == (2, [])
    if wrong == "abc-1":
        assert "abc-1 is a call, its pause is abc." in result.stderr


@pytest.mark.parametrize(
    ("status", "says"),
    [
        (401, "one lasts 10 minutes. Take a new one"),
        (403, "an ID token is not taken. Take a new one"),
        (404, "look at"),
    ],
)
def test_who_sends_a_token_is_told_of_the_token_and_of_no_role(
    monkeypatch: pytest.MonkeyPatch, status: int, says: str
) -> None:
    answer = urllib3.HTTPResponse(body=b'{"message":"No"}', status=status)
    monkeypatch.setattr(Bearer, "_once", lambda *_: answer)
    with pytest.raises(GatewayRefused) as refused:
        bearer.reviewer("https://x.example", "a.b.c").send("GET", "/v1/reviews/abc")
    assert (refused.value.code, says in refused.value.detail) == (f"http_{status}", True)
    assert "role" not in refused.value.detail
    assert "https://x.example" in refused.value.detail


def test_help_says_as_whom_each_command_speaks() -> None:
    def helped(*words: str) -> str:
        return " ".join(CliRunner().invoke(cli.main, [*words, "--help"]).output.split())

    for verb in ("comment", "comments", "extend", "ask", "reassign"):
        assert f" {verb}," in helped() or f" {verb}:" in helped()
        assert "local token NAME" in helped(verb)
    for verb in ("questions", "answer"):
        assert "As the agent whose IAM role signs" in helped(verb)
    assert "as the reviewer of PLACET_TOKEN" in helped()
    assert "Operate a Placet gateway under your own IAM role" not in helped()
    missing = CliRunner().invoke(
        cli.main, ["--url", "https://x.example", "comment", "abc", "x"], env={"PLACET_TOKEN": ""}
    )
    assert (missing.exit_code, "local token NAME" in missing.stderr) == (2, True)
