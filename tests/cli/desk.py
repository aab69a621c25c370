"""Somebody at a terminal who enters reviewers, with a user pool and a table."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner, Result

from placet.cli import __main__ as cli
from placet.cli.directory import people
from placet.cli.directory.accounts import Accounts
from placet.service import members
from tests.cli.pool import Pool, user_pool
from tests.gateway import Gateway

ELIF = ("--email", "elif@acme.test", "--name", "Elif Demir")


class Desk:
    """Somebody at a terminal, with a pool and a table."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.gateway = Gateway()
        monkeypatch.setattr(people, "tables", lambda: self.gateway.ports)
        self.pool: Pool
        self.accounts: Accounts
        self.pool, self.accounts = user_pool(monkeypatch)

    def run(self, *words: str) -> Result:
        return CliRunner().invoke(cli.main, ["reviewers", *words])

    def json(self, *words: str) -> Any:
        result = CliRunner().invoke(cli.main, ["--json", "reviewers", *words])
        return json.loads(result.stdout)

    def groups(self, email: str) -> frozenset[str]:
        account = self.accounts.of(email)
        return members.reviewer(self.gateway.ports, account.sub).groups if account else frozenset()
