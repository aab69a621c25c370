"""comment: two people speak at once."""

from __future__ import annotations

from placet.records.ops import Delete
from placet.service.comment import comment
from tests.gateway import REFUND
from tests.proofs.clauses.stage import Stage, scenario


@scenario("comment", "head_known")
def a_head_that_is_erased_comes_back_as_a_mark(stage: Stage) -> bool:
    head = stage.shown(REFUND)
    stage.meanwhile = lambda: stage.table.write([Delete(stage.keys.head(head.pause))])
    stage.attempt(comment, stage.ports, stage.maria, head.pause, "Go.")
    return stage.table.get(stage.keys.head(head.pause)) is not None


@scenario("comment", "first")
def of_two_who_speak_at_once_one_is_not_heard(stage: Stage) -> bool:
    head = stage.shown(REFUND)
    stage.meanwhile = lambda: comment(stage.ports, stage.jonas, head.pause, "Wait.")
    comment(stage.ports, stage.maria, head.pause, "Go.")
    return len(stage.table.query(stage.keys.pause(head.pause), "E#comment#")) < 2
