"""The relay passes on what it gets, and the meter counts what the functions ask for, also when it is refused."""

from __future__ import annotations

import base64
import http.client
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.cost.metering import Access, Meter, SecondOpinion
from tests.cost.relay import Answer, Relay, Request
from tests.proofs.cost import disagreements

INDEX = {
    "IndexName": "work",
    "KeySchema": [{"AttributeName": "wpk", "KeyType": "HASH"}, {"AttributeName": "wsk", "KeyType": "RANGE"}],
    "Projection": {"ProjectionType": "KEYS_ONLY"},
}
HEAD = {"pk": {"S": "p"}, "sk": {"S": "HEAD"}, "kind": {"S": "HEAD"}, "wpk": {"S": "new"}, "wsk": {"N": "1"}}
EVENT = {"pk": {"S": "p"}, "sk": {"S": "E#1"}, "kind": {"S": "EVENT"}}
MEMBER = {"pk": {"S": "u"}, "sk": {"S": "G#1"}, "kind": {"S": "MEMBER"}}


class Table:
    """A table of items by key; it also tells a fixed figure for each write."""

    def __init__(self, *items: dict[str, Any], figure: float = 0) -> None:
        self.items = {_key(item): item for item in items}
        self.figure = figure
        self.asked: list[dict[str, Any]] = []

    def describe_table(self, TableName: str) -> dict[str, Any]:
        shape = {"KeySchema": [], "AttributeDefinitions": [], "GlobalSecondaryIndexes": [INDEX]}
        return {"Table": {"TableName": TableName, **shape}}

    def create_table(self, **shape: Any) -> None:
        self.shape = shape

    def get_item(self, Key: dict[str, Any], **_: Any) -> dict[str, Any]:
        return {"Item": self.items[_key(Key)]} if _key(Key) in self.items else {}

    def put_item(self, **asked: Any) -> dict[str, Any]:
        self.asked.append(asked)
        return {"ConsumedCapacity": {"CapacityUnits": self.figure}}

    def transact_write_items(self, **asked: Any) -> dict[str, Any]:
        self.asked.append(asked)
        return {"ConsumedCapacity": [{"CapacityUnits": self.figure}]}


def _key(item: dict[str, Any]) -> tuple[str, str]:
    return item["pk"]["S"], item["sk"]["S"]


def ask(table: Table, verb: str, body: dict[str, Any], after: dict[str, Any] | None, status: int = 200) -> Access:
    """One request of notify through the meter; `after` is the item that the table has then."""
    meter = Meter(table, "records")

    def send(request: Request) -> Answer:
        if after:
            table.items[_key(after)] = after
        return Answer(status, [], json.dumps({"Items": [HEAD]} if verb == "Query" else {}).encode())

    headers = {"user-agent": "Boto3/1.43 app/notify md/x", "x-amz-target": f"DynamoDB_20120810.{verb}"}
    meter.watch(Request("POST", "/", headers, json.dumps(body).encode()), send)
    (access,) = meter.accesses
    return access


def test_an_update_that_moves_the_head_in_the_index_costs_three() -> None:
    access = ask(
        Table(HEAD), "UpdateItem", {"Key": {"pk": HEAD["pk"], "sk": HEAD["sk"]}}, HEAD | {"wpk": {"S": "queue"}}
    )
    assert (access.function, access.wru, access.rru, access.before) == ("notify", 3, 0, (HEAD,))


def test_a_transaction_costs_twice_and_its_check_too() -> None:
    key = {name: MEMBER[name] for name in ("pk", "sk")}
    parts = [{"Put": {"Item": EVENT}}, {"ConditionCheck": {"Key": key}}]
    access = ask(Table(MEMBER), "TransactWriteItems", {"TransactItems": parts}, EVENT)
    assert (access.wru, access.items) == (4, ("EVENT 17 B", "MEMBER 18 B"))


def test_a_refused_write_is_paid_too_but_not_in_the_index() -> None:
    assert ask(Table(), "PutItem", {"Item": HEAD}, None, status=400).wru == 1


