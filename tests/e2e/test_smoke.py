"""`make smoke` on the deployed product: every step passes, leaves nothing, and a right that is missing is found."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from infra import smoke, smoke_rights
from infra.settings_file import EXAMPLE, ROOT, read
from infra.smoke_agent import PATH
from infra.smoke_ground import Ground, SmokeFailed
from local.emulator.signatures import Key
from local.endpoint import Endpoint
from local.settings import REGION
from local.stack import LocalStack


class Session:
    """What boto3's session is to smoke, on this machine: the state machine has an address of its own."""

    region_name = REGION

    def __init__(self, stack: LocalStack, credentials: Key | None = None) -> None:
        self._stack, self._credentials = stack, credentials

    def client(self, service: str) -> Any:
        settings = self._stack.settings
        url = settings.steps_endpoint if service == "stepfunctions" else settings.endpoint
        return Endpoint(url).client(service, self._credentials)

    def assumed(self, **named: Any) -> Session:
        keys = ("aws_access_key_id", "aws_secret_access_key", "aws_session_token")
        return Session(self._stack, Key(*(named[key] for key in keys)))


def ground(stack: LocalStack, **named: Any) -> Ground:
    session = Session(stack)
    return Ground(session, read(ROOT / EXAMPLE).settings, url=stack.api_url, assumed=session.assumed, **named)


def test_every_step_passes_and_nothing_is_left(stack: LocalStack) -> None:
    found = smoke.run(ground(stack, patience_s=180, token=stack.access_token("maria")), print)
    assert {one["step"]: one["sentence"] for one in found["steps"] if one["result"] != "ok"} == {}
    assert (found["passed"], found["left_behind"]) == (True, [])
    iam = stack.client("iam")
    assert [one["RoleName"] for one in iam.list_roles(PathPrefix=PATH)["Roles"]] == []


@pytest.fixture
def without_members(stack: LocalStack) -> Iterator[Ground]:
    """The planted bug: decide may not check a membership any more."""
    on = ground(stack, sleep=lambda seconds: None)
    denied = {"Effect": "Deny", "Action": "dynamodb:ConditionCheckItem", "Resource": "*"}
    role, iam = on.role_of("decide"), stack.client("iam")
    document = json.dumps({"Version": "2012-10-17", "Statement": [denied]})
    iam.put_role_policy(RoleName=role, PolicyName="planted", PolicyDocument=document)
    yield on
    iam.delete_role_policy(RoleName=role, PolicyName="planted")
    on.undo.run()


def test_a_decision_without_its_rights_is_found(without_members: Ground) -> None:
    with pytest.raises(SmokeFailed, match="502 table_refused"):
        smoke_rights.decide_rights(without_members)
