"""Limits of every client as botocore takes them; a request that cannot end in time is not sent; one token for all tries."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError

from placet.aws import bodies, clients
from placet.aws.bedrock import meaning, read
from placet.aws.bodies import S3Bodies
from placet.aws.clients import LIMITS, PATIENCE_S, SPARE_S, client, in_all
from placet.aws.executors import LambdaExecutors
from placet.aws.table import MOST_LOST, DynamoTable
from placet.aws.time_left import NoTimeLeft, TimeLeft, time_left
from placet.aws.waits import StepFunctions
from placet.model.errors import Busy
from placet.records.keys import Key
from placet.records.ops import Put
from tests.contract.faults import Answering, refusal


@pytest.fixture(autouse=True)
def somewhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name, value in {"REGION": "us-east-1"}.items():
        monkeypatch.setenv(f"AWS_DEFAULT_{name}", value)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "x")
    clients._client.cache_clear()
    yield
    time_left.begin(None)
    clients._client.cache_clear()


def begin(seconds: float) -> None:
    """An invocation that is cut off after so long."""
    time_left.begin(SimpleNamespace(get_remaining_time_in_millis=lambda: int(1000 * seconds)))


@pytest.mark.parametrize("use", LIMITS)
def test_a_client_has_the_limits_of_its_use(use: str) -> None:
    config = client(use).meta.config
    limits = LIMITS[use]
    assert (config.connect_timeout, config.read_timeout) == (limits.connect_s, limits.read_s)
    assert config.retries["total_max_attempts"] == limits.attempts
    assert client(use) is client(use)


@pytest.mark.parametrize("use", LIMITS)
def test_who_waits_long_keeps_the_connection_alive(use: str) -> None:
    """A NAT gateway forgets one on which nothing is said for 350 seconds: the answer of an agent would never come."""
    assert bool(client(use).meta.config.tcp_keepalive) is (LIMITS[use].read_s >= 200)


class Dripping:
    """A body of which each part comes just within the limit of one."""

    def __init__(self, clock: list[float], parts: int) -> None:
        self.clock, self.parts, self.given = clock, parts, 0

    def read(self, size: int) -> bytes:
        self.clock[0] += LIMITS["s3"].read_s - 0.1
        self.given += 1
        return b"x" if self.given <= self.parts else b""

    def events(self) -> Iterator[dict[str, Any]]:
        for _ in range(self.parts):
            self.clock[0] += LIMITS["bedrock-agent-runtime"].read_s - 0.1
            yield {"chunk": {"bytes": b"x"}}


def test_an_answer_in_parts_has_a_limit_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted bug, a limit for each part alone, is what a body without `look` has: it is read to its end."""
    clock = [0.0]
    monkeypatch.setattr(bodies, "in_all", lambda use: in_all(use, lambda: clock[0]))
    assert S3Bodies("b", Answering({"Body": Dripping(clock, 2)})).get("x") == "xx"
    dripping = Dripping(clock, 1_000)
    with pytest.raises(Busy):
        S3Bodies("b", Answering({"Body": dripping})).get("x")
    assert dripping.given == 4
    look = in_all("bedrock-agent-runtime", lambda: clock[0])
    assert read(Dripping(clock, 1).events(), look).text == "x"
    with pytest.raises(ReadTimeoutError) as late:
        read(Dripping(clock, 1_000).events(), look)
    assert (meaning(late.value).code, meaning(late.value).nothing_done) == ("response_lost", False)
    assert len(read(Dripping(clock, 1_000).events()).text) == 1_000


def test_an_answer_in_parts_is_left_in_time_to_say_so() -> None:
    begin(SPARE_S + 0.05)
    look = in_all("s3")
    look()
    begin(SPARE_S - 0.05)
    with pytest.raises(ReadTimeoutError):
        look()


def test_who_waits_for_another_function_waits_as_long_as_it_has() -> None:
    longest = LIMITS["lambda/asked"].read_s
    for left, waits in ((0.5, 1), (10, 1), (12, 5), (29, 20), (100, 90), (245, 180), (247, longest), (900, longest)):
        begin(left)
        assert client("lambda/asked").meta.config.read_timeout == waits


def test_a_warm_function_keeps_few_clients_however_much_time_each_of_its_invocations_has_left() -> None:
    """The planted bug: one for each whole second."""

    def kept(make: Callable[[], Any]) -> int:
        clients._client.cache_clear()
        for left in range(1, 260, 4):
            begin(left)
            make()
        return int(clients._client.cache_info().currsize)

    def by_the_second() -> Any:
        return clients._client("lambda/asked", max(1, int(time_left()) - SPARE_S), "")

    assert kept(lambda: client("lambda/asked")) == len(PATIENCE_S) + 1
    assert kept(by_the_second) > 50


def test_a_request_that_cannot_end_in_time_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.getsockname()[1]}")
        begin(3.9)
        with pytest.raises(NoTimeLeft):
            client("kms").list_keys()
        with pytest.raises(Busy):
            DynamoTable("t").get(Key("a", "b"))
        with pytest.raises(Busy):
            StepFunctions("arn:aws:states:us-east-1:123456789012:stateMachine:m").start("p-1", {})
        with pytest.raises(TimeoutError):
            server.accept()


def test_a_call_that_cannot_end_in_time_was_not_run() -> None:
    begin(100)
    agent: Any = SimpleNamespace(executes="executor")
    with pytest.raises(Busy, match="not started"):
        LambdaExecutors().run(agent, {})


def test_time_goes_by_and_outside_of_lambda_there_is_no_end() -> None:
    now = [0.0]
    left = TimeLeft(lambda: now[0])
    assert left() == float("inf")
    left.begin(SimpleNamespace(get_remaining_time_in_millis=lambda: 29_000))
    now[0] = 9.0
    assert left() == 20.0
    left.begin(None)
    assert left() == float("inf")


def test_all_tries_of_a_transaction_carry_one_token() -> None:
    lost = ReadTimeoutError(endpoint_url="https://dynamodb")
    dynamodb = Answering(refusal("TransactionInProgressException"), lost, {}, {})
    written = DynamoTable("t", dynamodb, sleep=lambda _: None)
    ops = [Put({"pk": "a", "sk": "1"}), Put({"pk": "a", "sk": "2"})]
    written.write(list(ops))
    written.write(list(ops))
    tokens = [request["ClientRequestToken"] for _, request in dynamodb.requests]
    assert len(tokens) == 4
    assert len(set(tokens[:3])) == 1
    assert tokens[3] != tokens[0]


def test_a_table_that_does_not_answer_is_given_up_before_the_function_is() -> None:
    dynamodb = Answering(*[ReadTimeoutError(endpoint_url="https://dynamodb")] * 9)
    with pytest.raises(Busy):
        DynamoTable("t", dynamodb, sleep=lambda _: None).get(Key("a", "b"))
    assert len(dynamodb.requests) == MOST_LOST
