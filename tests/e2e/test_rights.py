"""Least privilege, tried on the deployed roles: every function may do its work, and is denied what it must never do."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local.settings import ACCOUNT
from local.stack import LocalStack

Act = Callable[["Role"], Any]
FUNCTIONS = (
    "capture",
    "dispatch",
    "notify",
    "escalate",
    "review",
    "decide",
    "sign_in",
    "resume",
    "pick_up",
    "execute",
    "sweep",
    "operate",
    "invoke_agent",
)


class Role:
    """One function's deployed role, taken by this machine's root."""

    def __init__(self, stack: LocalStack, function: str) -> None:
        self._stack = stack
        self.table, self.machine = stack.table_name, stack.outputs["MachineArn"]
        self.bucket = function_of(stack, "capture")["Environment"]["Variables"]["PLACET_BUCKET"]
        arn = function_of(stack, function)["Role"]
        iam, name = stack.client("iam"), arn.rpartition("/")[2]
        trust = iam.get_role(RoleName=name)["Role"]["AssumeRolePolicyDocument"]
        trust = json.loads(trust) if isinstance(trust, str) else trust
        root = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}}
        iam.update_assume_role_policy(
            RoleName=name, PolicyDocument=json.dumps(trust | {"Statement": [*trust["Statement"], root]})
        )
        self._credentials = stack.aws.assume(arn, "rights")

    def client(self, service: str) -> Any:
        return self._stack.aws.client(service, self._credentials)

    def root(self, service: str) -> Any:
        """The same service as the account's root."""
        return self._stack.client(service)

    def arn_of(self, function: str) -> str:
        return str(function_of(self._stack, function)["FunctionArn"])


def function_of(stack: LocalStack, function: str) -> dict[str, Any]:
    """The deployed function of a verb, found by the verb in its generated name."""
    verb = function.replace("_", "")
    pages = stack.client("lambda").get_paginator("list_functions").paginate()
    found = [one for page in pages for one in page["Functions"] if f"-{verb}" in one["FunctionName"].lower()]
    assert len(found) == 1, (function, [one["FunctionName"] for one in found])
    return dict(found[0])


def get(kind: str, sk: str = "HEAD") -> Act:
    key = {"pk": {"S": f"T#main#{kind}#x"}, "sk": {"S": sk}}
    return lambda role: role.client("dynamodb").get_item(TableName=role.table, Key=key)


def read_all(kind: str) -> Act:
    values = {":pk": {"S": f"T#main#{kind}#x"}}
    return lambda role: role.client("dynamodb").query(
        TableName=role.table, KeyConditionExpression="pk = :pk", ExpressionAttributeValues=values
    )


def put(kind: str, sk: str = "x") -> Act:
    item = {"pk": {"S": f"T#main#{kind}#rights"}, "sk": {"S": sk}}
    return lambda role: role.client("dynamodb").put_item(TableName=role.table, Item=item)


def change(kind: str) -> Act:
    key = {"pk": {"S": f"T#main#{kind}#rights"}, "sk": {"S": "x"}}
    return lambda role: role.client("dynamodb").update_item(
        TableName=role.table, Key=key, UpdateExpression="SET a = :a", ExpressionAttributeValues={":a": {"N": "1"}}
    )


def delete(kind: str) -> Act:
    key = {"pk": {"S": f"T#main#{kind}#rights"}, "sk": {"S": "x"}}
    return lambda role: role.client("dynamodb").delete_item(TableName=role.table, Key=key)


def scan(role: Role) -> Any:
    return role.client("dynamodb").scan(TableName=role.table)


def store(role: Role) -> Any:
    return role.client("s3").put_object(Bucket=role.bucket, Key="main/rights/text", Body=b"{}")


def fetch(role: Role) -> Any:
    """A text that is there: S3 tells who may not list a bucket AccessDenied also of one that is not."""
    root = role.root("s3")
    root.put_object(Bucket=role.bucket, Key="main/rights/text", Body=b"{}")
    return role.client("s3").get_object(Bucket=role.bucket, Key="main/rights/text")["Body"].read()


def drop(role: Role) -> Any:
    return role.client("s3").delete_object(Bucket=role.bucket, Key="main/rights/text")


def browse(role: Role) -> Any:
    return role.client("s3").list_objects_v2(Bucket=role.bucket)


def start(role: Role) -> Any:
    return role.client("stepfunctions").start_execution(stateMachineArn=role.machine, name="rights", input="{}")


def invoke(function: str) -> Act:
    return lambda role: role.client("lambda").invoke(FunctionName=role.arn_of(function), Payload=b"{}")


def schedule(role: Role) -> Any:
    return role.client("scheduler").create_schedule(
        Name="rights",
        ScheduleExpression="at(2040-01-01T00:00:00)",
        FlexibleTimeWindow={"Mode": "OFF"},
        Target={"Arn": role.arn_of("escalate"), "RoleArn": f"arn:aws:iam::{ACCOUNT}:role/x"},
    )


def mail(role: Role) -> Any:
    content = {"Simple": {"Subject": {"Data": "s"}, "Body": {"Text": {"Data": "t"}}}}
    to = {"ToAddresses": ["you@example.com"]}
    return role.client("sesv2").send_email(FromEmailAddress="placet@example.com", Destination=to, Content=content)


