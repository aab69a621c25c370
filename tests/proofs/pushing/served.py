"""The agents' routes over verbs in this process: what a `Gateway(transport=...)` talks to, texts as HTTP would carry them."""

from __future__ import annotations

import json
from typing import Any

from placet.client.errors import GatewayRefused, GatewayUnavailable
from placet.client.transport import Answer
from placet.http.problems import status_of
from placet.model.canonical import exact_text, parse
from placet.model.errors import PlacetError, Unavailable
from placet.model.pauses import Agent
from placet.model.states import PermitState
from placet.service.answers import as_resume
from placet.service.execute import claim, outcome, renew_claim
from placet.service.origin import pause_of
from placet.service.ports import Ports
from placet.service.resume import release, renew, take
from placet.service.went_on import resumed


class Served:
    """The gateway as one agent sees it, after its role was looked up."""

    def __init__(self, ports: Ports, agent: Agent) -> None:
        self._ports = ports
        self._agent = agent

    def send(self, method: str, path: str, body: str | None = None) -> Answer:
        """One request."""
        try:
            answer = self._route(method, path.removeprefix("/v1/").split("/"), parse(body) if body else {})
        except Unavailable as error:
            raise GatewayUnavailable(error.detail, 503) from None
        except PlacetError as error:
            raise GatewayRefused(status_of(error), error.code, error.detail, error.members) from None
        return Answer(json.loads(exact_text(answer)), 0.0)

    def _route(self, method: str, at: list[str], body: dict[str, Any]) -> dict[str, Any]:
        ports, agent = self._ports, self._agent
        match [method, *at]:
            case ["GET", "pauses", pause]:
                return as_resume(ports, pause_of(ports, agent, pause))
            case ["POST", "resumes"]:
                pause, skip = body.get("pause", ""), frozenset(body.get("skip", ()))
                return {"resumes": take(ports, agent, pause, body["limit"], skip, body["request"])}
            case ["POST", "resumes", pause, "lease"]:
                return {"lease_until": renew(ports, agent, pause, body["fence"])}
            case ["POST", "resumes", pause, "release"]:
                release(ports, agent, pause, body["fence"])
                return {}
            case ["POST", "resumes", pause, "outcome"]:
                return {"replayed": resumed(ports, agent, pause, body.get("fence"))}
            case ["POST", "calls", call, "claim"]:
                renews = body.get("renews", False)
                return vars(claim(ports, agent, call, body["digest"], body["worker"], body.get("fence"), renews=renews))
            case ["POST", "calls", call, "renew"]:
                return {"until": renew_claim(ports, agent, call, body["worker"])}
            case ["POST", "calls", call, "outcome"]:
                permit = PermitState(body["permit"])
                return {"replayed": outcome(ports, agent, call, body["worker"], permit, body["result"])}
        raise AssertionError(f"no route {method} {at}")
