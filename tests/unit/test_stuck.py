"""What operators see of what is stuck: its reason, what that means, and the command that mends it."""

from __future__ import annotations

from typing import Any

import pytest

from placet.model.errors import Damaged, Invalid
from placet.model.states import PermitState
from placet.service import operate
from placet.service.operate import REASONS, Stuck, stuck
from tests.gateway import REFUND, Gateway
from tests.unit.listing import OLGA, listed, unknown


def rows(gateway: Gateway, **more: Any) -> list[Stuck]:
    return list(stuck(gateway.ports, **more))


def test_what_is_stuck_says_what_it_means_and_what_repairs_it(gateway: Gateway) -> None:
    head = listed(gateway, gateway.shown(REFUND), "wait_failed")
    assert rows(gateway) == [
        Stuck(
            pause=head.pause,
            reason="wait_failed",
            means="The wait ended without a decision.",
            repair=f"placet repair {head.pause}",
            since_ms=gateway.clock.now_ms(),
            agent="support-agent",
            title="Refund 240.5 for order 1182",
            unknown=(),
        )
    ]


def test_an_unknown_call_is_named_with_the_command_that_settles_it(gateway: Gateway) -> None:
    head, call = unknown(gateway)
    (row,) = rows(gateway)
    assert (row.reason, row.unknown) == ("permit_unknown", (call,))
    assert row.repair == f"placet settle {call} --done|--failed --evidence …"
    operate.reconcile(gateway.ports, OLGA, call, PermitState.DONE, "seen")
    if gateway.head(head.pause).stuck:
        assert rows(gateway)[0].repair == f"placet repair {head.pause}"


def test_a_reason_of_a_later_release_stands_for_itself(gateway: Gateway) -> None:
    head = listed(gateway, gateway.shown(REFUND), "of_tomorrow")
    (row,) = rows(gateway)
    assert (row.reason, row.means, row.repair) == ("of_tomorrow", "of_tomorrow", f"placet repair {head.pause}")


@pytest.mark.parametrize(("changes", "agent"), [({}, "support-agent"), ({"agent": 7}, ""), ({"agent": None}, "")])
def test_a_pause_that_cannot_be_read_is_listed_by_its_entry(changes: dict[str, Any], agent: str) -> None:
    gateway = Gateway()  # whose lists are never behind: what is damaged is the entry as well
    head = listed(gateway, gateway.shown(REFUND), "wait_failed")
    gateway.table.items[gateway.keys.head(head.pause)].update(schema_version=99, **changes)
    (row,) = rows(gateway)
    assert (row.pause, row.reason, row.agent, row.unknown) == (head.pause, "parked", agent, ())
    assert (row.means, row.repair) == (REASONS["parked"][0], REASONS["parked"][1].format(pause=head.pause))
    assert row.since_ms == gateway.clock.now_ms()
    assert row.title


def test_the_oldest_stands_first_and_pages_follow_each_other(gateway: Gateway) -> None:
    made = []
    for number in range(3):
        made.append(listed(gateway, gateway.shown(REFUND, checkpoint=f"cp-{number}"), "wait_failed").pause)
        gateway.clock.move(1)
    page = stuck(gateway.ports, limit=2)
    assert [row.pause for row in page] == made[:2]
    rest = stuck(gateway.ports, limit=2, after=page.next)
    assert ([row.pause for row in rest], rest.next) == (made[2:], "")
    with pytest.raises(Invalid):
        stuck(gateway.ports, after="x")


def test_what_left_the_list_while_the_index_lags_is_not_shown(gateway: Gateway) -> None:
    head = listed(gateway, gateway.shown(REFUND), "wait_failed")
    del gateway.table.items[gateway.keys.head(head.pause)]["stuck"]
    assert rows(gateway) == []


SETTLES = "placet settle {call} --done|--failed --evidence …"


@pytest.mark.parametrize("reason", ["too_few_people", "group_empty"])
def test_what_waits_for_people_says_that_who_is_away_may_decide(gateway: Gateway, reason: str) -> None:
    head, _ = unknown(gateway)
    gateway.table.items[gateway.keys.head(head.pause)]["stuck"] = reason
    (row,) = rows(gateway)
    assert row.means.endswith("Who is away may still decide.")


@pytest.mark.parametrize(
    ("reason", "does"),
    [
        ("wait_failed", "placet repair {pause}"),
        ("resume_failed", "placet repair {pause}"),
        ("resume_unknown", "placet repair {pause}"),
        ("not_picked_up", "placet repair {pause}"),
        ("delivery_refused", "placet repair {pause}"),
        ("not_proposed", "placet repair {pause}"),
        ("framework_differs", "put its framework back"),
        ("no_executor", "name the executor again"),
        ("parked", "deploy that release"),
        ("damaged", "restore the record"),
        ("agent_gone", "put its agent back"),
        ("class_gone", "put the class back"),
        ("too_few_people", "add somebody to one of them"),
        ("group_empty", "add somebody to one of them"),
        ("permit_unknown", SETTLES),
        ("cancelled_while_claimed", SETTLES),
        ("restored_permits", SETTLES),
    ],
)
def test_every_reason_says_what_it_means_and_what_an_operator_does(gateway: Gateway, reason: str, does: str) -> None:
    head, call = unknown(gateway)
    gateway.table.items[gateway.keys.head(head.pause)]["stuck"] = reason
    (row,) = rows(gateway)
    assert row.means.endswith(".")
    assert row.repair.startswith(does.format(pause=head.pause, call=call))


def test_no_reason_is_without_its_command() -> None:
    assert len(REASONS) == 17


def test_an_entry_without_a_moment_stands_at_the_beginning_of_time(gateway: Gateway) -> None:
    entry = {"agent": "support-agent", "wsk": "soon"}
    assert operate._unread(entry, Damaged("card").of("p-1")).since_ms == 0
