"""The state machine as `infra.constructs.lifecycle` defines it: wait (notify, with a token), resume, or list the pause as stuck."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Execution:
    """One execution.

    Attributes:
        stage: `waiting`, `resuming` or `ended`.
        token: the one that would be taken now; a retry of the wait makes a new one.
    """

    name: str
    facts: dict[str, Any]
    until_ms: int
    stage: str = "waiting"
    tries: int = 0
    token: str = ""


@dataclass
class Machine:
    """Implements the port `Waits`; `post` brings its tasks into the world."""

    now_ms: Callable[[], int]
    post: Callable[[str, dict[str, Any]], None]
    executions: dict[str, Execution] = field(default_factory=dict)

    def start(self, name: str, facts: dict[str, Any]) -> bool:
        """Start, or find running; False when it has ended."""
        found = self.executions.get(name)
        if found is None:
            until = self.now_ms() + 1000 * facts["timeout_s"]
            self.executions[name] = Execution(name, dict(facts), until)
            self.post("wait", {"name": name})
            return True
        if found.stage == "ended":
            return False
        if found.facts != facts:
            raise ValueError(f"execution {name} was started with other facts")
        return True

    def answer(self, token: str, facts: dict[str, Any]) -> bool:
        """Answer the token of a wait; False when it is not the one that waits."""
        found = next((one for one in self.executions.values() if one.token == token and one.stage == "waiting"), None)
        if found is None:
            return False
        found.stage = "resuming"
        self.post("resume", {"name": found.name})
        return True

    def waits(self, name: str) -> dict[str, Any] | None:
        """What notify is called with, under a new token; None when the wait is over."""
        found = self.executions[name]
        if found.stage != "waiting":
            return None
        found.tries += 1
        found.token = f"{name}.{found.tries}"
        return {**found.facts, "token": found.token}

    def resumes(self, name: str) -> dict[str, Any] | None:
        """What resume is called with; None when that is over."""
        found = self.executions[name]
        return dict(found.facts) if found.stage == "resuming" else None

    def done(self, name: str) -> None:
        """Its last task succeeded."""
        self.executions[name].stage = "ended"

    def failed(self, name: str) -> None:
        """A task failed for good: the catch branch lists the pause."""
        found = self.executions[name]
        if found.stage == "ended":
            return
        reason = "wait_failed" if found.stage == "waiting" else "resume_failed"
        found.stage = "ended"
        self.post("list", {**found.facts, "list": reason})

    def time_out(self) -> int:
        """Waits that are longer than their time fail; returns how many."""
        late = [one for one in self.executions.values() if one.stage == "waiting" and one.until_ms <= self.now_ms()]
        for one in late:
            self.failed(one.name)
        return len(late)
