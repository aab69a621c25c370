"""How long credentials last is said before CDK gets them as they are, and whoever has less than an hour is told what to do."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import boto3
import pytest

from infra import deploy, lasting
from infra.cdk_caller import caller
from infra.settings import Settings
from tests.infra.aws_double import Account
from tests.infra.deploying import Aws, Cdk, settings, written

NOW = datetime(2026, 12, 1, 8, 0, tzinfo=UTC)


@pytest.fixture
def assembly(tmp_path: Path) -> Callable[[Settings], Path]:
    return lambda made: written(tmp_path, made)


@pytest.mark.parametrize(
    ("left", "says", "is_short"),
    [
        (timedelta(hours=8, minutes=5, seconds=59), "the credentials last until 16:05 UTC, for 8 h 5 min", False),
        (timedelta(hours=1), "the credentials last until 09:00 UTC, for 1 h 0 min", False),
        (timedelta(minutes=59, seconds=59), "look: the credentials end at 08:59 UTC, in 59 min, and CDK", True),
        (timedelta(seconds=-1), "look: the credentials have ended at 07:59 UTC, and CDK", True),
    ],
)
def test_what_is_left_is_said(left: timedelta, says: str, is_short: bool) -> None:
    for zone in (UTC, timezone(timedelta(hours=5))):
        assert lasting.told((NOW + left).astimezone(zone), NOW, is_temporary=True).startswith(says)
    assert lasting.is_short(NOW + left, NOW) is is_short


def test_keys_that_do_not_end_say_nothing_and_a_token_without_an_end_is_said() -> None:
    assert lasting.told(None, NOW, is_temporary=False) == ""
    assert "it is not known here when they end" in lasting.told(None, NOW, is_temporary=True)
    assert not lasting.is_short(None, NOW)


def test_boto3_is_asked_when_they_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program of the profile, as SSO's and roles' are, says it; keys of a file do not."""
    ends = (datetime.now(UTC) + timedelta(minutes=42, seconds=30)).replace(microsecond=0)
    said = {
        "Version": 1,
        "AccessKeyId": "A",
        "SecretAccessKey": "b",
        "SessionToken": "c",
        "Expiration": ends.isoformat(),
    }
    (tmp_path / "answer.json").write_text(json.dumps(said))
    (tmp_path / "config").write_text(
        f"[profile role]\ncredential_process = cat {tmp_path}/answer.json\n"
        "[profile keys]\naws_access_key_id = A\naws_secret_access_key = b\n"
    )
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)  # of the doubles
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    shown = {}
    for profile in ("role", "keys"):
        session = boto3.Session(profile_name=profile, region_name="eu-central-1")
        monkeypatch.setattr(session, "client", Aws().client)
        shown[profile] = caller(session)
    assert (shown["role"].ends, shown["role"].ends_soon) == (ends, True)
    assert "in 42 min, and CDK gets them as they are" in next(shown["role"].told({}))
    assert (shown["keys"].ends, list(shown["keys"].told({}))) == (None, [])


def test_a_deploy_says_it_before_anything_else_and_again_when_the_question_waited_too_long(
    assembly: Callable[[Settings], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made, aws = settings(), Aws()
    cdk = Cdk(aws, assembly(made))

    def waits(question: str) -> bool:
        print("(waited)")
        aws.last = timedelta(minutes=20)
        return True

    lock = tmp_path / "lock.json"
    deploy.deploy(aws, made, asks=waits, run=cdk, assembly=cdk.assembly, lock=lock)
    before, _, after = capsys.readouterr().out.partition("(waited)")
    assert "deploy: the credentials last until" in before.splitlines()[1]
    assert "deploy: look: the credentials end at" in after.splitlines()[1]
    deploy.deploy(aws, made, run=cdk, assembly=cdk.assembly, lock=lock)
    said = capsys.readouterr().out
    assert said.splitlines()[1].startswith("deploy: look: the credentials end at")
    assert said.count("look: the credentials") == 1


def test_a_session_of_no_known_end_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    shown = caller(Account({"sts.GetCallerIdentity": {"Account": "1" * 12, "Arn": "arn:aws:iam::1:user/me"}}))
    assert "it is not known here when they end" in next(shown.told({}))
