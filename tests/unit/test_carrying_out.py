"""What the gateway runs itself: who is waited for, what ends the pause, and what stays for another attempt."""

from __future__ import annotations

from typing import Any

import pytest

from placet.model.errors import Conflict
from placet.model.states import PauseState, PermitState, Verdict
from placet.records.heads import Head
from placet.service import carrying_out
from placet.service.carrying_out import carry_out
from placet.service.leases import lease
from placet.service.stuck import list_stuck
from tests.undoing import Desk


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def head(desk: Desk) -> Head:
    """An accepted call that the gateway is to run."""
    found = desk.asked(desk.ran())
    desk.decide(found, 1, Verdict.ACCEPT, desk.jonas)
    return desk.head(found.pause)


def refusing(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """The claim of its call is refused with this code."""

    def refused(*_: Any, **__: Any) -> None:
        raise Conflict(code, "refused")

    monkeypatch.setattr(carrying_out, "claim", refused)


@pytest.mark.parametrize(
    ("code", "ends"),
    [
        ("permit_stale", "waiting"),
        ("permit_claimed", "executing"),
        ("lease_lost", "leased"),
        ("epoch_differs", "leased"),
        ("permit_settled", "delivered"),
        ("policy_denies", "delivered"),
    ],
)
def test_what_becomes_of_it_when_its_claim_is_refused(
    desk: Desk, head: Head, monkeypatch: pytest.MonkeyPatch, code: str, ends: str
) -> None:
    refusing(monkeypatch, code)
    assert carry_out(desk.ports, head, desk.agent) == ends
    after = desk.head(head.pause)
    assert (after.state is PauseState.ENDED) == (ends == "delivered")
    assert ends == "delivered" or not after.is_leased(desk.clock.now_ms()), "whoever comes next need not wait"
    assert not desk.executors.effects


def test_what_is_listed_or_leased_is_left_alone(desk: Desk, head: Head) -> None:
    assert lease(desk.ports, head, 60_000) is not None
    assert carry_out(desk.ports, desk.head(head.pause), desk.agent) == "leased"
    list_stuck(desk.ports, desk.head(head.pause), "wait_failed")
    assert carry_out(desk.ports, desk.head(head.pause), desk.agent) == "listed"
    assert desk.head(head.pause).stuck == "wait_failed"
    assert not desk.executors.effects


def test_it_is_leased_for_longer_than_its_function_and_its_executor_may_take(
    desk: Desk, head: Head, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    run = desk.executors.run

    def watched(*given: Any) -> Any:
        seen.append(desk.head(head.pause).lease_until_ms - desk.clock.now_ms())
        return run(*given)

    monkeypatch.setattr(desk.executors, "run", watched)
    assert carry_out(desk.ports, head, desk.agent) == "delivered"
    assert seen == [120_000 + carrying_out.TURN_MS]


def test_of_a_call_that_may_not_run_only_the_end_is_recorded(desk: Desk) -> None:
    found = desk.asked(desk.ran())
    desk.decide(found, 1, Verdict.REJECT, desk.jonas)
    assert carry_out(desk.ports, desk.head(found.pause), desk.agent) == "delivered"
    after = desk.head(found.pause)
    assert (after.state, after.calls[0].permit) == (PauseState.ENDED, PermitState.NONE)
