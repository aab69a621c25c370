"""The queues that hold what failed. Repair reads the row, never the message, so a message is a notice."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.acknowledge import acknowledge


def failure_queue(scope: Construct, name: str) -> sqs.Queue:
    """A queue at the end of the line: 14 days, encrypted by SQS itself so that every service may write to it."""
    queue = sqs.Queue(
        scope,
        name,
        encryption=sqs.QueueEncryption.SQS_MANAGED,
        enforce_ssl=True,
        retention_period=cdk.Duration.days(14),
    )
    acknowledge(queue, "AwsSolutions-SQS3", "This is a dead-letter queue; an alarm watches its depth.")
    return queue
