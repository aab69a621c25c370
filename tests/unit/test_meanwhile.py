"""What others commit between the read and the write of a verb: what is judged by an old record is not written over a new one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from placet.model.errors import Conflict
from placet.model.pauses import call_id
from placet.model.states import PermitState, ResumeState, Verdict
from placet.records.ops import Op
from placet.service import operate
from placet.service.cancel import cancel, supersede
from placet.service.escalate import escalate
from placet.service.execute import claim, outcome
from placet.service.notify import notify
from placet.service.sweep import sweep
from placet.service.went_on import resumed
from tests.gateway import DELETE, REFUND, SUPPORT, Gateway, approved

LEASE_S, HOUR_S = 900, 3_600


class Between:
    """A table on which others are quicker once: just before the first write that sets an attribute to a value."""

    def __init__(self, gateway: Gateway, path: str, value: Any, others: Callable[[Gateway], Any]) -> None:
        self._inner = gateway.table
        self._path, self._value = tuple(path.split(".")), value
        self._others: Callable[[Gateway], Any] | None = others
        self._gateway = replace(gateway)
        gateway.table = self

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def write(self, ops: list[Op]) -> None:
        """Let the others go first, then write."""
        if self._others is not None and any(getattr(op, "set", {}).get(self._path) == self._value for op in ops):
            others, self._others = self._others, None
            others(self._gateway)
        self._inner.write(ops)

    @property
    def met(self) -> bool:
        """Whether the race took place."""
        return self._others is None


def keyed(gateway: Gateway) -> tuple[str, str]:
    """A claimed call of a tool with an idempotency key, whose worker is gone: pause and call."""
    head, call = approved(gateway)
    claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w1")
    gateway.table.items[gateway.keys.head(head.pause)]["calls"]["1"]["takes_key"] = True
    gateway.clock.move(LEASE_S)
    return head.pause, call


@pytest.mark.parametrize("ends", ["resumed", "cancelled"])
def test_an_attempt_that_may_have_acted_is_never_free_on_an_ended_pause(gateway: Gateway, ends: str) -> None:
    pause, call = keyed(gateway)

    def end(others: Gateway) -> None:
        if ends == "resumed":
            resumed(others.ports, SUPPORT, pause)
        else:
            cancel(others.ports, SUPPORT, pause, "the user left")

    race = Between(gateway, "calls.1.permit.state", "free", end)
    sweep(gateway.ports)
    after = gateway.head(pause)
    assert race.met
    assert (after.resume_state, after.calls[0].permit) == (ResumeState.DONE, PermitState.UNKNOWN)
    (entry,) = operate.stuck(gateway.ports)
    assert entry.unknown == (call,)
    with pytest.raises(Conflict, match="Settle it first"):
        operate.repair(gateway.ports, "olga", pause)


def test_a_keyed_permit_is_not_freed_once_the_run_has_ended(gateway: Gateway) -> None:
    pause, _ = keyed(gateway)
    resumed(gateway.ports, SUPPORT, pause)
    sweep(gateway.ports)
    assert gateway.head(pause).calls[0].permit is PermitState.UNKNOWN
    assert [entry.pause for entry in operate.stuck(gateway.ports)] == [pause]


@pytest.mark.parametrize("last", ["decision", "expiry"])
def test_what_becomes_unknown_while_its_pause_closes_is_listed(gateway: Gateway, last: str) -> None:
    head = gateway.shown(REFUND, DELETE)
    gateway.decide(head, 1, Verdict.ACCEPT)
    at = call_id(head.pause, 1)
    claim(gateway.ports, SUPPORT, at, head.calls[0].digest, "w1")
    state = "rejected" if last == "decision" else "expired"
    race = Between(
        gateway,
        "calls.2.state",
        state,
        lambda others: outcome(others.ports, SUPPORT, at, "w1", PermitState.UNKNOWN, "?"),
    )
    if last == "decision":
        gateway.decide(gateway.head(head.pause), 2, Verdict.REJECT)
    else:
        gateway.clock.at_ms = head.calls[1].deadline_ms
        escalate(gateway.ports, head.pause)
    assert race.met
    after = gateway.head(head.pause)
    assert (after.open_calls, after.calls[1].state.value) == (0, state)
    assert [entry.unknown for entry in operate.stuck(gateway.ports)] == [(at,)]


def test_of_two_last_calls_that_close_at_once_the_second_sees_that_it_is_the_last(gateway: Gateway) -> None:
    """Nothing is left to be mended: it stands on its agent's list when the second answer is given."""
    head = gateway.shown(REFUND, DELETE)
    race = Between(gateway, "calls.1.state", "accepted", lambda others: others.decide(head, 2, Verdict.REJECT))
    gateway.decide(head, 1, Verdict.ACCEPT)
    assert race.met
    after = gateway.head(head.pause)
    assert (after.open_calls, after.wpk, after.resume_state) == (0, gateway.keys.out(SUPPORT.name), ResumeState.DUE)


