"""A deploy takes an agent or a class away, or changes who decides: no pause is found only through a name that is still known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from local.memory import MemoryTable
from placet.model.errors import Busy, Conflict, NotFound
from placet.model.registry import Registry
from placet.model.states import CallState, PermitState, Verdict
from placet.policy import Level
from placet.records import writes
from placet.service import operate
from placet.service.cancel import cancel
from placet.service.escalate import escalate
from placet.service.execute import claim
from placet.service.inbox import inbox
from placet.service.notify import notify
from placet.service.ports import Ports
from placet.service.resume import pick_up, resume
from placet.service.sweep import sweep
from tests.gateway import BILLING, DELETE, REFUND, SUPPORT, Gateway, approved, without_class

DAY = 86_400


def without_support(gateway: Gateway) -> Ports:
    return replace(gateway.ports, registry=Registry((BILLING,)))


def stuck(ports: Ports) -> dict[str, str]:
    return {one.pause: one.reason for one in operate.stuck(ports)}


def test_a_decided_pause_of_an_agent_that_is_gone_is_listed_at_once(gateway: Gateway) -> None:
    head, _ = approved(gateway)
    gateway.deliver()
    assert resume(gateway.ports, head.pause) == "offered"  # the execution has ended: only the list holds it now
    assert sweep(without_support(gateway)).listed == 1
    assert stuck(gateway.ports) == {head.pause: "agent_gone"}
    assert ("stuck", {"pause": head.pause, "reason": "agent_gone"}) in gateway.log


def test_repair_does_not_pretend_while_the_agent_is_gone(gateway: Gateway) -> None:
    head, _ = approved(gateway)
    gone = without_support(gateway)
    sweep(gone)
    with pytest.raises(Conflict) as caught:
        operate.repair(gone, "ops", head.pause)
    assert (caught.value.code, caught.value.members) == ("agent_gone", {"agent": "support-agent"})
    assert stuck(gone) == {head.pause: "agent_gone"}
    assert operate.repair(gateway.ports, "ops", head.pause) == "is offered to its agent again"
    assert [one["pause"] for one in pick_up(gateway.ports, SUPPORT)] == [head.pause]


def test_a_claim_of_an_agent_that_is_gone_is_given_up_like_any_other(gateway: Gateway) -> None:
    head, call = approved(gateway)
    claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w")
    gone = without_support(gateway)
    for _ in range(2):
        gateway.clock.move(1_000)
        sweep(gone)
    assert gateway.head(head.pause).calls[0].permit is PermitState.UNKNOWN
    assert stuck(gone) == {head.pause: "permit_unknown"}


def test_what_waits_for_people_goes_on_waiting_without_its_agent(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    sweep(without_support(gateway))
    assert [row.pause for row in inbox(gateway.ports, gateway.maria).rows] == [head.pause]
    gateway.decide(head, 1, Verdict.ACCEPT)
    assert sweep(without_support(gateway)).listed == 1


@pytest.mark.parametrize("instead", ["", "other"])
def test_a_queue_whose_class_is_gone_is_listed_whole(gateway: Gateway, instead: str) -> None:
    heads = [gateway.shown(REFUND, run=f"r{n}", checkpoint=f"c{n}") for n in range(3)]
    gateway.policy = without_class(gateway.policy, "money-out", instead)
    assert sweep(gateway.ports).listed == 3
    assert stuck(gateway.ports) == {head.pause: "class_gone" for head in heads}
    with pytest.raises(NotFound):
        gateway.decide(heads[0], 1, Verdict.ACCEPT)


def test_its_deadline_ends_a_pause_whose_class_is_gone_even_without_a_timer(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.policy = without_class(gateway.policy, "money-out")
    sweep(gateway.ports)
    gateway.clock.move(30 * DAY)
    assert sweep(gateway.ports).expired == 1
    assert gateway.verbs.called == [("escalate", {"tenant": "main", "pause": head.pause})]
    assert escalate(gateway.ports, head.pause) == "expired"
    after = gateway.head(head.pause)
    assert (after.calls[0].state, after.wpk, after.stuck) == (CallState.EXPIRED, gateway.keys.out("support-agent"), "")


def test_its_run_can_take_a_pause_back_whose_class_is_gone(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.policy = without_class(gateway.policy, "money-out")
    sweep(gateway.ports)
    assert cancel(gateway.ports, SUPPORT, head.pause, "not needed") == ("cancelled", [])
    assert stuck(gateway.ports) == {}


def test_with_the_class_back_a_repair_brings_it_to_its_people(gateway: Gateway) -> None:
    head, policy = gateway.shown(REFUND), gateway.policy
    gateway.policy = without_class(policy, "money-out")
    sweep(gateway.ports)
    with pytest.raises(Conflict) as caught:
        operate.repair(gateway.ports, "ops", head.pause)
    assert (caught.value.code, caught.value.members) == ("class_gone", {"classes": ["money-out"]})
    gateway.policy = policy
    operate.repair(gateway.ports, "ops", head.pause)
    after = gateway.head(head.pause)
    assert (after.wpk, after.deadline_ms) == (gateway.keys.queue("money-out", 0), head.deadline_ms)
    gateway.decide(after, 1, Verdict.ACCEPT)


def test_the_wait_of_a_pause_whose_class_went_before_it_was_shown_is_kept(gateway: Gateway) -> None:
    pause = gateway.capture(REFUND).head.pause
    gateway.policy = without_class(gateway.policy, "money-out")
    notify(gateway.ports, pause, 1, "t")
    assert gateway.table.get(gateway.keys.token(pause, 1))["token"] == "t"
    assert stuck(gateway.ports) == {pause: "class_gone"}
    assert gateway.timers.moments[pause] == gateway.head(pause).deadline_ms > 0


def test_levels_that_were_taken_away_leave_the_last_that_is_there(gateway: Gateway) -> None:
    policy = gateway.policy
    gateway.with_policy(levels=(*policy.classes["money-out"].levels, Level(("leads",), 60)))
    head = gateway.shown(REFUND)
    item = gateway.table.items[gateway.keys.head(head.pause)]
    item |= {"level": 1, "wpk": gateway.keys.queue("money-out", 1)}  # as a widening to the second level leaves it
    gateway.capture(REFUND, run="r2", checkpoint="c2")  # under the longer class: its queue is remembered
    gateway.policy = policy
    assert sweep(gateway.ports).moved == 1
    (row,) = inbox(gateway.ports, gateway.maria).rows
    assert row.pause == head.pause
    gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT)


def test_a_level_that_was_taken_away_and_is_there_again_is_read_again(gateway: Gateway) -> None:
    policy = gateway.policy
    gateway.with_policy(levels=(*policy.classes["money-out"].levels, Level(("leads",), 60)))
    longer = gateway.policy
    leader = gateway.person("lea", "Lea Brandt", "leads")
    head = gateway.shown(REFUND)
    gateway.clock.move(61)
    assert escalate(gateway.ports, head.pause) == "widened"
    gateway.policy = policy
    sweep(gateway.ports)
    assert gateway.head(head.pause).wpk == gateway.keys.queue("money-out", 0)
    gateway.policy = longer
    for person in (gateway.maria, gateway.jonas):
        gateway.table.write(writes.drop_member(gateway.keys, person.sub, "finance"))
    sweep(gateway.ports)
    assert [row.pause for row in inbox(gateway.ports, leader).rows] == [head.pause]


def test_of_two_classes_one_that_is_gone_leaves_the_other_its_call(gateway: Gateway) -> None:
    head = gateway.shown(REFUND, DELETE)
    gateway.policy = without_class(gateway.policy, "money-out", "other")
    assert sweep(gateway.ports).listed == 0
    (row,) = inbox(gateway.ports, gateway.maria).rows
    assert row.pause == head.pause
    gateway.decide(head, 2, Verdict.REJECT)
    assert sweep(gateway.ports).listed == 1
    assert stuck(gateway.ports) == {head.pause: "class_gone"}


def test_a_pause_of_two_classes_is_listed_when_both_are_gone(gateway: Gateway) -> None:
    head = gateway.shown(REFUND, DELETE)
    for name in ("money-out", "general"):
        gateway.policy = without_class(gateway.policy, name, f"new-{name}")
    assert sweep(gateway.ports).listed == 1
    assert stuck(gateway.ports) == {head.pause: "class_gone"}


def test_each_group_finds_its_call_of_a_pause_of_two_classes(gateway: Gateway) -> None:
    lena = gateway.person("lena", "Lena Vogt", "approvers")
    fritz = gateway.person("fritz", "Fritz Ahn", "finance")
    head = gateway.shown(REFUND, DELETE)  # the refund is the more urgent one

    def sees(who: object) -> bool:
        return [row.pause for row in inbox(gateway.ports, who).rows] == [head.pause]

    assert (sees(lena), sees(fritz)) == (True, True)
    gateway.decide(head, 1, Verdict.ACCEPT, fritz)
    assert (sees(lena), sees(fritz)) == (True, False)


def test_a_restore_enters_the_new_epoch_on_lists_of_other_names(gateway: Gateway) -> None:
    head, _ = approved(gateway)
    waiting = gateway.shown(REFUND, checkpoint="c2")
    gateway.policy = without_class(gateway.policy, "money-out")
    assert operate.thaw(replace(without_support(gateway), epoch=2), "ops") == (2, False)
    assert {gateway.head(one.pause).epoch for one in (head, waiting)} == {2}


def test_lists_are_remembered_before_a_pause_can_stand_on_one(gateway: Gateway) -> None:
    written: list[str] = []
    real = gateway.table.write
    gateway.table.write = lambda ops: (written.extend(op.key.sk for op in ops), real(ops))[1]
    gateway.capture(REFUND)
    assert {gateway.keys.out("support-agent"), gateway.keys.queue("money-out", 0)} <= set(
        written[: written.index("HEAD")]
    )
    written.clear()
    asked: list[str] = []
    query = gateway.table.query
    gateway.table.query = lambda *given: (asked.append(given[0]), query(*given))[1]
    gateway.capture(REFUND, checkpoint="c2")
    assert gateway.keys.lists() not in asked
    assert not [sk for sk in written if sk.startswith("T#")]


def test_a_sweep_remembers_what_was_deployed_without_any_capture(gateway: Gateway) -> None:
    sweep(gateway.ports)
    assert gateway.table.get(gateway.keys.remembered(gateway.keys.out("billing-agent"))) is not None


class Unread(MemoryTable):
    """A table of which one list cannot be read now."""

    unread = ""

    def work(self, pk: str, **bounds: object) -> list:
        if pk == self.unread:
            raise Busy
        return super().work(pk, **bounds)


def test_a_list_that_cannot_be_read_ends_itself_and_not_the_sweep() -> None:
    gateway = Gateway(table=Unread())
    head, _ = approved(gateway)
    gateway.table.unread = gateway.keys.new()
    swept = sweep(without_support(gateway))
    assert (swept.failed, swept.listed) == (1, 1)
    assert stuck(gateway.ports) == {head.pause: "agent_gone"}


class Slow(MemoryTable):
    """A table each of whose reads takes its time."""

    clock = None

    def work(self, pk: str, **bounds: object) -> list:
        if self.clock is not None:
            self.clock.move(10)
        return super().work(pk, **bounds)


def test_a_sweep_stops_in_time_and_the_next_ones_reach_every_list() -> None:
    table = Slow()
    gateway = Gateway(table=table)
    crowd = [gateway.shown(REFUND, agent=BILLING, run=f"r{n}", checkpoint=f"c{n}") for n in range(120)]
    for head in crowd:
        gateway.decide(head, 1, Verdict.REJECT)
    table.clock = gateway.clock
    last, _ = approved(gateway, run="last")
    gateway.clock.move(3_600)
    asked: set[str] = set()
    more = 0
    for _ in range(20):
        began = gateway.clock.now_ms()
        swept = sweep(without_support(gateway))
        assert gateway.clock.now_ms() - began < 50_000
        more += swept.more
        asked |= {payload["pause"] for _, payload in gateway.verbs.called if "pause" in payload}
        gateway.clock.move(60)
    assert stuck(gateway.ports) == {last.pause: "agent_gone"}
    assert asked == {head.pause for head in crowd}
    assert more > 0
