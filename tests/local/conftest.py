"""The local mode itself: the emulators with nothing deployed, small functions in them, and the running product."""

from __future__ import annotations

import io
import json
import shutil
import textwrap
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from local.endpoint import Endpoint
from local.processes import Emulators
from local.settings import LocalSettings
from local.stack import LocalStack
from tests.shared import end_shared_stack, shared_stack

ROLE = "arn:aws:iam::000000000000:role/{}"


class Bench:
    """Bare emulators and the shortest way to put something into them."""

    def __init__(self, settings: LocalSettings, group: int) -> None:
        self.settings = settings
        self.group = group
        self.aws = Endpoint(settings.endpoint)
        self.steps = Endpoint(settings.steps_endpoint)
        self._names = iter(range(10_000))

    def name(self, kind: str) -> str:
        return f"{kind}-{next(self._names)}"

    def role(self, *statements: dict[str, Any]) -> str:
        """A role that this machine and every service may take; give its ARN."""
        name, iam = self.name("role"), self.aws.client("iam")
        services = ["lambda.amazonaws.com", "states.amazonaws.com", "scheduler.amazonaws.com"]
        trusted = {"AWS": "arn:aws:iam::000000000000:root", "Service": services}
        trust = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": trusted}
        iam.create_role(RoleName=name, AssumeRolePolicyDocument=document(trust))
        if statements:
            iam.put_role_policy(RoleName=name, PolicyName="rights", PolicyDocument=document(*statements))
        return ROLE.format(name)

    def function(self, source: str, role: str | None = None) -> str:
        """A function whose module holds ``handler``; give its ARN."""
        body = io.BytesIO()
        with zipfile.ZipFile(body, "w") as archive:
            archive.writestr("module.py", textwrap.dedent(source))
        answer = self.aws.client("lambda").create_function(
            FunctionName=self.name("function"),
            Runtime="python3.13",
            Role=role or self.role(),
            Handler="module.handler",
            Code={"ZipFile": body.getvalue()},
            Timeout=20,
        )
        return str(answer["FunctionArn"])

    def invoke(self, function: str, event: Any = None) -> Any:
        answer = self.aws.client("lambda").invoke(FunctionName=function, Payload=json.dumps(event).encode())
        return json.loads(answer["Payload"].read())

    def queue(self) -> tuple[str, str]:
        """A queue's URL and ARN."""
        sqs, name = self.aws.client("sqs"), self.name("queue")
        return sqs.create_queue(QueueName=name)["QueueUrl"], f"arn:aws:sqs:us-east-1:000000000000:{name}"

    def messages(self, queue: str, seconds: int = 5) -> list[Any]:
        got = self.aws.client("sqs").receive_message(QueueUrl=queue, WaitTimeSeconds=seconds, MaxNumberOfMessages=10)
        return [json.loads(one["Body"]) for one in got.get("Messages", [])]

    def table(self, stream: bool = False) -> tuple[str, str]:
        """A table with pk and sk; its name and its stream's ARN."""
        answer = self.aws.client("dynamodb").create_table(
            TableName=self.name("table"),
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
            AttributeDefinitions=[{"AttributeName": one, "AttributeType": "S"} for one in ("pk", "sk")],
            BillingMode="PAY_PER_REQUEST",
            StreamSpecification={
                "StreamEnabled": stream,
                **({"StreamViewType": "NEW_AND_OLD_IMAGES"} if stream else {}),
            },
        )["TableDescription"]
        return answer["TableName"], answer.get("LatestStreamArn", "")

    def as_role(self, service: str, role: str) -> Any:
        return self.aws.client(service, self.aws.assume(role, "test"))


def document(*statements: dict[str, Any]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


def allow(actions: str | list[str], resources: str | list[str], **conditions: Any) -> dict[str, Any]:
    condition = {"Condition": conditions} if conditions else {}
    return {"Effect": "Allow", "Action": actions, "Resource": resources, **condition}


@pytest.fixture(scope="session")
def bench() -> Iterator[Bench]:
    settings = LocalSettings().on_free_ports()
    emulators = Emulators(settings)
    emulators.start()
    try:
        yield Bench(settings, emulators.group or 0)
    finally:
        emulators.stop()
        shutil.rmtree(settings.run)


@pytest.fixture(scope="session")
def stack() -> Iterator[LocalStack]:
    yield shared_stack()
    end_shared_stack()


@pytest.fixture
def eventually() -> Callable[[Callable[[], Any], float], Any]:
    """Ask until the answer is true; fail with the last one."""
    from local.processes import wait_until

    def ask(question: Callable[[], Any], patience: float = 15.0) -> Any:
        last: list[Any] = [None]

        def now() -> bool:
            last[0] = question()
            return bool(last[0])

        assert wait_until(now, patience), last[0]
        return last[0]

    return ask
