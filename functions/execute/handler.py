"""execute: claim a permit, keep the claim, report its outcome, report that the run went on. For agents."""

from dataclasses import asdict
from typing import Any

from placet import wiring
from placet.http.bodies import checked
from placet.http.bodies.agents import ClaimBody, OutcomeBody, RenewClaimBody, ResumedBody
from placet.http.identity import agent_of
from placet.http.messages import Answer, Request, json_answer
from placet.http.routing import serve
from placet.service.execute import claim, outcome, renew_claim
from placet.service.went_on import resumed


def post_claim(request: Request) -> Answer:
    """Spend a permit on one attempt."""
    ports = wiring.ports("bodies")
    agent = agent_of(ports, request, acting=True)
    body = checked(ClaimBody, request.json())
    permit = claim(
        ports, agent, request.path["id"], body.digest, body.worker, body.fence, renews=body.renews, by_agent=True
    )
    wiring.log("execute", {"call": permit.call, "permit": "claimed", "replayed": permit.replayed})
    return json_answer({"permit": "claimed", **asdict(permit)})


def post_renew(request: Request) -> Answer:
    """Keep a claim."""
    ports = wiring.ports()
    agent, call = agent_of(ports, request, acting=True), request.path["id"]
    until = renew_claim(ports, agent, call, checked(RenewClaimBody, request.json()).worker)
    return json_answer({"call": call, "permit": "claimed", "until": until})


def post_outcome(request: Request) -> Answer:
    """Record what happened."""
    ports = wiring.ports("bodies")
    agent, call = agent_of(ports, request, acting=True), request.path["id"]
    body = checked(OutcomeBody, request.json())
    replayed = outcome(ports, agent, call, body.worker, body.state, body.result, by_agent=True)
    wiring.log("execute", {"call": call, "permit": body.permit, "replayed": replayed})
    return json_answer({"call": call, "permit": body.permit, "replayed": replayed})


def post_resumed(request: Request) -> Answer:
    """The run has gone on."""
    ports = wiring.ports("bodies")
    agent = agent_of(ports, request)
    body = checked(ResumedBody, request.json())
    replayed = resumed(ports, agent, request.path["id"], body.fence, by_agent=True)
    return json_answer({"pause": request.path["id"], "state": "ended", "replayed": replayed})


ROUTES = {
    "POST /v1/calls/{id}/claim": post_claim,
    "POST /v1/calls/{id}/renew": post_renew,
    "POST /v1/calls/{id}/outcome": post_outcome,
    "POST /v1/resumes/{id}/outcome": post_resumed,
}


def handler(event: dict[str, Any], context: object) -> Answer:
    """Entry."""
    wiring.begin(context)
    return serve(event, ROUTES, wiring.log, met=wiring.met)
