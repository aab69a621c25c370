"""What the attempt that ran a call reported, read from the events of its pause."""

from __future__ import annotations

from placet.records.facts import NOTHING, Fact
from placet.records.heads import Head
from placet.service.loading import fact_of
from placet.service.ports import Ports


def outcome_told(ports: Ports, head: Head, number: int, permit: str) -> Fact:
    """The event in which a permit was settled; an empty one where none tells it."""
    # The first release kept every outcome under `executed`.
    facts = (fact_of(ports, head.pause, f"{number}#{fact}") for fact in (permit, "executed"))
    return next((fact for fact in facts if fact.name), NOTHING)


def result_of(ports: Ports, head: Head, number: int, permit: str) -> str:
    """What the attempt that settled a permit reported."""
    return outcome_told(ports, head, number, permit).result
