"""Service calls as IAM sees them: who asks, which action, on what. Taken from the requests that functions make."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import boto3
from botocore.config import Config

SIGNED_AS = {"stepfunctions": "states", "sesv2": "ses", "bedrock-agent-runtime": "bedrock"}
ACTIONS = {"lambda:Invoke": "lambda:InvokeFunction"}
ITEMS = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem"}


class Call(NamedTuple):
    """One kind of request: the function, the action, and what it is on, in the words of `rights.named`."""

    verb: str
    action: str
    on: str


BATCH = "batch:"  # before the kinds of partitions that one request names, where they are several


def batch(verb: str, action: str, partitions: Iterable[str]) -> Iterator[Call]:
    """That one request names several kinds of partitions: IAM judges them together, so one statement has to allow all."""
    kinds = sorted({f"T#*#{one.split('#')[2]}#*" for one in partitions})
    if len(kinds) > 1:
        yield Call(verb, action, BATCH + " ".join(kinds))


class Recorder:
    """Real boto3 clients whose requests stay in this process: AWS's own models say what a request is called and whether it fits."""

    def __init__(self) -> None:
        self._note: Callable[[str, str, dict[str, Any]], None] = print
        self._made: dict[str, Any] = {}
        self._answer: Callable[[], Any] = dict
        self._given: dict[str, Any] = {}

    def request(
        self,
        service: str,
        method: str,
        given: dict[str, Any],
        answer: Callable[[], Any],
        note: Callable[[str, str, dict[str, Any]], None],
    ) -> Any:
        """Make a request of a client, note service, operation and what was given, and have it answered."""
        self._answer, self._given, self._note = answer, given, note
        return getattr(self._client(service), method)(**given)

    def _client(self, service: str) -> Any:
        if service not in self._made:
            no_retry = Config(retries={"total_max_attempts": 1})
            made = boto3.client(
                service, region_name="eu-central-1", aws_access_key_id="x", aws_secret_access_key="x", config=no_retry
            )
            made.meta.events.register("before-call", self._asked)
            self._made[service] = made
        return self._made[service]

    def _asked(self, model: Any, **_: Any) -> Any:
        self._note(model.service_model.service_name, model.name, self._given)
        return type("Answer", (), {"status_code": 200, "headers": {}})(), self._answer()


def calls_of(verb: str, service: str, operation: str, given: dict[str, Any]) -> Iterator[Call]:
    """What one request of a function, beside the table's, has to be allowed. Raises KeyError for a service that is new here."""
    action = f"{SIGNED_AS.get(service, service)}:{operation}"
    yield from (Call(verb, ACTIONS.get(action, action), on) for on in _ON[service](given))
    if service == "scheduler":  # hands its role to the schedule
        yield Call(verb, "iam:PassRole", "role:timers")


def table_calls(verb: str, method: str, given: dict[str, Any]) -> Iterator[Call]:
    """The same of a request to the table, on each partition that it names."""
    if method == "transact_write_items":
        for one in given["TransactItems"]:
            for kind, asked in one.items():
                yield Call(verb, f"dynamodb:{ITEMS[kind]}", f"partition:{asked['op'].key.pk}")
        return
    action = "dynamodb:" + "".join(word.title() for word in method.split("_"))
    named = list(_partitions(given))
    for partition, index in named:
        yield Call(verb, action, f"index/{index}:{partition}" if index else f"partition:{partition}")
    yield from batch(verb, action, (partition for partition, _ in named))


def _partitions(given: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if "op" in given:
        yield given["op"].key.pk, ""
    elif "Key" in given:
        yield given["Key"]["pk"]["S"], ""
    elif "RequestItems" in given:
        yield from ((key["pk"]["S"], "") for asked in given["RequestItems"].values() for key in asked["Keys"])
    else:
        yield given["ExpressionAttributeValues"][":pk"]["S"], given.get("IndexName", "")


def _function(given: dict[str, Any]) -> list[str]:
    return [f"function:{given['FunctionName'].rpartition(':')[2]}"]


_ON: dict[str, Callable[[dict[str, Any]], list[str]]] = {
    "kms": lambda given: ["key:ids"],
    "s3": lambda given: ["bucket"],
    "stepfunctions": lambda given: ["machine"],
    "scheduler": lambda given: ["schedules"],
    "events": lambda given: ["bus"],
    "lambda": _function,
    "sesv2": lambda given: [f"identity:{given['FromEmailAddress']}", "configuration-set"],
    "sns": lambda given: [f"topic:{given['TopicArn'].rpartition(':')[2]}"],
    "sqs": lambda given: [f"queue:{given.get('QueueName') or given['QueueUrl'].rpartition('/')[2]}"],
    "secretsmanager": lambda given: [f"secret:{given['SecretId']}"],
    "bedrock-agent-runtime": lambda given: [f"alias:{given['agentId']}/{given['agentAliasId']}"],
}
