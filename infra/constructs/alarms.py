"""What wakes a person. Every alarm has an action, and the topic lets CloudWatch speak."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import aws_cdk as cdk
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_iam as iam
from aws_cdk import aws_logs as logs
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from aws_cdk import aws_sqs as sqs
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from infra.constructs.function import VerbFunction

# Metric → what it says; the functions write them beside the log line of the same name.
FACTS = {
    "stuck": "a pause cannot go on by itself, or its record cannot be read: see the stuck list",
    "sweep_failed": "sweep could not repair a pause",
    "mail_not_sent": "a reviewer was not mailed; the inbox shows the pause all the same",
    "mail_refused": "a reviewer's address does not take mail: see `placet reviewers`",
    "mail_unsure": "a mail to a reviewer did not arrive, and SES does not say that its address is at fault",
    "sink_refused": "a sink refuses what it is told: see the doctor",
    "timer_not_set": "a timer could not be set; sweep expires the pause some minutes late",
    "wait_lost": "the execution of a pause that its reviewers see failed; sweep mails, expires and resumes in its place",
    "failed": "a function met an error that it could not answer for: see its log",
}
THROTTLED = "Throttled"  # and the function
FIVE_MINUTES = cdk.Duration.minutes(5)


class Alarms(Construct):
    """One topic, one alarm per queue and per promise that a metric can see."""

    def __init__(self, scope: Construct, name: str, *, mail: str | None) -> None:
        super().__init__(scope, name)
        # Not encrypted: a key of AWS's own can never be used by an alarm, and the messages carry no data.
        self.topic = sns.Topic(self, "Topic", enforce_ssl=True)
        # Any policy on a topic takes the place of the default one, and with it CloudWatch's right to publish.
        self.topic.add_to_resource_policy(
            iam.PolicyStatement(
                actions=["sns:Publish"],
                resources=[self.topic.topic_arn],
                principals=[iam.ServicePrincipal("cloudwatch.amazonaws.com")],
                conditions={"StringEquals": {"aws:SourceAccount": cdk.Stack.of(self).account}},
            )
        )
        if mail:
            self.topic.add_subscription(subscriptions.EmailSubscription(mail))
        else:
            print("synth: alarm_mail is not set: alarms change their state and nobody is told")

    def watch_queue(self, name: str, queue: sqs.IQueue, sentence: str) -> None:
        """Anything that is put into a failure queue is worth a look, each time: by its depth an alarm would ring once in the 14
        days that a message lies there, and say nothing of the next."""
        self._alarm(name, queue.metric_number_of_messages_sent(period=FIVE_MINUTES, statistic="Sum"), sentence)

    def watch_functions(self, functions: Mapping[str, VerbFunction]) -> None:
        """The stream is kept up with, and sweep, which repairs everything else, runs at all."""
        age = functions["dispatch"].function.metric("IteratorAge", period=FIVE_MINUTES, statistic="Maximum")
        self._alarm("StreamBehind", age, "dispatch is more than a minute behind the table's stream", threshold=60_000)
        late = functions["publish"].function.metric("IteratorAge", period=FIVE_MINUTES, statistic="Maximum")
        self._alarm("BusBehind", late, "publish is more than ten minutes behind the table's stream", threshold=600_000)
        errors = functions["dispatch"].function.metric_errors(period=FIVE_MINUTES)
        self._alarm("DispatchErrors", errors, "dispatch failed several times in five minutes", threshold=5)
        self._watch_heartbeat(functions["sweep"])
        self._alarm("SweepErrors", functions["sweep"].function.metric_errors(period=FIVE_MINUTES), "sweep failed")

    def _watch_heartbeat(self, sweep: VerbFunction) -> None:
        """Rings when sweep stops. Lambda writes no number where nothing ran, so what rings is that there are none: this is also how
        a new alarm begins, and to begin is no change, so a first deploy rings for nothing."""
        alarm = self._alarm(
            "SweepMissing",
            sweep.function.metric_invocations(period=cdk.Duration.minutes(1)),
            "sweep has not run for five minutes: nothing repairs what got stuck",
            comparison=cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD,
            threshold=1,
            periods=5,
            missing=cloudwatch.TreatMissingData.MISSING,
        )
        alarm.add_insufficient_data_action(actions.SnsAction(self.topic))

    def watch_throttles(self, functions: Mapping[str, VerbFunction]) -> None:
        """A new account runs ten functions at once: Lambda refuses the eleventh before anything else goes wrong. One each, for
        a sum costs as much, and the account's own metric rings for everybody else's."""
        for verb, one in functions.items():
            name = "".join(word.title() for word in verb.split("_"))
            metric = one.function.metric_throttles(period=FIVE_MINUTES)
            self._alarm(f"{THROTTLED}{name}", metric, f"Lambda throttles {verb}: ask for more concurrent executions")

    def watch_facts(self) -> None:
        """What the functions count themselves; no dimension but the service, because each set is paid for."""
        for fact, sentence in FACTS.items():
            metric = cloudwatch.Metric(
                namespace="Placet",
                metric_name=fact,
                statistic="Sum",
                period=FIVE_MINUTES,
                dimensions_map={"service": "placet"},
            )
            self._alarm("".join(word.title() for word in fact.split("_")), metric, sentence)

    def watch_machine(self, machine: sfn.StateMachine) -> None:
        """Failed executions ended outside of every catch; throttled ones wait for sweep."""
        self._alarm(
            "WaitsFailed", machine.metric_failed(period=FIVE_MINUTES), "an execution failed outside of its catch"
        )
        throttled = machine.metric_throttled(period=FIVE_MINUTES)
        self._alarm("WaitsThrottled", throttled, "Step Functions throttles this account: ask for a higher quota")

    def watch_api(self, access_log: logs.LogGroup, turns: Sequence[str]) -> None:
        """Answers of 500 and above, but for what is meant: a turn of a Bedrock agent that outlives the API is answered 503 and goes
        on. Counted in the access log, for the API's own metric does not tell routes apart."""
        (meant,) = (f'($.routeKey != "{key}")' for key in turns)
        logs.CfnMetricFilter(
            self,
            "ApiFailures",
            log_group_name=access_log.log_group_name,
            filter_pattern=f'{{ ($.status = "5*") && (($.status != "503") || {meant}) }}',
            metric_transformations=[
                logs.CfnMetricFilter.MetricTransformationProperty(
                    metric_namespace="Placet", metric_name="api_failed", metric_value="1"
                )
            ],
        )
        metric = cloudwatch.Metric(namespace="Placet", metric_name="api_failed", statistic="Sum", period=FIVE_MINUTES)
        self._alarm("ApiFails", metric, "the API answered with a server error several times", threshold=5)

    def watch_mail(self, configuration_set: str) -> None:
        """SES reviews an account above 5 % of bounces and stops it above 10 %."""
        metric = cloudwatch.Metric(
            namespace="AWS/SES",
            metric_name="Reputation.BounceRate",
            statistic="Average",
            period=cdk.Duration.hours(1),
            dimensions_map={"ses:configuration-set": configuration_set},
        )
        self._alarm("MailBounces", metric, "one mail in twenty bounces", threshold=0.05)

    def _alarm(
        self,
        name: str,
        metric: cloudwatch.IMetric,
        sentence: str,
        *,
        threshold: float = 1,
        periods: int = 1,
        comparison: cloudwatch.ComparisonOperator = cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        missing: cloudwatch.TreatMissingData = cloudwatch.TreatMissingData.NOT_BREACHING,
    ) -> cloudwatch.Alarm:
        alarm = cloudwatch.Alarm(
            self,
            name,
            metric=metric,
            threshold=threshold,
            evaluation_periods=periods,
            comparison_operator=comparison,
            treat_missing_data=missing,
            alarm_description=f"Placet: {sentence}",
        )
        alarm.add_alarm_action(actions.SnsAction(self.topic))
        return alarm
