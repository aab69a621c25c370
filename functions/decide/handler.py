"""decide: a reviewer's decision, or its taking back, from a form of our own page or as JSON. Both writes are in the service."""

from typing import Any

from placet import wiring
from placet.http import pages as people
from placet.http import people as everybody
from placet.http import views
from placet.http.bodies import EmptyBody, checked
from placet.http.bodies.reviewers import AskBody, CommentBody, DecisionBody, ExtendBody, UndoBody
from placet.http.deciding import Deciding
from placet.http.identity import api_reviewer
from placet.http.messages import Answer, Request, json_answer
from placet.http.routing import serve
from placet.http.talking import Extending, asked, commented
from placet.http.undoing import undo_proposed, undone
from placet.service.ask import ask
from placet.service.asking_undo import ask_undo_as_reviewer
from placet.service.away import away, back
from placet.service.comment import comment
from placet.service.decide import decide
from placet.service.extend import extend
from placet.service.people import delegate_of
from placet.service.undo import undo


def post_preview(request: Request) -> Answer:
    """Before and after of an edit; decides nothing."""
    visit, form, current = people.posted_again(wiring.ports("bodies"), request, wiring.base_url())
    deciding = Deciding(visit, request.path["id"], form)
    return deciding.preview() if current else deciding.again()


def post_form(request: Request) -> Answer:
    """Accept, edit or reject from a page."""
    visit, form, current = people.posted_again(wiring.ports("bodies"), request, wiring.base_url())
    deciding = Deciding(visit, request.path["id"], form)
    answer = deciding.decide() if current else deciding.again()
    wiring.log("decide", {"call": request.path["id"], "status": answer["statusCode"]})
    return answer


def post_reassign_form(request: Request) -> Answer:
    """Hand a call on, from its page."""
    from placet.http import handing  # here: no decision needs it

    return handing.post_reassign(wiring.ports("bodies"), request, wiring.base_url())


def post_reassign(request: Request) -> Answer:
    """Hand a call on, as JSON."""
    from placet.http.handing import ReassignBody
    from placet.service.reassign import reassign

    ports = wiring.ports("bodies")
    reviewer = api_reviewer(ports, request)
    body = checked(ReassignBody, request.json())
    return json_answer(views.reassigned(reassign(ports, reviewer, request.path["id"], to=body.to, group=body.group)))


def post_people(request: Request) -> Answer:
    """One's own absence: what follows from it, saved or taken back."""
    from placet.http import absent  # here: no decision needs it

    return absent.post_people(wiring.ports("bodies"), request, wiring.base_url())


def post_decision(request: Request) -> Answer:
    """Accept, edit or reject as JSON."""
    ports = wiring.ports("bodies")
    reviewer = api_reviewer(ports, request)
    body = checked(DecisionBody, request.json())
    answer = decide(ports, reviewer, request.path["id"], body.value())
    wiring.log("decide", {"call": answer.call, "state": answer.state.value, "replayed": answer.replayed})
    return json_answer(views.decided(answer))


def post_undo(request: Request) -> Answer:
    """Take a decision back as JSON."""
    ports = wiring.ports("bodies")
    reviewer = api_reviewer(ports, request)
    answer = undo(ports, reviewer, request.path["id"], checked(UndoBody, request.json()).revision)
    wiring.log("undo", {"call": answer.call, "replayed": answer.replayed})
    return json_answer(views.undone(answer))


def post_undo_form(request: Request) -> Answer:
    """Take a decision back from a page."""
    visit, form, current = people.posted_again(wiring.ports("bodies"), request, wiring.base_url())
    answer = undone(visit, request.path["id"], form, current)
    wiring.log("undo", {"call": request.path["id"], "status": answer["statusCode"]})
    return answer


def post_propose_undo(request: Request) -> Answer:
    """Propose the call that takes an executed one back, as JSON."""
    ports = wiring.ports("bodies", "verbs")
    reviewer = api_reviewer(ports, request)
    checked(EmptyBody, request.json())
    asked = ask_undo_as_reviewer(ports, reviewer, request.path["id"])
    wiring.log("undo_asked", {"call": asked.call, "replayed": asked.replayed})
    return json_answer(views.undo_asked(asked), 200 if asked.replayed else 201)


def post_propose_undo_form(request: Request) -> Answer:
    """The same from a page."""
    visit, form, current = people.posted_again(wiring.ports("bodies", "verbs"), request, wiring.base_url())
    return undo_proposed(visit, request.path["id"], form, current)


