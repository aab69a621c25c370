"""Somebody in another's place: who left, who is back, who asked, who is too far; on the page and in JSON."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from placet.model.absences import MOST_STEPS, Absence
from placet.model.pauses import Reviewer
from placet.model.states import CallState
from placet.records import writes
from placet.records.heads import Head
from placet.records.ops import Delete
from placet.service import members
from placet.service.absences import absences
from placet.service.away import away, back
from tests.gateway import REFUND, SUPPORT
from tests.proofs.forging.house import House
from tests.proofs.forging.names import HIDDEN, SPELLED, WRITTEN
from tests.proofs.forging.tally import Tally

KIND = "somebody in another's place"
HOUR = 3_600_000
FORMS = (*SPELLED, *WRITTEN[:6], *WRITTEN[7:])  # without a list, which no requester is


@dataclass
class Desk:
    """People of one case, whom no other case knows.

    Attributes:
        away: of the group that decides; `delegate`: of another one.
    """

    house: House
    number: int
    by_page: bool

    def person(self, role: str, group: str) -> Reviewer:
        """Somebody of a group."""
        sub = f"{role}-{self.number}"
        members.add(self.house.ports, Reviewer(sub, f"{role.title()} {self.number}", f"{sub}@example.com"), group)
        return members.reviewer(self.house.ports, sub)

    def leaves(self, who: Reviewer, to: Reviewer, begins: int = 0, hours: int = 24) -> None:
        """As the route takes it."""
        now = self.house.clock.now_ms()
        away(self.house.ports, who, now + begins * HOUR, now + hours * HOUR, to.sub, who.sub)

    def forces(self, who: Reviewer, to: Reviewer) -> None:
        """As no route takes it, but as two at once may leave it."""
        now = self.house.clock.now_ms()
        one = Absence(who.sub, who.name, now, now + 24 * HOUR, to.sub, to.name, who.sub)
        self.house.table.write(writes.put_absence(self.house.keys, one, now))

    def quits(self, who: Reviewer) -> None:
        """Out of every group."""
        for group in who.groups:
            self.house.table.write([Delete(self.house.keys.member(who.sub, group))])
            self.house.table.write([Delete(self.house.keys.group_member(group, who.sub))])

    def waits(self, requester: str = "elif@example.com", owner: str = "owner@example.com") -> Head:
        """A call that waits for finance."""
        return self.house.shown(
            REFUND, agent=replace(SUPPORT, owner=owner), requester=requester, checkpoint=f"d{self.number}"
        )

    def accepts(self, head: Head, who: Reviewer) -> tuple[bool, int]:
        """Whether somebody's accept closed the call, and the status of the answer."""
        status = self.house.accept(self.house.head(head.pause), who.sub, by_page=self.by_page)
        return self.house.head(head.pause).calls[0].state is CallState.ACCEPTED, status


def tried(house: House, tally: Tally, dice: random.Random, many: int) -> None:
    """Each case on the page and in JSON; those with a name in `many` spellings."""
    numbers = itertools.count(1)
    for by_page in (False, True):
        for case in (_honest, _chain, _nobodys, _not_now, _too_far, _one_vote, _others_absence):
            case(Desk(house, next(numbers), by_page), tally)
            _forgets(house)
    for spelled in _spellings(dice, many):
        for role in ("away", "delegate", "between", "circle"):
            _named(Desk(house, next(numbers), dice.random() < 0.5), tally, role, spelled, dice)
            _forgets(house)


def _spellings(dice: random.Random, many: int) -> Iterator[int]:
    ways = list(range(len(FORMS)))
    yield from ways[:many]
    yield from (dice.choice(ways) for _ in range(many - len(ways)))


def _honest(desk: Desk, tally: Tally) -> None:
    gone, delegate = desk.person("away", "finance"), desk.person("delegate", "gardeners")
    desk.leaves(gone, delegate)
    tally.taken(KIND, desk.accepts(desk.waits(), delegate)[0], "a delegate")


def _chain(desk: Desk, tally: Tally) -> None:
    """As many steps as there may be."""
    people = [desk.person("away", "finance"), *(desk.person(f"step{n}", "gardeners") for n in range(MOST_STEPS))]
    for who, to in itertools.pairwise(people):
        desk.leaves(who, to)
    tally.taken(KIND, desk.accepts(desk.waits(), people[-1])[0], "a delegate's delegate within the bound")


def _nobodys(desk: Desk, tally: Tally) -> None:
    """Who left hands on nothing and stands in for nobody, and nor does who was never named."""
    for quits in ("delegate", "away"):
        gone, delegate = desk.person(f"away-{quits}", "finance"), desk.person(f"delegate-{quits}", "gardeners")
        desk.leaves(gone, delegate)
        desk.quits(delegate if quits == "delegate" else gone)
        _refused(desk, tally, desk.waits(), delegate, f"the {quits} left")
        desk.house.clock.at_ms += 1
        desk.number += 10_000
    stranger = desk.person("stranger", "gardeners")
    _refused(desk, tally, desk.waits(), stranger, "nobody named them")


def _not_now(desk: Desk, tally: Tally) -> None:
    gone, delegate = desk.person("away", "finance"), desk.person("delegate", "gardeners")
    head = desk.waits()
    desk.leaves(gone, delegate, begins=2)
    _refused(desk, tally, head, delegate, "the absence has not begun")
    desk.leaves(gone, delegate)
    desk.house.token(gone.sub, "POST /v1/reviews/back", {})
    _refused(desk, tally, head, delegate, "they are back")
    desk.leaves(gone, delegate, hours=1)
    desk.house.clock.at_ms += HOUR
    _refused(desk, tally, head, delegate, "the absence is over")
    other = desk.person("other", "gardeners")
    desk.leaves(gone, delegate)
    desk.leaves(gone, other)
    _refused(desk, tally, head, delegate, "another one is named by now")
    tally.taken(KIND, desk.accepts(head, other)[0], "the one who is named by now")


