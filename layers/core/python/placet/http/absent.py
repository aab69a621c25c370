"""The People page: read by everybody who decides, and the form on it that says when one is away oneself."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from placet.http import pages as people
from placet.http.messages import Answer, Request, see_other
from placet.http.problems import status_of
from placet.model.absences import Absence
from placet.model.errors import Invalid, NotFound
from placet.service.asking import Groups
from placet.service.away import away, back, judged
from placet.service.forecast import forecast, names_of
from placet.service.foresight import follows
from placet.service.people import people as everybody
from placet.service.ports import Ports
from placet.web import phrases, security, typed
from placet.web.forms import Problem
from placet.web.people import AbsenceForm, Ask, people_page

FIELDS = ("from", "until", "delegate")
SIGNED_IN_AGAIN = "You signed in again after this page was made, so nothing was saved. Look at it, and press again."
CHANGED = "You changed something after you looked. This is what follows now; save it if you mean it."
NO_MOMENT = "Write a moment of UTC such as 2026-12-04T17:00: whole minutes, and no zone of your own."
# As browsers send it, some with seconds that nobody entered; `Z` says what the field says.
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::00(?:\.0{1,3})?)?Z?", re.ASCII)
_FIELD_OF = {"absence_over": "until", "absence_too_long": "until"}


@dataclass(frozen=True)
class Absent:
    """A visit to the page of somebody who decides."""

    visit: people.Visit

    def __post_init__(self) -> None:
        if not self.visit.me.groups:
            raise NotFound

    def shown(self, request: Request) -> Answer:
        """The page; it changes nothing. `class`, `requester` and `at` of its address ask who would be asked."""
        looked = Groups(self.visit.ports)
        ask = self._ask(looked, request.query)
        own = AbsenceForm(self._mine(looked), self._stored(looked))
        return self._page(looked, own, ask, status=422 if ask.problem == NO_MOMENT else 200)

    def posted(self, form: dict[str, str], current: bool = True) -> Answer:
        """What a form of the page asks for: `show` what follows, `save`, or `back`.

        Args:
            current: whether the form is of this session; one that is not is shown again, and saves nothing.
        """
        looked, do = Groups(self.visit.ports), form.get("do", "")
        fields = {name: form.get(name, "") for name in FIELDS}
        if do == "back" and current:
            return self._back(looked, fields)
        try:
            planned = self._planned(fields)
        except _Wrong as wrong:
            return self._again(looked, fields, [wrong.problem], wrong.status)
        if not current:
            return self._again(looked, fields, [Problem("", SIGNED_IN_AGAIN)], 403, planned)
        if do != "save":
            return self._again(looked, fields, [], 200, planned)
        if form.get("seen") != "|".join(fields[name] for name in FIELDS):
            return self._again(looked, fields, [Problem("", CHANGED)], 409, planned)
        ports, me = self.visit.ports, self.visit.me
        away(ports, me, planned.from_ms, planned.until_ms, planned.delegate, me.sub)
        return see_other("/people#me-h", headers=security.headers())

    def _back(self, looked: Groups, fields: dict[str, str]) -> Answer:
        """Not away any more. What was typed into the fields for another absence stands in them again."""
        before = self._stored(looked)
        back(self.visit.ports, self.visit.me, self.visit.me.sub)
        if all(fields[name] in ("", before.get(name, "")) for name in typed.OF_ABSENCE):
            return see_other("/people#me-h", headers=security.headers())
        return self._again(Groups(self.visit.ports), fields, [], 200)

    def _planned(self, fields: dict[str, str]) -> Absence:
        """The absence that the fields say. Raises _Wrong."""
        ports, me = self.visit.ports, self.visit.me
        begins = _moment("from", fields["from"]) if fields["from"].strip() else ports.clock.now_ms()
        if not fields["until"].strip():
            raise _Wrong(Problem("until", "Say until when."))
        until = _moment("until", fields["until"])
        try:
            return judged(ports, me, begins, until, fields["delegate"], me.sub)
        except Invalid as error:
            raise _Wrong(Problem(_FIELD_OF.get(error.code, "delegate"), error.detail), status_of(error)) from None

    def _again(
        self,
        looked: Groups,
        fields: dict[str, str],
        problems: list[Problem],
        status: int,
        planned: Absence | None = None,
    ) -> Answer:
        then = follows(self.visit.ports.policy, looked, self.visit.me, planned) if planned else ()
        absence = AbsenceForm(self._mine(looked), fields, planned, then)
        return self._page(looked, absence, self._ask(looked, {}), problems, status)

    def _page(
        self, looked: Groups, absence: AbsenceForm, ask: Ask, problems: list[Problem] | None = None, status: int = 200
    ) -> Answer:
        found = everybody(self.visit.ports, looked)
        text = people_page(found, self.visit.me, self.visit.form(), absence, ask, problems or ())
        return people.page(text, status)

    def _mine(self, looked: Groups) -> Absence | None:
        return looked.away.known.get(self.visit.me.sub)

    def _stored(self, looked: Groups) -> dict[str, str]:
        mine = self._mine(looked)
        if mine is None:
            return {}
        return {"from": phrases.field(mine.from_ms), "until": phrases.field(mine.until_ms), "delegate": mine.delegate}

    def _ask(self, looked: Groups, query: dict[str, str]) -> Ask:
        """The answer to the form. A requester is one of the people on the page, by `sub`: an address, which the page does not
        show, would tell by who is missing then whose it is."""
        ports = self.visit.ports
        name = query.get("class", "") or next(iter(ports.policy.classes), "")
        requester, at = query.get("requester", ""), query.get("at", "")
        now = ports.clock.now_ms()
        kept_out = names_of(looked, ports.policy, requester) if requester else ()
        fields = {"class": name, "requester": requester if kept_out else "", "at": at or phrases.field(now)}
        one = ports.policy.classes.get(name)
        if one is None:
            return Ask(fields, None, "No class of the policy has this name.")
        if requester and not kept_out:
            return Ask(fields, None, "Choose who asks from the list; whoever is not on it may decide nothing anyway.")
        try:
            return Ask(fields, forecast(looked, one, kept_out, _moment("at", at) if at else now))
        except _Wrong as wrong:
            return Ask(fields, None, wrong.problem.text)


class _Wrong(Exception):
    """A field of the form that cannot be taken."""

    def __init__(self, problem: Problem, status: int = 422) -> None:
        super().__init__(problem.text)
        self.problem, self.status = problem, status


def _moment(field: str, text: str) -> int:
    """A moment of UTC as a field sends it, in milliseconds. It is read whole: cut, it would be another. Raises _Wrong."""
    found = _MOMENT.fullmatch(text.strip())
    try:
        at = datetime.fromisoformat("T".join(found.groups())).replace(tzinfo=UTC) if found else None
    except ValueError:  # no such day, no such hour
        at = None
    if at is None or not 2000 <= at.year < 3000:
        raise _Wrong(Problem(field, NO_MOMENT))
    return int(at.timestamp()) * 1000


def get_people(ports: Ports, request: Request) -> Answer:
    """The page. Raises SignInNeeded; NotFound for who belongs to no group."""
    return Absent(people.visit(ports, request)).shown(request)


def post_people(ports: Ports, request: Request, base_url: str) -> Answer:
    """A form of the page. Raises SignInNeeded, NotAllowed `form_foreign`, NotFound."""
    visit, form, current = people.posted_again(ports, request, base_url)
    return Absent(visit).posted(form, current)
