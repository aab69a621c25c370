"""DynamoDB in trouble: every verb gets through what passes, a lost answer changes nothing, what does not pass is 503, no half."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from local.memory import MemoryTable
from placet.aws import table as module
from placet.aws.table import ATTEMPTS, FIRST_PAUSE_S, MOST_LOST, DynamoTable
from placet.model.errors import Busy, Refused
from placet.model.states import Verdict
from placet.records.keys import Key
from placet.records.ops import Check, Put
from tests.contract.faults import (
    ANY,
    CANCELLED,
    KINDS,
    LOST,
    READS,
    SEVERAL,
    SINGLE,
    WRITES,
    Faulty,
    always,
    at_first,
    name_of,
    play,
    refusal,
)
from tests.contract.tables import Streaming, made_table
from tests.functions.conftest import Api, api, role_arn  # noqa: F401 - a fixture
from tests.functions.test_reviewers import token
from tests.gateway import REFUND, Gateway, native

ITEM = {"pk": "T#main#P#a", "sk": "HEAD"}
Items = dict[tuple[str, str], dict[str, Any]]


def played_in_memory() -> Items:
    gateway = Gateway(table=MemoryTable())
    assert play(gateway) == []
    return {(key.pk, key.sk): item for key, item in gateway.table.items.items()}


def stored(dynamodb: Any, name: str) -> Items:
    items = [module.from_wire(item) for item in dynamodb.scan(TableName=name, ConsistentRead=True)["Items"]]
    return {(item["pk"], item["sk"]): item for item in items}


def test_each_kind_of_trouble_is_got_through_and_leaves_what_quiet_leaves(dynamodb: Any) -> None:
    slept: list[float] = []
    with made_table(dynamodb) as clean:
        faulty = Faulty(dynamodb, at_first(2, KINDS))
        table = DynamoTable(clean._name, faulty, slept.append)
        assert play(Gateway(table=Streaming(table, clean))) == []
        assert stored(dynamodb, clean._name) == played_in_memory()
    assert {method for method, _ in faulty.fired} == {*WRITES, *READS}
    for method in ("transact_write_items", "update_item", "put_item", "get_item"):
        assert {name for at, name in faulty.fired if at == method} == {name_of(kind) for kind in KINDS[method]}
    assert len(slept) == sum(faulty.fired.values())
    assert len(set(slept)) > len(slept) / 2, "without jitter they would all come again at once"
    assert max(slept) <= FIRST_PAUSE_S * 2


def test_the_answer_of_every_write_is_lost_once_and_the_play_ends_the_same(dynamodb: Any) -> None:
    kinds = {method: [LOST[number % len(LOST)]] for number, method in enumerate(WRITES)}
    with made_table(dynamodb) as clean:
        faulty = Faulty(dynamodb, at_first(1, kinds), lost=True)
        table = DynamoTable(clean._name, faulty, lambda seconds: None)
        refused = play(Gateway(table=Streaming(table, clean)))
        found, quiet = stored(dynamodb, clean._name), played_in_memory()
    assert {method for method, _ in faulty.fired} == set(WRITES)
    assert refused == []  # a transaction under the same token is the same transaction
    assert set(found) == set(quiet)
    # How long people took is only counted: what comes twice counts twice there, and moves a median by nothing.
    exact = {key for key, item in quiet.items() if item["kind"] != "WAITED"}
    assert {key: told(found[key]) for key in exact} == {key: told(quiet[key]) for key in exact}


def told(item: dict[str, Any]) -> Any:
    """What of an item does not depend on how often a lease was taken, or how late."""
    if item["kind"] == "HEAD":
        calls = {number: (call["state"], call.get("permit", {}).get("state")) for number, call in item["calls"].items()}
        return item["state"], item["resume_state"], item["open_calls"], item["gen"], item.get("stuck"), calls
    return {name: value for name, value in item.items() if name != "at_ms"}


def test_a_store_that_loses_answers_and_writes_twice_would_be_seen(dynamodb: Any) -> None:
    """The planted bug: without the condition of an update and one token, an answer that was lost counts a call down twice."""
    with made_table(dynamodb) as clean:
        gateway = Gateway(table=Streaming(clean))
        head = gateway.shown(REFUND)
        lost = Faulty(WithoutToken(dynamodb), at_first(1, LOSING), lost=True)
        lossy = DynamoTable(clean._name, lost, lambda seconds: None)
        gateway.table = Careless(lossy)
        gateway.decide(head, 1, Verdict.ACCEPT)
        assert clean.get(gateway.keys.head(head.pause))["open_calls"] < 0


class WithoutToken:
    """A client whose every try is a transaction of its own."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, method: str) -> Any:
        def request(ClientRequestToken: str = "", **given: Any) -> Any:
            return getattr(self._inner, method)(**given)

        return request


LOSING = {"transact_write_items": LOST}


class Careless:
    """A table that ignores conditions."""

    def __init__(self, inner: DynamoTable) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def write(self, ops: list[Any]) -> None:
        self._inner.write([op if isinstance(op, Check) else replace(op, clauses=()) for op in ops])


@pytest.mark.parametrize("fault", SINGLE, ids=name_of)
def test_what_does_not_pass_is_busy_after_a_bounded_time(fault: Exception) -> None:
    slept: list[float] = []
    table = DynamoTable("t", Faulty(None, always(fault)), slept.append)
    with pytest.raises(Busy):
        table.write([Put(ITEM)])
    # A pause follows each try; of those that nobody answers there are few, and the last is not followed by one.
    assert len(slept) == (MOST_LOST - 1 if name_of(fault) in map(name_of, LOST) else ATTEMPTS)
    assert all(0 <= pause <= FIRST_PAUSE_S * 2**number for number, pause in enumerate(slept))
    assert FIRST_PAUSE_S * (2**ATTEMPTS - 1) < 3, "API Gateway waits 30 s, and a verb writes a few times"


