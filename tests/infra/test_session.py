"""Which region is asked: one order for doctor, smoke, deploy, `placet` and the SDK, and one place that makes a session."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from infra.deployed import NotSaid, session_in
from infra.settings_file import ROOT
from placet.client.gateway import operations

VARIABLES = ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE")
MADE = re.compile(r"boto3\.(?:Session|session\.Session|client|resource)\(")
PLACE = "layers/core/python/placet/cli/session.py"


@pytest.fixture
def profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A configuration file without a region, and an environment that names none."""
    path = tmp_path / "config"
    path.write_text("[default]\n")
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(path))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "made-up")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "made-up")
    return path


@pytest.mark.parametrize(
    ("argument", "region", "default", "in_profile", "wins"),
    [
        ("eu-west-1", "eu-west-2", "eu-west-3", "eu-north-1", "eu-west-1"),
        (None, "eu-west-2", "eu-west-3", "eu-north-1", "eu-west-2"),
        (None, "", "eu-west-3", "eu-north-1", "eu-west-3"),
        (None, "", "", "eu-north-1", "eu-north-1"),
    ],
)
def test_four_sources_in_one_order(
    profile: Path, monkeypatch: pytest.MonkeyPatch, argument: str | None, region: str, default: str, in_profile: str, wins: str
) -> None:  # fmt: skip
    profile.write_text(f"[default]\nregion = {in_profile}\n")
    for name, value in zip(VARIABLES, (region, default), strict=False):
        if value:
            monkeypatch.setenv(name, value)
    session = session_in(argument)
    assert (session.region_name, session.client("sts").meta.region_name) == (wins, wins)
    assert operations("https://gateway.test", argument)._region == wins  # type: ignore[attr-defined]


def test_nobody_says(profile: Path) -> None:
    with pytest.raises(NotSaid, match="No region is set: name one with AWS_REGION=eu-central-1"):
        session_in(None)


def test_sessions_and_clients_are_made_in_one_place() -> None:
    tools = [*(ROOT / "infra").rglob("*.py"), *(ROOT / "layers/core/python/placet/cli").rglob("*.py")]
    found = {str(path.relative_to(ROOT)) for path in tools if MADE.search(path.read_text())}
    assert found == {PLACE}
