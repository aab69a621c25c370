"""Whoever stands in for somebody: the absence is over, put off or names another one by the time of the write."""

from __future__ import annotations

from collections.abc import Callable

from placet.model.pauses import Reviewer
from placet.model.states import Verdict
from placet.records.heads import Head
from placet.records.ops import Delete
from placet.service.away import away, back
from placet.service.decide import Decided
from tests.gateway import REFUND
from tests.proofs.clauses.stage import Stage, scenario

HOUR_MS = 3_600_000


def left(stage: Stage, delegate: Reviewer, begins: int = 0) -> None:
    """Jonas is away for a day from `begins` on."""
    now = stage.clock.now_ms()
    away(stage.ports, stage.jonas, now + begins, now + begins + 24 * HOUR_MS, delegate.sub, "jonas")


def stands_in(stage: Stage) -> tuple[Head, Reviewer]:
    """A call that waits, and Ingrid, who may decide it for as long as Jonas is away."""
    ingrid = stage.person("ingrid", "Ingrid Solberg", "gardeners")
    head = stage.shown(REFUND)
    left(stage, ingrid)
    return head, ingrid


def put_it_off(stage: Stage, delegate: Reviewer) -> None:
    """He leaves an hour later."""
    left(stage, delegate, begins=HOUR_MS)


def returned(stage: Stage, delegate: Reviewer) -> None:
    """He is there again."""
    back(stage.ports, stage.jonas, "jonas")


def named_another(stage: Stage, delegate: Reviewer) -> None:
    """Olga stands in for him now."""
    left(stage, stage.person("olga", "Olga Brandt", "gardeners"))


ENDINGS = {"absence_begun": put_it_off, "absence_lasts": returned, "names_delegate": named_another}


def scenarios_of_a_delegate(
    write: str,
    acts: Callable[[Stage, Head, Reviewer], bool],
    begin: Callable[[Stage], tuple[Head, Reviewer]] = stands_in,
) -> None:
    """Register what must not happen, of each clause about an absence: that somebody acts in whose place they stand no more.

    Args:
        acts: whether the delegate is told that they did it.
        begin: the pause, and the delegate.
    """
    for clause, ending in ENDINGS.items():
        _of_a_delegate(write, clause, acts, begin, ending)


def _of_a_delegate(
    write: str,
    clause: str,
    acts: Callable[[Stage, Head, Reviewer], bool],
    begin: Callable[[Stage], tuple[Head, Reviewer]],
    ending: Callable[[Stage, Reviewer], None],
) -> None:
    def play(stage: Stage) -> bool:
        head, delegate = begin(stage)
        stage.meanwhile = lambda: ending(stage, delegate)
        return acts(stage, head, delegate)

    play.__name__ = f"a_delegate_{acts.__name__}_for_somebody_who_{ending.__name__}"
    scenario(write, clause)(play)


def decides(stage: Stage, head: Head, who: Reviewer) -> bool:
    """Whether she is told that she decided."""
    return isinstance(stage.attempt(stage.decide, head, 1, Verdict.ACCEPT, who), Decided)


scenarios_of_a_delegate("decide", decides)


@scenario("decide", "still_member")
def a_delegate_decides_for_somebody_who_left(stage: Stage) -> bool:
    head, ingrid = stands_in(stage)
    stage.meanwhile = lambda: stage.table.write([Delete(stage.keys.member("jonas", "finance"))])
    return decides(stage, head, ingrid)
