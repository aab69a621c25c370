"""What invokes functions by itself, as the infrastructure defines it: the state machine, and the scheduler."""

from __future__ import annotations

import ast
import functools
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.proofs.outages.town import Town

ROOT = Path(__file__).resolve().parents[3]
API_S = 29.0
MACHINE_TRIES, TIMER_TRIES = 8, 5  # after the first


@functools.cache
def constant(path: str, name: str) -> Any:
    """A constant of the infrastructure, read without loading the CDK."""
    tree = ast.parse((ROOT / path).read_text())
    return next(
        ast.literal_eval(one.value)
        for one in tree.body
        if isinstance(one, ast.Assign) and [getattr(target, "id", "") for target in one.targets] == [name]
    )


def seconds_of(verb: str) -> float:
    """How long a function may take."""
    return float(constant("infra/gateway_stack.py", "BACKGROUND").get(verb, API_S))


@dataclass
class Execution:
    """One execution: `waiting`, `resuming` or `ended`."""

    facts: dict[str, Any]
    stage: str = "waiting"
    token: str = ""
    tries: int = 0


class Machine:
    """As `infra.constructs.lifecycle` has it: wait, resume; what fails for good is handed to resume as a reason."""

    def __init__(self, town: Town) -> None:
        self._town = town
        self.executions: dict[str, Execution] = {}
        self._transient = constant("infra/constructs/lifecycle.py", "TRANSIENT")

    def start(self, name: str, facts: dict[str, Any]) -> bool:
        """False when an execution of this name has ended; one that runs with the same input is started."""
        if name in self.executions:
            return self.executions[name].stage != "ended"
        made = self.executions[name] = Execution(facts)
        self._town.clock.later(0.1, lambda: self._wait(made))
        return True

    def answer(self, token: str) -> bool:
        """False when nobody waits under this token."""
        found = next((one for one in self.executions.values() if (one.token, one.stage) == (token, "waiting")), None)
        if found is None:
            return False
        found.stage, found.tries = "resuming", 0
        self._town.clock.later(0.1, lambda: self._task(found, found.facts, lambda: self._end(found), "resume_failed"))
        return True

    def waiting(self) -> list[str]:
        """Executions whose token nobody answered."""
        return [name for name, one in self.executions.items() if one.stage == "waiting"]

    def _wait(self, found: Execution) -> None:
        if found.stage == "waiting":
            found.token = f"{found.facts['pause']}.{found.facts['gen']}.{found.tries}"
            self._tried("notify", {**found.facts, "token": found.token}, found, lambda: None, "wait_failed", self._wait)

    def _task(self, found: Execution, event: dict[str, Any], done: Callable[[], object], reason: str) -> None:
        self._tried("resume", event, found, done, reason, lambda one: self._task(one, event, done, reason))

    def _tried(
        self,
        verb: str,
        event: dict[str, Any],
        found: Execution,
        done: Callable[[], object],
        reason: str,
        again: Callable[[Execution], object],
    ) -> None:
        failed = self._town.invoke(verb, event)[1]
        if not failed:
            done()
        elif failed in self._transient and found.tries < MACHINE_TRIES:
            found.tries += 1
            self._town.clock.later(min(5 * 2.0**found.tries, 300), lambda: again(found))
        elif reason:  # the reason is handed to resume; when that fails too, the execution has failed
            found.stage, found.tries = "ended", 0
            self._task(found, {**found.facts, "list": reason}, lambda: None, "")

    @staticmethod
    def _end(found: Execution) -> None:
        found.stage = "ended"


class Timers:
    """The scheduler's clock: a schedule fires once, and is tried again when escalate fails."""

    def __init__(self, town: Town) -> None:
        self._town = town

    def set(self, name: str, expression: str, event: str) -> int:
        """The moment, in seconds; it fires unless it is moved."""
        at = int(datetime.strptime(expression, "at(%Y-%m-%dT%H:%M:%S)").replace(tzinfo=UTC).timestamp())
        self._town.clock.later(max(0.0, at - self._town.clock.seconds()), lambda: self._fire(name, at, event))
        return at

    def _fire(self, name: str, at: int, event: str) -> None:
        if self._town.services.schedules.get(name) == at:
            del self._town.services.schedules[name]
            self._town.calls("escalate", json.loads(event), TIMER_TRIES)
