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
from placet.model.registry import Registry
from placet.model.states import PauseState, Verdict
from placet.records.heads import Head
from placet.service import operate
from placet.service.execute import claim
from placet.service.notify import notify
from placet.service.ports import Ports
from placet.service.resume import LEASE_MS, REDELIVER_MS, pick_up, resume, take
from placet.service.sweep import GRACE_MS, PATIENCE_MS, sweep
from placet.service.went_on import resumed
from tests.gateway import REFUND, SUPPORT, Gateway
from tests.proofs.pushing.house import HOOKED, QUEUED

NO_QUEUE = Refused("delivery_refused", "There is no queue decided.fifo.")


def pushing(gateway: Gateway) -> Ports:
    """The ports, with a queue and a webhook in the registry."""
    return replace(gateway.ports, registry=Registry((SUPPORT, QUEUED, HOOKED)))


def handed(gateway: Gateway, pause: str) -> str:
    """As the machine's last task does it."""
    return resume(pushing(gateway), pause)


def decided(gateway: Gateway, agent: Agent = QUEUED) -> Head:
    head = gateway.shown(REFUND, agent=agent)
    gateway.decide(head, 1, Verdict.ACCEPT)
    return gateway.head(head.pause)


def swept(gateway: Gateway) -> None:
    """One sweep; what it asks `resume` for is done."""
    gateway.verbs.called.clear()
    sweep(pushing(gateway))
    for verb, given in gateway.verbs.called:
        assert verb == "resume"
        handed(gateway, given["pause"])


def sent(gateway: Gateway) -> list[str]:
    return [f"{payload['pause']}-{payload['generation']}" for _, payload in gateway.agents.delivered]


@pytest.mark.parametrize("agent", [QUEUED, HOOKED], ids=lambda one: one.target)
def test_decisions_are_handed_over_and_nobody_holds_a_lease_afterwards(gateway: Gateway, agent: Agent) -> None:
    head = decided(gateway, agent)
    (shown,) = pick_up(pushing(gateway), agent)
    assert handed(gateway, head.pause) == "delivered"
    ((name, payload),) = gateway.agents.delivered
    wanted = {"type": "placet.decided", "pause": head.pause, "generation": 1, "resume": shown}
    assert (name, exact_text(payload)) == (agent.name, exact_text(wanted))
    assert "fence" not in payload["resume"]
    after = gateway.head(head.pause)
    assert (after.delivered_ms, after.delivered_gen) == (gateway.clock.now_ms(), 1)
    (taken,) = take(pushing(gateway), agent, head.pause)
    assert resumed(pushing(gateway), agent, head.pause, taken["fence"]) is False
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


def test_who_gets_the_decisions_works_while_the_sender_does_not_know_yet(gateway: Gateway) -> None:
    """A webhook that works before it answers, or a consumer that is faster than the answer of the queue."""
    head = decided(gateway, HOOKED)
    came = meanwhile(gateway, lambda: take(pushing(gateway), HOOKED, head.pause))
    assert handed(gateway, head.pause) == "delivered"
    ((taken,),) = came
    assert take(pushing(gateway), HOOKED, head.pause) == [], "the sender has not ended the worker's lease"
    call, digest = call_id(head.pause, 1), head.calls[0].digest
    assert claim(pushing(gateway), HOOKED, call, digest, "w", taken["fence"]).arguments
    assert resumed(pushing(gateway), HOOKED, head.pause, taken["fence"]) is False


def test_a_run_that_ended_while_its_decisions_were_sent_stays_ended(gateway: Gateway) -> None:
    head = decided(gateway)
    meanwhile(gateway, lambda: resumed(pushing(gateway), QUEUED, head.pause))
    assert handed(gateway, head.pause) == "delivered"
    after = gateway.head(head.pause)
    assert (after.state, after.wpk, after.delivered_ms) == (PauseState.ENDED, "", 0)


def test_the_machine_and_the_sweep_do_not_send_at_once(gateway: Gateway) -> None:
    head = decided(gateway)
    came = meanwhile(gateway, lambda: handed(gateway, head.pause))
    assert (handed(gateway, head.pause), came) == ("delivered", ["leased"])


def test_while_somebody_works_nothing_is_sent(gateway: Gateway) -> None:
    head = decided(gateway)
    assert take(pushing(gateway), QUEUED, head.pause)
    assert handed(gateway, head.pause) == "leased"
    gateway.clock.move(REDELIVER_MS / 1000 - 1)
    assert take(pushing(gateway), QUEUED, head.pause)
    gateway.clock.move(1)
    swept(gateway)
    assert sent(gateway) == []
    gateway.clock.move(LEASE_MS / 1000)
    swept(gateway)
    assert sent(gateway) == [f"{head.pause}-1"]


def test_a_sender_that_died_holds_nobody_up(gateway: Gateway) -> None:
    head = decided(gateway)
    gateway.agents.error = RuntimeError("out of memory")
    with pytest.raises(RuntimeError):
        handed(gateway, head.pause)
    gateway.agents.error = None
    assert handed(gateway, head.pause) == "leased"
    gateway.clock.move(LEASE_MS / 1000)
    assert handed(gateway, head.pause) == "delivered"


