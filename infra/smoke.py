"""``make smoke``: one approval through the deployed gateway, about four minutes, and everything it made is removed.

    python -m infra.smoke [--region REGION] [--role ARN]

What stays is the audit record of one pause of tool ``placet_smoke``, which nobody decided. Nobody signs in, so the pause
ends by its deadline: that proves capture, stream, machine, token, timer, expiry, token answer and pick-up, not a person's
decision. Written from AWS's documents and tried against fakes; it has not yet run in a real account.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from infra.deployed import NotSaid, deployed_settings, outputs, session_in
from infra.settings import SettingsError
from infra.smoke_agent import Gateway, SmokeFailed, agent_credentials, page

WAIT_S = 120  # the shortest wait that a timer with a minute's precision ends visibly
PATIENCE_S = 60


class Smoke:
    """The steps, in order; each is a sentence when it passed, SmokeFailed when not."""

    def __init__(self, session: Any, role: str | None, sleep: Callable[[float], None] = time.sleep) -> None:
        self._session, self._role, self._sleep = session, role, sleep
        self._out = outputs(session.client("cloudformation"), "PlacetGateway")
        self._data = outputs(session.client("cloudformation"), "PlacetData")
        self._settings = deployed_settings()
        self.undo = ExitStack()
        self._pause = ""

    def steps(self) -> tuple[tuple[str, Callable[[], str]], ...]:
        """Name and step."""
        return (
            ("strangers", self.strangers),
            ("login page", self.login_page),
            ("token rights", self.token_rights),
            ("capture", self.capture),
            ("wait", self.wait),
            ("timer", self.timer),
            ("expiry", self.expiry),
            ("pick-up", self.pick_up),
        )

    def strangers(self) -> str:
        """Nobody gets in unsigned."""
        wanted = {"/v1/gates": 403, "/v1/reviews": 401}
        answers = {path: page(self._out["ApiUrl"] + path)[0] for path in wanted}
        _demand(answers == wanted, f"unsigned calls were answered {answers}, not {wanted}")
        return "unsigned calls are refused: 403 for agents' routes, 401 for reviewers'"

    def login_page(self) -> str:
        """The style of the managed login pages is in place."""
        status, body = page(self._out["ApiUrl"] + "/sign-in/start")
        _demand(status == 200 and "<form" in body, f"the login page answers {status} without a form")
        return "sign-in leads to a login page with a form"

    def token_rights(self) -> str:
        """IAM itself says who may read a task token; the simulator evaluates the deployed policies."""
        asked = {verb: self._may_read_tokens(verb) for verb in ("dispatch", "review", "decide", "resume", "operate")}
        _demand(asked == {**dict.fromkeys(asked, False), "dispatch": True}, f"tokens: {asked}")
        return "dispatch may read a task token; review, decide, resume and operate may not"

    def _may_read_tokens(self, verb: str) -> bool:
        found = self._session.client("cloudformation").get_paginator("list_stack_resources")
        word = f"{verb.title()}Role"
        role = next(
            one["PhysicalResourceId"]
            for found_page in found.paginate(StackName="PlacetGateway")
            for one in found_page["StackResourceSummaries"]
            if one["ResourceType"] == "AWS::IAM::Role" and one["LogicalResourceId"].startswith(word)
        )
        iam = self._session.client("iam")
        table = self._session.client("dynamodb").describe_table(TableName=self._data["TableName"])["Table"]["TableArn"]
        answer = iam.simulate_principal_policy(
            PolicySourceArn=iam.get_role(RoleName=role)["Role"]["Arn"],
            ActionNames=["dynamodb:GetItem", "dynamodb:Query"],
            ResourceArns=[table],
            ContextEntries=[
                {
                    "ContextKeyName": "dynamodb:LeadingKeys",
                    "ContextKeyType": "stringList",
                    "ContextKeyValues": ["T#main#K#smoke"],
                }
            ],
        )
        return any(one["EvalDecision"] == "allowed" for one in answer["EvaluationResults"])

    def capture(self) -> str:
        """An agent's role with a path signs; its identity arrives without the path."""
        agent = next((one for one in self._settings.agents if one.target["kind"] == "pick_up"), None)
        _demand(agent is not None, "the settings have no agent with target pick_up to play")
        credentials = agent_credentials(
            self._session,
            agent.role if agent else "",
            self._out["AgentAccessPolicyArn"],
            self._role,
            self.undo,
            self._sleep,
        )
        self._agent = Gateway(self._out["ApiUrl"], credentials, str(self._session.region_name))
        body = _pause(f"smoke-{int(time.time())}")
        status, answer = self._agent.call("POST", "/v1/pauses", body)
        _demand(status == 201, f"capture was answered {status}: {answer}")
        self._pause = answer["pause"]
        again, repeated = self._agent.call("POST", "/v1/pauses", body)
        _demand(again == 200 and repeated["pause"] == self._pause, f"the same pause again was answered {again}")
        return f"pause {self._pause} is stored, and the same again is the same"

    def wait(self) -> str:
        """The stream woke dispatch, which started the machine."""
        states = self._session.client("stepfunctions")
        running = self._until(lambda: self._execution(states, "RUNNING"), "no execution was started from the stream")
        self.undo.callback(self._stop, states, running)
        return f"the stream started execution {running.rpartition(':')[2]}"

    def _execution(self, states: Any, status: str) -> str | None:
        found = states.list_executions(stateMachineArn=self._out["MachineArn"], statusFilter=status, maxResults=100)
        ours = (one["executionArn"] for one in found["executions"] if one["name"].startswith(self._pause))
        return next(ours, None)

    def _stop(self, states: Any, execution: str) -> None:
        if states.describe_execution(executionArn=execution)["status"] == "RUNNING":
            states.stop_execution(executionArn=execution, cause="smoke is over")

    def timer(self) -> str:
        """notify stored the token and set the pause's one schedule, with its dead-letter queue."""
        timers, group = self._session.client("scheduler"), self._out["ScheduleGroupName"]
        schedule = self._until(lambda: self._schedule(timers, group), "no schedule was made")
        self.undo.callback(self._drop, timers, group)
        _demand("DeadLetterConfig" in schedule["Target"], "the schedule has no dead-letter queue")
        return f"notify set the timer: {schedule['ScheduleExpression']}"

    def _schedule(self, timers: Any, group: str) -> dict[str, Any] | None:
        try:
            return dict(timers.get_schedule(GroupName=group, Name=self._pause))
        except timers.exceptions.ResourceNotFoundException:
            return None

    def _drop(self, timers: Any, group: str) -> None:
        if self._schedule(timers, group):
            timers.delete_schedule(GroupName=group, Name=self._pause)

    def expiry(self) -> str:
        """The timer fired, escalate expired the pause, dispatch answered the token, the machine went on."""
        states = self._session.client("stepfunctions")
        for _ in range(WAIT_S // 10):
            self._sleep(10)
        ended = self._until(lambda: self._execution(states, "SUCCEEDED"), "the pause did not expire", PATIENCE_S * 3)
        return f"nobody decided, and execution {ended.rpartition(':')[2]} went on"

    def pick_up(self) -> str:
        """The agent finds the answer, and says that its run has gone on."""
        status, answer = self._agent.call("GET", "/v1/resumes")
        ours = [one for one in answer.get("resumes", []) if one["pause"] == self._pause]
        _demand(status == 200 and bool(ours), f"the pick-up list was answered {status} without our pause")
        states = {call["state"] for call in ours[0]["calls"]}
        _demand(states == {"expired"}, f"calls are {states}, not expired")
        status, answer = self._agent.call("POST", f"/v1/resumes/{self._pause}/outcome", {"state": "resumed"})
        _demand(status == 200 and answer["state"] == "ended", f"the outcome was answered {status}: {answer}")
        return "the agent picked up 'expired', told apart from a rejection, and the pause has ended"

    def _until(self, look: Callable[[], Any], sentence: str, seconds: int = PATIENCE_S) -> Any:
        for _ in range(seconds // 2):
            if found := look():
                return found
            self._sleep(2)
        raise SmokeFailed(f"{sentence} within {seconds} s")


def _demand(held: bool, sentence: str) -> None:
    if not held:
        raise SmokeFailed(sentence)


def _pause(run: str) -> dict[str, Any]:
    """A tool that no policy names: it always pauses. docs/api.md has the shape."""
    value = {
        "type": "tool_approval",
        "tool_call_id": "call_smoke",
        "name": "placet_smoke",
        "args": {},
        "description": "A trial of the deployed gateway. Please leave it alone: it expires in two minutes.",
    }
    native = {
        "mode": "per_call",
        "checkpoint_ns": "",
        "checkpoint_id": run,
        "interrupts": [{"id": run, "value": value, "response_schema": {}}],
        "tools": {"placet_smoke": {"schema": {"type": "object"}, "idempotency_key": False}},
    }
    return {"framework": "langchain", "run": run, "native": native, "wait_at_most_s": WAIT_S}


def play(smoke: Smoke) -> Iterator[tuple[bool, str, str]]:
    """(passed, step, sentence) until the first failure; what was made is removed in any case."""
    with smoke.undo:
        for name, step in smoke.steps():
            try:
                yield True, name, step()
            except (SmokeFailed, ClientError, BotoCoreError, OSError, KeyError, StopIteration) as error:
                yield False, name, str(error) or type(error).__name__
                return


def main() -> int:
    """Prints one line per step; 1 at the first that fails."""
    parser = argparse.ArgumentParser(prog="python -m infra.smoke", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--region", help="default: AWS_REGION, AWS_DEFAULT_REGION, or that of your profile")
    parser.add_argument("--role", help="ARN of an agent's role that you may assume (default: one is made and removed)")
    options = parser.parse_args()
    try:
        smoke = Smoke(session_in(options.region), options.role)
    except (NotSaid, SettingsError) as error:
        print("".join(f"smoke: {line}\n" for line in str(error).splitlines()), end="", file=sys.stderr)
        return 1
    except (ClientError, BotoCoreError) as error:
        print(
            f"smoke: the stacks cannot be read: {error} → check credentials and region; before: make deploy",
            file=sys.stderr,
        )
        return 1
    passed = True
    for passed, name, sentence in play(smoke):
        print(f"{'ok' if passed else 'FAIL':<6}{name:<14}{sentence}", flush=True)
    print("smoke: passed" if passed else "smoke: failed; what was made has been removed")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
