"""That somebody is away, and that they are back."""

from __future__ import annotations

from placet.model.absences import Absence
from placet.records.keys import SCHEMA_VERSION, Keys
from placet.records.ops import Op, Put

KEPT_S = 90 * 86_400  # after its end; `ttl` only cleans up, `until_ms` is what holds


def put_absence(keys: Keys, absence: Absence, now_ms: int) -> list[Op]:
    """An absence in place of any other of the same person. One that is withdrawn is written with its end in the past.

    What it was judged by (no circle, no long way) is no clause: whoever reads absences follows no circle and no long way.
    """
    item = {
        **keys.absence(absence.sub)._asdict(),
        "schema_version": SCHEMA_VERSION,
        "kind": "ABSENCE",
        "name": absence.name,
        "from_ms": absence.from_ms,
        "until_ms": absence.until_ms,
        "by": absence.by,
        "at_ms": now_ms,
        "ttl": absence.until_ms // 1000 + KEPT_S,
    }
    if absence.delegate:
        item |= {"delegate": absence.delegate, "delegate_name": absence.delegate_name}
    return [Put(item)]
