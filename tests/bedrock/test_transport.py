"""Answers whose response is lost, refused or torn: never sent again, and never a second effect."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from local.bedrock import Fault, Mode
from placet.model.errors import Busy
from placet.model.pauses import Agent
from placet.model.states import PermitState
from placet.service import operate
from placet.service.resume import resume
from placet.service.sweep import sweep
from tests.bedrock.crashing import Died
from tests.bedrock.desk import TARGET, Desk, desk

RETURNED = [Mode.RESULT, Mode.CONFIRM_AND_RESULT]
AFTER = [Fault.LOST, Fault.STREAM_THROTTLED_AFTER, Fault.TRUNCATED, Fault.TRACE_ONLY, Fault.SERVER_ERROR]


def until_done(made: Desk, pause: str) -> str:
    """The machine's retries and the sweep's."""
    for _ in range(6):
        try:
            result = made.resumes(pause)
        except Busy:
            made.clock.move(5)
            continue
        if result not in ("leased", "executing"):
            return result
        made.clock.move(120)
    return "never"


def answers(made: Desk) -> int:
    """How often the control was answered, accepted or not."""
    return sum(one.accepted + one.refused for one in made.runtime.answers.values())


@pytest.mark.parametrize("fault", AFTER)
@pytest.mark.parametrize("mode", RETURNED)
def test_a_lost_answer_is_not_sent_again_and_a_new_session_hears_the_facts(mode: Mode, fault: Fault) -> None:
    with desk(mode) as made:
        head = made.asks()
        made.ends(head, 1, "accept")
        made.runtime.faults.arm(fault, "answer")
        assert until_done(made, head.pause) == "delivered"
        assert made.runtime.faults.fired[fault] == 1
        assert answers(made) == 1
        assert made.paid() == [("ORD-7", 50000)]
        assert made.runtime.log[-1].request.session == f"{made.run}-r1"
        assert made.status().status == "finished"


@pytest.mark.parametrize("fault", AFTER)
def test_what_bedrock_was_to_run_is_unknown_until_a_person_has_found_out(fault: Fault) -> None:
    with desk(Mode.CONFIRM) as made:
        head = made.asks()
        made.ends(head, 1, "accept")
        made.runtime.faults.arm(fault, "answer")
        assert until_done(made, head.pause) == "listed"
        assert made.paid() == [("ORD-7", 50000)]
        (stuck,) = operate.stuck(made.ports)
        assert (stuck.pause, stuck.unknown) == (head.pause, (f"{head.pause}-1",))
        assert made.status().status == "stuck"
        operate.reconcile(made.ports, "olga", stuck.unknown[0], PermitState.DONE, "The refund is in the ledger.")
        operate.repair(made.ports, "olga", head.pause)
        assert until_done(made, head.pause) == "delivered"
        assert made.paid() == [("ORD-7", 50000)]
        assert answers(made) == 1
        assert made.status().status == "finished"


@pytest.mark.parametrize("mode", [*RETURNED, Mode.CONFIRM])
def test_what_was_turned_away_ran_nowhere_and_is_run_once(mode: Mode) -> None:
    with desk(mode) as made:
        head = made.asks()
        made.ends(head, 1, "accept")
        made.runtime.faults.arm(Fault.THROTTLED, "answer")
        assert until_done(made, head.pause) == "delivered"
        assert made.runtime.faults.fired[Fault.THROTTLED] == 1
        assert made.paid() == [("ORD-7", 50000)]
        assert made.status().status == "finished"
        if mode is not Mode.CONFIRM:
            assert made.runtime.log[-1].request.session == made.run, "the session still waited"


def test_nobody_listens_for_a_while() -> None:
    with desk() as made:
        head = made.asks()
        made.ends(head, 1, "accept")
        with made.server.refusing(), pytest.raises(Busy):
            made.resumes(head.pause)
        assert until_done(made, head.pause) == "delivered"
        assert made.paid() == [("ORD-7", 50000)]


def test_a_response_slower_than_the_client_waits_is_not_answered_twice() -> None:
    with desk(read_timeout_s=0.3) as made:
        head = made.asks()
        made.ends(head, 1, "accept")
        made.runtime.faults.arm(Fault.SLOW, "answer", seconds=1.0)
        assert until_done(made, head.pause) == "delivered"
        assert answers(made) == 1
        assert made.paid() == [("ORD-7", 50000)]


def test_two_resumers_answer_once() -> None:
    with desk() as made:
        head = made.asks()
        made.ends(head, 1, "accept")
        before = made.executors.run
        seen: list[str] = []

        def run(agent, order):  # type: ignore[no-untyped-def]
            seen.append(resume(made.ports, head.pause))
            return before(agent, order)

        made.executors.run = run  # type: ignore[method-assign]
        assert made.resumes(head.pause) == "delivered"
        assert seen == ["leased"]
        assert (answers(made), len(made.paid())) == (1, 1)


def test_after_two_lost_answers_a_person_lets_it_be_tried_again() -> None:
    with desk() as made:
        head = made.asks()
        made.ends(head, 1, "accept")
        made.runtime.faults.arm(Fault.LOST)
        made.runtime.faults.arm(Fault.LOST)
        assert until_done(made, head.pause) == "listed"
        (stuck,) = operate.stuck(made.ports)
        assert stuck.reason == "resume_unknown"
        assert until_done(made, head.pause) == "listed", "nothing goes on by itself"
        operate.repair(made.ports, "olga", head.pause)
        assert until_done(made, head.pause) == "delivered"
        assert made.paid() == [("ORD-7", 50000)]
        assert operate.stuck(made.ports) == []


def test_an_executor_that_never_answered_is_unknown_and_the_agent_is_not_told_a_guess() -> None:
    with desk() as made:
        head = made.asks()
        made.ends(head, 1, "accept")
        made.executors.loses.add("Refunds.issueRefund")
        assert until_done(made, head.pause) == "listed"
        assert made.permit(head.pause) == "unknown"
        assert answers(made) == 0
        operate.reconcile(made.ports, "olga", f"{head.pause}-1", PermitState.DONE, "It is in the shop's ledger.")
        operate.repair(made.ports, "olga", head.pause)
        assert until_done(made, head.pause) == "delivered"
        assert len(made.paid()) == 1


def test_an_executor_that_takes_a_key_is_asked_again_under_the_same_key() -> None:
    with desk(target=replace(TARGET, idempotent=True)) as made:
        head = made.asks()
        made.ends(head, 1, "accept")
        made.executors.keyed = True

        class Dies:
            def run(self, agent: Agent, order: dict[str, Any]) -> tuple[bool, str]:
                made.executors.run(agent, order)
                raise Died

        with pytest.raises(Died):
            resume(replace(made.ports, executors=Dies()), head.pause)
        assert made.permit(head.pause) == "claimed"
        made.clock.move(700)
        assert made.resumes(head.pause) == "executing"
        made.clock.move(300)
        sweep(made.ports)
        assert until_done(made, head.pause) == "delivered"
        assert (made.permit(head.pause), made.paid()) == ("done", [("ORD-7", 50000)])
        assert made.executors.asked == 2


def test_what_bedrock_runs_itself_takes_no_key() -> None:
    with desk(Mode.CONFIRM, target=replace(TARGET, idempotent=True)) as made:
        head = made.asks()
        assert not head.calls[0].takes_key


def test_an_executor_that_refuses_is_told_as_a_failure() -> None:
    with desk() as made:
        head = made.asks()
        made.ends(head, 1, "accept")
        made.executors.fails.add("Refunds.issueRefund")
        assert until_done(made, head.pause) == "delivered"
        assert (made.permit(head.pause), made.paid()) == ("failed", [])


@pytest.mark.parametrize("at", ["before", "after"])
def test_a_resumer_that_dies_around_the_turn_leaves_it_to_the_next(at: str) -> None:
    with desk() as made:
        head = made.asks()
        made.ends(head, 1, "accept")
        ports = made.ports
        port = ports.runtime
        assert port is not None

        class Dies:
            definition = port.definition

            def turn(self, *args):  # type: ignore[no-untyped-def]
                if at == "after":
                    port.turn(*args)
                raise KeyboardInterrupt

        object.__setattr__(ports, "runtime", Dies())
        with pytest.raises(KeyboardInterrupt):
            resume(ports, head.pause)
        assert made.resumes(head.pause) == "leased"
        made.clock.move(700)
        assert until_done(made, head.pause) == "delivered"
        assert made.paid() == [("ORD-7", 50000)]
        assert made.runtime.log[-1].request.session == f"{made.run}-r1"
