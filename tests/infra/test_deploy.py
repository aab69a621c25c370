"""`make deploy` against a made-up account: what it says, what stops it, what it runs, and what it leaves to do."""

from __future__ import annotations

import copy
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from infra import deploy, next_steps
from infra.audience import audience, changes
from infra.deploy import ALWAYS, NotDeployed
from infra.settings_file import ROOT
from tests.infra.deploying import ACTING, AGENT, OUT, POLICY, Aws, Cdk, settings, template, written


@pytest.fixture
def assembly(tmp_path: Path) -> Callable[..., Path]:
    """Writes the assembly of some settings."""
    return lambda made, **resources: written(tmp_path, made, **resources)


def test_a_first_deploy_says_where_and_what_and_leaves_commands_that_are_filled_in(
    assembly: Callable[..., Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    made, aws = settings(agents=[AGENT, ACTING], alarm_mail="ops@acme.test"), Aws()
    cdk, asked = Cdk(aws, assembly(made)), list[str]()
    aws.attached = {OUT["PlacetGateway"]["OperatorAccessPolicyArn"]: ["olga"]}
    deploy.deploy(
        aws, made, asks=lambda question: not asked.append(question), run=cdk, assembly=cdk.assembly, lock=tmp_path / "lock.json"
    )  # fmt: skip
    said = capsys.readouterr().out.splitlines()
    assert (
        said[0]
        == "deploy: account 123456789012, region eu-central-1, as arn:aws:sts::123456789012:assumed-role/deployer/me"
    )
    assert re.fullmatch(r"deploy: the credentials last until \d\d:\d\d UTC, for 7 h 59 min", said[1])
    assert said[2] == "deploy: this is the first deploy here: agents desk, bed; classes general, money-out"
    assert asked == ["Deploy into account 123456789012, region eu-central-1? [y/N] "]
    ((arguments, environ),) = cdk.told
    assert tuple(arguments) == (*ALWAYS, "--profile=", "--region", "eu-central-1")
    assert (environ["AWS_REGION"], environ["AWS_DEFAULT_REGION"]) == ("eu-central-1", "eu-central-1")
    assert [line for line in said if line.startswith("next: ")] == [
        "next: make deploy once more, and invitations name the inbox, which has an address only now",
        "next: the inbox is https://x.test/inbox",
        "next: agents take PLACET_URL=https://x.test",
        *(
            f"next: aws iam attach-role-policy --role-name {role} --policy-arn arn:aws:iam::123456789012:policy/{policy}"
            for role, policy in (("bed", "Agent"), ("desk", "Agent"), ("acts", "Action"))
        ),
        'next: nobody is in approvers: placet reviewers add approvers --email ADDRESS --name "NAME"',
        'next: nobody is in finance: placet reviewers add finance --email ADDRESS --name "NAME"',
        "next: AWS mailed ops@acme.test a link: alarms reach nobody before it is followed",
        "next: then, about four minutes: make smoke",
    ]
    (lock,) = json.loads((tmp_path / "lock.json").read_text())["installations"].values()
    assert (lock["login_domain_prefix"], lock["inbox"]) == ("placet", "https://x.test/inbox")


def test_what_is_done_is_not_left_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    made = settings(alarm_mail="ops@acme.test")
    aws = Aws(**{name: template(made) for name in OUT})
    aws.people, aws.subscription = {"finance": ["a"], "approvers": ["a"]}, "arn:aws:sns:eu-central-1:123456789012:t:1"
    policies = OUT["PlacetGateway"]
    aws.attached = {policies["AgentAccessPolicyArn"]: ["desk"], policies["OperatorAccessPolicyArn"]: ["olga"]}
    left = list(next_steps.next_steps(aws.client, made))
    assert left[2:] == ["then, about four minutes: make smoke"]


def test_a_second_deploy_says_what_changes_for_whom(
    assembly: Callable[..., Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    was, made = settings(agents=[AGENT, {**AGENT, "name": "old", "role": "old"}]), settings(operators=["piet"])
    role = {"Type": "AWS::IAM::Role", "Properties": {"RoleName": "a"}, "Metadata": {"aws:cdk:path": "x"}}
    aws = Aws(
        PlacetData={"Resources": {"Table": {"Type": "AWS::DynamoDB::Table"}}},
        PlacetGateway=template(was, Role=role, Gone=role),
    )
    cdk = Cdk(
        aws, assembly(made, Role={**role, "Properties": {"RoleName": "b"}}, Api={"Type": "AWS::ApiGatewayV2::Api"})
    )
    deploy.deploy(aws, made, run=cdk, assembly=cdk.assembly, lock=tmp_path / "lock.json")
    assert [line.removeprefix("deploy: ") for line in capsys.readouterr().out.splitlines()[2:9]] == [
        "agent old is removed: the role old is turned away, and what is decided for it is not executed and is listed as agent_gone",
        "operators: the role piet may see what is stuck and repair it",
        "operators: the role olga is turned away",
        "PlacetGateway: 1 resources are added, 1 removed, 1 changed",
        "PlacetGateway: rights change in Gone, Role",
        "PlacetGateway: removed are Gone",
        "what waits stays: 3 for people, in money-out",
    ]


def test_nothing_is_deployed_unless_somebody_says_so(
    assembly: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    made, aws = settings(), Aws()
    cdk = Cdk(aws, assembly(made))
    with pytest.raises(NotDeployed, match="as you said"):
        deploy.deploy(aws, made, asks=lambda question: False, run=cdk, assembly=cdk.assembly)
    deploy.deploy(aws, made, look=True, run=cdk, assembly=cdk.assembly)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    with pytest.raises(NotDeployed, match="say --yes"):
        deploy.deploy(aws, made, asks=deploy._ask, run=cdk, assembly=cdk.assembly)
    assert cdk.told == []


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        ({"ssm.GetParameter": "ParameterNotFound"}, "not bootstrapped"),
        ({"status": "ROLLBACK_COMPLETE"}, "stack PlacetData is ROLLBACK_COMPLETE"),
        ({"status": "ROLLBACK_COMPLETE"}, "aws cloudformation delete-stack --stack-name PlacetData"),
    ],
)
def test_what_is_in_the_way_stops_it_before_anybody_is_asked(
    assembly: Callable[..., Path], answers: dict[str, Any], says: str
) -> None:
    made = settings()
    aws = Aws(PlacetData={"Resources": {}}, PlacetGateway=template(made))
    aws.answers |= answers
    cdk = Cdk(aws, assembly(made))
    with pytest.raises(NotDeployed, match=says):
        deploy.deploy(aws, made, asks=lambda question: pytest.fail("asked"), run=cdk, assembly=cdk.assembly)
    assert cdk.told == []


def test_a_restored_table_without_its_stream_stops_it(assembly: Callable[..., Path]) -> None:
    stream = "arn:aws:dynamodb:eu-central-1:123456789012:table/restored/stream/2026-11-30T10:00:00.000"
    made = settings(restored_table="restored", restored_stream=stream, epoch=2)
    aws = Aws(PlacetData={"Resources": {}}, PlacetGateway=template(settings()))
    aws.answers |= {
        "dynamodb.DescribeTable": {"Table": {}},
        "dynamodb.DescribeTimeToLive": {"TimeToLiveDescription": {}},
        "dynamodb.DescribeContinuousBackups": {"ContinuousBackupsDescription": {"ContinuousBackupsStatus": "ENABLED"}},
    }
    cdk = Cdk(aws, assembly(made))
    with pytest.raises(NotDeployed, match="StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES --table-name restored"):
        deploy.deploy(aws, made, run=cdk, assembly=cdk.assembly)
    assert cdk.told == []


def test_who_is_asked_about_is_who_cdk_deploys_as(
    assembly: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Between the question and its answer a profile may become somebody else's; and arguments choose nobody."""
    aws, whose = Aws(), ["123456789012"]

    def becomes(question: str) -> bool:
        whose[0] = "999999999999"
        return True

    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "of-somebody-else")
    monkeypatch.setenv("CDK_PROFILE", "prod")
    cdk = Cdk(aws, assembly(settings()))
    deploy.deploy(aws, settings(), run=cdk, assembly=cdk.assembly, lock=tmp_path / "lock.json")
    ((_, environ),) = cdk.told
    assert (environ["AWS_ACCESS_KEY_ID"], environ["AWS_SESSION_TOKEN"]) == ("test", "token")
    assert "CDK_PROFILE" not in environ
    aws.answers["sts.GetCallerIdentity"] = lambda asked: {"Account": whose[0], "Arn": "arn:aws:iam::1:user/me"}
    cdk = Cdk(aws, assembly(settings()))
    with pytest.raises(NotDeployed, match="now those of account 999999999999, region eu-central-1"):
        deploy.deploy(aws, settings(), asks=becomes, run=cdk, assembly=cdk.assembly, lock=tmp_path / "lock.json")
    for words in (["--profile", "prod"], ["--force", "--profile=prod"], ["--region", "us-east-1"]):
        with pytest.raises(NotDeployed, match="than is shown here: say AWS_"):
            deploy.deploy(aws, settings(), run=cdk, assembly=cdk.assembly, more=words)
    assert cdk.told == []


def test_a_door_that_is_deployed_stops_it_without_a_lock(assembly: Callable[..., Path]) -> None:
    aws = Aws(PlacetData={"Resources": {}}, PlacetGateway=template(settings(epoch=3)))
    cdk = Cdk(aws, assembly(settings()))
    with pytest.raises(NotDeployed, match="epoch 3 is deployed, not 1"):
        deploy.deploy(aws, settings(), run=cdk, assembly=cdk.assembly)


def test_a_cdk_that_fails_is_no_deploy(
    assembly: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made, aws = settings(), Aws()
    cdk = Cdk(aws, assembly(made), code=1)
    with pytest.raises(NotDeployed, match="make doctor"):
        deploy.deploy(aws, made, run=cdk, assembly=cdk.assembly, lock=tmp_path / "lock.json")
    assert "next:" not in capsys.readouterr().out
    assert not (tmp_path / "lock.json").exists()


def test_without_settings_of_ones_own_nothing_is_even_asked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deploy, "synth", lambda folder: pytest.fail("synthesized"))
    assert deploy.main(["--yes"]) == 1
    assert "an account takes no example" in capsys.readouterr().err


def test_what_stands_behind_two_dashes_is_for_cdk(monkeypatch: pytest.MonkeyPatch) -> None:
    told: dict[str, Any] = {}
    monkeypatch.setattr(deploy, "deployed_settings", settings)
    monkeypatch.setattr(deploy, "session_in", lambda region: Aws())
    monkeypatch.setattr(deploy, "synth", lambda folder, installation: told.update(of=installation))
    monkeypatch.setattr(deploy, "deploy", lambda session, made, **more: told.update(more))
    assert deploy.main(["--yes", "--", "--force"]) == 0
    assert told == {"of": "123456789012/eu-central-1", "asks": None, "look": False, "more": ["--force"]}


def test_in_a_log_what_is_said_before_cdk_stands_before_it() -> None:
    code = (
        "import subprocess; from infra import deploy; deploy.deployed_settings = dict; deploy.session_in = str\n"
        "deploy.caller = lambda session: deploy\ndeploy.installation = ''\n"
        "deploy.synth = lambda folder, installation: 'said first'\n"
        "deploy.deploy = lambda *given, **more: subprocess.run(['echo', 'CDK'])\n"
        "deploy.main(['--yes'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": ""},
    )
    assert done.stdout.split("\n") == ["said first", "CDK", ""], done.stderr


@pytest.mark.parametrize(("said", "is_ci"), [("true", True), ("1", True), ("false", False), ("", False)])
def test_in_ci_nobody_is_asked(said: str, is_ci: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", said)
    assert deploy._in_ci() is is_ci


def test_every_change_of_who_decides_is_a_sentence() -> None:
    was = audience(settings(), POLICY)
    now = copy.deepcopy(was)
    money = now["classes"]["money-out"]
    money |= {
        "groups": {"board": 0, **{group: 60 for group in list(money["groups"])[:1]}},
        "quorum": 2,
        "may_edit": not money["may_edit"],
    }
    now["classes"] |= {"new": {**money, "groups": {"board": 60}}}
    gone = now["classes"].pop("general")
    now["agents"]["desk"]["role"] = "other"
    now["policy"] = "next"
    said = list(changes(was, now))
    assert f"the policy is of version next, not {POLICY.version}" in said
    assert "agent desk: role is other, not desk" in said
    assert "class money-out: people of board may decide it, from the beginning" in said
    assert "class money-out: people of finance may decide it after 60 s, not from the beginning" in said
    assert f"class money-out: quorum is 2, not {was['classes']['money-out']['quorum']}" in said
    assert "class money-out: may_edit is false, not true" in said
    assert any(line.startswith("class new is added: 2 of board after 60 s decide within") for line in said)
    assert any(line.startswith("class general is removed: nobody may decide") for line in said)
    assert list(changes(was, was)) == []
    back = list(changes(now, was))
    assert "class money-out: people of board may not decide it any more, nor what waits in it" in back
    assert gone["groups"]


def test_the_command_line_of_cdk_is_the_pinned_one_and_make_runs_it() -> None:
    recipe = (ROOT / "Makefile").read_text().partition("\ndeploy:")[2].partition("\n\n")[0]
    assert "-m infra.deploy $(ARGS)" in recipe
    assert "npx" not in (ROOT / "Makefile").read_text()
    assert "--require-approval" in ALWAYS
