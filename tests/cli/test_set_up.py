"""A terminal that is not set up for AWS is told what is wrong, by every command that asks AWS and by the SDK: never a traceback."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from botocore.exceptions import CredentialRetrievalError
from click.testing import CliRunner, Result

from placet.cli import __main__ as cli
from placet.client import Gateway
from placet.client.errors import ClientError

ON_THE_TABLE = [
    ["people"],
    ["reviewers", "list"],
    ["reviewers", "accept-mail", "x"],
    ["reviewers", "remove", "--everywhere", "x"],
    ["away", "x", "--until", "2026-12-04"],
    ["back", "x"],
]
SIGNED = [["stuck"], ["questions", "abc"]]
KEYS = {"AWS_ACCESS_KEY_ID": "made-up", "AWS_SECRET_ACCESS_KEY": "made-up"}
HERE = {"AWS_REGION": "eu-central-1", "PLACET_TABLE": "placet"}
BROKEN = {
    "no credentials": (HERE, "no AWS credentials"),
    "half of them": ({**HERE, "AWS_ACCESS_KEY_ID": "made-up"}, "AWS_SECRET_ACCESS_KEY"),
    "an unknown profile": ({**HERE, "AWS_PROFILE": "nope"}, "nope"),
    "no region": (KEYS, "egion is not known|No region is set"),
}
OF_CLIENTS = {
    "an endpoint that is no address": ({**HERE, **KEYS, "AWS_ENDPOINT_URL": "here"}, "Invalid endpoint: here"),
    "a region that is none": ({**KEYS, "AWS_REGION": "not a region", "PLACET_TABLE": "placet"}, "not a region"),
}


@pytest.fixture(autouse=True)
def _bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment that says nothing of AWS, and no machine that lends credentials."""
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_ENDPOINT_URL", "AWS_SESSION_TOKEN", *KEYS):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


def run(monkeypatch: pytest.MonkeyPatch, said: dict[str, str], *words: str) -> Result:
    for name, value in said.items():
        monkeypatch.setenv(name, value)
    return CliRunner().invoke(cli.main, ["--url", "https://gateway.test", *words])


@pytest.mark.parametrize("words", [*ON_THE_TABLE, *SIGNED], ids=" ".join)
@pytest.mark.parametrize("case", BROKEN)
def test_a_command_says_what_is_missing(monkeypatch: pytest.MonkeyPatch, case: str, words: list[str]) -> None:
    said, told = BROKEN[case]
    is_told(run(monkeypatch, said, *words), told)


@pytest.mark.parametrize("words", ON_THE_TABLE, ids=" ".join)
@pytest.mark.parametrize("case", OF_CLIENTS)
def test_a_command_on_the_table_says_what_is_no_endpoint(
    monkeypatch: pytest.MonkeyPatch, case: str, words: list[str]
) -> None:
    said, told = OF_CLIENTS[case]
    is_told(run(monkeypatch, said, *words), told)


def is_told(result: Result, told: str) -> None:
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == 2
    assert re.search(told, result.stderr), result.stderr
    assert result.stderr.count("\n") <= 4, result.stderr


@pytest.mark.parametrize("case", BROKEN)
def test_an_agent_is_told_the_same(monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    said, told = BROKEN[case]
    for name, value in said.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ClientError, match=told):
        Gateway("https://gateway.test")


def test_credentials_that_cannot_be_fetched_any_more_are_told_too() -> None:
    class Gone:
        def get_frozen_credentials(self) -> None:
            raise CredentialRetrievalError(provider="sso", error_msg="the session is over")

    class Session:
        def get_credentials(self) -> Gone:
            return Gone()

    with pytest.raises(ClientError, match="the session is over"):
        Gateway("http://x.localhost:1", "eu-central-1", Session()).gates()


def test_where_nobody_listens_no_record_is_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    said = {**HERE, **KEYS, "AWS_ENDPOINT_URL": "http://127.0.0.1:1"}
    began = time.monotonic()
    result = run(monkeypatch, said, "people")
    assert time.monotonic() - began < 30  # not the minute and more that the SDK's own repeats take
    assert result.exit_code == 3
    assert "Nobody answers at http://127.0.0.1:1/" in result.stderr
    assert "busy" not in result.stderr
