"""Flows that take every write of the verbs once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from placet.model.canonical import digest, parse
from placet.model.errors import Busy, PlacetError, Refused
from placet.model.pauses import Agent, call_id
from placet.model.registry import Registry
from placet.model.states import PermitState, Verdict
from placet.service import operate
from placet.service.answer import answer
from placet.service.ask import ask
from placet.service.cancel import cancel
from placet.service.escalate import escalate
from placet.service.execute import claim, give_back_permit, outcome
from placet.service.notify import mail_again, notify
from placet.service.resume import LEASE_MS, REDELIVER_MS, renew, resume, take
from placet.service.stuck import list_stuck
from placet.service.sweep import sweep
from placet.service.undo import undo
from placet.service.went_on import resumed
from tests.gateway import DELETE, ORDER, REFUND, SMALL, SUPPORT, Gateway

QUEUED = Agent("queued-agent", "placet-queued-agent", "owner@example.com", "sqs", queue="decided.fifo")
EDIT = '{"order_id":"1182","amount":200.00}'


def claims(gateway: Gateway, pause: str, worker: str = "w1") -> None:
    """Claim the first call, or be refused."""
    try:
        claim(gateway.ports, SUPPORT, call_id(pause, 1), gateway.head(pause).calls[0].digest, worker)
    except PlacetError:
        return


def executed(gateway: Gateway) -> None:
    """Accepted, taken, renewed, claimed, done, resumed."""
    head = gateway.shown(REFUND)
    gateway.clock.move(1)
    gateway.decide(head, 1, Verdict.ACCEPT, shown_at_ms=7)
    take(gateway.ports, SUPPORT)
    gateway.clock.move(1)
    renew(gateway.ports, SUPPORT, head.pause, 1)
    claims(gateway, head.pause)
    outcome(gateway.ports, SUPPORT, call_id(head.pause, 1), "w1", PermitState.DONE, "paid")
    resumed(gateway.ports, SUPPORT, head.pause, 1)


def edited_and_voted(gateway: Gateway) -> None:
    """Two people: a vote, an edit that resets it, the second vote on the edit; beside it a rejected call."""
    gateway.with_policy(quorum=2)
    pause = gateway.shown(REFUND, DELETE).pause
    gateway.decide(gateway.head(pause), 1, Verdict.ACCEPT, gateway.jonas)
    gateway.decide(gateway.head(pause), 1, Verdict.EDIT, arguments=EDIT, new_digest=digest(parse(EDIT)))
    gateway.decide(gateway.head(pause), 2, Verdict.REJECT, reason="not these")
    gateway.clock.move(1)
    gateway.decide(gateway.head(pause), 1, Verdict.ACCEPT, gateway.jonas)


def expired_one_by_one(gateway: Gateway) -> None:
    """The nearer deadline closes one call, the later one the pause."""
    head = gateway.shown(REFUND, DELETE)
    gateway.clock.at_ms = head.deadline_ms
    escalate(gateway.ports, head.pause)
    gateway.clock.at_ms = gateway.head(head.pause).deadline_ms
    escalate(gateway.ports, head.pause)


def cancelled_while_it_ran(gateway: Gateway) -> None:
    """One call runs, the other waits; a second pause takes its place."""
    head = gateway.shown(SMALL, REFUND)
    claims(gateway, head.pause)
    successor = gateway.shown(REFUND, checkpoint="cp-2")
    cancel(gateway.ports, SUPPORT, head.pause, "asked_again", successor.pause)
    cancel(gateway.ports, SUPPORT, successor.pause, "the user left")


def too_old(gateway: Gateway) -> None:
    """Asked for again, shown again, decided again by two people."""
    gateway.with_policy(quorum=2)
    head = gateway.shown(REFUND)
    for who in (gateway.maria, gateway.jonas):
        gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT, who)
    gateway.clock.move(86_400)
    claims(gateway, head.pause)
    sweep(gateway.ports)
    notify(gateway.ports, head.pause, 2, "token 2")
    for who in (gateway.maria, gateway.jonas):
        gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT, who)


def given_up(gateway: Gateway) -> None:
    """Refused twice, given up, settled by a person, repaired."""
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    claims(gateway, head.pause)
    claims(gateway, head.pause, "w2")
    gateway.clock.move(900)
    sweep(gateway.ports)
    operate.reconcile(gateway.ports, "ops/olga", call_id(head.pause, 1), PermitState.FAILED, "no trace of it")
    operate.repair(gateway.ports, "ops/olga", head.pause)


def freed_again(gateway: Gateway) -> None:
    """A tool with a key: the permit is free again, then unknown because its worker says so."""
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    claims(gateway, head.pause)
    gateway.table.items[gateway.keys.head(head.pause)]["calls"]["1"]["takes_key"] = True
    gateway.clock.move(900)
    sweep(gateway.ports)
    claims(gateway, head.pause, "w2")
    outcome(gateway.ports, SUPPORT, call_id(head.pause, 1), "w2", PermitState.UNKNOWN, "")


def not_started(gateway: Gateway) -> None:
    """An attempt that never started gives its permit back, once as if it had never been, once beside an earlier attempt."""
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    for tried_ms in (0, gateway.clock.now_ms()):
        gateway.clock.move(1)
        claims(gateway, head.pause)
        give_back_permit(gateway.ports, call_id(head.pause, 1), "w1", tried_ms)


def ended_with_a_permit_out(gateway: Gateway) -> None:
    """It stays on its list until the worker reported."""
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    claims(gateway, head.pause)
    gateway.clock.move(1)
    resumed(gateway.ports, SUPPORT, head.pause)
    gateway.clock.move(1)
    outcome(gateway.ports, SUPPORT, call_id(head.pause, 1), "w1", PermitState.FAILED, "refused by the bank")


def shown_late(gateway: Gateway) -> None:
    """A wait that ended before anybody was told, a mail that is tried again, a listing, a repair."""
    head = gateway.capture(REFUND).head
    gateway.deliver()
    gateway.waits.ended.add(f"{head.pause}-1")
    gateway.clock.move(60)
    sweep(gateway.ports)
    real = gateway.mail.send

    def busy(note: Any) -> bool:
        if note.to_email == "maria@example.com":
            raise Busy
        return real(note)

    gateway.mail.send = busy  # type: ignore[method-assign]
    notify(gateway.ports, head.pause, 2, "token 2")
    gateway.mail.send = real  # type: ignore[method-assign]
    gateway.clock.move(60)
    mail_again(gateway.ports, head.pause)
    list_stuck(gateway.ports, gateway.head(head.pause), "wait_failed")
    gateway.clock.move(1)
    operate.repair(gateway.ports, "ops/olga", head.pause)


def decided_before_the_token(gateway: Gateway) -> None:
    """The token comes late, and is marked."""
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.REJECT)
    notify(gateway.ports, head.pause, 1, "late token")


def handed_over(gateway: Gateway) -> None:
    """Sent to a queue, and again; a time when that is busy, and one when it is refused and repaired."""
    ports = replace(gateway.ports, registry=Registry((QUEUED,)))
    head = gateway.shown(REFUND, agent=QUEUED)
    gateway.decide(head, 1, Verdict.REJECT)
    for _ in range(3):
        resume(ports, head.pause)
        gateway.clock.move(REDELIVER_MS / 1000)
    gateway.agents.error = Busy()
    try:
        resume(ports, head.pause)
    except Busy:
        take(ports, QUEUED, head.pause)
    gateway.agents.error = Refused("delivery_refused", "there is no such queue")
    gateway.clock.move(LEASE_MS / 1000)
    resume(ports, head.pause)
    operate.repair(ports, "ops/olga", head.pause)


def taken_back(gateway: Gateway) -> None:
    """An edit taken back beside an open call, an accept taken back of a decided pause, and one that is held until it goes on."""
    gateway.with_policy(undo_s=60)
    pause = gateway.shown(REFUND, DELETE).pause
    gateway.decide(gateway.head(pause), 1, Verdict.EDIT, arguments=EDIT, new_digest=digest(parse(EDIT)))
    undo(gateway.ports, gateway.jonas, call_id(pause, 1), 2)
    gateway.decide(gateway.head(pause), 2, Verdict.REJECT)
    gateway.decide(gateway.head(pause), 1, Verdict.ACCEPT)
    undo(gateway.ports, gateway.maria, call_id(pause, 1), 3)
    gateway.clock.move(1)
    gateway.decide(gateway.head(pause), 1, Verdict.EDIT, arguments=EDIT, new_digest=digest(parse(EDIT)))
    gateway.clock.move(60)
    escalate(gateway.ports, pause)


def asked_and_answered(gateway: Gateway) -> None:
    """Two questions about one of two calls, a vote between their answers, which goes; then it is edited."""
    gateway.with_policy(quorum=2)
    pause = gateway.shown(REFUND, DELETE).pause
    for who in (gateway.maria, gateway.jonas):
        ask(gateway.ports, who, call_id(pause, 1), "Which order?", 1)
    answer(gateway.ports, SUPPORT, call_id(pause, 1), 2, "Order 1182.", ())
    gateway.decide(gateway.head(pause), 1, Verdict.ACCEPT, gateway.jonas)
    answer(gateway.ports, SUPPORT, call_id(pause, 1), 1, "Order 1182.", (ORDER,))
    gateway.decide(gateway.head(pause), 1, Verdict.EDIT, arguments=EDIT, new_digest=digest(parse(EDIT)))


def frozen_and_thawed(gateway: Gateway) -> None:
    """Held, and let go on."""
    operate.freeze(gateway.ports, "ops/olga", "restore")
    operate.thaw(gateway.ports, "ops/olga")


FLOWS: dict[str, Callable[[Gateway], None]] = {
    one.__name__: one
    for one in (
        executed,
        edited_and_voted,
        expired_one_by_one,
        cancelled_while_it_ran,
        too_old,
        given_up,
        freed_again,
        not_started,
        ended_with_a_permit_out,
        shown_late,
        decided_before_the_token,
        handed_over,
        taken_back,
        asked_and_answered,
        frozen_and_thawed,
    )
}
