"""The table's stream and its one consumer. Filters are edges, not levels: each looks at the old image too."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

import aws_cdk as cdk
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.acknowledge import acknowledge
from infra.constructs.function import VerbFunction
from infra.constructs.queues import failure_queue
from infra.data_stack import PlacetData

HEAD = {"Keys": {"sk": {"S": ["HEAD"]}}}
GONE, THERE = [{"exists": False}], [{"exists": True}]

# Numbers are compared as the text that DynamoDB writes: {"numeric": …} matches on emulators and never on AWS.
# `open_calls = 0` stays true for every later write, and dispatch writes this table: without the old image it would
# feed itself for ever. An insert has no old image: that counts as a leaf that is not there (docs/decisions/076).
EDGES: Sequence[tuple[str, dict[str, Any]]] = (
    ("a new head that is open", {**HEAD, "OldImage": {"pk": {"S": GONE}}, "NewImage": {"state": {"S": ["open"]}}}),
    (
        "the last call was decided",
        {
            **HEAD,
            "OldImage": {"open_calls": {"N": [{"anything-but": ["0"]}]}},
            "NewImage": {"open_calls": {"N": ["0"]}},
        },
    ),
    (
        "a token was stored after the decision",
        {
            "OldImage": {"answer_now": {"S": GONE}},
            "NewImage": {"kind": {"S": ["TOKEN"]}, "answer_now": {"S": THERE}},
        },
    ),
    (
        "the pause was cancelled",
        {
            **HEAD,
            "OldImage": {"pk": {"S": THERE}, "cancelled": {"S": GONE}},
            "NewImage": {"cancelled": {"S": THERE}},
        },
    ),
    (
        "the pause is held no more",
        {**HEAD, "OldImage": {"held_ms": {"N": THERE}}, "NewImage": {"pk": {"S": THERE}, "held_ms": {"N": GONE}}},
    ),
)


class Stream(Construct):
    """Dispatch on the table's stream: from the oldest record on, and one bad record holds nobody up."""

    def __init__(self, scope: Construct, name: str, *, data: PlacetData, dispatch: VerbFunction, at_once: int) -> None:
        super().__init__(scope, name)
        self.failures = failure_queue(self, "Failures")
        read_stream(
            self,
            data,
            dispatch,
            EDGES,
            batch_size=25,
            # Of one shard, each with items of its own, so their order stays: so many of the account's concurrent executions.
            parallelization_factor=at_once,
            retry_attempts=5,
            max_record_age=cdk.Duration.hours(1),
            # SQS, not S3: S3 would receive the record itself, task token included.
            failures=self.failures,
        )


def read_stream(
    scope: Construct,
    data: PlacetData,
    reader: VerbFunction,
    edges: Sequence[tuple[str, dict[str, Any]]],
    failures: sqs.IQueue,
    **how: Any,
) -> None:
    """Let a function read the stream, edge by edge, and note in ``failures`` what it gives up; `how` is its own patience."""
    data.allow_stream(reader.role)
    acknowledge(reader, "AwsSolutions-IAM5[Resource::*]", "dynamodb:ListStreams knows no resource in IAM.")
    mapping = lambda_.EventSourceMapping(
        scope,
        "Mapping",
        target=reader.function,
        event_source_arn=data.table.table_stream_arn,
        # LATEST would lose what is written while the mapping comes up.
        starting_position=lambda_.StartingPosition.TRIM_HORIZON,
        filters=[{"pattern": json.dumps({"dynamodb": edge})} for _, edge in edges],
        report_batch_item_failures=True,
        bisect_batch_on_error=True,
        **how,
    )
    cast(lambda_.CfnEventSourceMapping, mapping.node.default_child).destination_config = {
        "onFailure": {"destination": failures.queue_arn}
    }
    reader.may_fail_into(failures)
