"""A thousand pauses, a third of them dead: every reader of every list comes to every live one, and no answer is too large."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.proofs import Proof, Size
from tests.proofs.sizing import readers
from tests.proofs.sizing.crowd import DEAD, FULL, QUICK, Crowd, Mix, made
from tests.proofs.sizing.readers import Seen


@dataclass(frozen=True)
class Plan:
    """How many pauses of each kind, and by how many rows the lists are read.

    Attributes:
        rows: of a page, for inbox and stuck list. found: the same for find, which reads everything; offered: for pick-up lists.
        taken: how many pauses a worker asks for at once, each with a crowd of its own.
        sweeps: minutes in which the sweep has to come to the end of all lists.
        request_ms: what a request takes of its time: too long for one sweep to come to the end.
    """

    mix: Mix
    rows: tuple[int, ...]
    found: tuple[int, ...]
    offered: tuple[int, ...]
    taken: tuple[int, ...]
    sweeps: int
    request_ms: int


LARGE = Plan(FULL, (1, 7, 25, 50, 100), (7, 50, 100), (1, 7, 25), (1, 25), 12, 100)
SMALL = Plan(QUICK, (7, 50), (50,), (7, 25), (1,), 4, 200)


def prove(say: Callable[[str], None], size: Size) -> Proof:
    """Everybody reads."""
    return judged(*played(say, SMALL if size.quick else LARGE))


def played(say: Callable[[str], None], plan: Plan, crowd_of: Callable[[Mix], Crowd] = made) -> tuple[Crowd, Seen]:
    """What the readers of a crowd came to; the last crowd that was made."""
    seen = Seen()
    for at_once in plan.taken:
        crowd = crowd_of(plan.mix)
        say(f"size: {len(crowd.of(*crowd.pauses))} pauses, workers take {at_once} at once")
        if at_once == plan.taken[0]:
            _read(say, crowd, seen, plan)
        readers.worker(crowd, seen, at_once)
        say(f"size: worked: {seen.calls} calls, {len(seen.starved)} starved")
    readers.a_day_later(crowd, seen, plan.rows, plan.sweeps, plan.request_ms)
    say(f"size: a day later: {len(seen.unlisted)} unlisted")
    return crowd, seen


def _read(say: Callable[[str], None], crowd: Crowd, seen: Seen, plan: Plan) -> None:
    crowd.gateway.clock.move(120)
    readers.sweeps(crowd, seen, plan.sweeps, plan.request_ms)
    for limit in plan.rows:
        readers.reviewers(crowd, seen, limit)
    for limit in plan.found:
        readers.operators(crowd, seen, limit)
    for limit in plan.offered:
        readers.agents(crowd, seen, limit)
    readers.followers(crowd, seen)
    say(f"size: read: {seen.lists} lists in {seen.calls} calls, {len(seen.starved)} starved")


def judged(crowd: Crowd, seen: Seen) -> Proof:
    """The last line; a crowd without enough dead pauses, or of which some kind is missing, proves nothing."""
    pauses, dead = len(crowd.of(*crowd.pauses)), len(crowd.of(*DEAD))
    figures = {
        "pauses": pauses,
        "dead": dead,
        "lists": seen.lists,
        "starved": len(seen.starved),
        "unlisted": len(seen.unlisted),
        "answers_over_limit": len(seen.over),
    }
    violations = [f"starved: {reader} never came to {pause}" for reader, pause in sorted(seen.starved)[:20]]
    kinds = {pause: kind for kind, pauses in crowd.pauses.items() for pause in pauses}
    violations += [f"unlisted: {kinds[pause]} {pause}" for pause in sorted(seen.unlisted)[:20]]
    violations += [f"over the limit: {name}" for name in seen.over[:20]]
    violations += seen.wrong[:20]
    violations += [f"coverage: no pause is {kind}" for kind in FULL if not crowd.pauses.get(kind)]
    violations += ["coverage: not a third is dead"] * (3 * dead < pauses - 2)
    violations += ["coverage: no list was read to its end"] * (not seen.lists)
    violations += ["coverage: every sweep came to the end of its lists"] * (not seen.unfinished)
    violations += [f"a sweep took {seen.swept_ms} ms"] * (seen.swept_ms >= readers.CUT_OFF_MS)
    rows = [f"{kind:<16} {len(found):>5}{'  dead' if kind in DEAD else ''}" for kind, found in crowd.pauses.items()]
    return Proof("size", "\n".join([*rows, f"calls {seen.calls}"]), figures, violations)
