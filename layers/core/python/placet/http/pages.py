"""Pages for people: who visits, how a page is answered, and what an error looks like."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from urllib.parse import quote

from placet.http.identity import SignInNeeded, check_form, page_session
from placet.http.messages import Answer, Request, see_other
from placet.http.problems import RETRY_AFTER_S, status_of
from placet.model.errors import Frozen, NotFound, PlacetError, Unavailable
from placet.model.pauses import Reviewer, split_call_id
from placet.service import members, sessions
from placet.service.ports import Ports
from placet.web import pages, security
from placet.web.forms import FormFacts


@dataclass(frozen=True)
class Visit:
    """A signed-in person looking at a page."""

    ports: Ports
    session: sessions.Session
    me: Reviewer

    def form(self, pause: str = "") -> FormFacts:
        """What the forms of this page carry."""
        now = self.ports.clock.now_ms()
        return FormFacts(self.session.csrf, sessions.shown_mark(self.session, pause, now), now)

    def shown_at(self, pause: str, form: dict[str, str]) -> int:
        """When the page that sent this form was made; 0 when the form does not say it believably."""
        return sessions.shown_at(self.session, pause, form.get("shown_at", ""))


def visit(ports: Ports, request: Request) -> Visit:
    """The visit behind a GET. Raises SignInNeeded."""
    session = page_session(ports, request)
    return Visit(ports, session, members.reviewer(ports, session.sub))


def posted(ports: Ports, request: Request, base_url: str) -> tuple[Visit, dict[str, str]]:
    """The visit and the form behind a POST. Raises SignInNeeded, NotAllowed `form_foreign`, Invalid."""
    visited = visit(ports, request)
    form = request.form()
    check_form(visited.session, request, form, base_url)
    return visited, form


def page(text: str, status: int = 200) -> Answer:
    """A page with the headers every page carries."""
    return {"statusCode": status, "headers": security.headers(), "body": text}


def later(shown: Answer, error: PlacetError) -> Answer:
    """The answer, saying when to ask again if the error passes."""
    if not isinstance(error, Unavailable):
        return shown
    return shown | {"headers": {**shown["headers"], "retry-after": str(RETRY_AFTER_S)}}


def asset(name: str, body: bytes, content_type: str) -> Answer:
    """A stylesheet or picture."""
    headers = security.asset_headers(name, content_type)
    return {"statusCode": 200, "headers": headers, "body": base64.b64encode(body).decode(), "isBase64Encoded": True}


def failed(request: Request, error: PlacetError | None) -> Answer:
    """An error as a page. A form that met the end of its session is not sent again by signing in: it is pressed again, there."""
    if error is None:
        return page(pages.error_server(status=500), 500)
    if isinstance(error, SignInNeeded):
        back = request.target if request.route.startswith("GET ") else _page_of(request.path.get("id", ""))
        return see_other(f"/sign-in?next={quote(back, safe='')}", headers=security.headers())
    if isinstance(error, NotFound):
        return page(pages.error_absent(), 404)
    status = status_of(error)
    if isinstance(error, Unavailable):
        held = pages.message("Held for a moment", [error.detail], status=status)
        return later(page(held if isinstance(error, Frozen) else pages.error_server(status=status), status), error)
    if status >= 500:
        return page(pages.error_server(status=status), status)
    return page(pages.message("That was not taken", [error.detail], status=status), status)


def _page_of(call: str) -> str:
    """Where the form about a call stands; the inbox for a form about none."""
    try:
        return f"/reviews/{split_call_id(call)[0]}"
    except NotFound:
        return "/inbox"
