"""A pause is listed as stuck by the head that was judged: what got on between that read and the write stays where it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from unittest import mock

import pytest

from placet.model.errors import Conflict
from placet.model.registry import Registry
from placet.records.heads import Head
from placet.records.keys import Key
from placet.records.ops import Item
from placet.service import operate, stuck
from placet.service.escalate import escalate
from placet.service.execute import claim
from placet.service.loading import head_of
from placet.service.lost_wait import lost_wait
from placet.service.notify import notify
from placet.service.ports import Ports
from placet.service.resume import resume
from placet.service.sweep import PATIENCE_MS, sweep
from tests.gateway import BILLING, DELETE, REFUND, SUPPORT, Gateway, approved, without_class

TOO_OLD_S = 40 * 24 * 3_600


class Seen:
    """A table on which others are quicker once: just after the head of a pause was read."""

    def __init__(self, gateway: Gateway, pause: str, others: Callable[[], Any]) -> None:
        self._inner = gateway.table
        self._key = gateway.keys.head(pause)
        self._others: Callable[[], Any] | None = others
        gateway.table = self

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def get(self, key: Key) -> Item | None:
        """One item, as it was before the others wrote."""
        found: Item | None = self._inner.get(key)
        self._after([key])
        return found

    def get_many(self, keys: list[Key]) -> dict[Key, Item]:
        """As `get`."""
        found: dict[Key, Item] = self._inner.get_many(keys)
        self._after(keys)
        return found

    def _after(self, keys: list[Key]) -> None:
        if self._key in keys and self._others is not None:
            others, self._others = self._others, None
            others()

    @property
    def met(self) -> bool:
        """Whether the race took place."""
        return self._others is None


@dataclass
class Judged:
    """A pause that one verb is about to list.

    Attributes:
        others: what gets it on at that moment.
        lists: the verb.
        where: the modules whose `list_stuck` it calls.
    """

    gateway: Gateway
    head: Head
    others: Callable[[], Any]
    lists: Callable[[], Any]
    where: str = "sweep"

    def plays(self) -> str:
        """The reason under which it is listed in the end; empty when it is not."""
        race = Seen(self.gateway, self.head.pause, self.others)
        self.lists()
        assert race.met
        return self.gateway.head(self.head.pause).stuck


def _asked_again(gateway: Gateway, head: Head, call: str) -> None:
    with pytest.raises(Conflict, match="too old"):
        claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w1")


def _nobody_came(gateway: Gateway) -> Judged:
    head, call = approved(gateway)
    gateway.clock.move(TOO_OLD_S)
    return Judged(gateway, head, lambda: _asked_again(gateway, head, call), lambda: sweep(gateway.ports))


def _nobody_came_before_the_repair(gateway: Gateway) -> Judged:
    head, _ = approved(gateway)
    gateway.clock.move(PATIENCE_MS / 1_000 + 1)

    def repaired() -> None:
        stuck.list_stuck(gateway.ports, head, "not_picked_up")
        gateway.clock.move(1)
        operate.repair(gateway.ports, "ops/olga", head.pause)

    return Judged(gateway, head, repaired, lambda: sweep(gateway.ports))


def _its_class_is_gone(gateway: Gateway) -> Judged:
    head = gateway.shown(DELETE)
    gateway.policy = without_class(gateway.policy, "general")
    gateway.clock.at_ms = head.deadline_ms
    return Judged(gateway, head, lambda: escalate(gateway.ports, head.pause), lambda: sweep(gateway.ports))


def _its_group_is_empty(gateway: Gateway) -> Judged:
    head, items = gateway.shown(REFUND), gateway.table.items
    for key in [key for key in items if key.pk == gateway.keys.group("finance")]:
        del items[key]
    gateway.clock.at_ms = head.deadline_ms
    return Judged(gateway, head, lambda: escalate(gateway.ports, head.pause), lambda: sweep(gateway.ports))


def _its_agent_is_gone(gateway: Gateway) -> Judged:
    head, call = approved(gateway)
    gateway.clock.move(TOO_OLD_S)

    def lists() -> None:
        sweep(replace(gateway.ports, registry=Registry((BILLING,))))

    return Judged(gateway, head, lambda: _asked_again(gateway, head, call), lists)


def _its_agent_is_gone_when_it_is_resumed(gateway: Gateway) -> Judged:
    made = _its_agent_is_gone(gateway)
    made.lists = lambda: resume(replace(gateway.ports, registry=Registry((BILLING,))), made.head.pause)
    made.where = "resume"
    return made


def _its_wait_failed_before_it_was_shown(gateway: Gateway) -> Judged:
    head = gateway.capture(REFUND).head

    def lists() -> None:
        assert lost_wait(gateway.ports, head.pause, "wait_failed", head.gen) in ("visible", "listed")

    return Judged(gateway, head, lambda: notify(gateway.ports, head.pause, 1, "token"), lists, "lost_wait")


RACES = (
    _nobody_came,
    _nobody_came_before_the_repair,
    _its_class_is_gone,
    _its_group_is_empty,
    _its_agent_is_gone,
    _its_agent_is_gone_when_it_is_resumed,
    _its_wait_failed_before_it_was_shown,
)
races = pytest.mark.parametrize("race", RACES, ids=[race.__name__[1:] for race in RACES])


@races
def test_a_pause_that_got_on_is_not_listed(gateway: Gateway, race: Callable[[Gateway], Judged]) -> None:
    assert race(gateway).plays() == ""


@races
def test_a_head_that_is_read_again_is_another_than_was_judged(
    gateway: Gateway, race: Callable[[Gateway], Judged]
) -> None:
    """The planted bug: the write found what it was judged by, because it was judged by nothing."""
    made = race(gateway)

    def lists_what_it_finds(ports: Ports, head: Head, reason: str) -> bool:
        return stuck.list_stuck(ports, head_of(ports, head.pause), reason)

    with mock.patch(f"placet.service.{made.where}.list_stuck", lists_what_it_finds):
        assert made.plays() != ""


def test_a_pause_keeps_the_reason_under_which_it_was_listed_first(gateway: Gateway) -> None:
    head, _ = approved(gateway)
    assert stuck.list_stuck(gateway.ports, head, "not_picked_up")
    listed = gateway.head(head.pause)
    assert not stuck.list_stuck(gateway.ports, listed, "agent_gone")
    assert resume(replace(gateway.ports, registry=Registry((BILLING,))), head.pause) == "listed"
    assert lost_wait(gateway.ports, head.pause, "resume_failed", head.gen) == "listed"
    assert gateway.head(head.pause).stuck == "not_picked_up"
