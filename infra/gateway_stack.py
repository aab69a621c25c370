"""Everything that can be made again; but ids that live in pending waits, timers and mail links are locked by a test."""

from __future__ import annotations

import json
from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.brakes import brakes_of
from infra.constructs.alarms import Alarms
from infra.constructs.api import TURN_ROUTES, Api
from infra.constructs.bus import Bus
from infra.constructs.function import Common, VerbFunction
from infra.constructs.layers import Layers
from infra.constructs.lifecycle import Lifecycle
from infra.constructs.login import Login
from infra.constructs.mail import Mail
from infra.constructs.queues import failure_queue
from infra.constructs.sinks import Sinks
from infra.constructs.stream import Stream
from infra.constructs.targets import invoke_bedrock, reach_targets
from infra.constructs.timers import Timers
from infra.data_stack import PlacetData, boundary
from infra.rights import BODY_READERS, BODY_WRITERS, TABLE_RIGHTS
from infra.settings import VERBS, Settings

RETENTION = {
    days: getattr(logs.RetentionDays, name)
    for days, name in (
        (7, "ONE_WEEK"),
        (14, "TWO_WEEKS"),
        (30, "ONE_MONTH"),
        (60, "TWO_MONTHS"),
        (90, "THREE_MONTHS"),
    )
}
PAGES = ("review", "decide", "sign_in")  # render HTML and are waited for by a person: more memory is more CPU
# Seconds. A turn of a Bedrock agent may take minutes: over HTTP its caller is cut at thirty seconds and asks for the run, and
# whoever invokes the function itself waits for it; it outlives the five minutes that its client waits for Bedrock.
BACKGROUND = {"dispatch": 60, "notify": 120, "escalate": 60, "resume": 570, "sweep": 55, "invoke_agent": 330}
BACKGROUND |= {"publish": 60, "tell": 60, "bounce": 30}
CAPTURERS = ("capture", "invoke_agent", "resume")  # make pauses, whose ids nobody may guess


