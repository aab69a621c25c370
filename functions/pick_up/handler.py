"""pick_up: GET /v1/resumes and GET /v1/pauses/{id}, for agents. Reads only."""

from typing import Any

from placet import wiring
from placet.http import views
from placet.http.identity import agent_of
from placet.http.messages import Answer, Request, json_answer
from placet.http.routing import serve
from placet.service.resume import pause_of, pick_up

ASK_AGAIN_S = 2


def get_resumes(request: Request) -> Answer:
    """The pick-up list of the calling agent."""
    ports = wiring.ports()
    found = pick_up(ports, agent_of(ports, request))
    return json_answer({"resumes": found}, headers={"retry-after": str(ASK_AGAIN_S)})


def get_pause(request: Request) -> Answer:
    """Where one pause stands."""
    ports = wiring.ports()
    return json_answer(views.pause(ports, pause_of(ports, agent_of(ports, request), request.path["id"]), replayed=True))


ROUTES = {"GET /v1/resumes": get_resumes, "GET /v1/pauses/{id}": get_pause}


def handler(event: dict[str, Any], context: object) -> Answer:
    """Entry."""
    return serve(event, ROUTES, wiring.log)
