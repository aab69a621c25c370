"""docs/people.md and docs/deploy.md: their commands run, one after the other."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from placet.cli import __main__ as cli
from placet.cli.directory import installation, people
from placet.client.errors import ClientError as NotSaid
from placet.records import writes
from placet.service import members
from placet.service.absences import absences
from tests.cli.pool import user_pool
from tests.docs.reading import ROOT, blocks
from tests.gateway import Gateway

SEES_NOTHING = "They are in no group: whoever signs in as them sees nothing. --account disables the account."
COMMANDS = {
    page: [
        line for text in blocks(ROOT / "docs" / page, "sh") for line in text.splitlines() if line.startswith("placet ")
    ]
    for page in ("people.md", "deploy.md")
}


@pytest.fixture
def gateway(monkeypatch: pytest.MonkeyPatch) -> Gateway:
    made = Gateway()
    monkeypatch.setattr(people, "tables", lambda: made.ports)
    return made


def run(line: str) -> str:
    words: list[Any] = [word.replace("$SUB", "m-2") for word in shlex.split(line)[1:]]
    result = CliRunner().invoke(cli.main, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return str(result.output)


def test_the_commands_say_what_the_page_says(gateway: Gateway) -> None:
    said = [run(line) for line in COMMANDS["people.md"]]
    assert [line.split()[1] for line in COMMANDS["people.md"]] == [
        "people", "away", "back", "reviewers", "reviewers", "reviewers", "reviewers",
    ]  # fmt: skip
    assert "finance" in said[0]
    assert "Nobody is away." in said[0]
    assert said[1] == "Jonas Weber is away until 2026-12-04 17:00 UTC; Maria Keller decides in their place.\n"
    assert said[2] == "Jonas Weber is back.\n"
    assert (said[3], said[4]) == (
        "Ingrid Solberg is in finance.\n",
        f"Ingrid Solberg is not in finance any more. {SEES_NOTHING}\n",
    )
    assert "Ingrid" not in said[5]
    assert said[6] == "Mail to Jonas Weber was not refused.\n"
    assert absences(gateway.ports).of("jonas") is None


def test_the_commands_of_the_deploy_page_enter_reviewers(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pool = user_pool(monkeypatch)[1]
    monkeypatch.chdir(tmp_path)
    (table,) = blocks(ROOT / "docs/deploy.md", "csv")
    (tmp_path / "people.csv").write_text(table.replace("maria@", "mary@"))
    said = [run(line.replace("maria@", "mary@").replace("jonas@", "jo@")) for line in COMMANDS["deploy.md"]]
    assert said[0].startswith("Maria Keller is in finance and approvers. The user pool mails their user name")
    assert "invited" in said[2]
    assert "Nothing was done. 1 would be invited." in said[3]
    assert "2 are entered, 1 of them invited." in said[4]
    assert said[5].startswith("Jonas Weber is not in finance any more. They are in no group")
    assert said[6] == "jo@example.com was in no group any more. Their account is disabled.\n"
    mary, elif_ = pool.of("mary@example.com"), pool.of("elif@example.com")
    assert members.reviewer(gateway.ports, mary.sub).groups == {"finance", "approvers"}
    assert members.reviewer(gateway.ports, elif_.sub).groups == {"approvers"}
    assert not pool.of("jo@example.com").enabled


def test_whose_mail_is_refused_is_listed_until_it_is_accepted(gateway: Gateway) -> None:
    gateway.table.write(writes.refuse_mail(gateway.keys, "jonas", "bounced", "j@example.com", 7))
    said = run("placet reviewers list")
    assert "refused" in said
    assert "bounced" in said
    listed = json.loads(run("placet --json reviewers list"))["mail_refused"]
    assert listed == [
        {"sub": "jonas", "name": "Jonas Weber", "address": "j@example.com", "reason": "bounced", "since_ms": 7}
    ]
    (line,) = (line for line in COMMANDS["people.md"] if "accept-mail" in line)
    assert json.loads(run(line.replace("placet", "placet --json", 1))) == {
        "sub": "jonas", "name": "Jonas Weber", "was_refused": True,
    }  # fmt: skip
    assert json.loads(run("placet --json reviewers list"))["mail_refused"] == []
    assert gateway.log[-1] == ("mail_accepted", {"by": gateway.log[-1][1]["by"], "person": "jonas"})


def test_remove_says_who_brings_them_back(gateway: Gateway) -> None:
    gateway.policy = replace(gateway.policy, sign_in_groups={"finance": ("Finance-EU", "Finance-US")})
    assert run("placet reviewers remove finance jonas") == (
        "Jonas Weber is not in finance any more. They are still in approvers. "
        "The company's sign-in brings back whoever it says to be in Finance-EU or Finance-US, the next time they sign in.\n"
    )
    told = json.loads(run("placet --json reviewers remove finance maria"))
    assert told == {
        "sub": "maria",
        "name": "Maria Keller",
        "left": ["finance"],
        "groups": ["approvers"],
        "account_disabled": False,
        "brought_back_by": ["Finance-EU", "Finance-US"],
    }
    assert json.loads(run("placet --json reviewers remove approvers maria"))["brought_back_by"] == []


def test_who_is_away_is_not_said_to_be_unable_to_decide(gateway: Gateway) -> None:
    for who in ("jonas", "maria"):
        run(f"placet away {who}@example.com --until 2026-12-24")
    said = " ".join(run("placet people").split())
    assert "Nobody of finance is asked: it has nobody here and nobody who stands in." in said
    assert "Too few people are here for class money-out: 1 must agree, and those here are 0." in said
    assert "decide" not in said


def test_what_is_refused_is_a_sentence_with_its_code(gateway: Gateway) -> None:
    for line, says in (
        ("away jonas@example.com --until 2026-12-04 --delegate jonas@example.com", "delegates_in_circle"),
        ("back nobody@example.com", "person_unknown"),
        ("reviewers add nobodys --email jonas@example.com", "group_unknown"),
    ):
        result = CliRunner().invoke(cli.main, line.split())
        assert (result.exit_code, says in result.output) == (1, True), result.output


def test_without_a_table_nothing_is_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PLACET_TABLE", raising=False)

    def nowhere(service: str) -> None:
        raise NotSaid("No region is set.")

    monkeypatch.setattr(installation, "client", nowhere)
    result = CliRunner().invoke(cli.main, ["people"])
    assert result.exit_code == 2
    assert "say it in PLACET_TABLE, the output TableName of PlacetData" in " ".join(result.output.split())