def post_extend_form(request: Request) -> Answer:
    """More time for a call, from its page."""
    visit, form, current = people.posted_again(wiring.ports("bodies"), request, wiring.base_url())
    extending = Extending(visit, request.path["id"], form)
    answer = extending.extend() if current else extending.again()
    wiring.log("extend", {"call": request.path["id"], "status": answer["statusCode"]})
    return answer


def post_extend(request: Request) -> Answer:
    """More time for a call, as JSON."""
    ports = wiring.ports("bodies")
    reviewer = api_reviewer(ports, request)
    body = checked(ExtendBody, request.json())
    answer = extend(ports, reviewer, request.path["id"], body.until_ms, body.reason)
    wiring.log("extend", {"call": answer.call, "replayed": answer.replayed})
    return json_answer(views.extended(answer))


def post_ask_form(request: Request) -> Answer:
    """A question to the agent, from the page of a pause."""
    visit, form, current = people.posted_again(wiring.ports("bodies"), request, wiring.base_url())
    answer = asked(visit, request.path["id"], form, current)
    wiring.log("ask", {"call": request.path["id"], "status": answer["statusCode"]})
    return answer


def post_ask(request: Request) -> Answer:
    """A question to the agent, as JSON."""
    ports = wiring.ports("bodies")
    reviewer = api_reviewer(ports, request)
    body = checked(AskBody, request.json())
    answer = ask(ports, reviewer, request.path["id"], body.text, body.revision)
    wiring.log("ask", {"call": answer.call, "replayed": answer.replayed})
    return json_answer(views.asked(answer))


def post_comment_form(request: Request) -> Answer:
    """A comment, from the page of a pause."""
    visit, form, current = people.posted_again(wiring.ports("bodies"), request, wiring.base_url())
    answer = commented(visit, request.path["id"], form, current)
    wiring.log("comment", {"call": request.path["id"], "status": answer["statusCode"]})
    return answer


def post_comment(request: Request) -> Answer:
    """A comment, as JSON."""
    ports = wiring.ports("bodies")
    reviewer = api_reviewer(ports, request)
    answer = comment(ports, reviewer, request.path["id"], checked(CommentBody, request.json()).text)
    wiring.log("comment", {"pause": answer.pause, "replayed": answer.replayed})
    return json_answer(views.commented(answer))


def post_away(request: Request) -> Answer:
    """The caller is away."""
    ports = wiring.ports("bodies")
    reviewer = api_reviewer(ports, request)
    body = checked(everybody.AwayBody, request.json())
    begins = body.from_ms or ports.clock.now_ms()
    delegate = delegate_of(ports, body.delegate)
    return json_answer(everybody.absence(away(ports, reviewer, begins, body.until_ms, delegate, reviewer.sub)))


def post_back(request: Request) -> Answer:
    """The caller is back."""
    ports = wiring.ports("bodies")
    reviewer = api_reviewer(ports, request)
    checked(EmptyBody, request.json())
    return json_answer(everybody.absence(back(ports, reviewer, reviewer.sub)))


PAGES = {
    "POST /reviews/{id}/edit": post_preview,
    "POST /reviews/{id}/decide": post_form,
    "POST /reviews/{id}/reassign": post_reassign_form,
    "POST /reviews/{id}/extend": post_extend_form,
    "POST /reviews/{id}/comment": post_comment_form,
    "POST /reviews/{id}/ask": post_ask_form,
    "POST /people": post_people,
    "POST /reviews/{id}/undo": post_undo_form,
    "POST /reviews/{id}/propose-undo": post_propose_undo_form,
}
API = {
    "POST /v1/reviews/{id}/decision": post_decision,
    "POST /v1/reviews/{id}/undo": post_undo,
    "POST /v1/reviews/{id}/reassign": post_reassign,
    "POST /v1/reviews/{id}/propose-undo": post_propose_undo,
    "POST /v1/reviews/{id}/extend": post_extend,
    "POST /v1/reviews/{id}/comments": post_comment,
    "POST /v1/reviews/{id}/ask": post_ask,
    "POST /v1/reviews/away": post_away,
    "POST /v1/reviews/back": post_back,
}


def handler(event: dict[str, Any], context: object) -> Answer:
    """Entry."""
    wiring.begin(context)
    if event["routeKey"] in API:
        return serve(event, API, wiring.log, met=wiring.met)
    return serve(event, PAGES, wiring.log, people.failed, wiring.met)