class PlacetGateway(cdk.Stack):
    """The flow: capture → dispatch → notify → escalate → review → decide → resume → execute, and sweep behind it."""

    def __init__(self, scope: Construct, name: str, *, settings: Settings, data: PlacetData, **stack: Any) -> None:
        super().__init__(
            scope,
            name,
            description="Placet: human approval for AI agents",
            permissions_boundary=boundary(settings),
            **stack,
        )
        self._data = data
        self._settings = settings
        self._retention = RETENTION[settings.log_days]
        self.functions = self._make_functions()
        self.api = Api(self, "Api")
        self._base_url = settings.public_base_url or self.api.url
        self.login = Login(self, "Login", settings=settings, pool=data.pool, base_url=self._base_url)
        brakes = brakes_of(settings.requests_per_second)
        self.api.open(self.functions, self.login, self._retention, brakes)
        self.lifecycle = Lifecycle(
            self,
            "Lifecycle",
            notify=self.functions["notify"],
            resume=self.functions["resume"],
            retention=self._retention,
        )
        self.timers = Timers(self, "Timers")
        self.mail = Mail(self, "Mail", settings=settings)
        self.async_failures = failure_queue(self, "AsyncFailures")
        self._wire()
        self._wire_targets()
        self._wire_people()
        at_once = settings.stream_parallelization
        self.stream = Stream(self, "Stream", data=data, dispatch=self.functions["dispatch"], at_once=at_once)
        self.bus = Bus(self, "Bus", data=data, publish=self.functions["publish"])
        self.sinks = Sinks(
            self,
            "Sinks",
            settings=settings,
            bus=self.bus.bus,
            tell=self.functions["tell"],
            failures=self.async_failures,
        )
        self.mail.hear(self.functions["bounce"], self.async_failures)
        self._sweep_every_minute()
        self._watch()
        self._outputs()

    def _make_functions(self) -> dict[str, VerbFunction]:
        common = Common(
            layers=Layers(self, "Layers").all,
            environment={
                "PLACET_TABLE": self._data.table.table_name,
                "PLACET_DATA": self._data.fingerprint,
                "PLACET_TENANT": "main",
                "PLACET_EPOCH": str(self._settings.epoch),
                "PLACET_AGENTS": self._settings.registry,
                "POWERTOOLS_SERVICE_NAME": "placet",
                "POWERTOOLS_LOG_LEVEL": "INFO",
            },
            log_retention=self._retention,
            reserved_concurrency=self._settings.reserved_concurrency,
        )
        functions = {}
        for verb in VERBS:
            # Unless it is an API's, a function may take as long as its work does.
            timeout = {"timeout": cdk.Duration.seconds(BACKGROUND[verb])} if verb in BACKGROUND else {}
            name = "".join(word.title() for word in verb.split("_"))
            memory = 1024 if verb in PAGES else 512
            # Escalate is written into every pending schedule, and it writes itself there: it has to know its own ARN.
            physical = f"{self.stack_name}-{verb}" if verb == "escalate" else None
            functions[verb] = VerbFunction(
                self, name, verb=verb, common=common, memory=memory, physical_name=physical, **timeout
            )
            for grant in TABLE_RIGHTS[verb]:
                self._data.allow(functions[verb].role, grant.actions, grant.keys, grant.index)
        return functions

    def _wire(self) -> None:
        """Rights and addresses beyond the table, verb by verb."""
        of, machine = self.functions, self.lifecycle.machine.state_machine_arn
        for verb in CAPTURERS:
            of[verb].allow(["kms:GenerateMac"], [self._data.id_key.key_arn])
            of[verb].add_environment(PLACET_ID_KEY=self._data.id_key.key_arn)
            of[verb].add_environment(PLACET_MOST_OPEN=str(self._settings.most_open))

        # Only dispatch answers task tokens; only notify is called by the machine with one.
        of["dispatch"].allow(["states:StartExecution", "states:SendTaskSuccess"], [machine])
        of["dispatch"].add_environment(PLACET_STATE_MACHINE_ARN=machine)
        # Whoever may set a pause's timer sets it: dispatch asks for that where a decision may be taken back.
        of["dispatch"].allow(["lambda:InvokeFunction"], [of["escalate"].arn])
        of["dispatch"].add_environment(PLACET_ESCALATE_ARN=of["escalate"].arn)

        self.timers.fire(of["escalate"])
        # By name and not by reference: a function's own environment cannot refer to the function.
        escalate = self._function_arn(f"{self.stack_name}-escalate")
        for verb in ("notify", "escalate"):
            self.timers.allow(of[verb])
            of[verb].add_environment(PLACET_ESCALATE_ARN=escalate)
        self.mail.allow(of["notify"])
        # Whom a moment tells notify mails: escalate needs no right to send.
        of["escalate"].allow(["lambda:InvokeFunction"], [of["notify"].arn])
        of["escalate"].add_environment(PLACET_NOTIFY_ARN=of["notify"].arn)

        again = ("resume", "escalate", "notify")
        of["sweep"].allow(["lambda:InvokeFunction"], [of[verb].arn for verb in again])
        of["sweep"].allow(["states:StartExecution"], [machine])
        of["sweep"].add_environment(
            PLACET_STATE_MACHINE_ARN=machine, **{f"PLACET_{verb.upper()}_ARN": of[verb].arn for verb in again}
        )
        # Whoever may capture proposes what people ask for; of what it may do they get nothing else.
        for verb in ("decide", "operate"):
            of[verb].allow(["lambda:InvokeFunction"], [of["resume"].arn])
            of[verb].add_environment(PLACET_RESUME_ARN=of["resume"].arn)
        for verb in BODY_READERS:
            self._data.allow_bodies(of[verb].role, writes=verb in BODY_WRITERS)
            of[verb].add_environment(PLACET_BUCKET=self._data.bodies.bucket_name)
        of["operate"].add_environment(PLACET_OPERATORS=json.dumps(self._settings.operators))
        for verb in ("escalate", "resume", "sweep", "notify", "tell", "bounce"):
            of[verb].keep_failures(self.async_failures)

    def _wire_targets(self) -> None:
        """What the registry names, and nothing else: a request can name an agent, never a target."""
        invoke, resume = self.functions["invoke_agent"], self.functions["resume"]
        reach_targets(resume, self._settings)
        for function in (invoke, resume):
            invoke_bedrock(function, self._settings)
        # A turn whose calls all pass is answered at once, by the one function that answers.
        invoke.allow(["lambda:InvokeFunction"], [resume.arn])
        invoke.add_environment(PLACET_RESUME_ARN=resume.arn)
        invoke.keep_failures(self.async_failures, retries=0)  # a turn is never sent twice

    def _wire_people(self) -> None:
        """Addresses for the functions that people see."""
        for verb in ("notify", "publish", *PAGES):
            self.functions[verb].add_environment(PLACET_BASE_URL=self._base_url)
        self.functions["sign_in"].add_environment(
            PLACET_LOGIN_URL=self.login.url,
            PLACET_CLIENT_ID=self.login.client.user_pool_client_id,
            PLACET_ISSUER=self.login.issuer,
            PLACET_JWKS_URL=self.login.jwks_url,
        )

    def _function_arn(self, name: str) -> str:
        return self.format_arn(
            service="lambda", resource="function", resource_name=name, arn_format=cdk.ArnFormat.COLON_RESOURCE_NAME
        )

    def _sweep_every_minute(self) -> None:
        rule = events.Rule(self, "SweepEveryMinute", schedule=events.Schedule.rate(cdk.Duration.minutes(1)))
        rule.add_target(
            targets.LambdaFunction(
                self.functions["sweep"].function,
                dead_letter_queue=self.async_failures,
                max_event_age=cdk.Duration.minutes(5),
                retry_attempts=2,
            )
        )

    def _watch(self) -> None:
        alarms = Alarms(self, "Alarms", mail=self._settings.alarm_mail)
        alarms.watch_queue("StreamFailures", self.stream.failures, "dispatch gave a stream record up")
        alarms.watch_queue("BusFailures", self.bus.failures, "publish gave a stream record up: listeners were not told")
        alarms.watch_queue("TimerFailures", self.timers.failures, "a schedule could not reach escalate")
        alarms.watch_queue(
            "AsyncFailures",
            self.async_failures,
            "escalate, resume, notify, sweep, invoke_agent, tell or bounce gave an event up",
        )
        alarms.watch_functions(self.functions)
        alarms.watch_throttles(self.functions)
        alarms.watch_facts()
        alarms.watch_machine(self.lifecycle.machine)
        alarms.watch_api(self.api.access_log, TURN_ROUTES)
        alarms.watch_mail(self.mail.configuration_set.configuration_set_name)

    def _outputs(self) -> None:
        roles = self._settings.roles if self._settings.attach_to_roles else {}
        agents, actions, operators = (roles.get(whose, ()) for whose in ("agents", "actions", "operators"))
        for name, value in {
            "ApiUrl": self.api.url,
            "ApiId": self.api.http.api_id,
            "InboxUrl": f"{self._base_url}/inbox",
            "LoginUrl": self.login.url,
            "ClientId": self.login.client.user_pool_client_id,
            "ProgramClientId": self.login.programs.user_pool_client_id,
            "MachineArn": self.lifecycle.machine.state_machine_arn,
            "AgentAccessPolicyArn": self.api.agent_access(agents).managed_policy_arn,
            "ActionAccessPolicyArn": self.api.action_access(actions).managed_policy_arn,
            "OperatorAccessPolicyArn": self.api.operator_access(operators).managed_policy_arn,
            "BusName": self.bus.bus.event_bus_name,
            "ScheduleGroupName": self.timers.group.schedule_group_name,
        }.items():
            cdk.CfnOutput(self, name, value=value)
