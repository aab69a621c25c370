"""Queues and webhooks: decisions are handed over, and whoever got them works under a lease of their own."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from placet.model.canonical import exact_text
from placet.model.errors import Busy, Refused
from placet.model.pauses import Agent, call_id
from placet.model.states import PauseState, Verdict
from placet.records.heads import Head
from placet.service import operate
from placet.service.execute import claim
from placet.service.notify import notify
from placet.service.ports import Ports, Registry
from placet.service.resume import LEASE_MS, REDELIVER_MS, pick_up, resume, resumed, take
from placet.service.sweep import GRACE_MS, PATIENCE_MS, sweep
from tests.gateway import REFUND, SUPPORT, Gateway

QUEUED = Agent("queued-agent", "placet-queued-agent", "owner@example.com", "sqs", queue="decided.fifo")
HOOKED = Agent(
    "hooked-agent", "placet-hooked-agent", "owner@example.com", "webhook", url="https://agent.example/d", secret="s"
)
NO_QUEUE = Refused("delivery_refused", "There is no queue decided.fifo.")


class Pushing(Gateway):
    """A gateway whose registry has a queue and a webhook."""

    @property
    def ports(self) -> Ports:
        return replace(super().ports, registry=Registry((SUPPORT, QUEUED, HOOKED)))

    def accepted(self, agent: Agent = QUEUED) -> Head:
        head = self.shown(REFUND, agent=agent)
        self.decide(head, 1, Verdict.ACCEPT)
        return self.head(head.pause)

    def sweep(self) -> None:
        """One sweep; what it asks `resume` for is done."""
        self.verbs.called.clear()
        sweep(self.ports)
        for verb, given in self.verbs.called:
            assert verb == "resume"
            resume(self.ports, given["pause"])


@pytest.fixture
def gateway() -> Pushing:
    return Pushing()


def sent(gateway: Gateway) -> list[str]:
    return [f"{payload['pause']}-{payload['generation']}" for _, payload in gateway.agents.delivered]


@pytest.mark.parametrize("agent", [QUEUED, HOOKED], ids=lambda one: one.target)
def test_decisions_are_handed_over_and_nobody_holds_a_lease_afterwards(gateway: Pushing, agent: Agent) -> None:
    head = gateway.accepted(agent)
    (shown,) = pick_up(gateway.ports, agent)
    assert resume(gateway.ports, head.pause) == "delivered"
    ((name, payload),) = gateway.agents.delivered
    wanted = {"type": "placet.decided", "pause": head.pause, "generation": 1, "resume": shown}
    assert (name, exact_text(payload)) == (agent.name, exact_text(wanted))
    assert "fence" not in payload["resume"]
    after = gateway.head(head.pause)
    assert (after.delivered_ms, after.delivered_gen) == (gateway.clock.now_ms(), 1)
    (taken,) = take(gateway.ports, agent, head.pause)
    assert resumed(gateway.ports, agent, head.pause, taken["fence"]) is False
    assert gateway.head(head.pause).state is PauseState.ENDED


def meanwhile(gateway: Gateway, job: Callable[[], Any]) -> list[Any]:
    """While the decisions are on their way this happens, once; what came of it."""
    came: list[Any] = []

    def deliver(agent: Agent, payload: dict[str, Any]) -> None:
        gateway.agents.delivered.append((agent.name, payload))
        if not came:
            came.append(None)
            came[0] = job()

    gateway.agents.deliver = deliver  # type: ignore[method-assign]
    return came


def test_who_gets_the_decisions_works_while_the_sender_does_not_know_yet(gateway: Pushing) -> None:
    """A webhook that works before it answers, or a consumer that is faster than the answer of the queue."""
    head = gateway.accepted(HOOKED)
    came = meanwhile(gateway, lambda: take(gateway.ports, HOOKED, head.pause))
    assert resume(gateway.ports, head.pause) == "delivered"
    ((taken,),) = came
    assert take(gateway.ports, HOOKED, head.pause) == [], "the sender has not ended the worker's lease"
    call, digest = call_id(head.pause, 1), head.calls[0].digest
    assert claim(gateway.ports, HOOKED, call, digest, "w", taken["fence"]).arguments
    assert resumed(gateway.ports, HOOKED, head.pause, taken["fence"]) is False


def test_a_run_that_ended_while_its_decisions_were_sent_stays_ended(gateway: Pushing) -> None:
    head = gateway.accepted()
    meanwhile(gateway, lambda: resumed(gateway.ports, QUEUED, head.pause))
    assert resume(gateway.ports, head.pause) == "delivered"
    after = gateway.head(head.pause)
    assert (after.state, after.wpk, after.delivered_ms) == (PauseState.ENDED, "", 0)


def test_the_machine_and_the_sweep_do_not_send_at_once(gateway: Pushing) -> None:
    head = gateway.accepted()
    came = meanwhile(gateway, lambda: resume(gateway.ports, head.pause))
    assert (resume(gateway.ports, head.pause), came) == ("delivered", ["leased"])


def test_while_somebody_works_nothing_is_sent(gateway: Pushing) -> None:
    head = gateway.accepted()
    assert take(gateway.ports, QUEUED, head.pause)
    assert resume(gateway.ports, head.pause) == "leased"
    gateway.clock.move(REDELIVER_MS / 1000 - 1)
    assert take(gateway.ports, QUEUED, head.pause)
    gateway.clock.move(1)
    gateway.sweep()
    assert sent(gateway) == []
    gateway.clock.move(LEASE_MS / 1000)
    gateway.sweep()
    assert sent(gateway) == [f"{head.pause}-1"]


def test_a_sender_that_died_holds_nobody_up(gateway: Pushing) -> None:
    head = gateway.accepted()
    gateway.agents.error = RuntimeError("out of memory")
    with pytest.raises(RuntimeError):
        resume(gateway.ports, head.pause)
    gateway.agents.error = None
    assert resume(gateway.ports, head.pause) == "leased"
    gateway.clock.move(LEASE_MS / 1000)
    assert resume(gateway.ports, head.pause) == "delivered"


def test_a_run_that_does_not_go_on_gets_its_decisions_again_and_not_before(gateway: Pushing) -> None:
    head = gateway.accepted()
    assert resume(gateway.ports, head.pause) == "delivered"
    assert resume(gateway.ports, head.pause) == "delivered_before"
    gateway.clock.move(GRACE_MS / 1000)
    gateway.sweep()
    assert (gateway.verbs.called, len(sent(gateway))) == ([], 1)
    gateway.clock.move((REDELIVER_MS - GRACE_MS) / 1000 - 0.001)
    gateway.sweep()
    assert (gateway.verbs.called, len(sent(gateway))) == ([], 1)
    gateway.clock.move(0.001)
    gateway.sweep()
    assert sent(gateway) == [f"{head.pause}-1"] * 2
    gateway.sweep()
    assert len(sent(gateway)) == 2


def test_after_a_day_it_is_listed_and_a_repair_sends_it_again_at_once(gateway: Pushing) -> None:
    head = gateway.accepted()
    for _ in range(PATIENCE_MS // REDELIVER_MS + 1):
        gateway.sweep()
        gateway.clock.move(REDELIVER_MS / 1000)
    times = len(sent(gateway))
    gateway.sweep()
    assert [(one.pause, one.reason) for one in operate.stuck(gateway.ports)] == [(head.pause, "not_picked_up")]
    assert len(sent(gateway)) == times == 96
    gateway.clock.move(60)
    assert operate.repair(gateway.ports, "ops/olga", head.pause) == "is offered to its agent again"
    assert resume(gateway.ports, head.pause) == "delivered"


def test_a_repair_soon_after_a_delivery_sends_at_once(gateway: Pushing) -> None:
    head = gateway.accepted()
    resume(gateway.ports, head.pause)
    gateway.table.items[gateway.keys.head(head.pause)] |= {"stuck": "not_picked_up", "wpk": gateway.keys.stuck()}
    operate.repair(gateway.ports, "ops/olga", head.pause)
    assert resume(gateway.ports, head.pause) == "delivered"


def test_a_call_that_is_asked_for_again_is_delivered_as_a_new_generation(gateway: Pushing) -> None:
    head = gateway.accepted()
    resume(gateway.ports, head.pause)
    gateway.clock.move(24 * 3600)
    with pytest.raises(Refused, match="too old"):
        claim(gateway.ports, QUEUED, call_id(head.pause, 1), head.calls[0].digest, "late")
    sweep(gateway.ports)
    notify(gateway.ports, head.pause, 2, "token 2")
    gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT)
    assert resume(gateway.ports, head.pause) == "delivered"
    assert sent(gateway) == [f"{head.pause}-1", f"{head.pause}-2"]


def test_what_is_busy_is_sent_again_at_once(gateway: Pushing) -> None:
    head = gateway.accepted()
    gateway.agents.error = Busy()
    with pytest.raises(Busy):
        resume(gateway.ports, head.pause)
    gateway.agents.error = None
    assert resume(gateway.ports, head.pause) == "delivered"


def test_what_is_refused_for_good_is_listed_with_its_reason(gateway: Pushing) -> None:
    head = gateway.accepted()
    gateway.agents.error = NO_QUEUE
    assert resume(gateway.ports, head.pause) == "listed"
    (found,) = operate.stuck(gateway.ports)
    assert (found.reason, found.repair) == ("delivery_refused", f"placet repair {head.pause}")
    why = {"pause": head.pause, "agent": "queued-agent", "why": "There is no queue decided.fifo."}
    assert ("delivery_refused", why) in gateway.log
    assert ("stuck", {"pause": head.pause, "reason": "delivery_refused"}) in gateway.log
    gateway.agents.error = None
    operate.repair(gateway.ports, "ops/olga", head.pause)
    assert resume(gateway.ports, head.pause) == "delivered"


def test_who_works_although_the_delivery_was_refused_is_not_listed(gateway: Pushing) -> None:
    """A webhook that takes the pause and then answers 400."""
    head = gateway.accepted(HOOKED)

    def deliver(agent: Agent, payload: dict[str, Any]) -> None:
        assert take(gateway.ports, HOOKED, head.pause)
        raise NO_QUEUE

    gateway.agents.deliver = deliver  # type: ignore[method-assign]
    assert resume(gateway.ports, head.pause) == "leased"
    assert operate.stuck(gateway.ports) == []


def test_a_refusal_of_the_table_is_not_taken_for_one_of_the_queue(gateway: Pushing) -> None:
    head = gateway.accepted()
    gateway.agents.error = Refused("table_refused", "no right")
    with pytest.raises(Refused, match="no right"):
        resume(gateway.ports, head.pause)
    assert operate.stuck(gateway.ports) == []


def test_a_payload_is_plain_json_without_secrets(gateway: Pushing) -> None:
    head = gateway.accepted()
    resume(gateway.ports, head.pause)
    payload = json.loads(exact_text(gateway.agents.delivered[0][1]))
    assert set(payload) == {"type", "pause", "generation", "resume"}
    assert set(payload["resume"]) == {"pause", "run", "framework", "state", "native_ref", "calls"}
    assert payload["resume"]["calls"][0]["arguments"] == '{"order_id":"1182","amount":240.5}'
