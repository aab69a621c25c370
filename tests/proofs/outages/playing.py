"""One cell played to its end, and what is wrong then."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.proofs.outages.people import REVIEWERS
from tests.proofs.outages.scenes import SCENES, policy
from tests.proofs.outages.town import SWEEP_S, Town, town
from tests.proofs.outages.troubles import KINDS, OUTAGE_S, Cell

LONGEST_S = 6 * 3_600
LATE_S = 90 + 2 * SWEEP_S  # so long after its deadline a call has been ended by the sweep


@dataclass
class Outcome:
    """What came of a cell.

    Attributes:
        fired: requests that met the trouble. over_time: invocations that were cut off. repaired: what an operator had to set going.
    """

    cell: Cell
    fired: int = 0
    invisible: list[str] = field(default_factory=list)
    unsent: list[str] = field(default_factory=list)
    over_time: int = 0
    other: list[str] = field(default_factory=list)
    repaired: int = 0
    codes: set[str] = field(default_factory=set)

    @property
    def wrong(self) -> list[str]:
        """Everything that must not be."""
        cut = [f"{self.over_time} invocations were cut off"] if self.over_time else []
        return [*self.invisible, *self.unsent, *cut, *self.other]


def cells_of(scene: str, most: int) -> Iterator[Cell]:
    """Every service that is asked in a scene, by each function, from its first requests on, in every kind of trouble."""
    with town(policy) as quiet:
        SCENES[scene](quiet)
        if not quiet.clock.play(lambda: _is_over(quiet), LONGEST_S):
            raise AssertionError(f"{scene} does not come to its end though nothing is wrong: {_open(quiet)}")
        asked = dict(quiet.trouble.asked)
    for (verb, service), count in asked.items():
        for number in range(min(count, most)):
            yield from (Cell(scene, verb, service, number, kind) for kind in KINDS)


def play(cell: Cell) -> Outcome:
    """Play a scene with one thing going wrong."""
    with town(policy, cell) as played:
        SCENES[cell.scene](played)
        over = played.clock.play(lambda: _is_over(played), LONGEST_S)
        return _judged(cell, played, over)


def _is_over(played: Town) -> bool:
    if played.people.busy or played.trouble.active or played.telling.waiting:
        return False
    return all(played.has_ended(pause) for pause in played.pauses()) and not _unanswered(played)


def _unanswered(played: Town) -> list[str]:
    """Executions that wait for an answer. One whose record the stream gave up waits till its time-out, when its run has long
    gone on.
    """
    return [] if played.given_up else played.machine.waiting()


def _open(played: Town) -> list[str]:
    pauses = [f"{one} {played.head(one).get('wpk', '')}" for one in played.pauses() if not played.has_ended(one)]
    return [*pauses, *_unanswered(played), f"{played.people.busy} people wait"]


def _judged(cell: Cell, played: Town, over: bool) -> Outcome:
    found = Outcome(cell, played.trouble.fired, over_time=played.clock.cut, repaired=len(played.people.repaired))
    found.codes = set(played.people.codes)
    found.invisible = played.people.missing[:3]
    if not over:
        found.unsent += [f"not made good: {what}" for what in _open(played)]
    for pause in played.pauses():
        found.unsent += _untold(played, pause)
        found.unsent += _unheard(played, pause)
    found.other += played.errors[:3]
    found.other += [f"{call} was carried out {count} times" for call, count in _effects(played).items() if count > 1]
    return found


def _effects(played: Town) -> dict[str, int]:
    found = dict(played.people.effects)
    for call in played.services.effects:
        found[call] = found.get(call, 0) + 1
    return found


def _unheard(played: Town, pause: str) -> Iterator[str]:
    """What is written of a pause and was never told on the bus."""
    heard = set(played.telling.heard)
    facts = [
        key.sk.removeprefix("E#") for key in played.table.items if key.pk.endswith(f"#{pause}") and key.sk[:2] == "E#"
    ]
    facts = ["captured", *(fact for fact in facts if not fact.startswith("listed#"))]
    yield from (f"the bus never heard of {fact}" for fact in facts if f"{pause}#{fact}" not in heard)


def _untold(played: Town, pause: str) -> Iterator[str]:
    """Mails and deadlines of a pause that was shown for as long as people need."""
    head = played.head(pause)
    if pause in played.people.seen:
        refused = any(
            name == "mail_not_sent" and facts["pause"] == pause and "later" not in facts for name, facts in played.facts
        )
        since_ms = head["notified_ms"]
        mails = [
            to for about, to, at_ms in played.services.mails if about == pause or (not about and at_ms >= since_ms)
        ]
        mailed = {to.partition("@")[0] for to in mails}
        if not refused:
            yield from (f"{sub} was not mailed" for sub in REVIEWERS if sub not in mailed)
    expired = [number for number, call in head["calls"].items() if call["state"] == "expired"]
    for number in expired:
        yield from _late(played, pause, number)


def _late(played: Town, pause: str, number: str) -> Iterator[str]:
    """A call that nobody decided, and that ended later than the sweep could have ended it."""
    prefix = "E#expired#"
    (ended_ms,) = (
        item["at_ms"]
        for key, item in played.table.items.items()
        if key.pk.endswith(pause) and key.sk.startswith(prefix) and number in key.sk.removeprefix(prefix).split(".")
    )
    deadline_ms = played.head(pause)["calls"][number]["deadline_ms"]
    over_ms = played.trouble.began_ms + 1000 * OUTAGE_S if played.trouble.began_ms else 0
    if ended_ms > max(deadline_ms, over_ms) + 1000 * LATE_S:
        yield f"call {number} ended {(ended_ms - deadline_ms) // 1000} s after its deadline"
