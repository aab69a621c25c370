"""A region is one that botocore lists, or is called as a newer one would be, which is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from infra import app, regions
from infra.deployed import NotSaid, session_in
from infra.settings import Settings
from tests.infra.conftest import example


def test_every_region_that_botocore_lists_is_one_and_is_called_as_a_newer_one_would_be() -> None:
    assert {"eu-central-1", "us-gov-west-1", "cn-northwest-1", "eusc-de-east-1", "us-isob-east-1"} <= regions.known()
    assert len(regions.known()) > 35
    assert [name for name in regions.known() if regions.amiss(name) or not regions._LIKE.fullmatch(name)] == []
    assert list(regions.told(regions.known())) == []


@pytest.mark.parametrize(
    "name",
    [
        *("aa-b-1", "", "Frankfurt", "eu-central", "eu-central-1\n", "EU-CENTRAL-1", "eu-central-1a", "eu-central-0", "aws-global"),
        *("eu-centrall-1", "eu-cental-1", "us-east-100", "eu--central-1", "eu-central-\u0661", "eu\u200b-central-1"),
        "../eu-central-1",
    ],
)  # fmt: skip
def test_what_is_none(name: str) -> None:
    assert "is no region of AWS" in regions.amiss(name)


def test_a_near_one_is_named_and_a_newer_one_is_said() -> None:
    assert "is eu-central-1 meant?" in regions.amiss("eu-cental-1")
    assert regions.amiss("eu-west-9") == ""
    (said,) = regions.told(["eu-west-9", "eu-west-1"])
    assert "lists no region eu-west-9: taken for a newer one; is eu-west-" in said


def test_the_settings_take_no_other_and_the_synth_says_which_are_new(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    agents = [dict(one) for one in example()["agents"]]
    for region, is_one in (("nz-north-1", True), ("aa-b-1", False)):
        agents[2] = {**agents[2], "target": {**agents[2]["target"], "region": region}}
        if not is_one:
            with pytest.raises(ValueError, match="region must be a region of AWS like eu-central-1, not 'aa-b-1'"):
                Settings.of({**example(), "agents": agents})
            continue

        class Reached(Exception):
            pass

        def stop(*_: object) -> None:
            raise Reached

        monkeypatch.setattr(app.cdk.Validations, "of", stop)
        with pytest.raises(Reached):
            app.placet(Settings.of({**example(), "agents": agents}), outdir=str(tmp_path), example=True)
        assert "lists no region nz-north-1: taken for a newer one" in capsys.readouterr().err


def test_the_tools_ask_no_region_that_there_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    assert session_in("eu-west-9").region_name == "eu-west-9"
    with pytest.raises(NotSaid, match=r"'aa-b-1' is no region of AWS\. Name it with AWS_REGION=eu-central-1"):
        session_in("aa-b-1")
