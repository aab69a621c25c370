"""One agent captures as fast as it can, for hours; another one has a call to be approved now and then, with the same reviewers.

Played once with the flood and once without it, at the same moments, so that what the other agent's approvals cost can be compared.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from placet.model.pauses import Agent, call_id
from placet.model.states import PauseState, Verdict
from placet.service.inbox import inbox
from tests.proofs.flooding.metered import Bill
from tests.proofs.flooding.town import MINUTE_MS, Town
from tests.proofs.forging.house import accept_form, house

DESK = Agent("desk-agent", "placet-desk-agent", "owner@example.com", "pick_up")
SHOP = Agent("shop-agent", "placet-shop-agent", "owner@example.com", "pick_up")
HOUR_S = 3_600
PAGE = 50
WAITS_MINUTES = 5 * 60  # longer than a call may wait
LINK = re.compile(r'href="/reviews/([a-z2-7]{26})"')


@dataclass(frozen=True)
class Plan:
    """One course.

    Attributes:
        tries: captures of the flooding agent, evenly over so many hours: more than a call may wait.
        most: open pauses that it may have. rejected: of them, how many a person rejects in an hour.
        others: approvals of the other agent, the last at the end of the flood; each is looked at half way to the next one.
    """

    tries: int
    hours: int
    most: int
    rejected: int
    others: int


@dataclass
class Course:
    """What one course came to.

    Attributes:
        refused: tries that were answered 429. room: captures that were let in after the first of them.
        captured: the flooding agent's pauses; waiting: those that may be open still.
        mine: the other agent's pauses; bills: what each approval cost.
        first_page: looks at the inbox while the flood filled more than a page of it; missed: those without the other agent's call.
        under: captures of the other agent's after the bound was met. most_open: the most that the flooding agent had open at once.
    """

    town: Town
    tried: int = 0
    refused: int = 0
    room: int = 0
    captured: list[str] = field(default_factory=list)
    waiting: deque[str] = field(default_factory=deque)
    mine: list[str] = field(default_factory=list)
    bills: list[Bill] = field(default_factory=list)
    first_page: int = 0
    missed: int = 0
    under: int = 0
    most_open: int = 0
    lost: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def played(plan: Plan, flooder: Agent | None, other: Agent, of: Callable[[], Town] = Town) -> Course:
    """A course from its first capture until nothing of it is open; nobody floods when `flooder` is None."""
    made = of()
    made.most, made.agents_of = plan.most, (DESK, SHOP)
    with house(made) as town:
        course = Course(town)
        _approved(course, other, "warm", iter(()))  # what a process remembers afterwards
        course.mine.clear()
        course.bills.clear()
        _flood(course, plan, flooder, other)
        _pages(course)
        _until_over(course)
        return course


def _flood(course: Course, plan: Plan, flooder: Agent | None, other: Agent) -> None:
    """Time goes on; the approvals of the other agent are at the same moments whether or not somebody floods."""
    town = course.town
    tick = _ticking(course, plan, flooder)
    each = plan.tries // plan.others
    for number in range(plan.others):
        for _ in range(each - each // 2):
            next(tick)
        _approved(course, other, f"other-{number}", (next(tick) for _ in range(each // 2)))
    for _ in tick:
        pass
    assert town.clock.at_ms > 0


def _ticking(course: Course, plan: Plan, flooder: Agent | None) -> Iterator[None]:
    """One try after the other; between them the minutes that pass, with what people reject in them."""
    town, step_ms, owed = course.town, plan.hours * HOUR_S * 1000 // plan.tries, 0.0
    for number in range(plan.tries):
        until = town.clock.at_ms + step_ms
        while town.clock.at_ms // MINUTE_MS < until // MINUTE_MS:
            town.minute()
            owed += plan.rejected / 60
            while owed >= 1 and flooder is not None:
                owed -= 1
                _rejected(course)
        town.clock.at_ms = max(town.clock.at_ms, until)
        if flooder is not None:
            _tried(course, flooder, f"flood-{number}")
        yield


def _tried(course: Course, flooder: Agent, run: str) -> None:
    course.tried += 1
    status, headers, body = course.town.handed_in(flooder, run)
    if status == 429:
        course.refused += 1
        if body.get("code") != "too_many_open" or int({k.lower(): v for k, v in headers.items()}["retry-after"]) < 1:
            course.wrong.append(f"{run} was refused with {body} and {headers}")
    elif status == 201:
        course.room += bool(course.refused)
        course.captured.append(body["pause"])
        course.waiting.append(body["pause"])
        course.town.shows(body["pause"])
        course.most_open = max(course.most_open, course.town.table.standing(course.town.keys.queue("money-out", 0)))
    else:
        course.wrong.append(f"{run} was answered {status} {body}")
        course.lost.append(run)


def _rejected(course: Course) -> None:
    """Jonas rejects the flooding agent's oldest call."""
    town = course.town
    while course.waiting:
        head = town.head(course.waiting.popleft())
        if head.open_calls:
            town.decide(head, 1, Verdict.REJECT, town.jonas)
            town.deliver()
            return