@pytest.mark.parametrize("fault", SEVERAL, ids=name_of)
def test_so_is_a_transaction(fault: Exception) -> None:
    with pytest.raises(Busy):
        DynamoTable("t", Faulty(None, always(fault)), lambda s: None).write([Put(ITEM), Check(Key("a", "b"), ())])


@pytest.mark.parametrize("code", ["AccessDeniedException", "ValidationException", "ResourceNotFoundException"])
def test_what_can_never_pass_is_not_tried_again(code: str) -> None:
    faulty = Faulty(None, always(refusal(code)))
    with pytest.raises(Refused) as refused:
        DynamoTable("t", faulty, lambda s: pytest.fail("waited in vain")).write([Put(ITEM)])
    assert (refused.value.code, sum(faulty.fired.values())) == ("table_refused", 1)


def test_a_cancelled_transaction_with_a_bad_item_is_not_tried_again() -> None:
    faulty = Faulty(None, always(refusal(CANCELLED, "ValidationError", "None")))
    with pytest.raises(Refused):
        DynamoTable("t", faulty, lambda s: None).write([Put(ITEM), Check(Key("a", "b"), ())])
    assert sum(faulty.fired.values()) == 1


DIGEST = "0" * 64
AGENTS: list[tuple[str, str, Any]] = [
    ("capture", "POST /v1/pauses", {"framework": "langchain", "run": "r", "native": native(REFUND)}),
    ("capture", "POST /v1/pauses/{id}/cancel", {"reason": "moved on"}),
    ("pick_up", "GET /v1/pauses/{id}", None),
    ("pick_up", "GET /v1/pauses/{id}/status", None),
    ("pick_up", "GET /v1/resumes", None),
    ("pick_up", "POST /v1/resumes", {}),
    ("pick_up", "POST /v1/resumes/{id}/lease", {"fence": 1}),
    ("pick_up", "POST /v1/resumes/{id}/release", {"fence": 1}),
    ("execute", "POST /v1/calls/{id}/claim", {"digest": DIGEST, "worker": "w"}),
    ("execute", "POST /v1/calls/{id}/renew", {"worker": "w"}),
    ("execute", "POST /v1/calls/{id}/outcome", {"worker": "w", "permit": "done"}),
    ("execute", "POST /v1/resumes/{id}/outcome", {"state": "resumed"}),
]
PEOPLE: list[tuple[str, str, Any]] = [
    ("review", "GET /v1/reviews", None),
    ("review", "GET /v1/reviews/{id}", None),
    ("decide", "POST /v1/reviews/{id}/decision", {"decision": "accept", "revision": 1, "digest": DIGEST}),
    ("decide", "POST /v1/reviews/{id}/undo", {"revision": 1}),
]
PAGES = [
    ("review", "GET /inbox"),
    ("review", "GET /people"),
    ("decide", "POST /people"),
    ("review", "GET /reviews/{id}"),
    ("decide", "POST /reviews/{id}/decide"),
    ("decide", "POST /reviews/{id}/undo"),
    ("sign_in", "POST /sign-out"),
]
ROUTES = [*[(*one, "agent") for one in AGENTS], *[(*one, "person") for one in PEOPLE]]
Send = Callable[..., dict[str, Any]]


def trouble(api: Api, fault: Exception) -> str:  # noqa: F811
    head = api.gateway.shown(REFUND)
    api.gateway.table = DynamoTable("t", Faulty(None, always(fault)), lambda seconds: None)
    return head.pause


@pytest.mark.parametrize(("function", "route", "body", "who"), ROUTES, ids=[route for _, route, _, _ in ROUTES])
@pytest.mark.parametrize("fault", [ANY[0], SINGLE[-1], SEVERAL[-4], LOST[0]], ids=name_of)
def test_every_route_says_503_and_when_to_come_again(
    api: Api,  # noqa: F811
    fault: Exception,
    function: str,
    route: str,
    body: Any,
    who: str,
) -> None:
    pause = trouble(api, fault)
    signed = {"iam": {"userArn": role_arn("placet-support-agent"), "accountId": "111122223333"}}
    named = f"{pause}-1" if "/calls/" in route or route.endswith(("decision", "undo")) else pause
    answer = api.send(
        function,
        route,
        authorizer=signed if who == "agent" else token(),
        body=None if body is None else json.dumps(body),
        headers={"Content-Type": "application/json"},
        pathParameters={"id": named},
    )
    assert (answer["statusCode"], json.loads(answer["body"])["code"]) == (503, "busy")
    assert int(answer["headers"]["retry-after"]) > 0


@pytest.mark.parametrize(("function", "route"), PAGES, ids=[route for _, route in PAGES])
def test_people_get_a_page_that_says_so(api: Api, function: str, route: str) -> None:  # noqa: F811
    cookie, csrf = api.signed_in()
    pause = trouble(api, ANY[0])
    form = {"csrf": csrf} if route.startswith("POST") else None
    answer = api.page(function, route, cookie, form, pathParameters={"id": pause})
    assert answer["statusCode"] == 503
    safe = "sending it again is safe" if form else "You opened a page, and sent no decision with it"
    assert safe in answer["body"]
    assert int(answer["headers"]["retry-after"]) > 0
