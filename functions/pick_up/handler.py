"""pick_up: agents look at decided pauses, take one under a lease, keep the lease, or give it back."""

from typing import Any

from placet import wiring
from placet.http import views
from placet.http.bodies import checked
from placet.http.bodies.agents import MOST_RESUMES, LeaseBody, TakeBody
from placet.http.identity import agent_of
from placet.http.messages import Answer, Request, json_answer
from placet.http.paging import page_asked
from placet.http.routing import serve
from placet.http.runs import following
from placet.http.status import status_answer
from placet.service.bedrock.following import follow
from placet.service.origin import pause_of
from placet.service.questions import open_questions
from placet.service.resume import pick_up, release, renew, take
from placet.service.status import status

ASK_AGAIN_S = 2


def get_resumes(request: Request) -> Answer:
    """One page of the pick-up list of the calling agent."""
    ports = wiring.ports("bodies")
    found = pick_up(ports, agent_of(ports, request), *page_asked(request, MOST_RESUMES, MOST_RESUMES))
    answer = {"resumes": list(found), "more": found.more, "next": found.next}
    return json_answer(answer, headers={"retry-after": str(ASK_AGAIN_S)})


def get_pause(request: Request) -> Answer:
    """Where one pause stands, and what its agent is asked about it."""
    ports = wiring.ports("bodies")
    head = pause_of(ports, agent_of(ports, request), request.path["id"])
    asked = [views.open_question(one) for one in open_questions(ports, head)]
    return json_answer(views.pause(ports, head, replayed=True) | {"questions": asked})


def get_status(request: Request) -> Answer:
    """Where one pause stands, for the person who waits for it."""
    ports = wiring.ports("bodies")
    return status_answer(request, status(ports, agent_of(ports, request), request.path["id"]))


def get_run(request: Request) -> Answer:
    """Where a run stands."""
    ports = wiring.ports("bodies")
    found = follow(ports, agent_of(ports, request), request.path["id"], with_pauses=True)
    return json_answer(following(found), headers={"retry-after": str(ASK_AGAIN_S)})


def post_resumes(request: Request) -> Answer:
    """Take decided pauses under a lease."""
    ports = wiring.ports("bodies", "secrets")
    agent = agent_of(ports, request)
    body = checked(TakeBody, request.json())
    found = take(ports, agent, body.pause, body.limit, frozenset(body.skip), body.request, body.after)
    wiring.log("pick_up", {"taken": len(found)})
    answer = {"resumes": list(found), "more": found.more, "next": found.next}
    return json_answer(answer, headers={"retry-after": str(ASK_AGAIN_S)})


def post_lease(request: Request) -> Answer:
    """Keep a lease."""
    ports = wiring.ports("bodies")
    agent, pause = agent_of(ports, request), request.path["id"]
    fence = checked(LeaseBody, request.json()).fence
    until = renew(ports, agent, pause, fence)
    return json_answer({"pause": pause, "fence": fence, "lease_until": until})


def post_release(request: Request) -> Answer:
    """Give a lease back."""
    ports = wiring.ports("bodies")
    agent, pause = agent_of(ports, request), request.path["id"]
    fence = checked(LeaseBody, request.json()).fence
    release(ports, agent, pause, fence)
    wiring.log("released", {"pause": pause})
    return json_answer({"pause": pause, "fence": fence, "state": "released"})


ROUTES = {
    "GET /v1/resumes": get_resumes,
    "POST /v1/resumes": post_resumes,
    "POST /v1/resumes/{id}/lease": post_lease,
    "POST /v1/resumes/{id}/release": post_release,
    "GET /v1/pauses/{id}": get_pause,
    "GET /v1/pauses/{id}/status": get_status,
    "GET /v1/runs/{id}": get_run,
}


def handler(event: dict[str, Any], context: object) -> Answer:
    """Entry."""
    wiring.begin(context)
    return serve(event, ROUTES, wiring.log, met=wiring.met)
