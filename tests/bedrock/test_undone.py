"""What one attempt did in part and cannot finish is undone, or known again: permits, and the mark that a person looked."""

from __future__ import annotations

import contextlib

import pytest

from local.bedrock import Fault, Mode
from local.memory import MemoryTable
from placet.model.errors import Busy
from placet.records.ops import Op
from placet.service.bedrock import answering
from placet.service.bedrock.executing import NotNow
from placet.service.sweep import sweep
from tests.bedrock.desk import TWO, desk


def sets(ops: list[Op], wanted: str) -> bool:
    return any(value == wanted for op in ops for value in getattr(op, "set", {}).values())


class BusyAt(MemoryTable):
    """Once does not take the n-th write that sets a value, as DynamoDB when it throttles."""

    def __init__(self, value: str, number: int) -> None:
        super().__init__()
        self.value, self.left = value, number

    def write(self, ops: list[Op]) -> None:
        if sets(ops, self.value):
            self.left -= 1
            if self.left == 0:
                raise Busy
        super().write(ops)


class Twice(MemoryTable):
    """The answer of the write that frees a permit is lost, so that it is repeated."""

    def write(self, ops: list[Op]) -> None:
        super().write(ops)
        if sets(ops, "free"):
            super().write(ops)


def test_permits_held_for_an_answer_that_was_not_sent_are_free_again() -> None:
    with desk(Mode.CONFIRM, table=BusyAt("claimed", 2)) as made:
        head = made.asks(TWO)
        made.ends(head, 1, "accept")
        made.ends(made.head(head.pause), 2, "accept")
        with pytest.raises(Busy):
            made.resumes(head.pause)
        assert (made.permit(head.pause, 1), made.permit(head.pause, 2)) == ("free", "free")
        made.clock.move(700)
        made.resumes(head.pause)
        for _ in range(20):
            made.clock.move(60)
            sweep(made.ports)
        assert made.paid() == [("ORD-1", 50000), ("ORD-2", 60000)]


def test_permits_that_stay_held_when_the_table_is_busy_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted bug: what was begun is undone for a permit that another one holds, and for nothing else."""
    monkeypatch.setattr(answering, "Unavailable", NotNow)
    with pytest.raises(AssertionError, match="claimed"):
        test_permits_held_for_an_answer_that_was_not_sent_are_free_again()


def test_an_approval_beside_a_stale_one_is_not_lost() -> None:
    with desk(Mode.CONFIRM) as made:
        made.with_policy(freshness_s=300)
        head = made.asks(TWO)
        made.clock.move(10)
        made.ends(head, 2, "accept")
        made.clock.move(310)
        made.ends(made.head(head.pause), 1, "accept")
        made.clock.move(5)
        made.resumes(head.pause)  # the second goes back before its people
        assert made.permit(head.pause, 1) == "free"
        for _ in range(17):
            made.clock.move(60)
            sweep(made.ports)
        assert made.permit(head.pause, 1) != "unknown"


def test_a_permit_is_given_back_although_the_answer_was_lost() -> None:
    with desk(Mode.RESULT, table=Twice()) as made:
        head = made.asks()
        made.ends(head, 1, "accept")
        made.executors.throttled = 1
        with pytest.raises(Busy):
            made.resumes(head.pause)
        assert made.permit(head.pause) == "free"
        made.clock.move(700)
        assert made.resumes(head.pause) == "delivered"


@pytest.mark.parametrize("value", ["never", "resume_unknown"])
def test_no_third_answer_is_sent_without_a_person(value: str) -> None:
    with desk(Mode.RESULT, table=BusyAt(value, 1)) as made:
        head = made.asks()
        made.ends(head, 1, "accept")
        before = len(made.runtime.log)
        for _ in range(6):
            made.runtime.faults.arm(Fault.LOST, "any")
        for _ in range(5):
            with contextlib.suppress(Busy):
                made.resumes(head.pause)
            made.clock.move(700)
        assert len(made.runtime.log) - before == 2
        assert made.head(head.pause).stuck == "resume_unknown"
