"""Pages for people: who visits, how a page is answered, and what an error looks like."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from placet.http.identity import OfAnotherSession, SignInNeeded, check_form, page_session
from placet.http.kept import is_own, kept_of, page_of
from placet.http.messages import Answer, Request, see_other
from placet.http.problems import RETRY_AFTER_S, status_of
from placet.model.errors import Frozen, NotFound, PlacetError, Unavailable
from placet.model.pauses import Reviewer
from placet.service import members, sessions
from placet.service.ports import Ports
from placet.web import pages, security
from placet.web.forms import FormFacts

_AGAIN = "Send it again"


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
    """The visit and the form behind a POST. Raises SignInNeeded, OfAnotherSession, NotAllowed `form_foreign`, Invalid."""
    visited = visit(ports, request)
    form = request.form()
    check_form(visited.session, request, form, base_url)
    return visited, form


def posted_again(ports: Ports, request: Request, base_url: str) -> tuple[Visit, dict[str, str], bool]:
    """As `posted`, and whether the form is of this session: one of our own page that is not decides nothing, and is shown again."""
    try:
        return *posted(ports, request, base_url), True
    except OfAnotherSession:
        if not is_own(request):
            raise
        return visit(ports, request), request.form(), False


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
    """An error as a page. What was typed into a form that met it is on that page, to be sent again or to be copied."""
    if error is None:
        return page(pages.error_server(status=500, kept=kept_of(request, _AGAIN), sent=_sends(request)), 500)
    if isinstance(error, SignInNeeded):
        return _signed_out(request)
    if isinstance(error, NotFound):
        return page(pages.error_absent(kept=kept_of(request, "")), 404)
    status = status_of(error)
    kept = kept_of(request, _AGAIN)
    if isinstance(error, Unavailable):
        held = pages.message("Held for a moment", [error.detail], status=status, kept=kept)
        server = pages.error_server(status=status, kept=kept, sent=_sends(request))
        return later(page(held if isinstance(error, Frozen) else server, status), error)
    if status >= 500:
        return page(pages.error_server(status=status, kept=kept, sent=_sends(request)), status)
    title = "That was not taken" if _sends(request) else "That cannot be shown"
    return page(pages.message(title, [error.detail], status=status, kept=kept), status)


def _sends(request: Request) -> bool:
    """Whether the request sent something; a page that is opened changes nothing."""
    return not request.route.startswith("GET ")


def _with_query(request: Request) -> str:
    """The address of a page, with which page of a list it is."""
    return f"{request.target}?{urlencode(request.query)}" if request.query else request.target


def _signed_out(request: Request) -> Answer:
    """To the sign-in and back to the very page; a form that met the end of its session is shown with what was typed first."""
    back = page_of(request) if _sends(request) else _with_query(request)
    kept = kept_of(request, "Show it again, signed in")
    if kept is None:
        return see_other(f"/sign-in?next={quote(back, safe='')}", headers=security.headers())
    return page(pages.signed_out_meanwhile(back, kept), status_of(SignInNeeded()))