def test_a_run_that_does_not_go_on_gets_its_decisions_again_and_not_before(gateway: Gateway) -> None:
    head = decided(gateway)
    assert handed(gateway, head.pause) == "delivered"
    assert handed(gateway, head.pause) == "delivered_before"
    gateway.clock.move(GRACE_MS / 1000)
    swept(gateway)
    assert (gateway.verbs.called, len(sent(gateway))) == ([], 1)
    gateway.clock.move((REDELIVER_MS - GRACE_MS) / 1000 - 0.001)
    swept(gateway)
    assert (gateway.verbs.called, len(sent(gateway))) == ([], 1)
    gateway.clock.move(0.001)
    swept(gateway)
    assert sent(gateway) == [f"{head.pause}-1"] * 2
    swept(gateway)
    assert len(sent(gateway)) == 2


def test_after_a_day_it_is_listed_and_a_repair_sends_it_again_at_once(gateway: Gateway) -> None:
    head = decided(gateway)
    for _ in range(PATIENCE_MS // REDELIVER_MS + 1):
        swept(gateway)
        gateway.clock.move(REDELIVER_MS / 1000)
    times = len(sent(gateway))
    swept(gateway)
    assert [(one.pause, one.reason) for one in operate.stuck(pushing(gateway))] == [(head.pause, "not_picked_up")]
    assert len(sent(gateway)) == times == 96
    gateway.clock.move(60)
    assert operate.repair(pushing(gateway), "ops/olga", head.pause) == "is offered to its agent again"
    assert handed(gateway, head.pause) == "delivered"


def test_a_repair_soon_after_a_delivery_sends_at_once(gateway: Gateway) -> None:
    head = decided(gateway)
    handed(gateway, head.pause)
    gateway.table.items[gateway.keys.head(head.pause)] |= {"stuck": "not_picked_up", "wpk": gateway.keys.stuck()}
    operate.repair(pushing(gateway), "ops/olga", head.pause)
    assert handed(gateway, head.pause) == "delivered"


def test_a_call_that_is_asked_for_again_is_delivered_as_a_new_generation(gateway: Gateway) -> None:
    head = decided(gateway)
    handed(gateway, head.pause)
    gateway.clock.move(24 * 3600)
    with pytest.raises(Refused, match="too old"):
        claim(pushing(gateway), QUEUED, call_id(head.pause, 1), head.calls[0].digest, "late")
    sweep(pushing(gateway))
    notify(pushing(gateway), head.pause, 2, "token 2")
    gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT)
    assert handed(gateway, head.pause) == "delivered"
    assert sent(gateway) == [f"{head.pause}-1", f"{head.pause}-2"]


def test_what_is_busy_is_sent_again_at_once(gateway: Gateway) -> None:
    head = decided(gateway)
    gateway.agents.error = Busy()
    with pytest.raises(Busy):
        handed(gateway, head.pause)
    gateway.agents.error = None
    assert handed(gateway, head.pause) == "delivered"


def test_what_is_refused_for_good_is_listed_with_its_reason(gateway: Gateway) -> None:
    head = decided(gateway)
    gateway.agents.error = NO_QUEUE
    assert handed(gateway, head.pause) == "listed"
    (found,) = operate.stuck(pushing(gateway))
    assert (found.reason, found.repair) == ("delivery_refused", f"placet repair {head.pause}")
    why = {"pause": head.pause, "agent": "queued-agent", "why": "There is no queue decided.fifo."}
    assert ("delivery_refused", why) in gateway.log
    assert ("stuck", {"pause": head.pause, "reason": "delivery_refused"}) in gateway.log
    gateway.agents.error = None
    operate.repair(pushing(gateway), "ops/olga", head.pause)
    assert handed(gateway, head.pause) == "delivered"


def test_who_works_although_the_delivery_was_refused_is_not_listed(gateway: Gateway) -> None:
    """A webhook that takes the pause and then answers 400."""
    head = decided(gateway, HOOKED)

    def deliver(agent: Agent, payload: dict[str, Any]) -> None:
        assert take(pushing(gateway), HOOKED, head.pause)
        raise NO_QUEUE

    gateway.agents.deliver = deliver  # type: ignore[method-assign]
    assert handed(gateway, head.pause) == "leased"
    assert operate.stuck(pushing(gateway)) == []


def test_a_refusal_of_the_table_is_not_taken_for_one_of_the_queue(gateway: Gateway) -> None:
    head = decided(gateway)
    gateway.agents.error = Refused("table_refused", "no right")
    with pytest.raises(Refused, match="no right"):
        handed(gateway, head.pause)
    assert operate.stuck(pushing(gateway)) == []


def test_a_payload_is_plain_json_without_secrets(gateway: Gateway) -> None:
    head = decided(gateway)
    handed(gateway, head.pause)
    payload = json.loads(exact_text(gateway.agents.delivered[0][1]))
    assert set(payload) == {"type", "pause", "generation", "resume"}
    assert set(payload["resume"]) == {"pause", "run", "framework", "state", "native_ref", "calls"}
    assert payload["resume"]["calls"][0]["arguments"] == '{"order_id":"1182","amount":240.5}'


def test_nothing_is_sent_to_an_agent_that_picks_up(gateway: Gateway) -> None:
    head = decided(gateway, SUPPORT)
    assert handed(gateway, head.pause) == "offered"
    assert (gateway.agents.delivered, gateway.head(head.pause).fence) == ([], 0)
