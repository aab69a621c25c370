"""CDK is who was shown: whatever chooses an account or a region for it is outweighed or taken away."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import boto3
import pytest
from botocore.exceptions import NoCredentialsError

from infra import cdk
from infra.cdk_caller import caller, chosen_otherwise
from infra.deployed import session_in
from infra.synth import SynthError
from tests.infra.aws_double import Account, Answer

WHO: dict[str, Answer] = {
    "sts.GetCallerIdentity": {"Account": "123456789012", "Arn": "arn:aws:iam::123456789012:user/me"}
}
KEYS = {"dev": ("AKIADEV", "of-dev", None), "prod": ("AKIAPROD", "of-prod", "more-of-prod")}
NOBODY_ELSE = ("--profile=", "--region", "eu-central-1")
CHOOSERS = (
    {"AWS_PROFILE": "prod"}, {"AWS_DEFAULT_PROFILE": "dev"}, {"CDK_PROFILE": "prod"},
    {"CDK_REGION": "us-west-2", "AMAZON_REGION": "us-west-2"},
    {"AWS_ACCESS_KEY_ID": "AKIAENV", "AWS_SECRET_ACCESS_KEY": "of-env"}, {"AWS_SESSION_TOKEN": "left"},
)  # fmt: skip


@pytest.fixture
def profiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two profiles in a file, and an environment that chooses neither."""
    lines = []
    for name, (key, secret, token) in KEYS.items():
        lines += [f"[profile {name}]", f"aws_access_key_id = {key}", f"aws_secret_access_key = {secret}"]
        lines += [f"aws_session_token = {token}"] if token else []
    (tmp_path / "config").write_text("\n".join(lines))
    for name in [name for name in os.environ if name.startswith(("AWS_", "CDK_", "AMAZON_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.mark.usefixtures("profiles")
@pytest.mark.parametrize("number", range(len(CHOOSERS) + 1))
def test_its_environment_holds_the_keys_of_the_session_and_nothing_else_that_chooses(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = set()
    for chosen in itertools.combinations(CHOOSERS, number):
        with monkeypatch.context() as patched:
            for name, value in (one for variables in chosen for one in variables.items()):
                patched.setenv(name, value)
            found, environ = session_in("eu-central-1").get_credentials(), dict(os.environ)
        doubled = Account(WHO)
        doubled.get_credentials = lambda found=found: found  # type: ignore[method-assign, misc]
        if found is None:
            with pytest.raises(NoCredentialsError):
                caller(doubled)
            seen.add("nobody")
            continue
        told = caller(doubled).environment(environ)
        wanted = {"AWS_ACCESS_KEY_ID": found.access_key, "AWS_SECRET_ACCESS_KEY": found.secret_key}
        wanted |= {"AWS_SESSION_TOKEN": found.token} if found.token else {}
        wanted |= {"AWS_REGION": "eu-central-1", "AWS_DEFAULT_REGION": "eu-central-1"}
        rest = {"AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE", "AWS_EC2_METADATA_DISABLED"}
        assert {name: value for name, value in told.items() if name.startswith(("AWS_", "CDK_", "AMAZON_"))} == {
            **wanted,
            **{name: os.environ[name] for name in rest},
        }
        seen.add(found.access_key)
    assert seen


def test_what_says_how_aws_is_reached_stays() -> None:
    kept = {
        "AWS_ENDPOINT_URL": "http://127.0.0.1:4566",
        "AWS_CA_BUNDLE": "/ca.pem",
        "HTTPS_PROXY": "http://proxy",
        "HOME": "/me",
    }
    assert kept.items() <= caller(Account(WHO)).environment({**kept, "aws_profile": "x"}).items()


@pytest.mark.usefixtures("profiles")
def test_what_a_profile_trusts_is_trusted_without_it(tmp_path: Path) -> None:
    with (tmp_path / "config").open("a") as config:
        config.write("\n[profile office]\nca_bundle = /office.pem\n")
    account = Account(WHO)
    assert "AWS_CA_BUNDLE" not in caller(account).environment({})
    account.profile_name = "office"
    assert caller(account).environment({})["AWS_CA_BUNDLE"] == "/office.pem"


@pytest.mark.parametrize("config", ["", "[profile other]\nregion = eu-central-1\n"])
@pytest.mark.usefixtures("profiles")
def test_keys_of_the_environment_need_no_file_of_profiles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, config: str
) -> None:
    """As in a pipeline or a container: a session of boto3 itself, which calls its profile "default" although there is none."""
    (tmp_path / "config").unlink()
    if config:
        (tmp_path / "config").write_text(config)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAENV")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "of-env")
    session = boto3.Session(region_name="eu-central-1")
    monkeypatch.setattr(session, "client", Account(WHO).client)
    shown = caller(session)
    assert (shown.environment({})["AWS_ACCESS_KEY_ID"], shown.region) == ("AKIAENV", "eu-central-1")


def test_the_words_outweigh_a_file_of_the_home_folder() -> None:
    assert caller(Account(WHO)).arguments == ("--profile=", "--region", "eu-central-1")


@pytest.mark.parametrize("words", [["--profile", "x"], ["--profile=x"], ["-v", "--region", "x"], ["--no-profile"]])
def test_arguments_that_choose_are_refused_with_what_to_say(words: list[str]) -> None:
    assert "say AWS_" in chosen_otherwise(words)
    with pytest.raises(SynthError, match="say AWS_"):
        cdk.call(["diff", *words])


def test_arguments_that_choose_nobody_are_not() -> None:
    assert chosen_otherwise(["--force", "--parameters", "profile=x", "--exclusively", "region"]) == ""


def test_cdk_by_itself_is_the_same_caller_and_a_command_that_asks_no_account_is_nobody(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cdk, "command", lambda: ["node", "cdk"])
    monkeypatch.setattr(cdk, "session_in", lambda region: Account(WHO))
    words, environ = cdk.call(["bootstrap", "--app", "cdk.out"], {"AWS_PROFILE": "prod", "CDK_PROFILE": "prod"})
    assert words == ["node", "cdk", "bootstrap", "--app", "cdk.out", "aws://123456789012/eu-central-1", *NOBODY_ELSE]
    assert (environ["AWS_ACCESS_KEY_ID"], environ["AWS_SESSION_TOKEN"]) == ("test", "token")
    assert not {"AWS_PROFILE", "CDK_PROFILE"} & set(environ)
    assert "cdk: account 123456789012, region eu-central-1" in capsys.readouterr().err
    monkeypatch.setattr(cdk, "session_in", lambda region: pytest.fail("asked"))
    words, environ = cdk.call(["--version"], {"AWS_PROFILE": "prod"})
    assert (words, "AWS_PROFILE" in environ) == (["node", "cdk", "--version"], False)
