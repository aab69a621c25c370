"""One-time schedules: their group, the role they run under, and the queue for those that could not be delivered."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_scheduler as scheduler
from constructs import Construct

from infra.acknowledge import acknowledge, resource_text
from infra.constructs.function import VerbFunction
from infra.constructs.queues import failure_queue

SCHEDULES = ("CreateSchedule", "UpdateSchedule")


class Timers(Construct):
    """The schedule group: at most one schedule per pause, named by its id. Losing it is mended by sweep."""

    def __init__(self, scope: Construct, name: str) -> None:
        super().__init__(scope, name)
        self._stack = cdk.Stack.of(self)
        # Not retained (the L2's default): a group that is kept under a fixed name makes the next first deploy fail.
        self.group = scheduler.ScheduleGroup(
            self,
            "Group",
            schedule_group_name=f"{self._stack.stack_name}-pauses",
            removal_policy=cdk.RemovalPolicy.DESTROY,
        )
        self.failures = failure_queue(self, "Failures")
        # The group's ARN, never a schedule's: with that CreateSchedule is refused.
        conditions = {
            "StringEquals": {"aws:SourceAccount": self._stack.account, "aws:SourceArn": self.group.schedule_group_arn}
        }
        self.role = iam.Role(
            self, "Role", assumed_by=iam.ServicePrincipal("scheduler.amazonaws.com", conditions=conditions)
        )
        # A schedule's dead-letter queue is written to with the schedule's role, not by the queue's policy.
        self.role.add_to_principal_policy(
            iam.PolicyStatement(actions=["sqs:SendMessage"], resources=[self.failures.queue_arn])
        )

    def fire(self, escalate: VerbFunction) -> None:
        """Lets schedules invoke escalate, and nothing else."""
        self.role.add_to_principal_policy(
            iam.PolicyStatement(actions=["lambda:InvokeFunction"], resources=[escalate.arn])
        )

    def allow(self, function: VerbFunction) -> None:
        """Lets ``function`` set and move timers, and hand the one role to Scheduler."""
        name = self.group.schedule_group_name
        arn = self._stack.format_arn(service="scheduler", resource="schedule", resource_name=f"{name}/*")
        function.allow([f"scheduler:{verb}" for verb in SCHEDULES], [arn])
        function.allow(
            ["iam:PassRole"], [self.role.role_arn], StringEquals={"iam:PassedToService": "scheduler.amazonaws.com"}
        )
        function.add_environment(
            PLACET_SCHEDULE_GROUP=name,
            PLACET_SCHEDULE_ROLE_ARN=self.role.role_arn,
            PLACET_SCHEDULE_DLQ_ARN=self.failures.queue_arn,
        )
        reason = "Schedules are named by pause; the group is ours alone."
        acknowledge(function, f"AwsSolutions-IAM5[Resource::{resource_text(function, arn)}]", reason)