def _too_far(desk: Desk, tally: Tally) -> None:
    """One step more than there may be: refused at the door, and worth nothing where it got past it."""
    people = [desk.person("away", "finance"), *(desk.person(f"step{n}", "gardeners") for n in range(MOST_STEPS + 1))]
    for who, to in itertools.pairwise(people[:-1]):
        desk.leaves(who, to)
    now = desk.house.clock.now_ms()
    body = {"until_ms": now + HOUR, "delegate": people[-1].sub}
    status, told = desk.house.token(people[-2].sub, "POST /v1/reviews/away", body)
    tally.tried(KIND)
    tally.must((status, told.get("code")) == (422, "delegates_too_many"), f"{KIND}: a step too many: {status} {told}")
    desk.forces(people[-2], people[-1])
    _refused(desk, tally, desk.waits(), people[-1], "a delegate beyond the bound")


def _one_vote(desk: Desk, tally: Tally) -> None:
    """With two to agree, a person and whoever stands in for them are one; and two delegates of one are."""
    gone, delegate = desk.person("away", "finance"), desk.person("delegate", "finance")
    with_two = desk.house.policy
    desk.house.with_policy(quorum=2)
    head = desk.waits()
    desk.leaves(gone, delegate)
    desk.accepts(head, delegate)
    desk.house.accept(desk.house.head(head.pause), delegate.sub, by_page=desk.by_page)
    closed, status = desk.accepts(head, delegate)
    tally.tried(KIND)
    tally.must(not closed, f"{KIND}: a delegate's own vote and the other were two: {status}")
    back(desk.house.ports, gone, gone.sub)
    closed, _ = desk.accepts(head, gone)
    tally.taken(KIND, closed, "two people who both agree for themselves")
    desk.house.policy = with_two


def _others_absence(desk: Desk, tally: Tally) -> None:
    """Nobody says for another that they are away, nor who stands in."""
    victim, thief = desk.person("victim", "finance"), desk.person("thief", "gardeners")
    house, until = desk.house, desk.house.clock.now_ms() + HOUR
    for extra in ({"sub": victim.sub}, {"person": victim.sub}, {"by": "ops"}, {"name": victim.name}):
        body = {"until_ms": until, "delegate": thief.sub, **extra}
        status, _ = house.token(thief.sub, "POST /v1/reviews/away", body)
        tally.tried(KIND)
        tally.must(status == 422, f"{KIND}: a body for another person was taken: {extra}: {status}")
    cookie, csrf = house.signed_in(thief.sub)
    form = {
        "csrf": csrf,
        "do": "save",
        "from": "",
        "until": "2096-12-04T17:00",
        "delegate": thief.sub,
        "sub": victim.sub,
    }
    form["seen"] = "|2096-12-04T17:00|" + thief.sub
    house.page("POST /people", [f"__Host-placet={cookie}"], form)
    tally.tried(KIND)
    tally.must(victim.sub not in absences(house.ports).known, f"{KIND}: an absence of another person was written")
    _refused(desk, tally, desk.waits(), thief, "an absence that the absent never wrote")


def _named(desk: Desk, tally: Tally, role: str, way: int, dice: random.Random) -> None:
    """The requester, or the owner, is one of those on the way, under a spelled name."""
    gone, delegate = desk.person("away", "finance"), desk.person("delegate", "gardeners")
    between, asks = desk.person("between", "gardeners"), delegate
    if role == "between":
        desk.leaves(gone, between)
        desk.leaves(between, delegate)
    else:
        desk.leaves(gone, delegate)
    if role == "circle":  # who asked stands in for who stands in for them
        desk.forces(delegate, gone)
        asks = gone
    meant = {"away": gone, "delegate": delegate, "between": between, "circle": gone}[role]
    text = FORMS[way](meant.email, dice)
    head = desk.waits(**({"requester": text} if dice.random() < 0.7 else {"owner": text}))
    closed, status = desk.accepts(head, asks)
    tally.tried(KIND)
    tally.accepted_by_self += closed
    tally.must(not closed, f"{KIND}: {role} {text!r} accepted it: {status}")
    tally.must(closed or status == 403, f"{KIND}: {role} {text!r}: {status}, 403 was wanted")
    spelled = dice.choice(
        (delegate.email.upper(), f" {delegate.sub}", delegate.sub + dice.choice(HIDDEN), delegate.name)
    )
    body = {"until_ms": desk.house.clock.now_ms() + HOUR, "delegate": spelled}
    status, told = desk.house.token(gone.sub, "POST /v1/reviews/away", body)
    tally.tried(KIND)
    tally.must(status == 422, f"{KIND}: a delegate was named as {spelled!r}: {status} {told}")


def _refused(desk: Desk, tally: Tally, head: Head, who: Reviewer, why: str) -> None:
    closed, status = desk.accepts(head, who)
    tally.tried(KIND)
    tally.must(not closed and status in (403, 404, 409), f"{KIND}: {why}, and they decided: {status}")


def _forgets(house: House) -> None:
    """The next case begins without anybody away."""
    for sub in absences(house.ports).known:
        house.table.write([Delete(house.keys.absence(sub))])
