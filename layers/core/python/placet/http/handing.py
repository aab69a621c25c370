"""The page on which a reviewer hands one call on, and the body that says the same as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from placet.http import pages as people
from placet.http.again import about, done, pause_again
from placet.http.bodies import Body, Short
from placet.http.messages import Answer, Request, see_other
from placet.http.problems import status_of
from placet.model.errors import Conflict, Invalid, NotAllowed, NotFound
from placet.model.pauses import split_call_id
from placet.service import review
from placet.service.loading import call_of, head_of
from placet.service.ports import Ports
from placet.service.reassign import candidates, reassign
from placet.web import security, typed
from placet.web.forms import LOOK
from placet.web.handing import hand_page


class ReassignBody(Body):
    """`POST /v1/reviews/{call}/reassign`: `to` is a `sub` or a mail address, `group` a group; one of them."""

    to: Short = ""
    group: Short = ""


def get_reassign(ports: Ports, request: Request) -> Answer:
    """The form. Whoever may not hand the call on is led to the call."""
    visit = people.visit(ports, request)
    return _form(visit, request.path["id"], "", "")


def post_reassign(ports: Ports, request: Request, base_url: str) -> Answer:
    """Hand it on, then show the pause; what cannot be is told on the form, with what was chosen and what was typed elsewhere."""
    visit, form, current = people.posted_again(ports, request, base_url)
    call, whom = request.path["id"], form.get("whom", "")
    if not current:
        return _form(visit, call, whom, "You signed in again after this page was made. Press again.", 403, form)
    if form.get("decision") == LOOK:
        return _form(visit, call, whom, "", kept=form)
    kind, _, name = whom.partition("#")
    try:
        reassign(ports, visit.me, call, to=name if kind == "U" else "", group=name if kind == "G" else "")
    except (Invalid, NotAllowed, Conflict) as error:
        return _form(visit, call, whom, error.detail, status_of(error), form)
    told = partial(about, split_call_id(call)[1], "You handed it on.", "You handed call {} on.")
    return done(visit, call, form, "hand", told)


def _form(
    visit: people.Visit, call: str, whom: str, problem: str, status: int = 200, kept: Mapping[str, str] | None = None
) -> Answer:
    pause, number = split_call_id(call)
    detail = review.detail(visit.ports, visit.me, pause)
    view = next((one for one in detail.calls if one.number == number), None)
    if view is None:
        raise NotFound
    if not view.may_hand_on:
        if left := typed.carried(kept or {}):
            return pause_again(visit, call, left, notice="You may not hand it on any more.")
        return see_other(f"/reviews/{pause}#call-{number}", headers=security.headers())
    head = head_of(visit.ports, pause)
    persons, groups = candidates(visit.ports, visit.me, head, call_of(head, number))
    text = hand_page(detail, view, visit.me, visit.form(pause), persons, groups, whom, problem, kept)
    return people.page(text, status)
