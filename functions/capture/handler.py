"""capture: POST /v1/pauses and GET /v1/gates, for agents."""

from typing import Any

from placet import wiring
from placet.http import views
from placet.http.bodies import CaptureBody, checked
from placet.http.identity import agent_of
from placet.http.messages import Answer, Request, json_answer
from placet.http.routing import serve
from placet.policy.evaluate import gates
from placet.service.capture import capture


def post_pause(request: Request) -> Answer:
    """Store a paused run."""
    ports = wiring.ports("ids")
    agent = agent_of(ports, request)
    found = capture(ports, agent, checked(CaptureBody, request.json()).capture(agent.name))
    wiring.log("capture", {"pause": found.head.pause, "agent": agent.name, "replayed": found.replayed})
    return json_answer(views.pause(ports, found.head, replayed=found.replayed), 200 if found.replayed else 201)


def get_gates(request: Request) -> Answer:
    """What must pause, generated from the policy."""
    ports = wiring.ports("ids")
    agent_of(ports, request)
    return json_answer({"policy_version": ports.policy.version, "unknown": "pause", "tools": gates(ports.policy)})


ROUTES = {"POST /v1/pauses": post_pause, "GET /v1/gates": get_gates}


def handler(event: dict[str, Any], context: object) -> Answer:
    """Entry."""
    return serve(event, ROUTES, wiring.log)
