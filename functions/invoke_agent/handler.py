"""invoke_agent: a turn of a Bedrock agent, over HTTP or by invoking this function with the same body and `agent`."""

from typing import Any

from placet import wiring
from placet.http.bodies import checked
from placet.http.identity import agent_of
from placet.http.messages import Answer, Request, json_answer
from placet.http.routing import direct, serve
from placet.http.runs import following
from placet.http.turns import InvokeBody
from placet.model.errors import NotFound
from placet.model.pauses import Agent
from placet.service.bedrock.invoking import invoke
from placet.service.ports import Ports

OVER = ("finished", "failed", "inconclusive")


def post_invoke(request: Request) -> Answer:
    """One turn. The caller's role is the agent's; another agent's name is as absent as none."""
    ports = _ports()
    agent = agent_of(ports, request)
    if request.path["agent"] != agent.name:
        raise NotFound
    found = _turn(ports, agent, request.json())
    return json_answer(found, 200 if found["status"] in OVER else 202)


def invoked(event: dict[str, Any]) -> dict[str, Any]:
    """One turn by direct invocation: IAM on the function is the right, so the agent is named in the body."""
    ports = _ports()
    agent = ports.registry.by_name(str(event.get("agent", "")))
    if agent is None:
        raise NotFound
    return _turn(ports, agent, {name: value for name, value in event.items() if name != "agent"})


def _turn(ports: Ports, agent: Agent, body: dict[str, Any]) -> dict[str, Any]:
    found = invoke(ports, agent, checked(InvokeBody, body).invocation())
    wiring.log("invoke_agent", {"agent": agent.name, "status": found.status, "pause": found.pause})
    return following(found)


def _ports() -> Ports:
    return wiring.ports("ids", "bodies", "runtime", "verbs")


ROUTES = {"POST /v1/agents/{agent}/invoke": post_invoke}


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Entry."""
    wiring.begin(context)
    if "routeKey" in event:
        return serve(event, ROUTES, wiring.log)
    return direct(lambda: invoked(event), wiring.log)
