"""The taking back of a decision from a page: done, or told why not, with everything kept that was typed."""

from __future__ import annotations

from functools import partial

from placet.http import pages as people
from placet.http.again import about, done, pause_again
from placet.http.messages import Answer
from placet.http.problems import status_of
from placet.model.errors import Conflict, Gone, Invalid, NotAllowed, PlacetError
from placet.model.limits import whole_number
from placet.model.pauses import split_call_id
from placet.service.asking_undo import ask_undo_as_reviewer
from placet.service.undo import undo
from placet.web import typed
from placet.web.forms import Problem

SIGNED_IN_AGAIN = (
    "You signed in again after this page was made, so nothing was taken back. Press again if you still mean it."
)


def undone(visit: people.Visit, call: str, posted: dict[str, str], current: bool) -> Answer:
    """Take the decision on a call back, then show the pause as it stands.

    Args:
        posted: every field of the page's form, also those of its other calls.
        current: whether the form is of this session; of another one nothing is done.
    """
    number = split_call_id(call)[1]
    if not current:
        return pause_again(visit, call, posted, (Problem("", SIGNED_IN_AGAIN),), 403)
    try:
        revision = whole_number(typed.fields_of(posted, number).get("revision", ""))
        if revision is None:
            raise Invalid("form_incomplete", "The form did not say what to take back. Open the page again.")
        undo(visit.ports, visit.me, call, revision)
    except (Conflict, Gone, Invalid, NotAllowed) as error:
        return _refused(visit, call, posted, error)
    told = partial(about, number, "The decision is taken back.", "The decision on call {} is taken back.")
    return done(visit, call, posted, "undo", told)


def undo_proposed(visit: people.Visit, call: str, posted: dict[str, str], current: bool) -> Answer:
    """Propose the call that takes an executed one back, then show its pause; or this one, while something is typed on it."""
    if not current:
        return pause_again(visit, call, posted, (Problem("", SIGNED_IN_AGAIN),), 403)
    try:
        proposed = ask_undo_as_reviewer(visit.ports, visit.me, call)
    except (Conflict, Invalid, NotAllowed) as error:
        return _refused(visit, call, posted, error)
    return done(visit, call, posted, "propose-undo", "It is proposed to take it back.", f"/reviews/{proposed.pause}")


def _refused(visit: people.Visit, call: str, posted: dict[str, str], error: PlacetError) -> Answer:
    return pause_again(visit, call, posted, (Problem("", error.detail),), status_of(error))
