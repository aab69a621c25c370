"""What somebody typed into a form that was not taken: put back into their hands, because a page that is left takes it along.

It is never stored: the answer to the form carries it. Only a form that the browser says comes from a page of this host is given
back; what another site posts is not shown under our name.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from placet.http.messages import Request
from placet.model.errors import NotFound, PlacetError
from placet.model.pauses import split_call_id
from placet.web import typed
from placet.web.standalone_pages import Kept

MOST_KEPT = (
    1_000_000  # bytes of texts; escaped they are at most five times as much, and an answer has at most 6,000,000
)


def is_own(request: Request) -> bool:
    """Whether the browser says that a form was sent by a page of this host; a browser that does not say counts as no."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    host = request.headers.get("host", "")
    return bool(host) and urlsplit(request.headers.get("origin", "")).netloc == host


def kept_of(request: Request, send: str) -> Kept | None:
    """What was typed into a form about a call or an absence, to be sent where it was; None for nothing, or what is not ours.

    Args:
        send: the words of the button that sends it again.
    """
    if request.route == "POST /people" and is_own(request):
        return _of_absence(request)
    if not request.route.startswith("POST /reviews/") or not is_own(request):
        return None
    try:
        call = request.path.get("id", "")
        split_call_id(call)
        form = request.form(MOST_KEPT)
    except PlacetError:
        return None
    texts = typed.texts(form)
    return (
        Kept(f"/reviews/{call}/{request.route.rpartition('/')[2]}", typed.beside(form), texts, send) if texts else None
    )


def _of_absence(request: Request) -> Kept | None:
    """What was typed of one's own absence; sent again it is looked at, and saves nothing."""
    try:
        form = request.form(MOST_KEPT)
    except PlacetError:
        return None
    texts = {name: form[name] for name in typed.OF_ABSENCE if form.get(name, "").strip()}
    hidden = {name: value for name, value in form.items() if name in ("csrf", "delegate")}
    return Kept("/people", {**hidden, "do": "show"}, texts, "Show it again, signed in") if texts else None


def page_of(request: Request) -> str:
    """Where the form of a request stands: the edit's own page, the page of the pause, or the inbox for a form about neither."""
    if request.route == "POST /people":
        return "/people"
    call = request.path.get("id", "")
    try:
        pause = split_call_id(call)[0]
    except NotFound:
        return "/inbox"
    return f"/reviews/{call}/edit" if request.route.endswith("/edit") else f"/reviews/{pause}"
