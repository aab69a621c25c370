"""A decision from a page: the form is checked as the page asks, decided, and what went wrong is shown with everything kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from placet.http import pages as people
from placet.http.again import about, done, pause_again
from placet.http.messages import Answer
from placet.http.problems import status_of
from placet.model.errors import Conflict, Gone, Invalid, NotAllowed, NotFound, NotYet, PlacetError, TooLarge
from placet.model.limits import whole_number
from placet.model.pauses import split_call_id
from placet.model.states import Verdict
from placet.service import review
from placet.service.decide import Decision, decide
from placet.service.views import CallView, Detail, EditPreview
from placet.web import forms, pages, typed
from placet.web.forms import LOOK, Problem

SIGNED_IN_AGAIN = (
    "You signed in again after this page was made, so nothing was decided. What you typed is kept. "
    "Read the call, and press again."
)
LOOKED = "Nothing was decided."
VERDICTS = frozenset(verdict.value for verdict in Verdict)


@dataclass(frozen=True)
class Deciding:
    """One posted form about one call.

    Attributes:
        posted: every field of the page's form, also those of its other calls; `form`: what it says of this call.
    """

    visit: people.Visit
    call: str
    posted: dict[str, str]

    @cached_property
    def form(self) -> dict[str, str]:
        """The fields of this call, under plain names."""
        return typed.fields_of(self.posted, split_call_id(self.call)[1])

    def again(self) -> Answer:
        """The page of a form that was made for an earlier session, with what was typed and fresh forms; nothing is decided."""
        if not self._view.may_decide:
            return self.lost(Conflict(self._view.hindered, self._view.why_not))
        problem = Problem("", SIGNED_IN_AGAIN)
        if "arguments" in self.form:
            return self._edit_form([problem], 403)
        return self._again(Verdict.ACCEPT, (problem,), 403)

    def preview(self) -> Answer:
        """The confirm page of an edit; the form again with what is wrong, or why the call is not this person's to edit any more."""
        if self.form.get("decision") == LOOK:
            return self._edit_form([], 200) if self._view.may_edit else self._looked()
        try:
            if problems := forms.problems_of_why(self.form.get("reason", "")):
                return self._edit_form(problems, 422)
            self._check_shown()
            shown = self._preview
        except (Invalid, NotAllowed, TooLarge) as error:
            return self._edit_again(error)
        except (Conflict, Gone, NotYet) as error:
            return self.lost(error)
        return people.page(
            pages.edit_confirm(self._detail, shown, self.visit.me, self._facts, (), self.form, self.posted)
        )

    def decide(self) -> Answer:
        """Decide, then show the pause as it stands; a lost race is told, a mistake is shown at its field."""
        if self.form.get("decision") == LOOK:
            return self._looked()
        try:
            decision = self._decision()
            if problems := self._problems(decision.verdict):
                return self._again(decision.verdict, problems)
            decide(self.visit.ports, self.visit.me, self.call, decision)
        except (Invalid, NotAllowed, TooLarge) as error:
            return self._edit_again(error) if self.form.get("decision") == "edit" else self._again_for(error)
        except (Conflict, Gone, NotYet) as error:
            return self.lost(error)
        told = partial(about, self._view.number, "Your decision is recorded.", "Your decision on call {} is recorded.")
        return done(self.visit, self.call, self.posted, decision.verdict.value, told)

    def _looked(self) -> Answer:
        """The pause as it stands, with what was typed for its calls."""
        return pause_again(self.visit, self.call, self.posted, notice=LOOKED)

    @cached_property
    def _detail(self) -> Detail:
        return review.detail(self.visit.ports, self.visit.me, split_call_id(self.call)[0])

    @cached_property
    def _view(self) -> CallView:
        number = split_call_id(self.call)[1]
        found = next((view for view in self._detail.calls if view.number == number), None)
        if found is None:
            raise NotFound
        return found

    @cached_property
    def _preview(self) -> EditPreview:
        pause, number = split_call_id(self.call)
        text, reason = self.form.get("arguments", ""), self.form.get("reason", "")
        return review.preview(self.visit.ports, self.visit.me, pause, number, text, reason)

    @property
    def _facts(self) -> forms.FormFacts:
        return self.visit.form(split_call_id(self.call)[0])

    def _check_shown(self) -> None:
        """Let a form pass whose page showed the call as it stands. Raises Conflict `revision_differs`."""
        shown = (self.form.get("revision", ""), self.form.get("digest", ""))
        if self._view.decided is None and shown != (str(self._view.revision), self._view.digest):
            raise Conflict("revision_differs", "The call was changed after you opened it. Look at it again.")

    def _decision(self) -> Decision:
        sent, revision = self.form.get("decision", ""), whole_number(self.form.get("revision", ""))
        if sent not in VERDICTS or revision is None:
            raise Invalid("form_incomplete", "The form did not say what to decide. Open the page again.")
        return Decision(
            verdict=Verdict(sent),
            revision=revision,
            digest=self.form.get("digest", ""),
            reason=forms.reason_of(self.form),
            arguments=self.form.get("arguments", ""),
            new_digest=self.form.get("new_digest", ""),
            shown_at_ms=self.visit.shown_at(split_call_id(self.call)[0], self.form),
        )

    def _problems(self, verdict: Verdict) -> tuple[Problem, ...]:
        if not self._view.may_decide:
            return ()  # the write will be refused and say why
        if verdict is Verdict.REJECT:
            return forms.problems_of_reject(self.form)
        if verdict is Verdict.ACCEPT:
            return forms.problems_of_accept(self._view, self.form)
        return forms.problems_of_edit(self._preview, self.form)

    def _again(self, verdict: Verdict, problems: tuple[Problem, ...], status: int = 422) -> Answer:
        if verdict is Verdict.EDIT:
            text = pages.edit_confirm(
                self._detail, self._preview, self.visit.me, self._facts, problems, self.form, self.posted
            )
        else:
            kept = {**self.posted, "call": self.call}
            text = pages.detail(self._detail, self.visit.me, self._facts, problems, kept)
        return people.page(text, status)

    def _again_for(self, error: PlacetError) -> Answer:
        return self._again(Verdict.ACCEPT, (Problem("", error.detail),), status_of(error))

    def _edit_again(self, error: PlacetError) -> Answer:
        found = error.members.get("problems") or []
        problems = [Problem("arguments", f"{one['at']}: {one['problem']}") for one in found if isinstance(one, dict)]
        return self._edit_form(problems or [Problem("arguments", error.detail)], status_of(error))

    def _edit_form(self, problems: Sequence[Problem], status: int) -> Answer:
        text = pages.edit(
            self._detail,
            self._view,
            self.visit.me,
            self._facts,
            problems,
            self.posted,
        )
        return people.page(text, status)

    def lost(self, error: Conflict | Gone | NotYet) -> Answer:
        now = Deciding(self.visit, self.call, self.posted)  # as it stands after the lost race
        text = pages.conflict(now._detail, now._view, self.visit.me, self._facts, error.code, self.posted)
        return people.later(people.page(text, status_of(error)), error)
