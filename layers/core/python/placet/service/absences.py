"""Who is away now, and for whom one person stands in: read anew for each request, from one partition."""

from __future__ import annotations

from dataclasses import dataclass

from placet.model.absences import Absence, Absences, InPlaceOf
from placet.model.pauses import Reviewer
from placet.records.absences import read_absence
from placet.service import members
from placet.service.loading import readable
from placet.service.ports import Ports


@dataclass(frozen=True)
class StoodInFor:
    """Somebody who is away, with the groups of this moment, and the way on which their right came to another person."""

    person: Reviewer
    place: InPlaceOf


def absences(ports: Ports) -> Absences:
    """Everybody who is away or will be. An absence that cannot be read is none: then nobody stands in by it."""
    stored = ports.table.query(ports.keys.absences())
    return Absences(readable(ports, stored, read_absence), ports.clock.now_ms())


def stood_in_for(ports: Ports, reviewer: Reviewer, known: Absences | None = None) -> tuple[StoodInFor, ...]:
    """The people in whose place a reviewer may decide now. Who belongs to no group stands in for nobody, and hands on nothing."""
    if not reviewer.groups:
        return ()
    away = known or absences(ports)
    people: dict[str, Reviewer] = {reviewer.sub: reviewer}
    found = (_stood_in_for(ports, way, reviewer, people) for way in away.ways_to(reviewer.sub))
    return tuple(one for one in found if one is not None)


def _stood_in_for(
    ports: Ports, way: tuple[Absence, ...], reviewer: Reviewer, people: dict[str, Reviewer]
) -> StoodInFor | None:
    for absence in way:
        if absence.sub not in people:
            people[absence.sub] = members.reviewer(ports, absence.sub)
    first, *named = (people[sub] for sub in (*(one.sub for one in way), reviewer.sub))
    if not all(person.groups for person in (first, *named)):
        return None
    return StoodInFor(
        first,
        InPlaceOf(
            sub=first.sub,
            name=first.name,
            steps=tuple((one.sub, one.delegate) for one in way),
            members=tuple((person.sub, person.membership(min(person.groups))) for person in named),
            names=frozenset().union(*(person.names for person in (first, *named))),
        ),
    )


def reach(ports: Ports, reviewer: Reviewer) -> frozenset[str]:
    """The groups whose queues a person reads: their own, and those of everybody in whose place they may decide."""
    return reviewer.groups.union(*(one.person.groups for one in stood_in_for(ports, reviewer)))
