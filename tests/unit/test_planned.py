"""The moments that a call gets when it becomes visible: none of them after its deadline, and none on it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from placet.policy import Level
from placet.service.plan import planned
from tests.gateway import REFUND, Gateway


@pytest.mark.parametrize(
    ("wait_s", "reminds", "widens"), [(59, 0, 0), (60, 0, 0), (61, 1, 0), (120, 1, 0), (121, 2, 1)]
)
def test_what_would_come_at_the_deadline_or_after_it_never_does(
    gateway: Gateway, wait_s: int, reminds: int, widens: int
) -> None:
    levels = (Level(("finance",)), Level(("leads",), 120))
    gateway.with_policy(levels=levels, remind_after_s=(60, 120))
    money = gateway.policy.classes["money-out"]
    call = replace(gateway.capture(REFUND).head.calls[0], wait_s=wait_s)
    found = planned(call, money, 0, 1_000)
    assert found.deadline_ms == 1_000 + 1_000 * wait_s
    assert found.remind_ms == (61_000, 121_000)[:reminds]
    assert found.levels_ms == (121_000,)[:widens]
    gone = planned(call, None, 1, 1_000)
    assert (gone.deadline_ms, gone.remind_ms, gone.levels_ms, gone.level) == (found.deadline_ms, (), (), 1)
