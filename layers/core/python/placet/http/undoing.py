"""The taking back of a decision from a page: done, or told why not, with everything kept that was typed for other calls."""

from __future__ import annotations

from placet.http import pages as people
from placet.http.again import pause_again
from placet.http.messages import Answer, see_other
from placet.http.problems import status_of
from placet.model.errors import Conflict, Gone, Invalid, NotAllowed, PlacetError
from placet.model.limits import whole_number
from placet.model.pauses import split_call_id
from placet.service.asking_undo import ask_undo_as_reviewer
from placet.service.undo import undo
from placet.web import forms, security
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
    pause, number = split_call_id(call)
    if not current:
        return pause_again(visit, call, posted, (Problem("", SIGNED_IN_AGAIN),), 403)
    try:
        revision = whole_number(forms.fields_of(posted, number).get("revision", ""))
        if revision is None:
            raise Invalid("form_incomplete", "The form did not say what to take back. Open the page again.")
        undo(visit.ports, visit.me, call, revision)
    except (Conflict, Gone, Invalid, NotAllowed) as error:
        return _refused(visit, call, posted, error)
    if forms.without(posted, number):
        told = f"The decision on call {number} is taken back. What you typed for the other calls is kept below."
        return pause_again(visit, call, posted, notice=told)
    return see_other(f"/reviews/{pause}#call-{number}", headers=security.headers())


def undo_proposed(visit: people.Visit, call: str, current: bool) -> Answer:
    """Propose the call that takes an executed one back, then show its pause."""
    if not current:
        return pause_again(visit, call, {}, (Problem("", SIGNED_IN_AGAIN),), 403)
    try:
        asked = ask_undo_as_reviewer(visit.ports, visit.me, call)
    except (Conflict, Invalid, NotAllowed) as error:
        return _refused(visit, call, {}, error)
    return see_other(f"/reviews/{asked.pause}", headers=security.headers())


def _refused(visit: people.Visit, call: str, posted: dict[str, str], error: PlacetError) -> Answer:
    return pause_again(visit, call, posted, (Problem("", error.detail),), status_of(error))
