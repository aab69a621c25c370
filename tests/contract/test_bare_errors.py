"""Answers without a code: a load balancer's 5xx, an empty body, HTML. What the real clients make of them, and what we do."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from placet.aws import table
from placet.aws.bodies import S3Bodies
from placet.aws.delivery.queues import Queues
from placet.aws.delivery.signatures import Secrets
from placet.aws.ids import KmsIds
from placet.aws.invoking import LambdaAgents, LambdaVerbs
from placet.aws.mail import Ses
from placet.aws.table import ATTEMPTS, DynamoTable
from placet.aws.timers import Scheduler
from placet.aws.waits import StepFunctions
from placet.model.errors import Busy, Refused
from placet.model.pauses import Agent
from placet.records.keys import Key
from placet.records.ops import Put
from placet.service.ports import Note, StillAtWork
from placet.web.mail import Letter
from tests.gateway import BILLING

NOTE = Note("Maria", "maria@example.com", "p", "money-out", ("t",), "a", "r", "e", "never", 1, 2)
QUEUED = Agent(name="agent", role="role", owner="owner@example.com", target="sqs", queue="decided.fifo")
ITEM = {"pk": "T#main#P#a", "sk": "HEAD"}
Answer = tuple[int, bytes, str]
HTML, XML, JSON = "text/html", "application/xml", "application/x-amz-json-1.0"
PASSING: tuple[Answer, ...] = (
    (500, b"", HTML),
    (502, b"<html><body>Bad Gateway</body></html>", HTML),
    (503, b"", HTML),
    (504, b"<!doctype html><p>Gateway Timeout", HTML),
    (429, b"", HTML),
    (503, b'{"__type":"com.amazon.coral.availability#ThrottlingException"}', JSON),
    (503, b"<?xml version='1.0'?><Error><Code>SlowDown</Code></Error>", XML),
)


class Bare(http.server.ThreadingHTTPServer):
    """Gives the same answer to whatever is asked; `asked` counts."""

    answer: Answer = (500, b"", HTML)
    asked = 0


class Handler(http.server.BaseHTTPRequestHandler):
    server: Bare

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self.server.asked += 1
        status, body, kind = self.server.answer
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_PUT = do_POST

    def log_message(self, *args: Any) -> None:
        """Nothing."""


@pytest.fixture(scope="module")
def bare() -> Iterator[Bare]:
    with Bare(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


CLIENTS: dict[str, Any] = {}


def client(bare: Bare, service: str) -> Any:
    if service not in CLIENTS:
        where = {"endpoint_url": f"http://127.0.0.1:{bare.server_address[1]}", "region_name": "us-east-1"}
        keys = {"aws_access_key_id": "x", "aws_secret_access_key": "y"}
        CLIENTS[service] = boto3.client(service, config=Config(retries={"total_max_attempts": 1}), **where, **keys)
    return CLIENTS[service]


PORTS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "get": ("s3", lambda to: S3Bodies("bucket", to).get("abc")),
    "put": ("s3", lambda to: S3Bodies("bucket", to).put("abc", "x")),
    "mac": ("kms", lambda to: KmsIds("key", to).pause_id("a", "r", "n")),
    "start": (
        "stepfunctions",
        lambda to: StepFunctions("arn:aws:states:us-east-1:1:stateMachine:x", to).start("n", {}),
    ),
    "answer": ("stepfunctions", lambda to: StepFunctions("arn", to).answer("token", {})),
    "timer": (
        "scheduler",
        lambda to: Scheduler("g", "arn:aws:iam::1:role/r" * 2, "t", "d", "main", lambda: 0, to).set("p", 1),
    ),
    "mail": ("sesv2", lambda to: Ses("a@example.com", "set", lambda note: Letter("s", "t", "h"), to).send(NOTE)),
    "verb": ("lambda", lambda to: LambdaVerbs({"resume": "f"}, to).call("resume", {})),
    "queue": ("sqs", lambda to: Queues(to).deliver(QUEUED, {"pause": "p", "generation": 1, "resume": {"run": "r"}})),
    "secret": ("secretsmanager", lambda to: Secrets(to).signing("name")),
    "read": ("dynamodb", lambda to: quick(to).get(Key("a", "b"))),
    "write": ("dynamodb", lambda to: quick(to).write([Put(ITEM)])),
    "transaction": ("dynamodb", lambda to: quick(to).write([Put(ITEM), Put(ITEM | {"sk": "BODY"})])),
}


def quick(dynamodb: Any) -> DynamoTable:
    return DynamoTable("t", dynamodb, lambda seconds: None)


@pytest.mark.parametrize("port", PORTS)
@pytest.mark.parametrize("answer", PASSING, ids=lambda one: f"{one[0]} {one[1][:30].decode()}")
def test_an_answer_without_a_code_may_pass(bare: Bare, answer: Answer, port: str) -> None:
    service, request = PORTS[port]
    bare.answer, bare.asked = answer, 0
    with pytest.raises(Busy):
        request(client(bare, service))
    assert bare.asked == (ATTEMPTS if service == "dynamodb" else 1)


@pytest.mark.parametrize("answer", [one for one in PASSING if one[0] != 429], ids=lambda one: str(one[0]))
def test_after_one_nobody_knows_whether_an_agent_was_started(bare: Bare, answer: Answer) -> None:
    bare.answer = answer
    with pytest.raises(StillAtWork):
        LambdaAgents(client(bare, "lambda")).deliver(BILLING, {"resume": {}})


def test_a_list_of_what_passes_would_be_seen(bare: Bare, monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted bug: what the list of passing codes does not know is final at the first attempt."""
    known = {"ThrottlingException", "InternalServerError", "ServiceUnavailable"}

    def refused(error: ClientError) -> bool:
        return error.response["Error"]["Code"] not in known

    monkeypatch.setattr(table, "_is_refused", refused)
    bare.answer, bare.asked = PASSING[0], 0
    with pytest.raises(Refused):
        quick(client(bare, "dynamodb")).get(Key("a", "b"))
    assert bare.asked == 1
