"""The pause's next moment on EventBridge Scheduler: made or moved by one and the same request, never in the past, never early."""

from __future__ import annotations

from typing import Any

import pytest

from placet.aws.timers import EARLIEST_MS, Scheduler
from placet.model.errors import Busy
from tests.contract.faults import Answering, refusal

NOW_MS = 1_795_968_000_000


def timer(client: Any, at_ms: int = NOW_MS + 10 * EARLIEST_MS) -> None:
    Scheduler("group", "role", "target", "dlq", "main", lambda: NOW_MS, client).set("p", at_ms)


CONFLICT, ABSENT = refusal("ConflictException"), refusal("ResourceNotFoundException")


@pytest.mark.parametrize(
    ("answers", "verbs"),
    [
        ([{}], ["create_schedule"]),
        ([CONFLICT, {}], ["create_schedule", "update_schedule"]),
        ([CONFLICT, ABSENT, {}], ["create_schedule", "update_schedule", "create_schedule"]),
    ],
)
def test_a_timer_is_made_or_moved_with_the_same_request(answers: list[Any], verbs: list[str]) -> None:
    client = Answering(*answers)
    timer(client)
    assert [method for method, _ in client.requests] == verbs
    assert all(given == client.requests[0][1] for _, given in client.requests)


def test_a_timer_that_is_made_and_deleted_at_once_is_busy() -> None:
    with pytest.raises(Busy):
        timer(Answering(CONFLICT, ABSENT, CONFLICT))


@pytest.mark.parametrize("at_ms", [0, NOW_MS - 1, NOW_MS, NOW_MS + EARLIEST_MS - 1])
def test_a_moment_that_has_passed_is_asked_for_a_minute_later(at_ms: int) -> None:
    client = Answering({})
    timer(client, at_ms)
    assert client.requests[0][1]["ScheduleExpression"] == "at(2026-11-29T16:01:00)"


def test_a_moment_is_never_rounded_down() -> None:
    client = Answering({})
    timer(client, NOW_MS + EARLIEST_MS + 1)
    assert client.requests[0][1]["ScheduleExpression"] == "at(2026-11-29T16:01:01)"
