"""Smoke's one pause, from capture to its end: what an agent's role, the stream, the machine, the timer and a reviewer do."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from infra.policy_file import deployed_policy
from infra.smoke_agent import Gateway, agent_credentials, as_reviewer
from infra.smoke_ground import PATIENCE_S, Ground, SmokeFailed, SmokeSkipped, demand

WAIT_S = 120  # the shortest wait that a timer with a minute's precision ends visibly
SWEPT_S = (
    50  # what the stream did not start within a minute is started by the sweep, and a step that waits would not see it
)
TOOL = "placet_smoke"  # which no policy names, so it always waits for a person
SAYS = "A trial of the deployed gateway. Please leave it alone: it expires in two minutes."
NOTHING_RAN = "A trial of the gateway: nothing was run."


class Flow:
    """The steps of one pause, in order; each is a sentence when it passed."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self.decided = False
        self._calls: list[dict[str, Any]] = []

    def capture(self) -> str:
        """An agent's role with a path signs; its identity arrives without the path."""
        ground = self._ground
        roles = [one.role for one in ground.settings.agents if one.target["kind"] == "pick_up"]
        if not roles:
            raise SmokeSkipped(
                "the registry has no agent with target pick_up to play, and others would be resumed for real"
            )
        credentials = agent_credentials(ground, roles, ground.out["AgentAccessPolicyArn"])
        self._agent = Gateway(ground.api, credentials, str(ground.session.region_name))
        body = pause(f"smoke-{ground.stamp}", free_tool())
        self._begun = datetime.now(UTC)
        status, answer = self._capture(body)
        demand(status == 201, f"capture was answered {status}: {answer}")
        self.pause = answer["pause"]
        ground.undo.note(f"pause {self.pause}", self._cancel)
        again, repeated = self._agent.call("POST", "/v1/pauses", body)
        demand(again == 200 and repeated["pause"] == self.pause, f"the same pause again was answered {again}")
        return f"pause {self.pause} is stored, and the same again is the same"

    def _capture(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """API Gateway learns of a new role and its policy a little later than STS: 403 is repeated for a minute."""
        for _ in range(PATIENCE_S // 5):
            status, answer = self._agent.call("POST", "/v1/pauses", body)
            if status != 403:
                break
            self._ground.sleep(5)
        return status, answer

    def _cancel(self) -> None:
        """So that nobody goes on waiting for a pause whose steps failed; one that ended says so."""
        status, answer = self._agent.call("POST", f"/v1/pauses/{self.pause}/cancel", {"reason": "smoke is over"})
        demand(status in (200, 409), f"it could not be cancelled: {status} {answer}; it expires by itself")

    def wait(self) -> str:
        """The stream woke dispatch, which started the machine."""
        ground, states = self._ground, self._ground.client("stepfunctions")
        running = ground.until(lambda: self._execution("RUNNING"), "no execution was started from the stream")
        ground.undo.note(f"execution {running}", _stop, states, running)
        late = (states.describe_execution(executionArn=running)["startDate"] - self._begun).total_seconds()
        demand(
            late < SWEPT_S,
            f"the execution was started {late:.0f} s after the capture, as the sweep does it: dispatch is not woken by the stream",
        )
        return f"the stream started execution {running.rpartition(':')[2]}"

    def _execution(self, status: str) -> str | None:
        states = self._ground.client("stepfunctions")
        machine = self._ground.out["MachineArn"]
        found = states.list_executions(stateMachineArn=machine, statusFilter=status, maxResults=100)
        ours = (one["executionArn"] for one in found["executions"] if one["name"].startswith(self.pause))
        return next(ours, None)

    def timer(self) -> str:
        """notify stored the token and set the pause's one schedule, with its dead-letter queue."""
        ground, timers = self._ground, self._ground.client("scheduler")
        group = ground.out["ScheduleGroupName"]
        schedule = ground.until(lambda: _schedule(timers, group, self.pause), "no schedule was made")
        ground.undo.note(f"schedule {self.pause}", timers.delete_schedule, GroupName=group, Name=self.pause)
        demand("DeadLetterConfig" in schedule["Target"], "the schedule has no dead-letter queue")
        return f"notify set the timer: {schedule['ScheduleExpression']}"

    def decision(self) -> str:
        """A person accepts, where their access token is at hand; a program has none of its own, by design."""
        ground = self._ground
        if not ground.token:
            raise SmokeSkipped(
                "a decision takes a person: put a reviewer's access token into PLACET_TOKEN (docs/operations.md) and say it again"
            )
        call = ground.until(self._shown, "the reviewer was shown no call that they may decide")
        decided = {"decision": "accept", "revision": call["revision"], "digest": call["digest"]}
        status, answer = as_reviewer(ground.api, ground.token, "POST", f"/v1/reviews/{call['call']}/decision", decided)
        demand(status == 200, f"the decision was answered {status}: {answer}")
        self.decided = True
        return "the reviewer accepted, by the route and the token that people have"

    def _shown(self) -> dict[str, Any] | None:
        status, answer = as_reviewer(self._ground.api, self._ground.token, "GET", f"/v1/reviews/{self.pause}")
        demand(status != 401, "the access token in PLACET_TOKEN is not taken: it lasts ten minutes")
        calls = answer.get("calls", []) if status == 200 else []
        return next((dict(one) for one in calls if one.get("may_decide")), None)

    def end(self) -> str:
        """The timer fired and escalate expired the pause, or somebody decided; dispatch answered the token, the machine went on."""
        if not self.decided:
            for _ in range(WAIT_S // 10):
                self._ground.sleep(10)
        ended = self._ground.until(lambda: self._execution("SUCCEEDED"), "the machine did not go on", 3)
        why = "it was decided" if self.decided else "nobody decided"
        return f"{why}, and execution {ended.rpartition(':')[2]} went on"

    def pick_up(self) -> str:
        """The agent finds the answer."""
        ours = self._ground.until(self._resume, "the pick-up list does not have our pause")
        self._calls = ours["calls"]
        states = {call["state"] for call in self._calls if call["tool"] == TOOL}
        wanted = "accepted" if self.decided else "expired"
        demand(states == {wanted}, f"calls are {states}, not {wanted}")
        return f"the agent picked up '{wanted}'" + ("" if self.decided else ", told apart from a rejection")

    def _resume(self) -> dict[str, Any] | None:
        status, answer = self._agent.call("GET", "/v1/resumes")
        demand(status == 200, f"the pick-up list was answered {status}: {answer}")
        return next((one for one in answer["resumes"] if one["pause"] == self.pause), None)

    def claim(self) -> str:
        """A permit is had once: of the call that was accepted, or of one that the policy lets pass; an expired call has none."""
        free = next((one for one in self._calls if one.get("permit") == "free"), None)
        expired = next((one for one in self._calls if one["state"] == "expired"), None)
        said = []
        if expired:
            status, answer = self._claim(expired, "1")
            demand(
                (status, answer.get("code")) == (409, "call_not_approved"),
                f"the claim of an expired call was answered {status}: {answer}",
            )
            said.append("an expired call cannot be claimed")
        if free:
            status, answer = self._claim(free, "1")
            demand(status == 200, f"the claim was answered {status}: {answer}")
            other, refused = self._claim(free, "2")
            demand(
                (other, refused.get("code")) == (409, "permit_claimed"),
                f"a second claim was answered {other}: {refused}",
            )
            report = {"worker": self._worker("1"), "permit": "failed", "result": NOTHING_RAN}
            status, answer = self._agent.call("POST", f"/v1/calls/{free['call']}/outcome", report)
            demand(status == 200, f"the report was answered {status}: {answer}")
            said.append(f"the permit of {free['tool']} was had once and reported as not run")
        demand(bool(said), f"no call can be claimed or refused: {self._calls}")
        return "; ".join(said)

    def _claim(self, call: dict[str, Any], attempt: str) -> tuple[int, dict[str, Any]]:
        body = {"digest": call.get("digest") or "0" * 64, "worker": self._worker(attempt)}
        return self._agent.call("POST", f"/v1/calls/{call['call']}/claim", body)

    def _worker(self, attempt: str) -> str:
        return f"smoke-{self._ground.stamp}-{attempt}"

    def resumed(self) -> str:
        """The agent says that its run has gone on."""
        status, answer = self._agent.call("POST", f"/v1/resumes/{self.pause}/outcome", {"state": "resumed"})
        demand(status == 200 and answer["state"] == "ended", f"the outcome was answered {status}: {answer}")
        return "the pause has ended"


def _stop(states: Any, execution: str) -> None:
    if states.describe_execution(executionArn=execution)["status"] == "RUNNING":
        states.stop_execution(executionArn=execution, cause="smoke is over")


def _schedule(timers: Any, group: str, name: str) -> dict[str, Any] | None:
    try:
        return dict(timers.get_schedule(GroupName=group, Name=name))
    except timers.exceptions.ResourceNotFoundException:
        return None


def free_tool() -> str:
    """A tool that the policy lets pass without a person, if it names one."""
    return next((name for name, tool in sorted(deployed_policy().tools.items()) if tool.free), "")


def pause(run: str, free: str = "") -> dict[str, Any]:
    """A tool that no policy names, so that it waits, beside one that passes, if there is one. docs/api.md has the shape."""
    tools = [TOOL, *([free] if free else [])]
    return {
        "framework": "langchain",
        "run": run,
        "native": {
            "mode": "per_call",
            "checkpoint_ns": "",
            "checkpoint_id": run,
            "interrupts": [_interrupt(run, number, name) for number, name in enumerate(tools, 1)],
            "tools": {name: {"schema": {"type": "object"}, "idempotency_key": False} for name in tools},
        },
        "wait_at_most_s": WAIT_S,
    }


def _interrupt(run: str, number: int, name: str) -> dict[str, Any]:
    value = {
        "type": "tool_approval",
        "tool_call_id": f"call_smoke_{number}",
        "name": name,
        "args": {},
        "description": SAYS,
    }
    return {"id": f"{run}-{number}", "value": value, "response_schema": {}}


__all__ = ["WAIT_S", "Flow", "SmokeFailed", "free_tool", "pause"]
