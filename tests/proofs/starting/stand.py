"""A gateway on which several runs go on at once, and a machine that is busy: whoever follows a run is held between two reads."""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

from placet.client import Gateway
from placet.client.errors import GatewayRefused, GatewayUnavailable
from placet.client.transport import Answer
from placet.model.pauses import Agent
from placet.records.heads import Head
from placet.service.dispatch import dispatch, edge_of
from placet.service.notify import notify
from placet.service.ports import Ports, Turn
from tests.proofs.forging.house import FUNCTIONS, House, Runtime

HELD_S = 0.03  # how long the machine does something else before a read of whoever follows
THINKS_S = 0.2  # how long an agent thinks about an answer
ROUTES = {re.compile(re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", route)): route for route in FUNCTIONS}


class Thinking(Runtime):
    """A runtime whose agents take their time."""

    def turn(self, agent: Agent, session: str, text: str, state: dict[str, Any], definition: str) -> Turn:
        """One turn."""
        time.sleep(THINKS_S)
        return super().turn(agent, session, text, state, definition)


class Held:
    """A table whose requests wait for the machine."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, method: str) -> Any:
        time.sleep(HELD_S)
        return getattr(self._inner, method)


@dataclass
class Stand(House):
    """Everything of one play.

    Attributes:
        here: of a thread: `held` when the machine is in the way of its reads.
        statuses: what those who followed were told, by agent and status.
    """

    runtime: Runtime = field(default_factory=Thinking)
    here: threading.local = field(default_factory=threading.local)
    statuses: Counter[tuple[str, str]] = field(default_factory=Counter)
    events: threading.RLock = field(default_factory=threading.RLock)

    @property
    def ports(self) -> Ports:
        """As the thread that asks has them."""
        found = super().ports
        return replace(found, table=Held(found.table)) if getattr(self.here, "held", False) else found

    def deliver(self) -> None:
        """Bring what waits in the stream to dispatch, while others write."""
        with self.events:
            while self.table.changes:
                old, new = self.table.changes.pop(0)
                edge = edge_of(old, new)
                if edge is not None and new is not None:
                    dispatch(self.ports, edge, new["pk"].rpartition("#")[2], new)

    def queued(self, pause: str) -> Head:
        """A captured pause, in its reviewers' queue."""
        with self.events:
            self.deliver()
            notify(self.ports, pause, 1, f"token of {pause}")
        return self.head(pause)

    def gateway_of(self, agent: Agent) -> Gateway:
        """The SDK's gateway, on the handlers of this process."""
        return Gateway(transport=Through(self, agent))


@dataclass
class Through:
    """What the SDK sends, answered by the handlers as if signed under an agent's role."""

    stand: Stand
    agent: Agent

    def send(self, method: str, path: str, body: str | None = None) -> Answer:
        """One request."""
        for pattern, route in ROUTES.items():
            if found := pattern.fullmatch(f"{method} {path}"):
                status, told = self.stand.agent(self.agent, route, body or "", found.groupdict())
                break
        else:
            raise AssertionError(f"no route: {method} {path}")
        if status >= 500:
            raise GatewayUnavailable(json.dumps(told), status)
        if status >= 400:
            raise GatewayRefused(status, told["code"], told["detail"], told)
        if route == "GET /v1/runs/{id}":
            self.stand.statuses[self.agent.name, told["status"]] += 1
        return Answer(told, 0.0)
