"""`make deploy` and the lock beside the settings: doors that were opened by hand, and whose inbox it names."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from infra import deploy
from infra.deploy import NotDeployed
from infra.doors import check_doors, doors, locked
from infra.lock_file import Known
from infra.registry import SettingsError
from tests.infra.deploying import OUT, Aws, Cdk, settings, template, written

HERE = "123456789012/eu-central-1"


@pytest.fixture
def assembly(tmp_path: Path) -> Callable[..., Path]:
    """Writes the assembly of some settings."""
    return lambda made, **resources: written(tmp_path, made, **resources)


ONCE_SETTLED = [
    ("login_domain_prefix", "other", "placet", "cognito-idp.DescribeUserPoolDomain", {"DomainDescription": {}}),
    ("require_mfa", True, False, "cognito-idp.DescribeUserPool", {"UserPool": {"MfaConfiguration": "ON"}}),
]


@pytest.mark.parametrize(("name", "now", "old", "asked", "settled"), ONCE_SETTLED)
def test_the_documented_way_through_a_door_ends_in_a_deploy(
    name: str, now: Any, old: Any, asked: str, settled: Any, assembly: Callable[..., Path], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """docs/deploy.md: settle it by hand, take the setting out of the lock, deploy at once."""
    was, made, lock = settings(**{name: old}), settings(**{name: now}), tmp_path / "lock.json"
    monkeypatch.setitem(OUT["PlacetGateway"], "LoginUrl", "https://placet-123456789012.auth.test/login")
    aws = Aws(PlacetData={"Resources": {}}, PlacetGateway=template(was))
    aws.answers["cognito-idp.DescribeUserPool"] = {"UserPool": {"MfaConfiguration": "OFF"}}
    aws.answers["cognito-idp.DescribeUserPoolDomain"] = {"DomainDescription": {"UserPoolId": "p"}}
    cdk = Cdk(aws, assembly(made))
    lock.write_text(json.dumps(doors(was)))
    with pytest.raises(SettingsError, match=f"take {name} out of"):
        check_doors(made, locked(path=lock))
    lock.write_text(json.dumps({key: value for key, value in doors(was).items() if key != name}))
    check_doors(made, locked(path=lock))
    with pytest.raises(NotDeployed, match=f"^{name}: .*--user-pool-id p "):  # nothing was settled
        deploy.deploy(aws, made, run=cdk, assembly=cdk.assembly, lock=lock)
    assert cdk.told == []
    aws.answers[asked] = settled
    deploy.deploy(aws, made, run=cdk, assembly=cdk.assembly, lock=lock)
    assert len(cdk.told) == 1
    assert locked(path=lock) == Known(locked(HERE, lock).values, HERE)
    assert locked(HERE, lock).values[name] == now


def test_a_lock_that_cannot_be_written_is_said_and_what_is_left_too(
    assembly: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made, aws = settings(), Aws()
    cdk = Cdk(aws, assembly(made))
    deploy.deploy(aws, made, run=cdk, assembly=cdk.assembly, lock=tmp_path / "not there" / "placet.lock.json")
    said = [line for line in capsys.readouterr().out.splitlines() if line.startswith("next: ")]
    assert "it is deployed, and" in said[0]
    assert "placet.lock.json cannot be written (No such file or directory)" in said[0]
    assert "-m infra.doors" in said[0]
    assert said[1] == "next: the inbox is https://x.test/inbox"


@pytest.mark.parametrize(
    ("is_there", "way"),
    [(True, "here it is https://x.test/inbox: .*infra.doors"), (False, "none yet: .*take inbox out")],
)
def test_the_lock_of_another_installation_is_not_deployed(
    is_there: bool, way: str, assembly: Callable[..., Path], tmp_path: Path
) -> None:
    made, lock = settings(), tmp_path / "lock.json"
    lock.write_text(json.dumps({**doors(made), "inbox": "https://theirs.test/inbox"}))
    aws = Aws(**({"PlacetData": {"Resources": {}}, "PlacetGateway": template(made)} if is_there else {}))
    cdk = Cdk(aws, assembly(made))
    with pytest.raises(NotDeployed, match=f"lock.json says that the inbox is https://theirs.test/inbox, and .*{way}"):
        deploy.deploy(aws, made, run=cdk, assembly=cdk.assembly, lock=lock)
    assert cdk.told == []
    public = settings(public_base_url="https://approvals.acme.test")  # invitations name this one
    deploy.deploy(aws, public, run=cdk, assembly=cdk.assembly, lock=lock)
    assert len(cdk.told) == 1


def test_an_inbox_that_a_deploy_moved_is_named_by_the_next(
    assembly: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made, lock = settings(), tmp_path / "lock.json"
    lock.write_text(json.dumps({**doors(made), "inbox": "https://approvals.acme.test/inbox"}))
    monkeypatch.setitem(OUT["PlacetGateway"], "InboxUrl", "https://approvals.acme.test/inbox")
    aws = Aws(PlacetData={"Resources": {}}, PlacetGateway=template(made))
    cdk = Cdk(aws, assembly(made))

    def moves(*told: Any) -> int:
        OUT["PlacetGateway"]["InboxUrl"] = "https://x.test/inbox"
        return cdk(*told)

    for once_more in (True, False):
        deploy.deploy(aws, made, run=moves, assembly=cdk.assembly, lock=lock)
        assert ("which is elsewhere since this deploy" in capsys.readouterr().out) is once_more