def test_a_query_of_an_index_costs_half() -> None:
    access = ask(Table(), "Query", {"IndexName": "work"}, None)
    assert (access.rru, access.wru, access.unknown) == (0.5, 0, "")


def test_a_verb_that_nobody_foresaw_is_said() -> None:
    assert ask(Table(), "BatchWriteItem", {"RequestItems": {}}, None).unknown == "BatchWriteItem is not known here"


@pytest.mark.parametrize(
    ("method", "path", "kinds"),
    [
        ("POST", "/schedules/k3v", ["schedule"]),
        ("PUT", "/schedules/k3v", []),
        ("POST", "/v2/email/outbound-emails", ["mail"]),
        ("GET", "/v2/email/account", []),
    ],
)
def test_schedules_and_mails_are_counted_when_they_are_taken(method: str, path: str, kinds: list[str]) -> None:
    meter = Meter(Table(), "records")
    meter.watch(Request(method, path, {}, b"{}"), lambda request: Answer(200, [], b"{}"))
    meter.watch(Request(method, path, {}, b"{}"), lambda request: Answer(400, [], b"{}"))
    assert [effect.kind for effect in meter.effects] == kinds
    assert all(effect.function == "nobody" for effect in meter.effects)


def test_a_write_is_repeated_under_the_conditions_it_had() -> None:
    table = Table(figure=4)
    second = SecondOpinion(table, table.describe_table("records")["Table"])
    asked = {"TransactItems": [{"Put": {"TableName": "records", "Item": EVENT}}], "ClientRequestToken": "once"}
    assert second.units(Access(1, "decide", "TransactWriteItems", (), 4, request=asked, before=(HEAD,))) == 4
    assert table.asked == [
        {"TableName": "cost-again", "Item": HEAD},
        {
            "TransactItems": [{"Put": {"TableName": "cost-again", "Item": EVENT}}],
            "ReturnConsumedCapacity": "INDEXES",
        },
    ]


def test_bytes_are_repeated_as_bytes_and_not_as_their_base64() -> None:
    table = Table(figure=1)
    second = SecondOpinion(table, table.describe_table("records")["Table"])
    sent = {"Item": EVENT | {"packed": {"B": base64.b64encode(b"x" * 800).decode()}}}
    assert second.units(Access(1, "capture", "PutItem", (), 1, request=sent, before=(sent["Item"],))) == 1
    assert [one["Item"]["packed"] for one in table.asked] == [{"B": b"x" * 800}] * 2


def test_another_figure_of_the_emulator_is_a_violation() -> None:
    table = Table(figure=3)
    meter = Meter(table, "records")
    meter.accesses = [Access(1, "capture", "PutItem", (), wru=2, request={"Item": HEAD})]
    assert disagreements(table, meter) == ["PutItem by capture: 2 units here, 3 by the emulator"]


@pytest.fixture
def echo() -> Iterator[str]:
    """A server that answers with what it got."""

    class Echo(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            told = {"host": self.headers["Host"], "signed": self.headers["Authorization"], "body": body.decode()}
            self.send_response(409)
            self.send_header("X-Amz-Crc32", "7")
            self.end_headers()
            self.wfile.write(json.dumps(told).encode())

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Echo) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def test_the_relay_changes_nothing_that_is_signed(echo: str) -> None:
    seen: list[Request] = []

    def watch(request: Request, send: Any) -> Answer:
        seen.append(request)
        return send(request)

    with Relay(echo, watch) as relay:
        connection = http.client.HTTPConnection(relay.url.removeprefix("http://"))
        connection.request("POST", "/", b'{"a":1}', {"Host": "table.test", "Authorization": "AWS4 x"})
        answer = connection.getresponse()
        told = json.loads(answer.read())
        connection.close()
    assert (answer.status, answer.headers["X-Amz-Crc32"]) == (409, "7")
    assert told == {"host": "table.test", "signed": "AWS4 x", "body": '{"a":1}'}
    assert [one.body for one in seen] == [b'{"a":1}']
