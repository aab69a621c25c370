"""review: the pages and lists a reviewer reads. GET only; nothing here can change anything, the role least of all."""

from typing import Any

from placet import wiring
from placet.http import pages as people
from placet.http import views
from placet.http.identity import api_reviewer
from placet.http.messages import Answer, Request, json_answer, see_other
from placet.http.paging import page_asked
from placet.http.routing import serve
from placet.model.errors import NotFound
from placet.model.pauses import split_call_id
from placet.service import review
from placet.service.inbox import inbox
from placet.web import assets, pages


def get_start(request: Request) -> Answer:
    """The front door."""
    return see_other("/inbox")


def get_inbox(request: Request) -> Answer:
    """The inbox page."""
    visit = people.visit(wiring.ports("bodies"), request)
    asked = page_asked(request)
    found = inbox(visit.ports, visit.me, *asked)
    return people.page(pages.inbox(found, visit.me, visit.form(), first=not asked.after))


def get_detail(request: Request) -> Answer:
    """The page of one pause."""
    visit, pause = people.visit(wiring.ports("bodies"), request), request.path["id"]
    return people.page(pages.detail(review.detail(visit.ports, visit.me, pause), visit.me, visit.form(pause)))


def get_edit(request: Request) -> Answer:
    """The form that edits one call."""
    visit = people.visit(wiring.ports("bodies"), request)
    pause, number = split_call_id(request.path["id"])
    detail = review.detail(visit.ports, visit.me, pause)
    call = next((call for call in detail.calls if call.number == number), None)
    if call is None:
        raise NotFound
    if not call.may_edit:
        return see_other(f"/reviews/{pause}#call-{number}")
    return people.page(pages.edit(detail, call, visit.me, visit.form(pause)))


def get_reassign(request: Request) -> Answer:
    """The form that hands one call on."""
    from placet.http import handing  # here: no other page needs it

    return handing.get_reassign(wiring.ports("bodies"), request)


def get_people(request: Request) -> Answer:
    """Who is asked, and who is away."""
    from placet.http import absent  # here: no other page needs it

    return absent.get_people(wiring.ports(), request)


def get_static(request: Request) -> Answer:
    """Stylesheet and icon; the only route without a sign-in besides the sign-in itself."""
    found = assets.find(request.path["name"])
    if found is None:
        raise NotFound
    return people.asset(request.path["name"], *found)


def list_reviews(request: Request) -> Answer:
    """The inbox as JSON."""
    ports = wiring.ports("bodies")
    return json_answer(views.inbox(inbox(ports, api_reviewer(ports, request), *page_asked(request))))


def get_review(request: Request) -> Answer:
    """One pause as JSON."""
    ports = wiring.ports("bodies")
    return json_answer(views.detail(review.detail(ports, api_reviewer(ports, request), request.path["id"])))


PAGES = {
    "GET /": get_start,
    "GET /inbox": get_inbox,
    "GET /reviews/{id}": get_detail,
    "GET /reviews/{id}/edit": get_edit,
    "GET /reviews/{id}/reassign": get_reassign,
    "GET /people": get_people,
    "GET /static/{name}": get_static,
}
API = {"GET /v1/reviews": list_reviews, "GET /v1/reviews/{id}": get_review}


def handler(event: dict[str, Any], context: object) -> Answer:
    """Entry."""
    wiring.begin(context)
    if event["routeKey"] in API:
        return serve(event, API, wiring.log)
    return serve(event, PAGES, wiring.log, people.failed)