def _approved(course: Course, other: Agent, run: str, meanwhile: Iterator[None]) -> None:
    """One call of the other agent from capture to its report; `meanwhile` is what happens until its reviewer looks."""
    town, bill = course.town, Bill()
    cookie, csrf = town.signed_in("maria")
    with town.table.on(bill):
        status, _, body = town.handed_in(other, run)
        assert status == 201, (status, body)
        pause = body["pause"]
        town.shows(pause)
    course.mine.append(pause)
    course.bills.append(bill)
    course.under += bool(course.refused)
    _looked(course, pause, _listed(town))
    for _ in meanwhile:
        pass
    line, path = [f"__Host-placet={cookie}"], {"pathParameters": {"id": pause}}
    with town.table.on(bill):
        inbox = town.page("GET /inbox", line)
        assert town.page("GET /reviews/{id}", line, **path)["statusCode"] == 200
        head = town.head(pause)
    shown = set(LINK.findall(inbox["body"]))
    _looked(course, pause, shown)
    if shown != _listed(town):
        course.wrong.append(f"{run}: page and API show other pauses")
    with town.table.on(bill):
        call = {"pathParameters": {"id": call_id(pause, 1)}}
        answer = town.page("POST /reviews/{id}/decide", line, accept_form(head, csrf), **call)
        assert answer["statusCode"] == 303, answer
        town.deliver()
        _executed(town, other, pause, head.calls[0].digest)


def _executed(town: Town, agent: Agent, pause: str, digest: str) -> None:
    """The agent takes its decision up, claims its permit and reports."""
    status, found = town.agent(agent, "POST /v1/resumes", {"pause": pause})
    assert (status, len(found["resumes"])) == (200, 1), (status, found)
    call, fence = {"id": call_id(pause, 1)}, found["resumes"][0]["fence"]
    claimed = {"digest": digest, "worker": "w", "fence": fence}
    for route, body, path in (
        ("POST /v1/calls/{id}/claim", claimed, call),
        ("POST /v1/calls/{id}/outcome", {"worker": "w", "permit": "done"}, call),
        ("POST /v1/resumes/{id}/outcome", {"state": "resumed", "fence": fence}, {"id": pause}),
    ):
        status, answer = town.agent(agent, route, body, path)
        assert status == 200, (route, status, answer)
        town.deliver()


def _listed(town: Town) -> set[str]:
    """The first page as the API has it."""
    status, found = town.token("maria", "GET /v1/reviews")
    assert status == 200, found
    return {row["pause"] for row in found["reviews"]}


def _looked(course: Course, pause: str, shown: set[str]) -> None:
    if len(shown) >= PAGE:
        course.first_page += 1
    if pause not in shown:
        course.missed += 1
        course.wrong.append(f"{pause} is not on the first page of {len(shown)}")


def _pages(course: Course) -> None:
    """The whole inbox, page by page: whatever is open is on one of them, once."""
    town, found, after = course.town, list[str](), ""
    for _ in range(2 * len(course.captured) // PAGE + 10):
        page = inbox(town.ports, town.maria, PAGE, after)
        found += [row.pause for row in page.rows]
        after = page.next
        if not after:
            break
    else:
        course.wrong.append("the inbox has no end")
    if len(found) != len(set(found)):
        course.wrong.append("a pause is on two pages of the inbox")
    open_now = {one for one in course.captured if town.head(one).open_calls}
    course.lost += sorted(open_now ^ set(found))
    course.lost += sorted({*course.captured, *course.mine} - town.timed)


def _until_over(course: Course) -> None:
    """The flood is over: what nobody decides expires, its run goes on, and everything has ended."""
    town = course.town
    for _ in range(WAITS_MINUTES):
        if not any(town.head(one).open_calls for one in course.waiting):
            break
        town.minute()
    town.minute()
    for pause in (*course.captured, *course.mine):
        head = town.head(pause)
        if head.state is not PauseState.ENDED:
            course.lost.append(pause)
