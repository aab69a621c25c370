"""The head that capture writes, attribute by attribute: everything that a call has from its class, its pause and its ruling."""

from __future__ import annotations

import json
from typing import Any

import pytest

from placet.model.canonical import digest, parse
from placet.policy import Level, Then, WorkingHours
from placet.policy.classes import LONGEST_MAXIMUM_S
from placet.records import writes
from placet.service.capture import INLINE_GRACE_MS, RETRIES_MARGIN_S
from placet.service.dispatch import Edge, dispatch, start_wait
from tests.gateway import BILLING, DELETE, REFUND, SMALL, Gateway

DENIED = ("drop_table", {"table": "orders"})
HOUR = 3_600
PARENT = f"{'a' * 26}-1"


def head(gateway: Gateway, *calls: Any, **facts: Any) -> dict[str, Any]:
    """The stored head of a captured pause."""
    pause = gateway.capture(*calls, **facts).head.pause
    return dict(gateway.table.items[gateway.keys.head(pause)])


def call(gateway: Gateway, *calls: Any, **facts: Any) -> dict[str, Any]:
    return dict(head(gateway, *calls, **facts)["calls"]["1"])


def test_a_pause_that_waits_for_people(gateway: Gateway) -> None:
    found = head(gateway, REFUND)
    money, now = gateway.policy.classes["money-out"], gateway.clock.now_ms()
    card, body = found.pop("card"), found.pop("body")
    assert card["title"] == "Refund 240.5 for order 1182"
    assert len(body) == 64
    pause = found.pop("pk").rpartition("#")[2]
    assert found == {
        "sk": "HEAD",
        "schema_version": 1,
        "kind": "HEAD",
        "state": "open",
        "open_calls": 1,
        "run": "thread-1",
        "agent": "support-agent",
        "framework": "langchain",
        "owner": "owner@example.com",
        "requester": "elif@example.com",
        "level": 0,
        "gen": 1,
        "epoch": gateway.ports.epoch,
        "timeout_s": money.hard_maximum_s + RETRIES_MARGIN_S,
        "captured_ms": now,
        "resume_state": "not_due",
        "fence": 0,
        "wpk": gateway.keys.new(),
        "wsk": now + writes.NOTIFY_WITHIN_MS,
        "calls": {
            "1": {
                "tool": "issue_refund",
                "state": "pending",
                "rev": 1,
                "digest": digest(parse(json.dumps(REFUND[1]))),
                "class": "money-out",
                "wait_s": 4 * HOUR,
                "quorum": 1,
            }
        },
    }
    assert len(pause) == 26


def test_a_pause_that_passes_is_due_to_its_agent_at_once(gateway: Gateway) -> None:
    found, now = head(gateway, SMALL, requester=""), gateway.clock.now_ms()
    assert (found["state"], found["open_calls"], found["resume_state"]) == ("closed", 0, "due")
    assert (found["wpk"], found["wsk"]) == (gateway.keys.out("support-agent"), now + INLINE_GRACE_MS)
    assert {"requester", "by"} & set(found) == set()
    fresh_ms = 1000 * gateway.policy.classes["money-out"].freshness_s
    assert found["calls"]["1"]["permit"] == {"state": "free", "until_ms": now + fresh_ms}
    assert found["calls"]["1"]["state"] == "passed"


def test_a_pause_waits_as_long_as_the_longest_of_its_classes(gateway: Gateway) -> None:
    classes = gateway.policy.classes
    longest = max(classes["money-out"].hard_maximum_s, classes["general"].hard_maximum_s)
    assert head(gateway, REFUND, DELETE)["timeout_s"] == longest + RETRIES_MARGIN_S


def test_what_a_verb_captured_says_which(gateway: Gateway) -> None:
    assert "by" not in head(gateway, REFUND)


@pytest.mark.parametrize(("asked_s", "wait_s"), [(None, 4 * HOUR), (60, 60), (5 * HOUR, 4 * HOUR)])
def test_an_agent_may_wait_less_and_never_more(gateway: Gateway, asked_s: int | None, wait_s: int) -> None:
    assert call(gateway, REFUND, wait_at_most_s=asked_s)["wait_s"] == wait_s


@pytest.mark.parametrize(("asked_s", "most_s"), [(None, 9 * HOUR), (60, 60), (10 * HOUR, 9 * HOUR)])
def test_what_counts_working_hours_has_an_end_by_the_clock_too(
    gateway: Gateway, asked_s: int | None, most_s: int
) -> None:
    gateway.with_policy(hours=WorkingHours("Europe/Berlin"), hard_maximum_s=9 * HOUR)
    assert call(gateway, REFUND, wait_at_most_s=asked_s)["most_s"] == most_s


def test_a_call_says_only_what_differs_from_the_plain_one(gateway: Gateway) -> None:
    plain = call(gateway, REFUND)
    assert not {"most_s", "then", "votes", "takes_key", "unreadable", "asks", "observed", "sampled", "parent"} & set(
        plain
    )
    assert not {"repeats", "permit"} & set(plain)
    gateway.with_policy(then=Then.REJECT, quorum=2, levels=(Level(("finance",)),))
    other = call(gateway, REFUND, checkpoint="cp-2", parent=PARENT)
    assert {name: other[name] for name in ("then", "votes", "quorum", "parent")} == {
        "then": "reject",
        "votes": {},
        "quorum": 2,
        "parent": PARENT,
    }


def test_an_observed_call_is_never_asked_for_again(gateway: Gateway) -> None:
    gateway.with_policy(observe=True)
    found = call(gateway, REFUND)
    assert (found["observed"], found["state"]) == (True, "passed")
    assert found["permit"]["until_ms"] == gateway.clock.now_ms() + 1000 * LONGEST_MAXIMUM_S


def test_its_wait_is_started_with_what_the_record_says_and_once(gateway: Gateway) -> None:
    found = gateway.capture(REFUND, agent=BILLING).head
    dispatch(gateway.ports, Edge.CAPTURED, found.pause)
    facts = {"tenant": "main", "pause": found.pause, "gen": 1, "timeout_s": found.timeout_s}
    assert gateway.waits.started == {f"{found.pause}-1": facts}
    assert start_wait(gateway.ports, found) is True
    assert len(gateway.waits.started) == 1
