"""Stream mappings behave as on AWS: filters, partial batches, bisecting, the on-failure queue."""

from __future__ import annotations

import json

import pytest

from local.emulator.filters import matches

NEW = {"dynamodb": {"OldImage": {"pk": {"S": [{"exists": False}]}}, "Keys": {"sk": {"S": ["HEAD"]}}}}
SEEN = """
    import json, boto3
    def handler(event, context):
        rows = [record["dynamodb"]["Keys"]["pk"]["S"] for record in event["Records"]]
        boto3.client("sqs").send_message(QueueUrl="{queue}", MessageBody=json.dumps(rows))
        {then}
"""
REPORT = """return {"batchItemFailures": [
            {"itemIdentifier": record["dynamodb"]["SequenceNumber"]}
            for record in event["Records"] if record["dynamodb"]["Keys"]["pk"]["S"] == "poison"]}"""
RAISE = """if "poison" in rows: raise ValueError("poison")"""


@pytest.fixture
def mapping(bench):
    """A table whose changes go to a function; writes keys, gives what the function saw and what was given up."""

    def make(then, pattern=None, **options):
        seen, seen_arn = bench.queue()
        lost, lost_arn = bench.queue()
        table, stream = bench.table(stream=True)
        source = SEEN.replace("{queue}", seen).replace("{then}", then)
        role = bench.role(
            {"Effect": "Allow", "Action": "sqs:SendMessage", "Resource": seen_arn},
        )
        filters = {"FilterCriteria": {"Filters": [{"Pattern": json.dumps(pattern)}]}} if pattern else {}
        bench.aws.client("lambda").create_event_source_mapping(
            FunctionName=bench.function(source, role),
            EventSourceArn=stream,
            StartingPosition="TRIM_HORIZON",
            BatchSize=10,
            DestinationConfig={"OnFailure": {"Destination": lost_arn}},
            **filters,
            **options,
        )

        def write(*keys, sk="HEAD", **attributes):
            for key in keys:
                item = {"pk": {"S": key}, "sk": {"S": sk}} | {name: {"S": value} for name, value in attributes.items()}
                bench.aws.client("dynamodb").put_item(TableName=table, Item=item)

        return write, seen, lost

    return make


def drain(bench, queue):
    """Everything that arrives until it is quiet for two seconds; an endless stream ends the test."""
    rows = []
    for _ in range(10):
        got = bench.messages(queue, seconds=2)
        if not got:
            return rows
        rows += [row for batch in got for row in batch]
    raise AssertionError(f"it never ends: {rows}")


def test_a_new_item_is_told_from_a_changed_one(bench, mapping):
    write, seen, _ = mapping("return None", pattern=NEW)
    write("a")
    write("a", state="changed")
    write("a", sk="BODY")
    write("b")
    assert drain(bench, seen) == ["a", "b"]


def test_a_reported_record_is_tried_again_and_then_given_up_and_nothing_is_lost(bench, mapping):
    options = {"FunctionResponseTypes": ["ReportBatchItemFailures"], "MaximumRetryAttempts": 1}
    write, seen, lost = mapping(REPORT, **options)
    write("a", "poison")
    rows = drain(bench, seen)
    assert "a" in rows
    assert rows.count("poison") >= 2
    assert bench.messages(lost)[0]["requestContext"]["condition"] == "RetryAttemptsExhausted"
    write("b")
    assert drain(bench, seen) == ["b"]


def test_a_raising_batch_is_halved_until_only_the_poison_is_given_up(bench, mapping):
    write, seen, lost = mapping(RAISE, BisectBatchOnFunctionError=True, MaximumRetryAttempts=1)
    write("a", "poison", "b")
    rows = drain(bench, seen)
    assert {"a", "b"} <= set(rows)
    (record,) = bench.messages(lost)
    assert record["DDBStreamBatchInfo"]["batchSize"] == 1


@pytest.mark.parametrize(
    ("record", "pattern", "fits"),
    [
        ({}, {"old": {"pk": [{"exists": False}]}}, True),
        ({"old": {"pk": "a"}}, {"old": {"pk": [{"exists": False}]}}, False),
        ({}, {"old": {"pk": [{"exists": True}]}}, False),
        ({"new": {"n": "0"}}, {"old": {"n": [{"anything-but": ["0"]}]}}, False),
        ({"old": {"n": "1"}}, {"old": {"n": [{"anything-but": ["0"]}]}}, True),
        ({"old": {"n": "0"}}, {"old": {"n": [{"anything-but": "0"}]}}, False),
        ({"a": "x"}, {"a": ["y", "x"]}, True),
        ({"a": "xy"}, {"a": [{"prefix": "x"}]}, True),
        ({"a": "xy"}, {"a": [{"suffix": "y"}]}, True),
    ],
)
def test_filter_patterns_match_as_on_aws(record, pattern, fits):
    assert matches(record, pattern) is fits


def test_a_pattern_that_would_match_here_and_not_there_is_refused():
    with pytest.raises(ValueError, match="numeric"):
        matches({"n": "3"}, {"n": [{"numeric": [">", 2]}]})
