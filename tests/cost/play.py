"""One approval of each kind on a stack where nothing else happens, from capture to its last report, watched."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from local.endpoint import Endpoint
from local.stack import LocalStack
from tests.cost import readdressing
from tests.cost.journeys import JOURNEYS
from tests.cost.ledger import Invocation, Seen, Transition
from tests.cost.metering import Meter
from tests.cost.relay import Relay
from tests.e2e.agents import mailed_long_ago

LOGS = re.compile(r"/(\w+)Logs[0-9A-F]{8}$")
RELAYED = ("DYNAMODB", "SCHEDULER", "SESV2", "EVENTBRIDGE")
STATE_FUNCTIONS = {"capture": "notify", "decide": "resume"}  # whose step a state of the machine belongs to, by phase
PATIENCE_S = 60


def play(stack: LocalStack, say: Callable[[str], None]) -> tuple[dict[str, Seen], Meter]:
    """Play each kind once. Raises AssertionError when one does not come to its end."""
    meter = Meter(stack.client("dynamodb"), stack.table_name)
    browser = stack.sign_in("maria")
    found: dict[str, Seen] = {}
    with Relay(stack.endpoint, meter.watch, readdressing.to(stack.aws)) as relay:
        functions = send_through(stack, relay.url)
        for name, journey in JOURNEYS.items():
            mailed_long_ago(stack)
            accesses, effects = len(meter.accesses), len(meter.effects)
            run = Run(stack, functions, lambda line, name=name: say(f"{name}: {line}"))  # type: ignore[misc]
            journey(run, stack, browser)
            run.settle()
            found[name] = run.seen
            run.seen.accesses, run.seen.effects = meter.accesses[accesses:], meter.effects[effects:]
    assert len(stack.outbox()) == sum(effect.kind == "mail" for effect in meter.effects), "mails and requests differ"
    return found, meter


def send_through(stack: LocalStack, url: str) -> dict[str, str]:
    """Point every function's table, timers and mail at the relay, in this stack only; gives the log group of each function."""
    functions, found = stack.client("lambda"), {}
    for one in functions.list_functions()["Functions"]:
        named = LOGS.search(one["LoggingConfig"]["LogGroup"])
        if named is None:
            continue  # the demo agent that lives in Lambda is no part of the gateway
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", named.group(1)).lower()
        found[name] = one["LoggingConfig"]["LogGroup"]
        relayed = {f"AWS_ENDPOINT_URL_{service}": url for service in RELAYED} | {"AWS_SDK_UA_APP_ID": name}
        variables = one["Environment"]["Variables"] | relayed
        functions.update_function_configuration(FunctionName=one["FunctionName"], Environment={"Variables": variables})
    return found


class Run:
    """The parts of the play, each ended before the next begins."""

    def __init__(self, stack: LocalStack, functions: dict[str, str], say: Callable[[str], None]) -> None:
        self._stack = stack
        self._functions = functions
        self._say = say
        self._began_ms = int(time.time() * 1000)
        self.seen = Seen(behind_http=frozenset(self._behind_http()))

    def settle(self) -> None:
        """Wait until nothing happens any more, then take the invocations as the functions' logs tell them."""
        before = None
        while before != (before := self._invocations()):
            time.sleep(1)
        self.seen.invocations = before or []

    def phase(self, name: str, what: str) -> None:
        self._say(f"{name}: {what}")
        self.seen.phases.append((name, time.time()))

    def ended(self, *functions: str) -> None:
        """Wait until each of these has ended an invocation of this phase."""
        start, end = self.seen.phases[-1][1], time.monotonic() + PATIENCE_S
        wanted = set(functions)
        while wanted:
            assert time.monotonic() < end, f"waited {PATIENCE_S} s in vain for {', '.join(sorted(wanted))}"
            time.sleep(0.3)
            wanted -= {one.function for one in self._invocations() if one.at >= start}

    def _invocations(self) -> list[Invocation]:
        """Every invocation since the start that has ended, from the log groups."""
        logs, found = self._stack.client("logs"), []
        for function, group in self._functions.items():
            for page in logs.get_paginator("filter_log_events").paginate(logGroupName=group, startTime=self._began_ms):
                reports = (event for event in page["events"] if event["message"].startswith("REPORT RequestId"))
                found += [Invocation(event["timestamp"] / 1000, function) for event in reports]
        return found

    def _behind_http(self) -> list[str]:
        """The functions that the API's integrations name. Stream, machine, schedules and sweep invoke others, so each of their
        invocations is one HTTP call."""
        api = self._stack.client("apigatewayv2")
        uris = {one["IntegrationUri"] for one in api.get_integrations(ApiId=self._stack.outputs["ApiId"])["Items"]}
        listed = self._stack.client("lambda").list_functions()["Functions"]
        groups = {one["LoggingConfig"]["LogGroup"] for one in listed if any(one["FunctionArn"] in uri for uri in uris)}
        return [name for name, group in self._functions.items() if group in groups]

    def machine_ended(self, name: str) -> None:
        states, end = (
            Endpoint(self._stack.settings.steps_endpoint).client("stepfunctions"),
            time.monotonic() + PATIENCE_S,
        )
        arn = f"{self._stack.outputs['MachineArn'].replace(':stateMachine:', ':execution:')}:{name}"
        while states.describe_execution(executionArn=arn)["status"] == "RUNNING" and time.monotonic() < end:
            time.sleep(0.3)
        events = states.get_execution_history(executionArn=arn, maxResults=1000)["events"]
        kinds = Counter(event["type"] for event in events)
        assert kinds["ExecutionSucceeded"] == 1, kinds
        # Billed: each state entered, each retry, and the way to the end.
        entered = [event for event in events if event["type"].endswith("StateEntered")]
        retries = kinds["TaskScheduled"] - kinds["TaskStateEntered"]
        moments = [event["timestamp"].timestamp() for event in entered + [events[-1]] * (1 + retries)]
        self.seen.transitions = [Transition(at, STATE_FUNCTIONS.get(self.seen.phase(at), "machine")) for at in moments]

    def fire_timer(self, pause: str, *, gone: bool = False) -> None:
        """What the schedule does at its moment: its own target, its own input. `gone`: it does not fire by itself later."""
        scheduler = self._stack.client("scheduler")
        (listed,) = scheduler.list_schedules(NamePrefix=pause)["Schedules"]
        target = scheduler.get_schedule(Name=pause, GroupName=listed["GroupName"])["Target"]
        assert json.loads(target["Input"])["pause"] == pause
        if gone:
            scheduler.delete_schedule(Name=pause, GroupName=listed["GroupName"])
        answer: Any = self._stack.client("lambda").invoke(FunctionName=target["Arn"], Payload=target["Input"].encode())
        assert "FunctionError" not in answer, answer["Payload"].read()
