"""The requests that the table sends, one for each of its methods, and what it makes of each answer; no DynamoDB is needed."""

from __future__ import annotations

from typing import Any

import pytest

from placet.aws import table as module
from placet.aws.table import ATTEMPTS, BATCH, FIRST_PAUSE_S, DynamoTable
from placet.model.errors import Busy, Refused
from placet.records.conditions import clause
from placet.records.keys import Key
from placet.records.ops import Check, ConditionFailed, Delete, Put, Update
from tests.contract.faults import CANCELLED, Answering, refusal

KEY = Key("a", "1")
WIRE = {"pk": {"S": "a"}, "sk": {"S": "1"}}
THERE = clause("there", ("pk", "exists"))
CONDITION = {
    "ConditionExpression": "attribute_exists(#n0)",
    "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    "ExpressionAttributeNames": {"#n0": "pk"},
}


def asked(*answers: Any, do: Any) -> tuple[Any, list[tuple[str, dict[str, Any]]]]:
    """What a table makes of some answers, and what it asked for."""
    dynamodb = Answering(*answers)
    return do(DynamoTable("t", dynamodb, sleep=lambda _: None)), dynamodb.requests


@pytest.mark.parametrize(("answer", "item"), [({"Item": WIRE}, {"pk": "a", "sk": "1"}), ({}, None)])
def test_an_item_is_read_consistently(answer: dict[str, Any], item: Any) -> None:
    found, requests = asked(answer, do=lambda table: table.get(KEY))
    assert found == item
    assert requests == [("get_item", {"TableName": "t", "Key": WIRE, "ConsistentRead": True})]


def test_many_are_read_in_requests_that_dynamodb_takes_and_what_is_left_over_is_asked_for_again() -> None:
    keys = [Key("a", f"{number:03}") for number in range(BATCH + 1)]
    last = {"pk": {"S": "a"}, "sk": {"S": "100"}}
    left = {"Responses": {"t": [WIRE]}, "UnprocessedKeys": {"t": {"Keys": [last]}}}
    none = {"Responses": {"t": []}}
    found, requests = asked(left, none, {"Responses": {}}, do=lambda table: table.get_many(keys))
    assert found == {KEY: {"pk": "a", "sk": "1"}}
    assert [len(request["RequestItems"]["t"]["Keys"]) for _, request in requests] == [BATCH, 1, 1]
    assert all(request["RequestItems"]["t"]["ConsistentRead"] for _, request in requests)
    assert requests[1][1]["RequestItems"]["t"]["Keys"] == requests[2][1]["RequestItems"]["t"]["Keys"] == [last]
    assert asked(none, do=lambda table: table.get_many([])) == ({}, [])


def test_what_is_left_over_for_ever_is_busy() -> None:
    left = {"Responses": {}, "UnprocessedKeys": {"t": {"Keys": [WIRE]}}}
    dynamodb, slept = Answering(left), list[float]()
    with pytest.raises(Busy):
        DynamoTable("t", dynamodb, slept.append).get_many([KEY])
    assert len(dynamodb.requests) == len(slept) == ATTEMPTS
    assert all(0 <= pause <= FIRST_PAUSE_S * 2**number for number, pause in enumerate(slept))


ALL = {"TableName": "t", "KeyConditionExpression": "pk = :pk", "ExpressionAttributeValues": {":pk": {"S": "a"}}}
BEGINS = {"KeyConditionExpression": "pk = :pk AND begins_with(sk, :sk)"}


def test_a_partition_is_read_page_after_page() -> None:
    pages = ({"Items": [WIRE], "LastEvaluatedKey": WIRE}, {"Items": [WIRE]})
    found, requests = asked(*pages, do=lambda table: table.query("a"))
    assert found == [{"pk": "a", "sk": "1"}] * 2
    assert [name for name, _ in requests] == ["query", "query"]
    assert requests[0][1] == ALL | {"ConsistentRead": True}
    assert requests[1][1] == ALL | {"ConsistentRead": True, "ExclusiveStartKey": WIRE}


