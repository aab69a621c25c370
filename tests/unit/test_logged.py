"""What the log says of what people and records did: alarms and operators read these names and facts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from placet.model.errors import Conflict
from placet.model.pauses import call_id
from placet.policy import Level, Undo
from placet.service.asking_undo import ask_undo_as_reviewer
from placet.service.away import away, back
from placet.service.members import reviewer
from placet.service.reassign import reassign
from placet.service.sweep import sweep
from placet.service.work_lists import every_list
from tests.gateway import REFUND, Gateway
from tests.undoing import CANCEL, Desk

HOUR = 3_600_000


@pytest.mark.parametrize("delegate", ["", "maria"])
def test_who_is_away_and_back_is_logged_without_saying_where(gateway: Gateway, delegate: str) -> None:
    jonas = reviewer(gateway.ports, "jonas")
    now = gateway.clock.now_ms()
    gateway.log.clear()
    found = away(gateway.ports, jonas, now - 1, now + HOUR, delegate, "ops/olga")
    assert (found.from_ms, found.until_ms, found.by) == (now - 1, now + HOUR, "ops/olga")
    assert gateway.log == [("away", {"by": "ops/olga", "until_ms": now + HOUR, "delegated": bool(delegate)})]
    gateway.log.clear()
    over = back(gateway.ports, jonas, "jonas")
    assert (over.from_ms, over.until_ms, over.by, over.delegate) == (now - 1, now, "jonas", delegate)
    assert gateway.log == [("back", {"by": "jonas"})]
    gateway.log.clear()
    again = back(gateway.ports, jonas, "jonas")
    assert (again.sub, again.from_ms, again.until_ms, again.delegate) == ("jonas", now, now, "")
    assert gateway.log == [], "there was nothing to withdraw"


@pytest.mark.parametrize(("to", "to_group"), [({"group": "approvers"}, True), ({"to": "ana"}, False)])
def test_that_a_call_was_handed_on_is_logged_and_not_to_whom(
    gateway: Gateway, to: dict[str, str], to_group: bool
) -> None:
    gateway.with_policy(levels=(Level(("finance",)), Level(("approvers",), 3600)))
    gateway.person("ana", "Ana Lima", "approvers")
    head = gateway.shown(REFUND)
    gateway.log.clear()
    reassign(gateway.ports, gateway.maria, call_id(head.pause, 1), **to)
    assert gateway.log == [("reassigned", {"call": call_id(head.pause, 1), "to_group": to_group})]


def test_that_an_undo_was_proposed_is_logged_with_both_pauses() -> None:
    desk = Desk()
    call = desk.ran()
    desk.log.clear()
    found = ask_undo_as_reviewer(desk.ports, desk.maria, call)
    assert ("undo_proposed", {"pause": call.rpartition("-")[0], "call": 1, "by": found.pause}) in desk.log


@dataclass(frozen=True)
class Raising(Undo):
    """A policy's own code that fails."""

    def call(self, arguments: Any, outcome: Any) -> Any:
        """Never a call."""
        raise LookupError(arguments)


def test_a_policy_whose_undo_fails_is_logged_without_what_it_said() -> None:
    desk = Desk()
    call = desk.ran()
    desk.tools(Raising("cancel_refund", {}), CANCEL)
    desk.log.clear()
    with pytest.raises(Conflict) as caught:
        ask_undo_as_reviewer(desk.ports, desk.maria, call)
    assert caught.value.code == "undo_not_made"
    told = {"pause": call.rpartition("-")[0], "call": 1, "error": "LookupError"}
    assert ("undo_not_made", told) in desk.log


def test_a_name_that_is_no_list_is_logged_and_no_list(gateway: Gateway) -> None:
    gateway.log.clear()
    lists = every_list(gateway.ports, ["no list at all"])
    assert gateway.log == [("unreadable", {"what": "name of a work list", "list": "no list at all"})]
    assert lists == every_list(gateway.ports, [])


def test_the_line_of_a_sweep_says_what_it_did(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.clock.at_ms = head.deadline_ms + 120_000
    gateway.log.clear()
    swept = sweep(gateway.ports)
    assert swept.expired == 1
    (facts,) = [facts for name, facts in gateway.log if name == "swept"]
    assert facts == vars(swept)
    assert {name for name, value in facts.items() if value} == {"expired"}
