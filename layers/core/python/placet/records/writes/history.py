"""How long people took, counted by class and day."""

from __future__ import annotations

from placet.records.history import key_of_day, step_of
from placet.records.keys import SCHEMA_VERSION, Keys
from placet.records.ops import Op, update

KEPT_S = 35 * 86_400


def count_wait(keys: Keys, action_class: str, seconds: float, now_ms: int) -> list[Op]:
    """One more pause of this class that people decided. No clause: a count that comes twice moves a median by nothing."""
    item = {"schema_version": SCHEMA_VERSION, "kind": "WAITED", "ttl": now_ms // 1000 + KEPT_S}
    return [update(key_of_day(keys, action_class, now_ms), [], set=item, add={f"b{step_of(seconds)}": 1})]
