"""CDK asks where boto3 asks: addresses of a profile are handed on, and none of another profile is read in their place."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import boto3
import pytest

from infra import cdk, cdk_endpoints
from infra.cdk_caller import caller
from infra.deployed import NotSaid
from tests.infra.aws_double import Account
from tests.infra.deploying import Aws

SERVICES = "\n[services some]\ns3 =\n  endpoint_url = http://s3.test\nsts =\n  endpoint_url = http://sts.test\n"
OFFICE, ALL = "[profile office]\n", "endpoint_url = http://all.test\n"
IGNORED = {cdk_endpoints.IGNORED: "true"}


@pytest.fixture
def profiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of profiles, of which "office" is chosen; nothing in the environment says where to ask."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_PROFILE", "office")
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)  # one that other tests made has read other files
    return tmp_path / "config"


def told() -> dict[str, str]:
    """What CDK is told of how AWS is reached, in the place of boto3's own session."""
    account = Aws()
    account.profile_name = boto3.Session(region_name="eu-central-1").profile_name
    shown = caller(account)
    return {name: value for name, value in shown.environment(os.environ).items() if "ENDPOINT" in name}


@pytest.mark.parametrize(
    ("config", "wanted"),
    [
        (OFFICE, {}),
        (OFFICE + ALL, {"AWS_ENDPOINT_URL": "http://all.test"}),
        (f"{OFFICE}services = some\n{SERVICES}",
         {"AWS_ENDPOINT_URL_S3": "http://s3.test", "AWS_ENDPOINT_URL_STS": "http://sts.test"}),
        (f"{OFFICE}{ALL}services = some\n{SERVICES}",
         {"AWS_ENDPOINT_URL": "http://all.test", "AWS_ENDPOINT_URL_S3": "http://s3.test", "AWS_ENDPOINT_URL_STS": "http://sts.test"}),
        (f"{OFFICE}{ALL}ignore_configured_endpoint_urls = true\n", IGNORED),
        (f"[default]\n{ALL}{OFFICE}", IGNORED),  # which CDK would read without a profile
        (f"[default]\n{ALL}{OFFICE}{ALL}", {"AWS_ENDPOINT_URL": "http://all.test"}),
        (f"[default]\nservices = gone\n{OFFICE}", IGNORED),
        (f"{OFFICE}use_fips_endpoint = true\n", {"AWS_USE_FIPS_ENDPOINT": "true"}),
        (f"[default]\nuse_dualstack_endpoint = true\n{OFFICE}", {"AWS_USE_DUALSTACK_ENDPOINT": "false"}),
    ],
)  # fmt: skip
def test_what_a_profile_says_is_handed_on(config: str, wanted: dict[str, str], profiles: Path) -> None:
    profiles.write_text(config)
    assert told() == wanted


def test_the_environment_is_before_the_profile(profiles: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    profiles.write_text(f"[default]\n{ALL}{OFFICE}{ALL}services = some\n{SERVICES}")
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://mine.test")
    assert told()["AWS_ENDPOINT_URL_S3"] == "http://mine.test"
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://mine.test")
    assert told() == {"AWS_ENDPOINT_URL": "http://mine.test", "AWS_ENDPOINT_URL_S3": "http://mine.test"}
    monkeypatch.setenv(cdk_endpoints.IGNORED, "true")
    assert told()[cdk_endpoints.IGNORED] == "true"


@pytest.mark.parametrize("own", [f"services = some\n{SERVICES}", ""])
def test_what_cannot_be_handed_on_is_refused(own: str, profiles: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some services elsewhere, the others at AWS, and a profile "default" that says otherwise: CDK would read it."""
    profiles.write_text(f"[default]\n{ALL}{OFFICE}{own}")
    if not own:
        monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://s3.test")
    with pytest.raises(NotSaid, match=r"where the profile default says.*set AWS_ENDPOINT_URL, or take endpoint_url"):
        told()


def test_boto3_itself_asks_there(profiles: Path) -> None:
    """The rule is botocore's, so a client of the same profile has the address that CDK is told."""
    profiles.write_text(f"{OFFICE}{ALL}services = some\n{SERVICES}")
    session = boto3.Session(region_name="eu-central-1")
    asked = {name: session.client(name).meta.endpoint_url for name in ("s3", "sts", "cloudformation", "ssm")}
    handed = told()
    assert asked == {name: handed.get(f"AWS_ENDPOINT_URL_{name.upper()}", handed["AWS_ENDPOINT_URL"]) for name in asked}


def test_that_another_place_is_asked_is_said(
    profiles: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    profiles.write_text(f"{OFFICE}{ALL}")
    account: Account = Aws()
    account.profile_name = "office"
    monkeypatch.setattr(cdk, "session_in", lambda region: account)
    monkeypatch.setattr(cdk, "command", lambda: ["cdk"])
    environ: dict[str, Any] = cdk.call(["diff"], {})[1]
    assert environ["AWS_ENDPOINT_URL"] == "http://all.test"
    assert (
        "cdk: AWS is asked at http://all.test (AWS_ENDPOINT_URL, or endpoint_url of the profile)"
        in capsys.readouterr().err
    )
    assert list(cdk_endpoints.told({"AWS_ENDPOINT_URL_S3": "http://a\x1b[31m"})) == [
        "s3 is asked at http://a[U+001B][31m (AWS_ENDPOINT_URL_S3, or endpoint_url of the profile)"
    ]
    assert list(cdk_endpoints.told({"AWS_ENDPOINT_URL": "http://a", **IGNORED})) == []
    assert list(cdk_endpoints.told({"AWS_REGION": "x"})) == []
