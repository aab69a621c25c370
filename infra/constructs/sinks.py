"""Sinks: one rule of the bus for each, so that one that hangs or refuses keeps no other from being told."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.constructs.function import VerbFunction
from infra.settings import Settings
from infra.sinks import rule_id
from placet.model.bus import SOURCE, Kind
from placet.model.sinks import Sink


class Sinks(Construct):
    """What tell may reach is what the settings name, and what it is told of is what each of them asked for."""

    def __init__(
        self,
        scope: Construct,
        name: str,
        *,
        settings: Settings,
        bus: events.IEventBus,
        tell: VerbFunction,
        failures: sqs.IQueue,
    ) -> None:
        super().__init__(scope, name)
        stack = cdk.Stack.of(self)
        for sink in settings.sinks:
            rule = events.Rule(
                self,
                rule_id(sink.name),
                event_bus=bus,
                description=f"Placet: what the sink {sink.name} is told",
                event_pattern=_pattern(sink),
            )
            told = {"sink": sink.name, "event": events.EventField.from_path("$.detail")}
            rule.add_target(
                targets.LambdaFunction(
                    tell.function,
                    event=events.RuleTargetInput.from_object(told),
                    dead_letter_queue=failures,
                    max_event_age=cdk.Duration.hours(1),
                    retry_attempts=4,
                )
            )
        topics_arn = f"arn:{stack.partition}:sns:{stack.region}:{stack.account}:"
        tell.add_environment(PLACET_SINKS=settings.told_sinks, PLACET_TOPICS=topics_arn)
        if topics := sorted({one.topic for one in settings.sinks if one.topic}):
            arns = [
                stack.format_arn(service="sns", resource=one, arn_format=cdk.ArnFormat.NO_RESOURCE_NAME)
                for one in topics
            ]
            tell.allow(["sns:Publish"], arns)
        if secrets := sorted({one.secret for one in settings.sinks if one.secret}):
            tell.allow(["secretsmanager:GetSecretValue"], [_secret(stack, one) for one in secrets])


def _pattern(sink: Sink) -> events.EventPattern:
    detail = {"detail": {"classes": list(sink.classes)}} if sink.classes else {}
    return events.EventPattern(source=[SOURCE], detail_type=[Kind(one).detail_type for one in sink.events], **detail)


def _secret(stack: cdk.Stack, name: str) -> str:
    # Six random characters end every secret's ARN, and the settings have the name only.
    return stack.format_arn(
        service="secretsmanager",
        resource="secret",
        resource_name=f"{name}-??????",
        arn_format=cdk.ArnFormat.COLON_RESOURCE_NAME,
    )