def test_a_prefix_is_a_condition_on_the_sort_key() -> None:
    _, requests = asked({"Items": []}, do=lambda table: table.query("a", "G#"))
    values = {":pk": {"S": "a"}, ":sk": {"S": "G#"}}
    assert requests[0][1] == ALL | BEGINS | {"ExpressionAttributeValues": values, "ConsistentRead": True}


def test_a_work_list_is_read_up_to_a_moment_and_behind_an_entry() -> None:
    entry = {"wpk": "w", "wsk": 3, "pk": "a", "sk": "1", "card": {}}
    _, plain = asked({"Items": []}, do=lambda table: table.work("w"))
    found, requests = asked({"Items": [WIRE]}, do=lambda table: table.work("w", up_to=0, limit=7, after=entry))
    wanted = {"TableName": "t", "IndexName": "work", "ExpressionAttributeValues": {":pk": {"S": "w"}}}
    assert plain[0][1] == wanted | {"KeyConditionExpression": "wpk = :pk", "Limit": 50}
    assert found == [{"pk": "a", "sk": "1"}]
    assert requests[0][1] == wanted | {
        "KeyConditionExpression": "wpk = :pk AND wsk <= :to",
        "ExpressionAttributeValues": {":pk": {"S": "w"}, ":to": {"N": "0"}},
        "ExclusiveStartKey": WIRE | {"wpk": {"S": "w"}, "wsk": {"N": "3"}},
        "Limit": 7,
    }


def test_the_newest_of_a_partition_come_last_first() -> None:
    found, first = asked({"Items": [WIRE]}, do=lambda table: table.newest("a", limit=2))
    _, then = asked({"Items": []}, do=lambda table: table.newest("a", limit=2, before="9"))
    backwards = ALL | {"ScanIndexForward": False, "ConsistentRead": True, "Limit": 2}
    assert found == [KEY]
    assert first[0][1] == backwards
    values = {":pk": {"S": "a"}, ":sk": {"S": "9"}}
    assert then[0][1] == backwards | {
        "KeyConditionExpression": "pk = :pk AND sk < :sk",
        "ExpressionAttributeValues": values,
    }


def test_what_is_found_under_a_name_are_keys() -> None:
    found, requests = asked({"Items": [WIRE]}, do=lambda table: table.find("e", limit=9))
    assert found == [KEY]
    condition = {"KeyConditionExpression": "fpk = :pk", "ExpressionAttributeValues": {":pk": {"S": "e"}}}
    assert requests[0] == ("query", {"TableName": "t", "IndexName": "find", "Limit": 9, **condition})


WRITES: list[tuple[Any, str, dict[str, Any]]] = [
    (Put({"pk": "a", "sk": "1"}), "put_item", {"Item": WIRE}),
    (Put({"pk": "a", "sk": "1"}, (THERE,)), "put_item", {"Item": WIRE, **CONDITION}),
    (Delete(KEY), "delete_item", {"Key": WIRE}),
    (
        Update(KEY, (), {("x",): 1}, {}, (("y",),)),
        "update_item",
        {
            "Key": WIRE,
            "UpdateExpression": "SET #n0 = :v0 REMOVE #n1",
            "ExpressionAttributeNames": {"#n0": "x", "#n1": "y"},
            "ExpressionAttributeValues": {":v0": {"N": "1"}},
        },
    ),
]


@pytest.mark.parametrize(("op", "method", "request_"), WRITES)
def test_one_write_is_its_own_request(op: Any, method: str, request_: dict[str, Any]) -> None:
    _, requests = asked({}, do=lambda table: table.write([op]))
    assert requests == [(method, {"TableName": "t", **request_})]


def test_several_are_a_transaction_and_so_is_a_check_alone() -> None:
    check = Check(KEY, (THERE,))
    _, alone = asked({}, do=lambda table: table.write([check]))
    _, both = asked({}, do=lambda table: table.write([Put({"pk": "a", "sk": "2"}), check]))
    wire = {"ConditionCheck": {"TableName": "t", "Key": WIRE, **CONDITION}}
    assert alone[0][0] == both[0][0] == "transact_write_items"
    assert alone[0][1]["TransactItems"] == [wire]
    assert [list(one) for one in both[0][1]["TransactItems"]] == [["Put"], ["ConditionCheck"]]
    assert len(both[0][1]["ClientRequestToken"]) == 32


