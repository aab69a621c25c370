"""capture: agents hand in a paused run, answer what is asked about it, or take it back; and learn what must pause."""

from typing import Any

from placet import wiring
from placet.http import views
from placet.http.bodies import checked
from placet.http.bodies.agents import AnswerBody, CancelBody, CaptureBody
from placet.http.identity import agent_of
from placet.http.messages import Answer, Request, json_answer
from placet.http.routing import serve
from placet.model.errors import NotFound
from placet.model.pauses import call_id, split_call_id
from placet.policy.evaluate import gates
from placet.service.answer import answer
from placet.service.cancel import cancel, supersede
from placet.service.capture import capture


def post_pause(request: Request) -> Answer:
    """Store a paused run."""
    ports = wiring.ports("ids", "bodies")
    agent, body = agent_of(ports, request), checked(CaptureBody, request.json())
    found = capture(ports, agent, body.capture(agent))
    if body.supersedes:
        supersede(ports, agent, body.run, found.head.pause)
    wiring.log("capture", {"pause": found.head.pause, "agent": agent.name, "replayed": found.replayed})
    return json_answer(
        views.pause(ports, found.head, found.body, replayed=found.replayed), 200 if found.replayed else 201
    )


def post_cancel(request: Request) -> Answer:
    """The run does not want a pause any more."""
    ports = wiring.ports("ids", "bodies")
    agent, pause = agent_of(ports, request), request.path["id"]
    body = checked(CancelBody, request.json())
    done, claimed = cancel(ports, agent, pause, body.reason, body.successor)
    wiring.log("cancel", {"pause": pause, "done": done, "claimed": len(claimed)})
    calls = [call_id(pause, number) for number in claimed]
    return json_answer({"pause": pause, "state": "ended", "replayed": done == "already", "claimed": calls})


def post_answer(request: Request) -> Answer:
    """Answer a question about a call of a pause."""
    ports = wiring.ports("ids", "bodies")
    agent = agent_of(ports, request)
    body = checked(AnswerBody, request.json())
    if split_call_id(body.call)[0] != request.path["id"]:
        raise NotFound
    evidence = tuple(one.value() for one in body.evidence)
    told = answer(ports, agent, body.call, body.question, body.text, evidence)
    wiring.log("answer", {"call": told.call, "replayed": told.replayed})
    return json_answer(views.answered(told))


def get_gates(request: Request) -> Answer:
    """What must pause, generated from the policy."""
    ports = wiring.ports("ids", "bodies")
    agent_of(ports, request)
    return json_answer({"policy_version": ports.policy.version, "unknown": "pause", "tools": gates(ports.policy)})


ROUTES = {
    "POST /v1/pauses": post_pause,
    "POST /v1/pauses/{id}/cancel": post_cancel,
    "POST /v1/pauses/{id}/answer": post_answer,
    "GET /v1/gates": get_gates,
}


def handler(event: dict[str, Any], context: object) -> Answer:
    """Entry."""
    wiring.begin(context)
    return serve(event, ROUTES, wiring.log, met=wiring.met)
