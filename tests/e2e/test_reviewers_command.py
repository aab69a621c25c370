"""`placet reviewers` against the deployed user pool and table, found by the stacks' outputs; the invitation is in the outbox."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner

from local.settings import REGION
from local.stack import LocalStack
from placet.cli import __main__ as cli
from placet.cli.directory import installation

ADDRESS = "ingrid@example.com"


@pytest.fixture
def terminal(stack: LocalStack, monkeypatch: pytest.MonkeyPatch) -> LocalStack:
    """A terminal of whoever administers the account."""
    for name in (installation.TABLE, installation.POOL, installation.INBOX, "AWS_PROFILE", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    root = stack.aws.root
    monkeypatch.setenv("AWS_ENDPOINT_URL", stack.endpoint)
    monkeypatch.setenv("AWS_REGION", REGION)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", root.id)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", root.secret)
    return stack


def told(*words: str) -> Any:
    result = CliRunner().invoke(cli.main, ["--json", "reviewers", *words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_somebody_is_invited_entered_found_again_and_leaves(terminal: LocalStack) -> None:
    made = told("add", "finance", "approvers", "--email", ADDRESS, "--name", "Ingrid Solberg")
    assert (made["account"], made["inbox"]) == ("invited", terminal.outputs["InboxUrl"])
    (mail,) = [one for one in terminal.outbox() if ADDRESS in one.to]
    assert "ingrid" in mail.text + mail.html
    listed = told("list", "--accounts")
    assert {one["group"] for one in listed["groups"] for who in one["people"] if who["sub"] == made["sub"]} == {
        "finance",
        "approvers",
    }
    assert [one["state"] for one in listed["accounts"] if one["sub"] == made["sub"]] == ["invited"]
    assert told("add", "finance", "--email", ADDRESS)["account"] == "known"
    told("remove", "--everywhere", ADDRESS)
    assert told("add", "finance", "--email", ADDRESS.title(), "--name", "Ingrid Solberg")["account"] == "found"
    told("add", "finance", "--email", ADDRESS, "--resend")
    assert len([one for one in terminal.outbox() if ADDRESS in one.to]) == 2
    left = told("remove", "--everywhere", "--account", ADDRESS)
    assert (left["groups"], left["account_disabled"]) == ([], True)
