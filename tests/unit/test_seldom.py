"""What happens seldom: records that changed in between, restores, names that mean two people, timers and counts that fail."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from placet.model.errors import Busy, Conflict, Damaged, Gone, Lost, NotAllowed, NotFound, NotYet
from placet.model.pauses import call_id
from placet.model.states import Verdict
from placet.policy import Level
from placet.records.heads import Head
from placet.records.keys import SCHEMA_VERSION
from placet.records.mailboxes import read_refusal
from placet.records.ops import ConditionFailed, Op
from placet.records.writes.places import to_agent, to_people
from placet.service import bounds, members
from placet.service.cancel import supersede
from placet.service.escalate import escalate
from placet.service.execute import claim
from placet.service.extend import extend
from placet.service.holding import end_hold
from placet.service.loading import arguments_of, body_of
from placet.service.reassign import check_may_reassign, reassign
from placet.service.rights import Right
from placet.service.standing import Hindrance
from placet.service.stuck import list_stuck
from placet.service.undo import may_have_a_say, undo
from placet.service.undo_calls import propose
from tests.gateway import BILLING, DELETE, REFUND, SUPPORT, Gateway, approved
from tests.unit.windows import accepted, windowed


def losing(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """From now on every write loses; how many were tried."""
    tried: list[int] = []

    def lost(ops: list[Op]) -> None:
        tried.append(1)
        raise ConditionFailed(0, gateway.table.get(ops[0].key), ops[0])

    monkeypatch.setattr(gateway.table, "write", lost)
    return tried


def test_a_mark_of_a_sink_is_read_or_damaged() -> None:
    item = {"schema_version": SCHEMA_VERSION, "kind": "SINK", "at_ms": 1}
    assert read_refusal({**item, "refused": "gone"}) == "gone"
    with pytest.raises(Damaged):
        read_refusal({**item, "refused": 7})


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("requester_may_not_decide", NotAllowed),
        ("owner_may_not_decide", NotAllowed),
        ("deadline_passed", Gone),
        ("not_shown_yet", NotYet),
        ("not_widened", NotFound),
        ("already_decided", Conflict),
    ],
)
def test_who_may_not_decide_hands_nothing_on(gateway: Gateway, code: str, kind: type[Exception]) -> None:
    head = gateway.shown(REFUND)
    with pytest.raises(kind) as caught:
        check_may_reassign(gateway.ports, head, Hindrance(code, "it says so"))
    if kind in (NotAllowed, Gone, Conflict):
        assert (caught.value.code, caught.value.detail) == (code, "it says so")  # type: ignore[attr-defined]
    check_may_reassign(gateway.ports, head, Hindrance("agreed_already", "it says so"))


def test_what_is_listed_or_was_restored_is_handed_to_nobody(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    with pytest.raises(Conflict) as restored:
        check_may_reassign(replace(gateway.ports, epoch=2), head, None)
    assert restored.value.code == "epoch_differs"
    list_stuck(gateway.ports, head, "wait_failed")
    with pytest.raises(Conflict) as listed:
        check_may_reassign(gateway.ports, gateway.head(head.pause), None)
    assert listed.value.code == "pause_listed"


def test_an_address_of_two_people_names_nobody(gateway: Gateway) -> None:
    gateway.with_policy(levels=(Level(("finance",)), Level(("leads",), 3600)))
    for sub in ("lea", "leo"):
        members.add(gateway.ports, replace(gateway.jonas, sub=sub, name=sub, email="desk@example.com"), "leads")
    head = gateway.shown(REFUND)
    with pytest.raises(Conflict) as caught:
        reassign(gateway.ports, gateway.maria, call_id(head.pause, 1), to="desk@example.com")
    assert caught.value.code == "person_ambiguous"


def test_who_has_no_right_or_one_that_is_not_reached_has_no_say(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    call, one = head.calls[0], gateway.policy.classes["money-out"]
    assert may_have_a_say(head, call, Right(one, "finance", 0), gateway.maria)
    assert may_have_a_say(head, call, None, gateway.maria) is False
    assert may_have_a_say(head, call, Right(one, "leads", 1), gateway.maria) is False
    mine = replace(head, requester="maria@example.com")
    assert may_have_a_say(mine, call, Right(one, "finance", 0), gateway.maria) is False


def test_what_a_restore_brought_back_is_not_taken_back() -> None:
    gateway = windowed()
    head = accepted(gateway)
    with pytest.raises(Conflict) as caught:
        undo(replace(gateway.ports, epoch=2), gateway.maria, call_id(head.pause, 1), head.calls[0].rev)
    assert caught.value.code == "epoch_differs"


def test_of_an_agent_that_is_gone_nothing_is_taken_back(gateway: Gateway) -> None:
    _, call = approved(gateway)
    ports = replace(gateway.ports, registry=type(gateway.ports.registry)((BILLING,)))
    with pytest.raises(Conflict) as caught:
        propose(ports, "maria", call)
    assert caught.value.code == "agent_gone"


def test_an_edit_whose_text_is_gone_is_lost(gateway: Gateway) -> None:
    head, _ = approved(gateway)
    call = replace(head.calls[0], rev=2)
    with pytest.raises(Lost) as caught:
        arguments_of(gateway.ports, head, body_of(gateway.ports, head), call)
    assert caught.value.code == "revision_lost"


def test_a_timer_of_a_held_run_that_cannot_be_set_is_told_and_costs_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gateway = windowed()
    head = accepted(gateway)

    def busy(pause: str, at_ms: int) -> None:
        raise Busy

    monkeypatch.setattr(gateway.timers, "set", busy)
    gateway.log.clear()
    assert end_hold(gateway.ports, head) == "held"
    assert gateway.log == [("timer_not_set", {"pause": head.pause, "code": "busy"})]


def test_what_is_left_of_a_listed_pause_stays_listed_as_its_first_call_expires(gateway: Gateway) -> None:
    head = gateway.shown(REFUND, DELETE)
    assert list_stuck(gateway.ports, head, "class_gone")
    gateway.clock.at_ms = head.deadline_ms
    assert escalate(gateway.ports, head.pause) == "expired"
    after = gateway.head(head.pause)
    assert (after.stuck, after.wpk, after.open_calls) == ("class_gone", gateway.keys.stuck(), 1)
    gateway.clock.at_ms = after.deadline_ms
    assert escalate(gateway.ports, head.pause) == "expired"
    assert gateway.head(head.pause).open_calls == 0


def test_what_cannot_be_read_stays_on_its_list_wherever_it_would_go(gateway: Gateway) -> None:
    head = replace(gateway.shown(REFUND), stuck="damaged")
    for move in (to_people(head, "somewhere", 1, gen=2), to_agent(gateway.keys, head, 1, gen=2)):
        assert (move.set, move.remove) == ({"gen": 2}, ())
    fine = replace(head, stuck="")
    assert to_people(fine, "somewhere", 1, gen=2).set == {"gen": 2, "wpk": "somewhere", "wsk": 1}
    assert to_agent(gateway.keys, fine, 1).set == {"wpk": gateway.keys.out("support-agent"), "wsk": 1}


def open_in(gateway: Gateway, monkeypatch: pytest.MonkeyPatch, *entries: dict[str, Any]) -> dict[str, int]:
    monkeypatch.setattr(bounds, "_of", lambda ports, agent: iter(entries))
    return bounds._open(gateway.ports, "a", ["x", "y"])


def test_only_what_waits_for_people_and_was_proposed_by_the_agent_is_counted(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = {"agent": "a", "open_calls": 1, "card": {"framework": "langchain", "classes": ["x"]}}
    own = {**one, "card": {"framework": "placet", "classes": ["x"]}}
    odd = [{**one, "card": "none"}, {**one, "card": {"classes": "x"}}]
    ended, others = {**one, "open_calls": 0}, {**one, "agent": "b"}
    both = {**one, "card": {"framework": "langchain", "classes": ["x", "y", "z"]}}
    assert open_in(gateway, monkeypatch, own, ended, others, *odd, one, both) == {"x": 2, "y": 1}
    monkeypatch.setattr(bounds, "MOST_ENTRIES", 2)
    assert open_in(gateway, monkeypatch, one, one, one) == {"x": 2, "y": 0}, "enough was looked at"


def test_who_always_loses_is_told_to_come_again(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    first = gateway.shown(REFUND, checkpoint="cp-1")
    second = gateway.shown(REFUND, checkpoint="cp-2")
    tried = losing(gateway, monkeypatch)
    with pytest.raises(Busy):
        supersede(gateway.ports, SUPPORT, "thread-1", second.pause)
    assert len(tried) == 5
    assert not gateway.head(first.pause).cancelled


def erased_before(gateway: Gateway, head: Head, monkeypatch: pytest.MonkeyPatch) -> None:
    """The record is erased just before the next write."""
    key = gateway.keys.head(head.pause)

    def lost(ops: list[Op]) -> None:
        gateway.table.items.pop(key, None)
        position, op = next((at, one) for at, one in enumerate(ops) if one.key == key)
        raise ConditionFailed(position, None, op)

    monkeypatch.setattr(gateway.table, "write", lost)


def test_what_is_erased_while_somebody_decides_is_absent(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    head = gateway.shown(REFUND)
    erased_before(gateway, head, monkeypatch)
    with pytest.raises(NotFound):
        gateway.decide(head, 1, Verdict.ACCEPT)


def test_what_is_erased_while_a_worker_claims_it_is_absent(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    head, call = approved(gateway)
    erased_before(gateway, head, monkeypatch)
    with pytest.raises(NotFound):
        claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w1")


def test_what_is_erased_while_it_is_given_more_time_is_absent(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = gateway.shown(REFUND)
    erased_before(gateway, head, monkeypatch)
    with pytest.raises(NotFound):
        extend(gateway.ports, gateway.maria, call_id(head.pause, 1), head.deadline_ms + 60_000, "lunch")
