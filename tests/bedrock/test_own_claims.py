"""The gateway's own attempts: waited for as long as they may take, whatever the class says, and a lost claim loses no turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

import pytest

from local.bedrock import Mode
from placet.model.errors import Busy
from placet.model.pauses import Agent, call_id
from placet.model.states import PermitState
from placet.service import operate
from placet.service.bedrock import executing
from placet.service.bedrock.turns import TURN_MS
from placet.service.ports import Turn, TurnFailed
from placet.service.sweep import sweep
from tests.bedrock.desk import TARGET, Desk, desk

SHORT_S = 30  # the lease of a class whose tools are quick, or renew
PAID = [("ORD-7", 50000)]
MODES = pytest.mark.parametrize("mode", [Mode.RESULT, Mode.CONFIRM])


class Slow:
    """A port whose work takes its time; something happens meanwhile, once."""

    def __init__(self, inner: Any, meanwhile: list[Callable[[], object]]) -> None:
        self._inner, self._meanwhile = inner, meanwhile

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def _passes(self) -> None:
        while self._meanwhile:
            self._meanwhile.pop()()

    def run(self, agent: Agent, order: dict[str, Any]) -> tuple[bool, str]:
        done: tuple[bool, str] = self._inner.run(agent, order)
        self._passes()
        return done

    def turn(self, *given: Any) -> Turn:
        turn: Turn = self._inner.turn(*given)
        self._passes()
        return turn


@contextmanager
def approved(mode: Mode, *, keyed: bool = False) -> Iterator[tuple[Desk, str]]:
    """A call that was accepted, and is run by the executor, which may take a key, or by Bedrock."""
    with desk(mode, target=replace(TARGET, idempotent=keyed)) as made:
        made.with_policy(claim_s=SHORT_S)
        made.executors.keyed = keyed
        head = made.asks()
        made.ends(head, 1, "accept")
        yield made, head.pause


def slowed(made: Desk, meanwhile: Callable[[], object]) -> None:
    """Whichever runs the call takes its time."""
    once = [meanwhile]
    made.executors = Slow(made.executors, once)  # type: ignore[assignment]
    made._runtime = Slow(made._runtime, once)  # type: ignore[assignment]


def minutes(made: Desk, seconds: int) -> None:
    """Time passes, and the sweep comes each minute."""
    for _ in range(seconds // 60):
        made.clock.move(60)
        sweep(made.ports)


def goes_on(made: Desk, pause: str) -> None:
    """Resumed until the run went on, as machine and sweep do."""
    for _ in range(4):
        with suppress(Busy):
            if made.resumes(pause) == "delivered":
                return
        minutes(made, 60)
    raise AssertionError("it never went on")


@MODES
@pytest.mark.parametrize("keyed", [False, True])
def test_an_own_attempt_is_waited_for_while_its_function_may_run(mode: Mode, keyed: bool) -> None:
    with approved(mode, keyed=keyed) as (made, pause):
        slowed(made, lambda: minutes(made, TURN_MS // 1000 - 60))
        goes_on(made, pause)
        assert (made.permit(pause), made.head(pause).stuck) == ("done", "")
        assert (made.paid(), made.executors.asked <= 1) == (PAID, True)
        assert not [facts for name, facts in made.log if name == "stuck"]


@MODES
def test_by_its_class_it_would_be_given_up(mode: Mode, monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted bug."""
    monkeypatch.setattr(executing, "TURN_MS", 0)
    with approved(mode) as (made, pause):
        slowed(made, lambda: minutes(made, 120))
        with suppress(Busy):
            made.resumes(pause)
        assert [facts["reason"] for name, facts in made.log if name == "stuck"] == ["permit_unknown"]


@MODES
def test_one_that_never_comes_back_is_given_up_soon_after(mode: Mode) -> None:
    with approved(mode) as (made, pause):

        def dies() -> None:
            raise KeyboardInterrupt

        slowed(made, dies)
        with pytest.raises(KeyboardInterrupt):
            made.resumes(pause)
        minutes(made, TURN_MS // 1000 + 60)
        assert made.permit(pause) == "unknown"


def given_up(made: Desk, pause: str) -> None:
    """The claim of an attempt that works is given up: its clock was behind, or its function was held for long."""
    made.clock.at_ms = made.head(pause).calls[0].over_ms
    sweep(made.ports)


def settled(made: Desk, pause: str, word: PermitState) -> None:
    """It is, and an operator finds out before it reports."""
    given_up(made, pause)
    operate.reconcile(made.ports, "ops/olga", call_id(pause, 1), word, "seen in the shop")


def test_an_executor_whose_claim_was_given_up_is_asked_again_under_its_key() -> None:
    with approved(Mode.RESULT, keyed=True) as (made, pause):
        slowed(made, lambda: given_up(made, pause))
        assert made.resumes(pause) == "executing"
        assert made.permit(pause) == "free"
        assert ("failed", {"pause": pause, "call": 1, "code": "not_your_permit"}) in made.log
        goes_on(made, pause)
        assert (made.permit(pause), made.executors.asked, made.paid()) == ("done", 2, PAID)


@pytest.mark.parametrize("word", [PermitState.DONE, PermitState.FAILED])
@MODES
def test_what_an_operator_settled_meanwhile_stands_and_the_turn_is_told_of(mode: Mode, word: PermitState) -> None:
    with approved(mode) as (made, pause):
        slowed(made, lambda: settled(made, pause, word))
        with suppress(Busy):
            made.resumes(pause)
        if mode is Mode.CONFIRM:
            assert made.status().status == "finished", "what Bedrock said is not lost for it"
        else:
            operate.repair(made.ports, "ops/olga", pause)
            goes_on(made, pause)
        assert (made.permit(pause), made.status().status, made.paid()) == (word.value, "finished", PAID)


def test_a_turn_whose_response_was_lost_is_ended_although_its_call_was_settled() -> None:
    with approved(Mode.CONFIRM) as (made, pause):

        def lost() -> None:
            settled(made, pause, PermitState.DONE)
            raise TurnFailed("response_lost", nothing_done=False)

        slowed(made, lost)
        with pytest.raises(Busy, match="response to the answer was lost"):
            made.resumes(pause)
        operate.repair(made.ports, "ops/olga", pause)
        goes_on(made, pause)
        assert (made.status().status, made.session) == ("finished", f"{made.run}-r1"), (
            "a new session was told the facts"
        )
        assert made.paid() == PAID
