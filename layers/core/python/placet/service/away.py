"""away and back: a person says when they are not here and who decides in their place; nothing else follows from it by itself."""

from __future__ import annotations

from dataclasses import replace

from placet.model.absences import LONGEST_MS, MOST_STEPS, MOST_STOOD_IN_FOR, Absence
from placet.model.errors import Invalid, NotFound
from placet.model.pauses import Reviewer
from placet.records import writes
from placet.service import members
from placet.service.absences import absences
from placet.service.ports import Ports


def away(ports: Ports, person: Reviewer, from_ms: int, until_ms: int, delegate: str, by: str) -> Absence:
    """Write down that a person is away, in place of what was written before.

    Args:
        delegate: `sub` of who decides in their place; empty for nobody.
        by: who writes it down: the person's own `sub`, or an operator.

    Raises as `judged`.
    """
    absence = judged(ports, person, from_ms, until_ms, delegate, by)
    ports.table.write(writes.put_absence(ports.keys, absence, ports.clock.now_ms()))
    ports.log("away", {"by": by, "until_ms": until_ms, "delegated": bool(delegate)})
    return absence


def judged(ports: Ports, person: Reviewer, from_ms: int, until_ms: int, delegate: str, by: str) -> Absence:
    """The absence as it would be written down. Changes nothing.

    Raises:
        NotFound: the person belongs to no group.
        Invalid: `absence_over`, `absence_too_long`, `delegate_unknown`, `delegates_in_circle`, `delegates_too_many`,
            `delegate_full`.
    """
    if not person.groups:
        raise NotFound
    if until_ms <= max(from_ms, ports.clock.now_ms()):
        raise Invalid("absence_over", "An absence ends after it begins, and later than now.")
    if until_ms - from_ms > LONGEST_MS:
        raise Invalid("absence_too_long", "An absence has at most 366 days.", longest_ms=LONGEST_MS)
    named = members.reviewer(ports, delegate) if delegate else None
    if named is not None and not named.groups:
        raise Invalid("delegate_unknown", "The delegate belongs to no group of reviewers.")
    absence = Absence(person.sub, person.name, from_ms, until_ms, delegate, named.name if named else "", by)
    known = absences(ports)
    if delegate and known.circle(absence):
        raise Invalid("delegates_in_circle", f"{absence.delegate_name} would lead back to {person.name}.")
    if delegate and known.length(absence) > MOST_STEPS:
        raise Invalid(
            "delegates_too_many",
            f"A right is handed on at most {MOST_STEPS} times, one after the other.",
            limit=MOST_STEPS,
        )
    if delegate and known.load(absence) > MOST_STOOD_IN_FOR:
        says = f"{absence.delegate_name}, or whom they named, would stand in for more than {MOST_STOOD_IN_FOR} people."
        raise Invalid("delegate_full", says, limit=MOST_STOOD_IN_FOR)
    return absence


def back(ports: Ports, person: Reviewer, by: str) -> Absence:
    """Withdraw what a person's absence says, from this moment on; again is the same. Raises NotFound for who is no reviewer."""
    if not person.groups:
        raise NotFound
    now = ports.clock.now_ms()
    known = absences(ports).known.get(person.sub)
    if known is None:
        return Absence(person.sub, person.name, now, now, "", "", by)
    over = replace(known, from_ms=min(known.from_ms, now), until_ms=now, by=by)
    ports.table.write(writes.put_absence(ports.keys, over, now))
    ports.log("back", {"by": by})
    return over
