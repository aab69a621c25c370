"""decide, by somebody who stands in: the absence is over, put off or names another one by the time of the write."""

from __future__ import annotations

from placet.model.pauses import Reviewer
from placet.model.states import Verdict
from placet.records.heads import Head
from placet.records.ops import Delete
from placet.service.away import away, back
from placet.service.decide import Decided
from tests.gateway import REFUND
from tests.proofs.clauses.stage import Stage, scenario

HOUR = 3_600_000


def left(stage: Stage, delegate: Reviewer, begins: int = 0) -> None:
    """Jonas is away for a day from `begins` on."""
    now = stage.clock.now_ms()
    away(stage.ports, stage.jonas, now + begins, now + begins + 24 * HOUR, delegate.sub, "jonas")


def stands_in(stage: Stage) -> tuple[Head, Reviewer]:
    """A call that waits, and Ingrid, who may decide it for as long as Jonas is away."""
    ingrid = stage.person("ingrid", "Ingrid Solberg", "gardeners")
    head = stage.shown(REFUND)
    left(stage, ingrid)
    return head, ingrid


def decides(stage: Stage, head: Head, who: Reviewer) -> bool:
    """Whether she is told that she decided."""
    return isinstance(stage.attempt(stage.decide, head, 1, Verdict.ACCEPT, who), Decided)


@scenario("decide", "absence_begun")
def a_delegate_decides_by_an_absence_that_was_put_off(stage: Stage) -> bool:
    head, ingrid = stands_in(stage)
    stage.meanwhile = lambda: left(stage, ingrid, begins=HOUR)
    return decides(stage, head, ingrid)


@scenario("decide", "absence_lasts")
def a_delegate_decides_for_somebody_who_is_back(stage: Stage) -> bool:
    head, ingrid = stands_in(stage)
    stage.meanwhile = lambda: back(stage.ports, stage.jonas, "jonas")
    return decides(stage, head, ingrid)


@scenario("decide", "names_delegate")
def a_delegate_decides_who_is_the_delegate_no_more(stage: Stage) -> bool:
    head, ingrid = stands_in(stage)
    stage.meanwhile = lambda: left(stage, stage.person("olga", "Olga Brandt", "gardeners"))
    return decides(stage, head, ingrid)


@scenario("decide", "still_member")
def a_delegate_decides_for_somebody_who_left(stage: Stage) -> bool:
    head, ingrid = stands_in(stage)
    stage.meanwhile = lambda: stage.table.write([Delete(stage.keys.member("jonas", "finance"))])
    return decides(stage, head, ingrid)