def test_a_condition_that_fails_is_a_lost_race_with_the_item_as_it_was() -> None:
    failed = refusal("ConditionalCheckFailedException")
    for answer, old in (({"Item": WIRE}, {"pk": "a", "sk": "1"}), ({}, None)):
        failed.response.pop("Item", None)
        failed.response.update(answer)
        with pytest.raises(ConditionFailed) as lost:
            asked(failed, do=lambda table: table.write([Put({"pk": "a", "sk": "1"}, (THERE,))]))
        assert (lost.value.position, lost.value.old) == (0, old)


def test_of_a_transaction_the_first_condition_that_fails_is_told() -> None:
    failed = refusal(CANCELLED, "None", "TransactionConflict", "ConditionalCheckFailed", "ConditionalCheckFailed")
    failed.response["CancellationReasons"][2]["Item"] = WIRE
    with pytest.raises(ConditionFailed) as lost:
        asked(failed, do=lambda table: table.write([Put({"pk": "a", "sk": str(n)}) for n in range(4)]))
    assert (lost.value.position, lost.value.old) == (2, {"pk": "a", "sk": "1"})


MAY_PASS = [
    "TransactionConflictException",
    "TransactionInProgressException",
    "ProvisionedThroughputExceededException",
    "ThrottlingException",
    "RequestLimitExceeded",
    "InternalServerError",
    "ServiceUnavailable",
    "ExpiredTokenException",
    "SomethingNewException",
    "503",
]


@pytest.mark.parametrize("code", MAY_PASS)
def test_what_may_pass_is_sent_again(code: str) -> None:
    found, requests = asked(refusal(code), {}, do=lambda table: table.get(KEY))
    assert (found, len(requests)) == (None, 2)


@pytest.mark.parametrize(
    "reason", ["TransactionConflict", "ProvisionedThroughputExceeded", "ThrottlingError", "SomethingNew"]
)
def test_so_is_a_transaction_that_was_cancelled_for_a_while(reason: str) -> None:
    ops = [Put({"pk": "a", "sk": "1"}), Put({"pk": "a", "sk": "2"})]
    _, requests = asked(refusal(CANCELLED, "None", reason), {}, do=lambda table: table.write(list(ops)))
    assert len(requests) == 2


@pytest.mark.parametrize("code", sorted(module._REFUSED))
def test_what_is_final_is_sent_once(code: str) -> None:
    dynamodb = Answering(refusal(code))
    with pytest.raises(Refused):
        DynamoTable("t", dynamodb, sleep=lambda _: None).get(KEY)
    assert len(dynamodb.requests) == 1


def test_what_can_never_succeed_says_why_and_is_not_sent_again() -> None:
    denied = refusal("AccessDeniedException")
    denied.response["Error"]["Message"] = "x" * 300
    dynamodb = Answering(denied)
    with pytest.raises(Refused) as refused:
        DynamoTable("t", dynamodb, sleep=lambda _: None).write([Put({"pk": "a", "sk": "1"})])
    assert refused.value.code == "table_refused"
    assert refused.value.detail == f"DynamoDB refused the request: AccessDeniedException: {'x' * 200}"
    assert len(dynamodb.requests) == 1


def test_a_place_beyond_the_bound_is_no_place_to_begin_at(table: Any) -> None:
    """As DynamoDB says of a start key that its own condition rules out; not every emulator does."""
    for number in (1, 2):
        table.write([Put({"pk": f"T#main#P#{number}", "sk": "HEAD", "wpk": "T#main#W#new#0", "wsk": number * 10})])
    _, second = table.work("T#main#W#new#0")
    with pytest.raises(Refused):
        table.work("T#main#W#new#0", up_to=10, after=second)
