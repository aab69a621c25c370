"""What people do on the page of a pause beside deciding; the page then stands as it is, with what else was typed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from placet.http import pages as people
from placet.http.again import about, done, pause_again
from placet.http.deciding import SIGNED_IN_AGAIN, Deciding
from placet.http.messages import Answer
from placet.http.problems import status_of
from placet.model.errors import Conflict, Gone, Invalid, NotAllowed, NotYet, PlacetError
from placet.model.limits import whole_number
from placet.model.pauses import split_call_id
from placet.service.ask import ask
from placet.service.comment import comment
from placet.service.extend import extend
from placet.web import forms, typed
from placet.web.forms import Problem

_FIELDS = {
    "deadline_not_later": "until",
    "extended_too_often": "until",
    "deadline_beyond_maximum": "until",
    "reason_missing": "why",
    "reason_too_long": "why",
}


@dataclass(frozen=True)
class Extending:
    """A posted form that gives one call more time.

    Attributes:
        posted: every field of the page's form, also what was typed for a decision.
    """

    visit: people.Visit
    call: str
    posted: dict[str, str]

    def again(self) -> Answer:
        """The page of a form that was made for an earlier session; nothing is done."""
        return self._page((Problem("", SIGNED_IN_AGAIN),), 403)

    def extend(self) -> Answer:
        """Give it more time; what was typed for a decision stays on the page."""
        number = split_call_id(self.call)[1]
        form = typed.fields_of(self.posted, number)
        until_ms = whole_number(form.get("until", ""))
        if until_ms is None:
            return self._page((Problem("until", "Choose until when."),), 422)
        try:
            extend(self.visit.ports, self.visit.me, self.call, until_ms, forms.with_line_feeds(form.get("why", "")))
        except (Invalid, NotAllowed) as error:
            return self._problem(error)
        except (Conflict, Gone, NotYet) as error:
            if error.code in _FIELDS:
                return self._problem(error)
            return Deciding(self.visit, self.call, self.posted).lost(error)
        told = partial(about, number, "It has more time.", "Call {} has more time.")
        return done(self.visit, self.call, self.posted, "extend", told)

    def _problem(self, error: PlacetError) -> Answer:
        return self._page((Problem(_FIELDS.get(error.code, ""), error.detail),), status_of(error))

    def _page(self, problems: tuple[Problem, ...], status: int) -> Answer:
        return pause_again(self.visit, self.call, self.posted, problems, status)


def asked(visit: people.Visit, call: str, posted: dict[str, str], current: bool) -> Answer:
    """What a posted form asks the agent about one call; what was typed for a decision stays on the page.

    Args:
        current: whether the form is of this session.
    """
    if not current:
        return pause_again(visit, call, posted, (Problem("", SIGNED_IN_AGAIN),), 403)
    form = typed.fields_of(posted, split_call_id(call)[1])
    revision = whole_number(form.get("seen", ""))
    try:
        if not revision:
            raise Invalid("form_incomplete", "The form did not say what was shown. Open the page again.")
        ask(visit.ports, visit.me, call, forms.with_line_feeds(form.get("question", "")), revision)
    except (Invalid, NotAllowed, Conflict, Gone, NotYet) as error:
        if isinstance(error, Invalid) or error.code in ("questions_full", "revision_differs", "nobody_answers"):
            return pause_again(visit, call, posted, (Problem("question", error.detail),), status_of(error))
        if isinstance(error, NotAllowed):
            return pause_again(visit, call, posted, (Problem("", error.detail),), status_of(error))
        return Deciding(visit, call, posted).lost(error)
    return done(visit, call, posted, "ask", "Your question is recorded.", "#questions")


def commented(visit: people.Visit, call: str, posted: dict[str, str], current: bool) -> Answer:
    """What a posted form says about a pause is written down; what was typed for a decision stays on the page.

    Args:
        call: of the pause, whichever: its page posts under the first.
        current: whether the form is of this session.
    """
    if not current:
        return pause_again(visit, call, posted, (Problem("", SIGNED_IN_AGAIN),), 403)
    try:
        comment(visit.ports, visit.me, split_call_id(call)[0], forms.with_line_feeds(posted.get("comment", "")))
    except (Invalid, Conflict) as error:
        return pause_again(visit, call, posted, (Problem("comment", error.detail),), status_of(error))
    return done(visit, call, posted, "comment", "Your comment is recorded.", "#comments")
