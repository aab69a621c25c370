"""Mail: a configuration set of our own, and the rights that SendEmail takes. The sender's identity is its owner's."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_ses as ses
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.acknowledge import acknowledge
from infra.constructs.function import VerbFunction
from infra.settings import Settings

# What SES calls them on the bus.
NOT_DELIVERED = ("Email Bounced", "Email Complaint Received", "Email Rejected")


class Mail(Construct):
    """No link tracking (it rewrites links); addresses that bounced are not written to again."""

    def __init__(self, scope: Construct, name: str, *, settings: Settings) -> None:
        super().__init__(scope, name)
        self._settings = settings
        self.configuration_set = ses.ConfigurationSet(
            self,
            "ConfigurationSet",
            reputation_metrics=True,
            sending_enabled=True,
            suppression_reasons=ses.SuppressionReasons.BOUNCES_AND_COMPLAINTS,
            tls_policy=ses.ConfigurationSetTlsPolicy.REQUIRE,
        )

    def hear(self, bounce: VerbFunction, failures: sqs.IQueue) -> None:
        """Has ``bounce`` told of every mail that did not reach its reader. SES tells the account's default bus, and no other."""
        bus = events.EventBus.from_event_bus_name(self, "DefaultBus", "default")
        ses.ConfigurationSetEventDestination(
            self,
            "NotDelivered",
            configuration_set=self.configuration_set,
            destination=ses.EventDestination.event_bus(bus),
            events=[ses.EmailSendingEvent.BOUNCE, ses.EmailSendingEvent.COMPLAINT, ses.EmailSendingEvent.REJECT],
        )
        rule = events.Rule(
            self,
            "Bounced",
            event_bus=bus,
            event_pattern=events.EventPattern(
                source=["aws.ses"],
                detail_type=list(NOT_DELIVERED),
                detail={"mail": {"tags": {"ses:configuration-set": [self.configuration_set.configuration_set_name]}}},
            ),
        )
        rule.add_target(
            targets.LambdaFunction(
                bounce.function,
                dead_letter_queue=failures,
                max_event_age=cdk.Duration.hours(1),
                retry_attempts=4,
            )
        )

    def allow(self, function: VerbFunction) -> None:
        """Lets ``function`` send from the one address, through the one configuration set."""
        sender = self._settings.mail_from
        # SES takes the address's identity where there is one, else its domain's or a parent's, and asks for the configuration set.
        identities = ["*"] if self._settings.mail_sandbox else self._settings.mail_identities
        name = self.configuration_set.configuration_set_name
        resources = [self._arn("identity", identity) for identity in identities]
        function.allow(
            ["ses:SendEmail"],
            [*resources, self._arn("configuration-set", name)],
            StringEquals={"ses:FromAddress": sender},
        )
        function.add_environment(PLACET_MAIL_FROM=sender, PLACET_MAIL_CONFIGURATION_SET=name)
        if self._settings.mail_sandbox:
            detail = "AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:ses:<AWS::Region>:<AWS::AccountId>:identity/*]"
            acknowledge(
                function, detail, "mail_sandbox: in the SES sandbox each recipient's identity is a resource too."
            )

    def _arn(self, resource: str, name: str) -> str:
        return cdk.Stack.of(self).format_arn(service="ses", resource=resource, resource_name=name)