def test_a_call_that_is_asked_for_again_moves_no_deadline_but_its_own(gateway: Gateway) -> None:
    gateway.with_policy(freshness_s=60)
    head = gateway.shown(REFUND, DELETE)
    gateway.decide(head, 1, Verdict.ACCEPT)
    for again in (2, 3):
        gateway.clock.move(HOUR_S)
        with pytest.raises(Conflict, match="reviewed again"):
            claim(gateway.ports, SUPPORT, call_id(head.pause, 1), head.calls[0].digest, "w1")
        notify(gateway.ports, head.pause, again, f"token {again}")
        shown = gateway.head(head.pause)
        assert shown.calls[1].deadline_ms == head.calls[1].deadline_ms
        assert shown.calls[0].deadline_ms == gateway.clock.now_ms() + 1000 * head.calls[0].wait_s
        assert shown.deadline_ms == min(call.deadline_ms for call in shown.calls)
        gateway.decide(shown, 1, Verdict.ACCEPT)


def test_a_call_that_ran_out_while_its_neighbour_was_asked_for_again_expires_and_is_not_given_more_time(
    gateway: Gateway,
) -> None:
    gateway.with_policy(freshness_s=60)
    head = gateway.shown(DELETE, REFUND)
    gateway.decide(head, 2, Verdict.ACCEPT)
    gateway.clock.at_ms = head.calls[0].deadline_ms - 1
    with pytest.raises(Conflict, match="reviewed again"):
        claim(gateway.ports, SUPPORT, call_id(head.pause, 2), head.calls[1].digest, "w1")
    gateway.clock.move(60)
    notify(gateway.ports, head.pause, 2, "token 2")
    assert escalate(gateway.ports, head.pause) == "expired"
    after = gateway.head(head.pause)
    assert [call.state.value for call in after.calls] == ["expired", "pending"]


def test_an_older_pause_that_was_decided_and_resumed_in_between_is_skipped(gateway: Gateway) -> None:
    old = gateway.shown(REFUND, checkpoint="old")
    waits = gateway.shown(REFUND, checkpoint="waits")
    new = gateway.capture(REFUND, checkpoint="new").head

    def ends(others: Gateway) -> None:
        others.decide(old, 1, Verdict.REJECT)
        resumed(others.ports, SUPPORT, old.pause)

    # Whichever is looked at first: the race is about the old one.
    class OldOnly(Between):
        def write(self, ops: list[Op]) -> None:
            if any(op.key == gateway.keys.head(old.pause) for op in ops if hasattr(op, "set")):
                super().write(ops)
            else:
                self._inner.write(ops)

    race = OldOnly(gateway, "cancelled", "asked_again", ends)
    assert supersede(gateway.ports, SUPPORT, "thread-1", new.pause) == [waits.pause]
    assert race.met
    assert gateway.head(old.pause).cancelled == ""


@pytest.mark.parametrize("how", ["taken back", "gone on"])
def test_an_older_pause_stays_when_its_successor_stopped_to_wait_in_between(how: str) -> None:
    gateway = Gateway()
    old = gateway.shown(REFUND, checkpoint="old")
    new = gateway.shown(REFUND, checkpoint="new")

    def stops(others: Gateway) -> None:
        if how == "taken back":
            cancel(others.ports, SUPPORT, new.pause, "the user left")
        else:
            others.decide(new, 1, Verdict.REJECT)
            resumed(others.ports, SUPPORT, new.pause)

    race = Between(gateway, "cancelled", "asked_again", stops)
    assert supersede(gateway.ports, SUPPORT, "thread-1", new.pause) == []
    assert race.met
    after = gateway.head(old.pause)
    assert (after.open_calls, after.cancelled, after.successor) == (1, "", "")


def test_a_pause_that_a_third_one_gave_way_for_in_between_is_closed_once() -> None:
    """The first gives way to the second, which itself gives way to the third meanwhile: that one closes both."""
    gateway = Gateway()
    heads = [gateway.shown(REFUND, checkpoint=name) for name in ("first", "second", "third")]
    first, second, third = (head.pause for head in heads)
    race = Between(
        gateway, "cancelled", "asked_again", lambda others: supersede(others.ports, SUPPORT, "thread-1", third)
    )
    assert supersede(gateway.ports, SUPPORT, "thread-1", second) == []
    assert race.met
    assert [gateway.head(one).successor for one in (first, second)] == [third, third]


def test_an_unknown_that_races_a_repair_stays_listed(gateway: Gateway) -> None:
    head, call = approved(gateway)
    claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w1")
    resumed(gateway.ports, SUPPORT, head.pause)
    item = gateway.table.items[gateway.keys.head(head.pause)]
    item.update(wpk=gateway.keys.stuck(), wsk=1, stuck="resume_failed")
    race = Between(
        gateway,
        "wpk",
        gateway.keys.out(SUPPORT.name),
        lambda others: outcome(others.ports, SUPPORT, call, "w1", PermitState.UNKNOWN, "?"),
    )
    with pytest.raises(Conflict, match="Settle it first"):
        operate.repair(gateway.ports, "olga", head.pause)
    assert race.met
    assert [entry.unknown for entry in operate.stuck(gateway.ports)] == [(call,)]
