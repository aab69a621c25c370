"""What resume and invoke_agent may reach beyond Placet: exactly what the registry names, one to one, never by a request."""

from __future__ import annotations

import aws_cdk as cdk

from infra.acknowledge import acknowledge, resource_text
from infra.constructs.function import VerbFunction
from infra.definitions import Reach, reach_of
from infra.settings import Settings

# Inference profiles begin with where they run; every model's own id begins with its maker.
GEOGRAPHIES = {"us", "us-gov", "eu", "apac", "jp", "au", "ca", "global"}


def reach_targets(resume: VerbFunction, settings: Settings) -> None:
    """Agents' functions and executors, queues, and the secrets that sign webhooks. All are the customer's, by name."""
    stack = cdk.Stack.of(resume)
    if settings.target_functions:
        resume.allow(["lambda:InvokeFunction"], [_function(stack, name) for name in settings.target_functions])
    if settings.target_queues:
        # The registry has a queue's name, and only SQS has the URL that a message is sent to.
        queues = [_queue(stack, name) for name in settings.target_queues]
        resume.allow(["sqs:GetQueueUrl", "sqs:SendMessage"], queues)
    if settings.target_secrets:
        resume.allow(["secretsmanager:GetSecretValue"], [_secret(stack, name) for name in settings.target_secrets])


def invoke_bedrock(function: VerbFunction, settings: Settings) -> None:
    """Turns of the registry's Bedrock agents, each by its alias, and of inline agents with all that they stand on."""
    stack = cdk.Stack.of(function)
    if settings.aliases:
        # On agent/… the right would exist and never match: a turn is asked of an alias.
        function.allow(["bedrock:InvokeAgent"], [_alias(stack, *alias) for alias in settings.aliases])
    if settings.inline_agents:
        function.allow(["bedrock:InvokeInlineAgent"], ["*"])
        reason = "An inline agent is no resource of IAM; which are invoked says the registry that is deployed."
        acknowledge(function.role, "AwsSolutions-IAM5[Resource::*]", reason)
        regions = sorted({str(agent.target.get("region", stack.region)) for agent in settings.inline_agents})
        _stand_on(function, reach_of(settings.inline_agents), regions)


def _stand_on(function: VerbFunction, reach: Reach, regions: list[str]) -> None:
    stack = cdk.Stack.of(function)
    for model in (arn for one in reach.models for region in regions for arn in _model(stack, one, region)):
        function.allow(["bedrock:InvokeModel"], [model])
        if ":bedrock:*:" in model:
            reason = "An inference profile runs its model in whichever region of its geography has room."
            acknowledge(function.role, f"AwsSolutions-IAM5[Resource::{resource_text(function, model)}]", reason)
    for action, resource, names in (
        ("bedrock:Retrieve", "knowledge-base", reach.knowledge_bases),
        ("bedrock:ApplyGuardrail", "guardrail", reach.guardrails),
    ):
        if names:
            arns = [_bedrock(stack, region, resource, name) for name in names for region in regions]
            function.allow([action], arns)
    if reach.functions:
        function.allow(["lambda:InvokeFunction"], [_anywhere(stack, arn) for arn in reach.functions])


def _model(stack: cdk.Stack, model: str, region: str) -> list[str]:
    if model.startswith("arn:"):
        return [_anywhere(stack, model)]
    geography, _, rest = model.partition(".")
    if geography in GEOGRAPHIES:
        anywhere = stack.format_arn(
            service="bedrock", region="*", account="", resource="foundation-model", resource_name=rest
        )
        return [_bedrock(stack, region, "inference-profile", model), anywhere]
    return [
        stack.format_arn(service="bedrock", region=region, account="", resource="foundation-model", resource_name=model)
    ]


def _anywhere(stack: cdk.Stack, arn: str) -> str:
    """An ARN that a definition spells out, in the partition that is deployed to."""
    return ":".join(["arn", stack.partition, *arn.split(":")[2:]])


def _bedrock(stack: cdk.Stack, region: str, resource: str, name: str) -> str:
    return stack.format_arn(service="bedrock", region=region, resource=resource, resource_name=name)


def _alias(stack: cdk.Stack, agent: str, alias: str, region: str) -> str:
    return _bedrock(stack, region or stack.region, "agent-alias", f"{agent}/{alias}")


def _function(stack: cdk.Stack, name: str) -> str:
    return stack.format_arn(
        service="lambda", resource="function", resource_name=name, arn_format=cdk.ArnFormat.COLON_RESOURCE_NAME
    )


def _queue(stack: cdk.Stack, name: str) -> str:
    return stack.format_arn(service="sqs", resource=name, arn_format=cdk.ArnFormat.NO_RESOURCE_NAME)


def _secret(stack: cdk.Stack, name: str) -> str:
    # Six random characters end every secret's ARN, and the registry has the name only.
    return stack.format_arn(
        service="secretsmanager",
        resource="secret",
        resource_name=f"{name}-??????",
        arn_format=cdk.ArnFormat.COLON_RESOURCE_NAME,
    )
