"""When somebody looks at a pause whose decision may be taken back, or was: missing mails, timers, and the end of a claim."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from placet.model.errors import Busy
from placet.model.pauses import Agent, call_id
from placet.model.states import PermitState, Verdict
from placet.service import members
from placet.service.away import away
from placet.service.escalate import escalate
from placet.service.extend import extend
from placet.service.notify import mail_again
from placet.service.ports import Note
from placet.service.sweep import sweep
from placet.service.undo import undo
from tests.gateway import REFUND, Gateway
from tests.undoing import Desk

DAY_MS = 86_400_000


def swept(gateway: Gateway) -> None:
    """The sweep comes a minute later, and the mails are sent that it asks for."""
    gateway.clock.move(60)
    gateway.verbs.called.clear()
    sweep(gateway.ports)
    for verb, payload in [*gateway.verbs.called]:
        if verb == "notify":
            mail_again(gateway.ports, payload["pause"])


def test_who_was_to_be_mailed_is_mailed_soon_once_it_is_taken_back() -> None:
    gateway = Gateway()
    gateway.with_policy(undo_s=60)
    real = gateway.mail.send

    def send(note: Note) -> bool:
        if note.to == "jonas":
            raise Busy
        return real(note)

    gateway.mail.send = send  # type: ignore[method-assign]
    head = gateway.shown(REFUND)
    assert head.mails_missed == ("jonas",)
    gateway.mail.send = real  # type: ignore[method-assign]
    gateway.decide(head, 1, Verdict.ACCEPT)
    undo(gateway.ports, gateway.maria, call_id(head.pause, 1), 1)
    for _ in range(3):
        swept(gateway)
    assert "jonas" in [note.to for note in gateway.mail.sent]


def test_a_timer_beside_an_open_call_counts_the_moments_of_what_may_be_taken_back() -> None:
    gateway = Gateway()
    gateway.with_policy(undo_s=600)
    head = gateway.shown(REFUND, ("issue_refund", {"order_id": "1184", "amount": 300.5}))
    extend(gateway.ports, gateway.maria, call_id(head.pause, 2), head.deadline_ms + DAY_MS, "Finance is closed.")
    gateway.clock.at_ms = head.deadline_ms - 60_000
    gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT)
    escalate(gateway.ports, head.pause)
    assert gateway.timers.moments[head.pause] == head.deadline_ms


def test_a_sweep_sees_that_nobody_is_left_of_those_whom_an_undo_keeps_out() -> None:
    """Four have no say in it: who proposed it, who asked for the first call, its owner then and the agent's owner now."""
    desk = Desk()
    desk.agent = replace(desk.agent, owner="owen@example.com")
    for sub in ("rita", "owen", "nora", "otto"):
        desk.person(sub, sub.title(), "finance")
    first = desk.ran(requester="rita@example.com", agent=desk.agent)
    desk.agent = replace(desk.agent, owner="nora@example.com")
    asked = desk.asked(first, desk.maria)
    now = desk.clock.now_ms()
    for who in ("otto", "jonas"):
        assert not desk.head(asked.pause).stuck
        away(desk.ports, members.reviewer(desk.ports, who), now, now + 3_600_000, "", who)
        swept(desk)
    assert desk.head(asked.pause).stuck == "group_empty"


@pytest.mark.parametrize("asleep_s", [59, 300])
def test_what_the_gateway_runs_itself_is_waited_for_as_long_as_its_executor_may_work(asleep_s: int) -> None:
    desk = Desk()
    desk.with_policy(claim_s=60)
    asked = desk.asked(desk.ran())
    desk.decide(asked, 1, Verdict.ACCEPT, desk.jonas)
    seen: list[PermitState] = []
    real = desk.executors.run

    def run(agent: Agent, order: Any) -> Any:
        desk.clock.move(asleep_s)
        sweep(desk.ports)
        seen.append(desk.head(asked.pause).calls[0].permit)
        return real(agent, order)

    desk.executors.run = run
    assert desk.goes_on(asked.pause) == "delivered"
    assert seen == [PermitState.CLAIMED]
