"""What a sweep asks for, word by word, what it counts and tells, and what it leaves alone until its minute is over."""

from __future__ import annotations

from typing import Any

import pytest

from local.memory import MemoryTable
from placet.model.errors import Busy
from placet.model.states import PermitState, Verdict
from placet.service.execute import claim
from placet.service.resume import LEASE_MS, take
from placet.service.sweep import GRACE_MS, PATIENCE_MS, Swept, sweep
from tests.gateway import BILLING, REFUND, SUPPORT, Gateway, approved
from tests.unit.test_digests import APART_S, flood


def test_a_sweep_that_finds_nothing_says_so(gateway: Gateway) -> None:
    assert sweep(gateway.ports) == Swept()
    assert gateway.log == [("swept", vars(Swept()))]
    assert gateway.verbs.called == []


@pytest.mark.parametrize("early_ms", [1, 0])
def test_a_wait_that_never_started_is_started_by_the_sweep_and_not_before(gateway: Gateway, early_ms: int) -> None:
    head = gateway.capture(REFUND).head
    gateway.clock.at_ms = gateway.table.items[gateway.keys.head(head.pause)]["wsk"] - early_ms
    assert sweep(gateway.ports) == (Swept() if early_ms else Swept(started=1))
    assert list(gateway.waits.started) == ([] if early_ms else [f"{head.pause}-1"])


def test_a_wait_that_ended_before_anybody_was_told_is_started_under_the_next_generation(gateway: Gateway) -> None:
    head = gateway.capture(REFUND).head
    start = gateway.waits.start

    def ended(name: str, facts: dict[str, Any]) -> bool:
        return False if name.endswith("-1") else start(name, facts)

    gateway.waits.start = ended  # type: ignore[method-assign]
    gateway.clock.move(3_600)
    assert sweep(gateway.ports) == Swept(started=1)
    assert gateway.head(head.pause).gen == 2
    assert {name: facts["gen"] for name, facts in gateway.waits.started.items()} == {f"{head.pause}-2": 2}


@pytest.mark.parametrize("late_ms", [GRACE_MS - 1, GRACE_MS])
def test_a_moment_that_no_timer_came_for_is_escalated_once_its_minute_is_over(gateway: Gateway, late_ms: int) -> None:
    head = gateway.shown(REFUND)
    gateway.clock.at_ms = head.wsk + late_ms
    over = late_ms == GRACE_MS
    assert sweep(gateway.ports) == (Swept(expired=1) if over else Swept())
    asked = [("escalate", {"tenant": "main", "pause": head.pause})]
    assert gateway.verbs.called == (asked if over else [])


@pytest.mark.parametrize("late_ms", [GRACE_MS - 1, GRACE_MS])
def test_decisions_that_were_not_delivered_are_delivered_once_their_minute_is_over(
    gateway: Gateway, late_ms: int
) -> None:
    head = gateway.shown(REFUND, agent=BILLING)
    gateway.decide(head, 1, Verdict.ACCEPT)
    gateway.clock.at_ms = gateway.head(head.pause).wsk + late_ms
    over = late_ms == GRACE_MS
    assert sweep(gateway.ports) == (Swept(resumed=1) if over else Swept())
    asked = [("resume", {"tenant": "main", "pause": head.pause, "gen": head.gen})]
    assert gateway.verbs.called == (asked if over else [])


@pytest.mark.parametrize(("late_ms", "listed"), [(PATIENCE_MS, 0), (PATIENCE_MS + 1, 1)])
def test_decisions_that_nobody_comes_for_are_listed_after_a_day(gateway: Gateway, late_ms: int, listed: int) -> None:
    head, _ = approved(gateway)
    gateway.clock.at_ms = gateway.head(head.pause).wsk + late_ms
    assert sweep(gateway.ports) == Swept(listed=listed)
    assert gateway.head(head.pause).stuck == ("not_picked_up" if listed else "")
    assert gateway.verbs.called == []


def test_whoever_works_on_a_pause_is_left_alone_for_as_long_as_its_lease_lasts(gateway: Gateway) -> None:
    head, _ = approved(gateway)
    assert take(gateway.ports, SUPPORT)
    gateway.table.items[gateway.keys.head(head.pause)]["lease_until_ms"] = gateway.clock.now_ms() + 10 * PATIENCE_MS
    gateway.clock.move(LEASE_MS / 1000 + 2 * PATIENCE_MS / 1000)
    assert sweep(gateway.ports) == Swept()


def test_a_claim_that_is_over_is_given_up_and_told_once(gateway: Gateway) -> None:
    head, call = approved(gateway)
    claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w")
    gateway.clock.move(3_600)
    gateway.log.clear()
    found = sweep(gateway.ports)
    assert (found.given_up, found.listed) == (1, 1)
    assert ("stuck", {"pause": head.pause, "reason": "permit_unknown"}) in gateway.log
    assert gateway.head(head.pause).calls[0].permit is PermitState.UNKNOWN
    assert sweep(gateway.ports).given_up == 0


def test_whoever_is_owed_a_mail_of_what_waits_gets_it(gateway: Gateway) -> None:
    flood(gateway, 2)
    gateway.clock.move(APART_S)
    found = sweep(gateway.ports)
    asked = sorted(payload["digest"] for verb, payload in gateway.verbs.called if "digest" in payload)
    assert (asked, found.mailed) == (["jonas", "maria"], 2)
    assert gateway.verbs.called[0] == ("notify", {"tenant": "main", "digest": asked[0]})


def test_a_mail_of_what_waits_that_cannot_be_asked_for_costs_itself_only(gateway: Gateway) -> None:
    flood(gateway, 2)
    gateway.clock.move(APART_S)

    def busy(verb: str, payload: dict[str, Any]) -> None:
        raise Busy

    gateway.verbs.call = busy  # type: ignore[method-assign]
    found = sweep(gateway.ports)
    assert (found.mailed, found.failed) == (0, 1)
    assert ("sweep_failed", {"list": "mail", "code": "busy"}) in gateway.log


class Closed(MemoryTable):
    """A table of which one partition cannot be read now."""

    closed = ""

    def query(self, pk: str, prefix: str = "") -> Any:
        if pk == self.closed:
            raise Busy
        return super().query(pk, prefix)


def test_without_the_remembered_lists_todays_are_swept_all_the_same() -> None:
    table = Closed()
    gateway = Gateway(table=table)
    head = gateway.capture(REFUND).head
    gateway.clock.move(3_600)
    table.closed = gateway.keys.lists()
    found = sweep(gateway.ports)
    assert (found.failed, found.started) == (1, 1)
    assert ("sweep_failed", {"list": "lists", "code": "busy"}) in gateway.log
    assert f"{head.pause}-1" in gateway.waits.started


def test_a_pause_that_cannot_be_read_is_listed_and_the_others_are_swept() -> None:
    gateway = Gateway()
    broken, good = gateway.capture(REFUND).head, gateway.capture(REFUND, checkpoint="cp-2").head
    gateway.table.items[gateway.keys.head(broken.pause)]["schema_version"] = 99
    gateway.clock.move(3_600)
    found = sweep(gateway.ports)
    assert (found.started, found.listed) == (1, 1)
    assert list(gateway.waits.started) == [f"{good.pause}-1"]
