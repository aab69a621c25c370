"""docs/deploy.md, docs/roles.md, README.md: every line that is typed is a command that there is, and what is shown is printed."""

from __future__ import annotations

import importlib
import json
import re
import shlex
from pathlib import Path
from typing import Any

import botocore.session
import pytest
from botocore.loaders import Loader
from botocore.validate import ParamValidator

from infra import deploy, settings_file
from infra.registry import TARGETS
from infra.settings_file import EXAMPLE, OWN
from tests.docs.reading import ROOT, blocks, rows
from tests.infra.deploying import ACTING, AGENT, OUT, Aws, Cdk, settings, written

DEPLOY, ROLES, README = ROOT / "docs/deploy.md", ROOT / "docs/roles.md", ROOT / "README.md"
LINES = [
    (page.name, line)
    for page in (DEPLOY, ROLES, README)
    for block in blocks(page, "sh")
    for line in block.splitlines()
    if line.strip()
]
MAKE = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
CDK = {"bootstrap", "deploy", "destroy", "diff"}
EXPORTED = {"AWS_PROFILE", "AWS_REGION"}


@pytest.mark.parametrize(("page", "line"), LINES, ids=[f"{page}: {line}" for page, line in LINES])
def test_every_line_that_is_typed_is_a_command(page: str, line: str) -> None:
    words = shlex.split(line, comments=True)
    if words[0] == "make":
        target, *given = words[1:]
        assert target in MAKE
        assert all(re.fullmatch(r"ARGS=--(yes|look)", one) for one in given)
    elif words[0] == "cp":
        assert words[1:] == [EXAMPLE, OWN]
    elif words[:2] == [".venv/bin/python", "-m"]:
        assert hasattr(importlib.import_module(words[2]), "main")
        assert words[2] != "infra.cdk" or words[3] in CDK
    elif words[0] == "export":
        assert words[1].partition("=")[0] in EXPORTED
    elif words[0] == "aws":
        asked_as_aws_takes_it(words[1:])
    else:
        assert (page, words[0]) == ("deploy.md", "placet"), "test_people_page.py runs these"


def asked_as_aws_takes_it(words: list[str]) -> None:
    service, operation, *options = words
    known = botocore.session.Session().get_service_model(service)
    name = {re.sub(r"(?<!^)(?=[A-Z])", "-", one).lower(): one for one in known.operation_names}[operation]
    shape = known.operation_model(name).input_shape
    keys = {re.sub(r"(?<!^)(?=[A-Z])", "-", one).lower(): one for one in shape.members}
    asked: dict[str, Any] = {}
    for option, value in zip(options[::2], options[1::2], strict=True):
        key, given = keys[option.removeprefix("--")], "{}" if value.startswith("file://") else value
        asked[key] = [given] if shape.members[key].type_name == "list" else given
    report = ParamValidator().validate(asked, shape)
    assert not report.has_errors(), report.generate_report()


def test_an_aws_command_that_there_is_not_is_seen() -> None:
    for wrong in (["iam", "attach-role", "--role-name", "a"], ["iam", "attach-role-policy", "--role-name", "a"]):
        with pytest.raises((KeyError, AssertionError)):
            asked_as_aws_takes_it(wrong)


# --- settings and deploy ----------------------------------------------------------------------------------------------


def test_the_steps_of_the_settings_say_what_is_left_to_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / OWN).write_text((ROOT / EXAMPLE).read_text())
    monkeypatch.setenv(settings_file.VARIABLE, str(tmp_path / OWN))
    monkeypatch.setattr("sys.argv", ["settings_file"])
    assert settings_file.main() == 1
    assert all(": write your own, or take the entry out" in line for line in capsys.readouterr().err.splitlines())
    real = (ROOT / EXAMPLE).read_text().replace("@example.com", "@acme.test").replace("AGENT12345", "K7MFQ2X9ZB")
    (tmp_path / OWN).write_text(real)
    assert settings_file.main() == 0
    assert "is good for a deploy: 3 agents" in capsys.readouterr().out


def test_the_deploy_prints_what_the_page_shows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made, aws = settings(agents=[AGENT, ACTING], alarm_mail="ops@acme.test"), Aws()
    cdk = Cdk(aws, written(tmp_path, made, Api={"Type": "AWS::ApiGatewayV2::Api"}))
    aws.attached = {OUT["PlacetGateway"]["OperatorAccessPolicyArn"]: ["olga"]}

    def asks(question: str) -> bool:
        print(f"{question}y")
        return True

    deploy.deploy(aws, made, asks=asks, run=cdk, assembly=tmp_path, lock=tmp_path / "placet.lock.json")
    (shown,) = blocks(DEPLOY, "text")
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == len(shown.splitlines())
    for line, pattern in zip(printed, shown.splitlines(), strict=True):
        assert re.fullmatch(re.escape(pattern).replace("…", ".+"), line), (line, pattern)


def test_removing_names_what_has_to_be_detached_first() -> None:
    removing = DEPLOY.read_text().partition("## Removing it")[2]
    for word in (
        "detach-role-policy",
        "list-entities-for-policy",
        "AgentAccessPolicyArn",
        "ActionAccessPolicyArn",
        "OperatorAccessPolicyArn",
    ):
        assert word in removing
    order = ("placet freeze", "detach-role-policy", "list-executions", "stop-execution --", "destroy PlacetGateway")
    places = [removing.index(one) for one in order]
    assert places == sorted(places)


# --- roles ------------------------------------------------------------------------------------------------------------


def test_every_kind_of_target_has_its_role_explained() -> None:
    explained = {
        kind.strip("`") for kind, *_ in rows(ROLES, "`target` of the agent", "`role` is the role of", "who may take it")
    }
    assert explained == set(TARGETS)
    outputs = {name.strip("`") for name, *_ in rows(ROLES, "output", "for", "it may")}
    assert outputs == {name for name in OUT["PlacetGateway"] if name.endswith("PolicyArn")}


SERVICES = {one for one in Loader().list_available_services("service-2")} | {"ecs-tasks"}


@pytest.mark.parametrize("text", blocks(ROLES, "json"))
def test_a_trust_policy_lets_one_principal_in(text: str) -> None:
    policy: dict[str, Any] = json.loads(text)
    (statement,) = policy["Statement"]
    assert policy["Version"] == "2012-10-17"
    assert (statement["Effect"], statement["Action"]) == ("Allow", "sts:AssumeRole")
    ((kind, who),) = statement["Principal"].items()
    if kind == "Service":
        assert who.removesuffix(".amazonaws.com") in SERVICES
    else:
        assert re.fullmatch(r"arn:aws:iam::\d{12}:role/[\w-]+", who)
    for operator, keys in statement.get("Condition", {}).items():
        assert operator in ("StringEquals", "Bool")
        assert set(keys) <= {"aws:SourceAccount", "aws:MultiFactorAuthPresent"}
