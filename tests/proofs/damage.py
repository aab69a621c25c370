"""Damage: every kind of stored item, hurt in every way, beside healthy pauses in every state; nothing hurt stops another.

Everybody works through the real handlers until the healthy pauses have ended; the hurt one has ended as well, or is listed once.
Then its item is put back, and `placet repair` brings it to its end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from placet.records.keys import Key
from placet.service import operate
from tests.gateway import Gateway
from tests.proofs import Proof, Size
from tests.proofs.hurting import damages, turns
from tests.proofs.hurting.crew import Crew
from tests.proofs.hurting.scene import STATES, Case, Outcome, play, put_back, wired

QUICK, ONE_BY_ONE = 2, 100  # damages of a kind at quick size; attributes one by one at full size
KINDS = (
    "HEAD",
    "BODY",
    "REVISION",
    "ANSWER",
    "EVENT",
    "TOKEN",
    "MEMBER",
    "GROUP_MEMBER",
    "SESSION",
    "FREEZE",
    "TEXT",
    "RUN",
    "CONTROL",
    "COMPLETION",
    "LIST",
    "FIND",
)
# Where an item of the kind is in use, and whether its pause cannot end without it.
STATES_OF: dict[str, tuple[str, ...]] = {
    "HEAD": tuple(STATES),
    "BODY": ("new", "queue", "accepted", "called", "rejected", "edited", "passed"),
    "REVISION": ("edited",),
    "ANSWER": ("answered",),
    "EVENT": ("accepted", "rejected", "called", "edited"),
    "TOKEN": ("queue", "accepted"),
    "MEMBER": ("queue",),
    "GROUP_MEMBER": ("new",),
    "SESSION": ("queue",),
    "FREEZE": ("queue", "accepted"),
    "TEXT": ("long",),
    "LIST": ("new", "queue", "called"),
    "FIND": ("new", "queue", "accepted"),
}
HARMLESS = ("EVENT", "TOKEN", "MEMBER", "GROUP_MEMBER", "SESSION", "FREEZE", "COMPLETION", "LIST", "FIND")


def prove(say: Callable[[str], None], size: Size) -> Proof:
    """Every case, or a few of each kind."""
    draw = Random(size.seed)  # noqa: S311 - a seed has to repeat
    found: list[tuple[Case, Outcome]] = []
    for kind in KINDS:
        made = list(cases(kind, draw, 6 if size.quick else ONE_BY_ONE))
        chosen = draw.sample(made, min(QUICK, len(made))) if size.quick else made
        found += [(case, turns.play(case) if kind in turns.KINDS else play(case, hurts)) for case in chosen]
        say(f"damage: {kind}: {len(chosen)} of {len(made)} cases played")
    return judged(found)


def cases(kind: str, draw: Random, most: int) -> Iterator[Case]:
    """Every damage of one kind in every state of its pause."""
    for state in turns.STATES_OF.get(kind, STATES_OF.get(kind, ())):
        for name, hurt in ways(kind, state, draw, most).items():
            yield Case(kind, state, name, hurt, kind not in HARMLESS)


def ways(kind: str, state: str, draw: Random, most: int) -> dict[str, Any]:
    """The damages of an item of one kind."""
    if kind == "TEXT":
        return dict(damages.BUCKET)
    if kind in turns.KINDS:
        return {**damages.ALWAYS, **(damages.TEXTS if kind != "RUN" else {})}
    gateway = Gateway()
    with wired(gateway):
        pause = STATES[state](gateway, "hurt")
        item = gateway.table.items[keys_of(gateway, Crew(gateway), pause, kind)[0]]
    texts = damages.TEXTS if kind in ("BODY", "REVISION", "ANSWER") else {}
    return {**damages.ALWAYS, **texts, **damages.one_by_one(item, draw, most)}


def keys_of(gateway: Gateway, crew: Crew, pause: str, kind: str) -> list[Key]:
    """The items of one kind that a pause and its people need."""
    if kind == "SESSION":
        crew.page("review", "GET /inbox")
    if kind == "FREEZE":
        operate.freeze(gateway.ports, "olga", "restore")
        operate.thaw(gateway.ports, "olga")
    of_people = {"MEMBER": gateway.keys.person("jonas"), "GROUP_MEMBER": None}
    found = [key for key, item in gateway.table.items.items() if item.get("kind") == kind]
    if kind in of_people:
        return [key for key in found if "jonas" in key.pk + key.sk]
    if kind == "LIST":  # as a sweep leaves them that had to stop at this pause
        for key in found:
            gateway.table.items[key] |= {"swept_ms": gateway.clock.at_ms, "swept_pause": pause}
    return [key for key in found if kind in ("SESSION", "FREEZE", "LIST") or f"#{pause}" in key.pk + key.sk]


def hurts(gateway: Gateway, crew: Crew, pause: str, case: Case) -> Callable[[], None]:
    """Hurt the items of a case; gives back what mends them."""
    if case.kind == "TEXT":
        return _hurts_text(gateway, pause, case)
    keys = keys_of(gateway, crew, pause, case.kind)
    mends = [put_back(gateway, key) for key in keys]
    for key in keys:
        hurt = case.hurt(gateway.table.items[key])
        if hurt is None:
            del gateway.table.items[key]
        else:
            gateway.table.items[key] = hurt
    return lambda: [mend() for mend in mends] and None


def _hurts_text(gateway: Gateway, pause: str, case: Case) -> Callable[[], None]:
    name = next(one for one in gateway.bodies.texts if f"/{pause}/" in one)
    before = gateway.bodies.texts[name]
    hurt: Any = case.hurt(before)  # type: ignore[arg-type]
    if hurt is None:
        del gateway.bodies.texts[name]
    else:
        gateway.bodies.texts[name] = hurt
    return lambda: gateway.bodies.put(name, before)


def judged(found: list[tuple[Case, Outcome]]) -> Proof:
    """The figures, and what makes the proof fail."""
    violations, listed = [], Counter[str]()
    played = Counter(case.kind for case, _ in found)
    for case, outcome in found:
        at = f"{case.kind} of {case.state}, {case.damage}"
        listed[case.kind] += outcome.listed
        violations += [f"{at}: {what}" for what in (*outcome.stopped, *outcome.unlisted, *outcome.errors)]
        if outcome.alarms > (1 + (case.state in ("stuck", "claimed")) + ("version 3" in case.damage)):
            violations.append(f"{at}: it rang {outcome.alarms} times")
        if outcome.listed and not case.vital:
            violations.append(f"{at}: it is listed, and could do without")
        if outcome.listed and not outcome.repaired:
            violations.append(f"{at}: it was not brought to its end when its item was back")
    violations += [f"{kind} was never hurt" for kind in KINDS if not played[kind]]
    violations += [f"{kind} was never listed" for kind in ("HEAD", "BODY", "REVISION", "TEXT") if not listed[kind]]
    figures = {
        "kinds": len(played),
        "items": len(found),
        "listed": sum(listed.values()),
        "others_stopped": sum(bool(outcome.stopped) for _, outcome in found),
        "unlisted": sum(bool(outcome.unlisted) for _, outcome in found),
        "server_errors": sum(sum(outcome.errors.values()) for _, outcome in found),
    }
    codes = sorted({code for _, outcome in found for code in outcome.codes})
    rows = [f"{kind:<14} {played[kind]:>6} hurt {listed[kind]:>6} listed" for kind in played]
    return Proof("damage", "\n".join([*rows, "told: " + ", ".join(codes)]), figures, violations)
