"""The policy of the quarter, and who is in which group."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time

from placet.policy import ActionClass, Always, Level, Policy, Then, Tool, WorkingHours

HOUR, DAY = 3_600, 86_400
BEGINS_MS = int(datetime(2026, 10, 1, tzinfo=UTC).timestamp()) * 1000
DAYS = 92
# Berlin's clock is changed on 25 October, New York's on 1 November.
BERLIN = WorkingHours("Europe/Berlin", holidays=frozenset({date(2026, 12, 24), date(2026, 12, 25), date(2026, 10, 30)}))
NEW_YORK = WorkingHours("America/New_York", time(8, 30), time(18), holidays=frozenset({date(2026, 11, 26)}))

_SPANS = {"hard_maximum_s": 30 * DAY, "freshness_s": DAY}
CLASSES = [
    ActionClass("plain", (Level(("desk",)),), 6 * HOUR, **_SPANS, remind_after_s=(2 * HOUR,)),
    ActionClass(
        "ladder",
        (Level(("desk",)), Level(("leads",), 4 * HOUR), Level(("board",), DAY)),
        2 * DAY,
        **_SPANS,
        remind_after_s=(2 * HOUR, 4 * HOUR, 30 * HOUR),
    ),
    ActionClass(
        "office",
        (Level(("desk",)), Level(("leads",), 10 * HOUR)),
        20 * HOUR,
        **_SPANS,
        remind_after_s=(4 * HOUR, 12 * HOUR),
        hours=BERLIN,
    ),
    ActionClass(
        "abroad",
        (Level(("floor",)), Level(("leads",), 5 * HOUR)),
        12 * HOUR,
        **_SPANS,
        remind_after_s=(3 * HOUR,),
        then=Then.REJECT,
        hours=NEW_YORK,
    ),
    ActionClass(
        "pair",
        (Level(("floor",)), Level(("board",), 8 * HOUR)),
        DAY,
        **_SPANS,
        quorum=2,
        remind_after_s=(3 * HOUR, 10 * HOUR),
    ),
]
NAMES = tuple(one.name for one in CLASSES)
TOOLS = [Tool(f"do_{name}", name, rules=(Always(f"{name}/always", "Always looked at."),)) for name in NAMES]
POLICY = Policy.of("quarter.1", CLASSES, TOOLS, "plain")

GROUPS: dict[str, tuple[str, ...]] = {
    "desk": ("ada", "ben", "cem"),
    "floor": ("dia", "eli", "fay"),
    "leads": ("gus", "hal"),
    "board": ("ivy", "jon", "kim"),
}
EVERYBODY = tuple(sub for subs in GROUPS.values() for sub in subs)


def deployed(policy: Policy) -> Policy:
    """What a deploy makes of the spans of every class: nothing that is shown already moves by it."""
    classes = {
        name: replace(one, deadline_s=one.deadline_s + HOUR, remind_after_s=tuple(s + 600 for s in one.remind_after_s))
        for name, one in policy.classes.items()
    }
    return replace(policy, version=f"{policy.version}+", classes=classes)
