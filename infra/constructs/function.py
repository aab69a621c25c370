"""The one way a Lambda function of Placet is built."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.acknowledge import acknowledge

FUNCTIONS = Path(__file__).resolve().parents[2] / "functions"
RUNTIME = lambda_.Runtime.PYTHON_3_13  # the newest that a developer's own Python can compile the layers for
API_LIMIT = cdk.Duration.seconds(29)  # an HTTP API cuts at 30 seconds and shows a fixed error


@dataclass(frozen=True)
class Common:
    """What all functions share."""

    layers: Sequence[lambda_.ILayerVersion]
    environment: Mapping[str, str]
    log_retention: logs.RetentionDays
    reserved_concurrency: Mapping[str, int]


class VerbFunction(Construct):
    """``functions/<verb>/handler.py`` with its own role and its own log group; rights are added by name."""

    def __init__(
        self,
        scope: Construct,
        name: str,
        *,
        verb: str,
        common: Common,
        memory: int = 512,
        timeout: cdk.Duration = API_LIMIT,
        physical_name: str | None = None,
    ) -> None:
        super().__init__(scope, name)
        self.verb = verb
        log_group = logs.LogGroup(
            self, "Logs", retention=common.log_retention, removal_policy=cdk.RemovalPolicy.DESTROY
        )
        self.role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
        log_group.grant_write(self.role)
        self.function = lambda_.Function(
            self,
            "Function",
            description=f"Placet: {verb}",
            function_name=physical_name,
            runtime=RUNTIME,
            architecture=lambda_.Architecture.ARM_64,
            handler="handler.handler",
            code=lambda_.Code.from_asset(str(FUNCTIONS / verb), exclude=["**/__pycache__", "*.pyc"]),
            layers=list(common.layers),
            role=self.role,
            log_group=log_group,
            # JSON, and the application level not above INFO: a metric line has no level of its own and counts as INFO.
            logging_format=lambda_.LoggingFormat.JSON,
            application_log_level_v2=lambda_.ApplicationLogLevel.INFO,
            system_log_level_v2=lambda_.SystemLogLevel.WARN,
            memory_size=memory,
            timeout=timeout,
            recursive_loop=lambda_.RecursiveLoop.TERMINATE,
            reserved_concurrent_executions=common.reserved_concurrency.get(verb),
            environment=dict(common.environment),
        )
        reason = "python3.13 has support until 2029; developers' own Python can compile the layers for it."
        acknowledge(self.function, "AwsSolutions-L1", reason)

    @property
    def arn(self) -> str:
        """ARN without a version: running executions and pending schedules call ``$LATEST`` by it."""
        return self.function.function_arn

    def add_environment(self, **values: str) -> None:
        """Adds environment variables."""
        for key, value in values.items():
            self.function.add_environment(key, value)

    def allow(self, actions: Sequence[str], resources: Sequence[str], **conditions: Mapping[str, object]) -> None:
        """Adds one statement to the function's own role; ``conditions`` by operator, ``StringEquals={key: value}``."""
        self.role.add_to_principal_policy(
            iam.PolicyStatement(actions=list(actions), resources=list(resources), conditions=dict(conditions) or None)
        )

    def keep_failures(self, queue: sqs.IQueue, retries: int = 2) -> None:
        """For an asynchronous target: whoever called got 202 and is gone, so what fails here is put into ``queue``."""
        # Not by the L2's destination, which grants two rights more than the one that Lambda asks for.
        self.function.configure_async_invoke(retry_attempts=retries, max_event_age=cdk.Duration.hours(1))
        config = self.function.node.find_child("EventInvokeConfig").node.default_child
        cast(lambda_.CfnEventInvokeConfig, config).destination_config = {"onFailure": {"destination": queue.queue_arn}}
        self.may_fail_into(queue)

    def may_fail_into(self, queue: sqs.IQueue) -> None:
        """Lets Lambda put there what this function gave up."""
        self.allow(["sqs:SendMessage"], [queue.queue_arn])
