"""The state machine that waits: ids only, a timeout on every wait, and every way out ends in resume or on a list."""

from __future__ import annotations

from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_logs as logs
from aws_cdk import aws_stepfunctions as sfn
from aws_cdk import aws_stepfunctions_tasks as tasks
from constructs import Construct

from infra.acknowledge import acknowledge, logical_id
from infra.constructs.function import VerbFunction

# LambdaInvoke's own list leaves throttling out, and a new account has ten concurrent executions.
TRANSIENT = (
    "Lambda.TooManyRequestsException",
    "Lambda.ServiceException",
    "Lambda.AWSLambdaException",
    "Lambda.SdkClientException",
    "Lambda.ClientExecutionTimeoutException",
    # A function that was cut off or ran out of memory; by which name that is told has differed.
    "Lambda.Unknown",
    "Sandbox.Timedout",
    "Runtime.ExitError",
    "Busy",  # the verb's own: something that it stands on is throttled, and nothing was lost
)


class Lifecycle(Construct):
    """Wait (notify, with a task token) → Resume → Done; any failure → a call of resume that leaves a pause that its reviewers see
    with them, and lists another as stuck.

    Input: ``{"tenant", "pause", "gen", "timeout_s"}``, a pure function of the row: a repeated start is no error.
    Running executions keep the definition they began with for weeks: change states by adding, never by renaming.
    """

    def __init__(
        self, scope: Construct, name: str, *, notify: VerbFunction, resume: VerbFunction, retention: logs.RetentionDays
    ) -> None:
        super().__init__(scope, name)
        account = {"StringEquals": {"aws:SourceAccount": cdk.Stack.of(self).account}}
        role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("states.amazonaws.com", conditions=account))
        self.machine = sfn.StateMachine(
            self,
            "Machine",
            definition_body=sfn.DefinitionBody.from_chainable(self._states(notify, resume)),
            role=role,
            logs=sfn.LogOptions(
                destination=self._log(retention),
                level=sfn.LogLevel.ALL,
                include_execution_data=False,  # the task token is data
            ),
        )
        self._acknowledge(role, notify, resume)

    def _states(self, notify: VerbFunction, resume: VerbFunction) -> sfn.IChainable:
        every: dict[str, Any] = {"errors": ["States.ALL"], "result_path": sfn.JsonPath.DISCARD}
        wait = self._wait(notify).add_catch(self._listed("ListWaitFailed", resume, "wait_failed"), **every)
        go_on = self._invoke("Resume", resume).add_catch(
            self._listed("ListResumeFailed", resume, "resume_failed"), **every
        )
        return wait.next(go_on).next(sfn.Succeed(self, "Done"))

    def _log(self, retention: logs.RetentionDays) -> logs.LogGroup:
        return logs.LogGroup(
            self,
            "Logs",
            # This prefix keeps the account-wide resource policy of CloudWatch Logs from filling up.
            log_group_name=f"/aws/vendedlogs/states/{cdk.Stack.of(self).stack_name}-lifecycle",
            retention=retention,
            removal_policy=cdk.RemovalPolicy.DESTROY,
        )

    def _wait(self, notify: VerbFunction) -> tasks.LambdaInvoke:
        wait = tasks.LambdaInvoke(
            self,
            "Wait",
            lambda_function=notify.function,
            integration_pattern=sfn.IntegrationPattern.WAIT_FOR_TASK_TOKEN,
            payload=sfn.TaskInput.from_object({**_ids(), "token": sfn.JsonPath.task_token}),
            # The class's hard maximum; the deadline that counts is in the row.
            task_timeout=sfn.Timeout.at("$.timeout_s"),
            result_path=sfn.JsonPath.DISCARD,
            retry_on_service_exceptions=False,
        )
        return self._retrying(wait)

    def _invoke(self, name: str, function: VerbFunction, **more: str) -> tasks.LambdaInvoke:
        task = tasks.LambdaInvoke(
            self,
            name,
            lambda_function=function.function,
            payload=sfn.TaskInput.from_object({**_ids(), **more}),
            task_timeout=sfn.Timeout.duration(cdk.Duration.minutes(10)),
            result_path=sfn.JsonPath.DISCARD,
            retry_on_service_exceptions=False,
        )
        return self._retrying(task)

    def _listed(self, name: str, resume: VerbFunction, reason: str) -> tasks.LambdaInvoke:
        task = self._invoke(name, resume, list=reason)
        task.next(sfn.Succeed(self, f"{name}Done"))
        return task

    @staticmethod
    def _retrying(task: tasks.LambdaInvoke) -> tasks.LambdaInvoke:
        task.add_retry(
            errors=list(TRANSIENT),
            interval=cdk.Duration.seconds(5),
            backoff_rate=2,
            max_attempts=8,
            max_delay=cdk.Duration.minutes(5),
            jitter_strategy=sfn.JitterType.FULL,
        )
        return task

    def _acknowledge(self, role: iam.Role, notify: VerbFunction, resume: VerbFunction) -> None:
        acknowledge(role, "AwsSolutions-IAM5[Resource::*]", "Log delivery of Step Functions has no resource in IAM.")
        for function in (notify, resume):
            detail = f"AwsSolutions-IAM5[Resource::<{logical_id(function.function)}.Arn>:*]"
            acknowledge(role, detail, "LambdaInvoke allows versions of the one function beside the function itself.")
        acknowledge(self.machine, "AwsSolutions-SF2", "X-Ray would add rights on * and the executions carry ids only.")


def _ids() -> dict[str, str]:
    return {key: sfn.JsonPath.string_at(f"$.{key}") for key in ("tenant", "pause", "gen")}
