"""The bus: everything that happened to pauses, for whoever listens; and the one function that puts it there."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_events as events
from constructs import Construct

from infra.constructs.function import VerbFunction
from infra.constructs.queues import failure_queue
from infra.constructs.stream import GONE, HEAD, THERE, read_stream
from infra.data_stack import PlacetData

# As those of dispatch: edges, and numbers as the text that DynamoDB writes. Publish writes nothing, so it cannot feed itself.
TOLD = (
    ("a fact was written down", {"Keys": {"sk": {"S": [{"prefix": "E#"}]}}, "OldImage": {"pk": {"S": GONE}}}),
    ("a new head", {**HEAD, "OldImage": {"pk": {"S": GONE}}}),
    (
        "the pause became visible",
        {
            **HEAD,
            "OldImage": {"pk": {"S": THERE}, "notified_ms": {"N": GONE}},
            "NewImage": {"notified_ms": {"N": THERE}},
        },
    ),
    (
        "the run went on",
        {
            **HEAD,
            "OldImage": {"resume_state": {"S": [{"anything-but": ["done"]}]}},
            "NewImage": {"resume_state": {"S": ["done"]}},
        },
    ),
    (
        "the pause was listed as stuck",
        {**HEAD, "OldImage": {"pk": {"S": THERE}, "stuck": {"S": GONE}}, "NewImage": {"stuck": {"S": THERE}}},
    ),
)


class Bus(Construct):
    """A bus of our own: its rules are the listeners', and who may put something there is publish alone."""

    def __init__(self, scope: Construct, name: str, *, data: PlacetData, publish: VerbFunction) -> None:
        super().__init__(scope, name)
        # A bus has no name that CloudFormation could make; the stack's is in it, so it clashes with nothing.
        self.bus = events.EventBus(self, "Bus", event_bus_name=f"{cdk.Stack.of(self).stack_name}-events")
        self.failures = failure_queue(self, "Failures")
        read_stream(
            self,
            data,
            publish,
            TOLD,
            batch_size=100,
            parallelization_factor=1,
            max_batching_window=cdk.Duration.seconds(2),  # what happens at once costs one invocation
            # Nobody waits behind it, so it outlives a bus that is away for hours.
            retry_attempts=500,
            max_record_age=cdk.Duration.hours(6),
            failures=self.failures,
        )
        publish.allow(["events:PutEvents"], [self.bus.event_bus_arn])
        publish.add_environment(PLACET_BUS=self.bus.event_bus_name)