PAUSE, PERSON, SESSION, TOKEN = get("P"), get("U", "G#x"), get("S", "SESSION"), get("K", "TOKEN#1")
FREEZE, RUN = get("F", "FREEZE"), get("N", "RUN")
MAY: dict[str, list[Act]] = {
    "capture": [PAUSE, FREEZE, store, fetch],
    "dispatch": [PAUSE, read_all("K")],
    "notify": [PAUSE],
    "escalate": [PAUSE],
    "review": [PAUSE, SESSION, fetch],
    "decide": [PAUSE, SESSION, FREEZE, store, fetch, invoke("resume")],
    "sign_in": [SESSION],
    "resume": [PAUSE, RUN, put("N", "RUN"), FREEZE, store, fetch],
    "pick_up": [PAUSE, read_all("P"), RUN, fetch],
    "execute": [PAUSE, FREEZE, fetch],
    "sweep": [PAUSE],
    "operate": [PAUSE, FREEZE, put("F", "FREEZE"), invoke("resume")],
    "invoke_agent": [PAUSE, RUN, put("N", "RUN"), FREEZE, store, fetch],
}
MAY_NOT: dict[str, dict[str, Act]] = {
    "capture": {"read a token": TOKEN, "make a member": put("U"), "start a wait": start, "send mail": mail},
    "dispatch": {"write a body": put("P"), "write a token": put("K"), "set a timer": schedule, "send mail": mail},
    "notify": {"start a wait": start, "invoke an agent": invoke("resume"), "make a member": put("U")},
    "escalate": {"read a token": TOKEN, "send mail": mail, "start a wait": start, "read a session": SESSION},
    "review": {
        "write": put("P"),
        "change": change("P"),
        "read a token": TOKEN,
        "sign somebody in": put("S"),
        "write a text": store,
    },
    "decide": {
        "read a token": TOKEN,
        "make a member": put("U"),
        "start a wait": start,
        "drop a text": drop,
    },
    "sign_in": {"read a pause": PAUSE, "write a pause": put("P"), "make a member": put("U"), "read a token": TOKEN},
    "resume": {"read a token": TOKEN, "start a wait": start, "invoke another function": invoke("decide")},
    "pick_up": {
        "write": put("P"),
        "write a run": put("N", "RUN"),
        "read a token": TOKEN,
        "read a person": PERSON,
        "write a text": store,
    },
    "execute": {
        "read a token": TOKEN,
        "read a person": PERSON,
        "start a wait": start,
        "resume": invoke("resume"),
        "write a text": store,
    },
    "sweep": {
        "read a token": TOKEN,
        "read a run": RUN,
        "invoke decide": invoke("decide"),
        "read a person": PERSON,
        "send mail": mail,
        "read a text": fetch,
    },
    "invoke_agent": {
        "read a token": TOKEN,
        "read a person": PERSON,
        "make a member": put("U"),
        "start a wait": start,
        "invoke another function": invoke("decide"),
        "send mail": mail,
        "drop a text": drop,
    },
    "operate": {
        "read a token": TOKEN,
        "write a token": put("K"),
        "read a person": PERSON,
        "make a member": put("U"),
        "read a session": SESSION,
        "sign somebody in": put("S"),
        "start a wait": start,
        "invoke decide": invoke("decide"),
        "read a text": fetch,
        "write a text": store,
        "send mail": mail,
    },
}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_does_its_own_and_is_denied_the_rest(stack: LocalStack, function: str) -> None:
    role = Role(stack, function)
    for act in MAY[function]:
        act(role)
    forbidden = {**MAY_NOT[function], "scan the table": scan, "delete a pause": delete("P"), "list texts": browse}
    forbidden |= {"query tokens": read_all("K")} if function != "dispatch" else {"read one token": TOKEN}
    allowed = [name for name, act in forbidden.items() if not denied(act, role)]
    assert allowed == []


def test_a_check_that_denies_everything_would_be_seen(stack: LocalStack) -> None:
    """The planted bug of this test's own: with the right granted, the very same act is not called denied."""
    stack.client("iam").put_role_policy(
        RoleName=function_of(stack, "pick_up")["Role"].rpartition("/")[2],
        PolicyName="planted",
        PolicyDocument=json.dumps(
            {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "dynamodb:PutItem", "Resource": "*"}]}
        ),
    )
    role = Role(stack, "pick_up")
    assert not denied(put("P"), role)
    stack.client("iam").delete_role_policy(
        RoleName=function_of(stack, "pick_up")["Role"].rpartition("/")[2], PolicyName="planted"
    )
    stack.client("dynamodb").delete_item(
        TableName=stack.table_name, Key={"pk": {"S": "T#main#P#rights"}, "sk": {"S": "x"}}
    )


def denied(act: Act, role: Role) -> bool:
    """Whether IAM said no; any other refusal means that it had said yes."""
    try:
        act(role)
    except ClientError as error:
        return error.response["Error"]["Code"] in ("AccessDenied", "AccessDeniedException")
    return False
