"""operate: what an operator may do, under an IAM identity of his own. Nothing here can decide."""

from dataclasses import asdict
from typing import Any

from placet import wiring
from placet.http import views
from placet.http.bodies import EmptyBody, checked
from placet.http.bodies.operators import FreezeBody, ReconcileBody
from placet.http.identity import operator_of
from placet.http.messages import Answer, Request, json_answer
from placet.http.paging import page_asked
from placet.http.routing import serve
from placet.model.states import PermitState
from placet.service import operate
from placet.service.asking_undo import ask_undo_as_operator
from placet.service.find import find
from placet.service.samples import samples


def get_stuck(request: Request) -> Answer:
    """One page of the stuck list."""
    operator_of(wiring.operators(), request)
    found = operate.stuck(wiring.ports(), *page_asked(request))
    rows = [asdict(one) | {"unknown": list(one.unknown)} for one in found]
    return json_answer({"stuck": rows, "more": found.more, "next": found.next})


def get_find(request: Request) -> Answer:
    """One page of the pauses of an entity or a run, or the one of an id."""
    operator_of(wiring.operators(), request)
    asked = request.query
    found = find(wiring.ports(), asked.get("of", ""), asked.get("agent", ""), *page_asked(request))
    return json_answer({"pauses": list(found), "more": found.more, "next": found.next})


def get_samples(request: Request) -> Answer:
    """One page of what passed and was drawn for a look afterwards."""
    operator_of(wiring.operators(), request)
    found = samples(wiring.ports(), *page_asked(request))
    return json_answer({"pauses": list(found), "more": found.more, "next": found.next})


def post_repair(request: Request) -> Answer:
    """Set a stuck pause going again."""
    by = operator_of(wiring.operators(), request)
    checked(EmptyBody, request.json())
    return json_answer({"pause": request.path["id"], "did": operate.repair(wiring.ports(), by, request.path["id"])})


def post_reconcile(request: Request) -> Answer:
    """Settle a call of which nobody knew whether it ran."""
    by = operator_of(wiring.operators(), request)
    body, call = checked(ReconcileBody, request.json()), request.path["id"]
    operate.reconcile(wiring.ports(), by, call, PermitState(body.permit), body.evidence)
    return json_answer({"call": call, "permit": body.permit})


def post_undo(request: Request) -> Answer:
    """Propose the call that takes an executed one back; people decide it."""
    by = operator_of(wiring.operators(), request)
    checked(EmptyBody, request.json())
    asked = ask_undo_as_operator(wiring.ports("verbs"), by, request.path["id"])
    wiring.log("undo_asked", {"call": asked.call, "replayed": asked.replayed})
    return json_answer(views.undo_asked(asked), 200 if asked.replayed else 201)


def post_freeze(request: Request) -> Answer:
    """Hold everything."""
    by = operator_of(wiring.operators(), request)
    operate.freeze(wiring.ports(), by, checked(FreezeBody, request.json()).reason)
    return json_answer({"frozen": True})


def post_thaw(request: Request) -> Answer:
    """Go on."""
    by = operator_of(wiring.operators(), request)
    checked(EmptyBody, request.json())
    entered, more = operate.thaw(wiring.ports(), by)
    return json_answer({"frozen": False, "entered": entered, "more": more})


ROUTES = {
    "GET /v1/operations/stuck": get_stuck,
    "GET /v1/operations/find": get_find,
    "GET /v1/operations/samples": get_samples,
    "POST /v1/operations/pauses/{id}/repair": post_repair,
    "POST /v1/operations/calls/{id}/reconcile": post_reconcile,
    "POST /v1/operations/calls/{id}/undo": post_undo,
    "POST /v1/operations/freeze": post_freeze,
    "POST /v1/operations/thaw": post_thaw,
}


def handler(event: dict[str, Any], context: object) -> Answer:
    """Entry."""
    wiring.begin(context)
    return serve(event, ROUTES, wiring.log)
