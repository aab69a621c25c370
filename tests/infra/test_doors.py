"""Doors that open once: refused before a deploy would strand something, and written down from what is deployed."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from infra import doors
from infra.lock_file import NAMES, Known
from infra.policy_version import KEY as VERSIONS
from infra.registry import SettingsError
from infra.settings import Settings
from infra.settings_file import ROOT
from tests.infra.aws_double import Account

HERE = "123456789012/eu-central-1"
STREAM = "arn:aws:dynamodb:eu-central-1:123456789012:table/restored/stream/2026-11-30T10:00:00.000"


def settings(**changed: Any) -> Settings:
    return Settings.of({"mail_from": "a@example.com", "login_domain_prefix": "placet", "agents": [], **changed})


def restored(name: str = "restored", epoch: int = 2) -> Settings:
    return settings(restored_table=name, restored_stream=STREAM.replace("restored", name), epoch=epoch)


def test_what_is_deployed_as_it_is_opens_no_door() -> None:
    for one in (settings(), restored()):
        doors.check_doors(one, Known(doors.doors(one)))
        assert list(doors.told(one, doors.doors(one))) == []


def test_before_the_first_deploy_everything_may_change() -> None:
    doors.check_doors(settings(login_domain_prefix="other", require_mfa=False), Known())


@pytest.mark.parametrize(
    ("was", "now", "says"),
    [
        (settings(), settings(login_domain_prefix="other"), "login_domain_prefix.*delete-user-pool-domain"),
        (settings(require_mfa=False), settings(), "require_mfa.*set-user-pool-mfa-config"),
        (settings(epoch=3), settings(epoch=2), "epoch 3 is deployed.*spent again"),
        (restored(), settings(epoch=2), "restored_table.*go back to the table"),
        (restored(), settings(epoch=3), "restored_table.*go back to the table"),
        (settings(epoch=2), restored(epoch=2), "restored_table.*Raise epoch above 2"),
        (restored(), restored("again"), "restored_table.*Raise epoch above 2"),
    ],
)
def test_what_would_strand_something_is_refused_with_the_way(was: Settings, now: Settings, says: str) -> None:
    with pytest.raises(SettingsError, match=says) as refused:
        doors.check_doors(now, Known(doors.doors(was)))
    assert ".lock.json (docs/deploy.md)" in str(refused.value)


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (settings(), settings(epoch=2)),
        (settings(), restored()),
        (restored(), restored("again", epoch=3)),
        (settings(), settings(require_mfa=False)),
    ],
)
def test_a_restore_and_a_higher_epoch_are_let_through(was: Settings, now: Settings) -> None:
    doors.check_doors(now, Known(doors.doors(was)))


def test_what_people_notice_is_told() -> None:
    before = doors.doors(settings())
    (address,) = doors.told(settings(public_base_url="https://inbox.example.com"), before)
    assert "the address of the API" in address
    (factor,) = doors.told(settings(require_mfa=False), before)
    assert "a password alone" in factor


@pytest.mark.parametrize(
    ("table", "stream", "epoch", "says"),
    [
        ("restored", "", 2, "go together"),
        ("", STREAM, 2, "go together"),
        ("other", STREAM, 2, "go together"),
        ("restored", STREAM.replace("/stream", ""), 2, "go together"),
        ("restored", STREAM, 1, "higher epoch"),
    ],
)
def test_a_restored_table_has_its_stream_and_an_epoch(table: str, stream: str, epoch: int, says: str) -> None:
    with pytest.raises(SettingsError, match=says):
        settings(restored_table=table, restored_stream=stream, epoch=epoch)


def test_the_lock_is_written_from_what_is_deployed(tmp_path: Path) -> None:
    lock, deployed = tmp_path / "placet.lock.json", doors.doors(restored())
    template = json.dumps({"Metadata": {doors.KEY: deployed}})
    url = "https://abc.execute-api.eu-central-1.amazonaws.com/inbox"
    stack = {
        "StackName": "PlacetGateway",
        "CreationTime": datetime(2026, 11, 30, tzinfo=UTC),
        "StackStatus": "CREATE_COMPLETE",
        "Outputs": [{"OutputKey": "InboxUrl", "OutputValue": url}],
    }
    answers = {
        "cloudformation.GetTemplate": {"TemplateBody": template},
        "cloudformation.DescribeStacks": {"Stacks": [stack]},
    }
    account = Account(answers)
    assert doors.write_lock(account.client("cloudformation"), HERE, lock) == deployed | {"inbox": url}
    assert doors.locked(HERE, lock) == Known(deployed | {"inbox": url}, HERE)


def test_each_file_of_settings_has_a_lock_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PLACET_SETTINGS", str(tmp_path / "staging.toml"))
    (tmp_path / "staging.lock.json").write_text('{"epoch": 4}')
    assert doors.locked().values == {"epoch": 4}
    monkeypatch.setenv("PLACET_SETTINGS", "placet.toml")
    assert doors.lock_file() == ROOT / "placet.lock.json"


def test_without_a_gateway_no_lock_is_written(tmp_path: Path) -> None:
    account = Account({"cloudformation.GetTemplate": "ValidationError"})
    with pytest.raises(SettingsError, match="deploy first"):
        doors.write_lock(account.client("cloudformation"), HERE, tmp_path / "lock")
    assert doors.locked(HERE, tmp_path / "lock").values == {}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is no JSON"),
        ("{", "is no JSON"),
        ("[]", "is no object"),
        ("[" * 100_000, "nested without an end"),
        ('"x"', "is no object"),
        *(
            (f'{{"epoch": {value}}}', "as epoch, which is a whole number from 1 to")
            for value in ('"5"', "null", "5.5", "[1]", "true", "0", "1e999", 2**53 + 1)
        ),
        ('{"epoch": NaN}', "NaN, which is no number of JSON"),
        (f'{{"epoch": {"9" * 5000}}}', "a number of 5000 digits"),
        ('{"epoch": 9, "epoch": 1}', "has epoch twice"),
        ('{"Epoch": 9}', "'Epoch', which is none of .*; epoch was meant"),
        ('{"login_domain_prefix": null}', "null as login_domain_prefix, which is text"),
        ('{"restored_table": 5}', "5 as restored_table, which is text"),
        ('{"require_mfa": "no"}', "as require_mfa, which is true or false"),
        ('{"inbox": "javascript:x"}', "as inbox, which is the address"),
        ('{"policy_versions": []}', "as policy_versions, which is digests"),
        ('{"policy_versions": {"1": "x"}}', "as policy_versions, which is digests"),
    ],
    ids=lambda one: str(one)[:24],
)  # fmt: skip
def test_a_lock_that_nothing_wrote_stops_the_synth_with_a_sentence(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "placet.lock.json").write_text(text)
    with pytest.raises(SettingsError, match=rf"^placet\.lock\.json .*{says}.*; write it anew: python -m infra\.doors$"):
        doors.locked(path=tmp_path / "placet.lock.json")


def test_everything_that_a_deploy_writes_is_known_to_the_reader() -> None:
    assert {*doors.doors(settings()), doors.INBOX, VERSIONS} == NAMES


def test_the_synth_reads_the_lock(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from infra import app

    monkeypatch.setattr(
        app, "locked", lambda where: Known(doors.doors(settings(login_domain_prefix="deployed-before")))
    )
    with pytest.raises(SettingsError, match="'deployed-before' is deployed"):
        app.placet(settings(), outdir=str(tmp_path))


def test_nothing_says_that_a_second_factor_is_offered() -> None:
    """The login pages offer none: they demand it, or nobody is asked."""
    pages = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "infra").rglob("*.py"), ROOT / "README.md"]
    assert [page.name for page in pages if re.search(r"second factor\W+ is offered", page.read_text())] == []


def test_every_door_is_in_the_table_of_the_docs() -> None:
    text = (ROOT / "docs" / "deploy.md").read_text()
    table = text.partition("## What cannot be changed later")[2].partition("\n## ")[0]
    assert table
    named = set(re.findall(r"`(\w+)`", table))
    assert set(doors.doors(settings())) <= named
    assert "set-user-pool-mfa-config" in table


@pytest.mark.parametrize(
    ("public", "lock", "says"),
    [
        ("", {}, "at the address of the inbox, which whoever entered you tells you, with"),
        ("", {"inbox": "https://abc.example.org/inbox"}, "Sign in at https://abc.example.org/inbox with"),
        (
            "https://i.example.org",
            {"inbox": "https://abc.example.org/inbox"},
            "Sign in at https://i.example.org/inbox with",
        ),
    ],
)
def test_an_invitation_names_the_inbox_of_the_last_deploy(
    monkeypatch: pytest.MonkeyPatch, public: str, lock: dict[str, Any], says: str
) -> None:
    from infra import app, data_stack

    class Invited(Exception):
        pass

    def told(inbox: str) -> str:
        raise Invited(invitation(inbox))

    invitation = data_stack._invitation
    monkeypatch.setattr(app, "locked", lambda where: Known(lock))
    monkeypatch.setattr(data_stack, "_invitation", told)
    with pytest.raises(Invited, match=re.escape(says)):
        app.placet(settings(**({"public_base_url": public} if public else {})))
