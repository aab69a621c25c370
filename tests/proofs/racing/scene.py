"""Setting up the pauses of a race, and reading from the table what came of them."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass, field, replace
from typing import Any

from local.ports import MemoryIds, MemoryMail, MemoryWaits
from placet.frameworks import adapter_of
from placet.model.canonical import digest, exact_text, parse
from placet.model.pauses import Capture, Reviewer, call_id
from placet.model.states import Verdict
from placet.records.heads import Head, as_written
from placet.records.ops import Item
from placet.service import members
from placet.service.capture import capture
from placet.service.decide import Decision
from placet.service.notify import notify
from placet.service.ports import Ports
from tests.gateway import SUPPORT, native
from tests.proofs.racing.jobs import Job

_numbers = itertools.count(1)
Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Standing:
    """A clock that stands: for pauses that became visible at a chosen moment."""

    at_ms: int

    def now_ms(self) -> int:
        """That moment."""
        return self.at_ms


@dataclass(frozen=True)
class Outcome:
    """What the table says of a pause after a race."""

    head: Head
    events: dict[str, Item]

    def told(self, name: str) -> list[Item]:
        """The events of a name."""
        return [event for event in self.events.values() if event["name"] == name]


@dataclass
class Scene:
    """The people and the pauses of one table."""

    ports: Ports
    people: list[Reviewer] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.ports = replace(self.ports, ids=MemoryIds(), mail=MemoryMail(), waits=MemoryWaits())

    def seat(self, count: int) -> list[Reviewer]:
        """So many people of finance and approvers."""
        for number in range(len(self.people), count):
            person = Reviewer(f"p{number}", f"Person {number}", f"p{number}@example.com")
            for group in ("finance", "approvers"):
                members.add(self.ports, person, group)
            self.people.append(members.reviewer(self.ports, person.sub))
        return self.people[:count]

    def shown(self, *calls: Call, ends_at_ms: int | None = None) -> Head:
        """A pause in the reviewers' queue; `ends_at_ms`: it became visible so long ago that this is its deadline."""
        run = f"thread-{next(_numbers)}"
        read = adapter_of("langchain").read(run, parse(json.dumps(native(*calls))))
        head = capture(self.ports, SUPPORT, Capture(SUPPORT.name, "langchain", run, read, "{}")).head
        clock = self.ports.clock if ends_at_ms is None else Standing(ends_at_ms - 1000 * head.calls[0].wait_s)
        notify(replace(self.ports, mail=MemoryMail(), clock=clock), head.pause, 1, f"t-{run}")
        return self.outcome(head.pause).head

    def outcome(self, pause: str) -> Outcome:
        """The pause as stored."""
        items = {item["sk"]: item for item in self.ports.table.query(self.ports.keys.pause(pause))}
        return Outcome(as_written(items["HEAD"]), {sk: item for sk, item in items.items() if item["kind"] == "EVENT"})


def deciding(head: Head, number: int, verdict: Verdict, who: Reviewer, amount: int = 0, at_ms: float = 0) -> Job:
    """One person's decision on what the head shows; an edit sets the amount."""
    call = head.call(number)
    assert call is not None
    decision = Decision(verdict, call.rev, call.digest, reason="because")
    if verdict is Verdict.EDIT:
        arguments = {"order_id": "1182", "amount": amount}
        decision = replace(decision, arguments=exact_text(arguments), new_digest=digest(arguments))
    return Job("decide", {"reviewer": who, "call": call_id(head.pause, number), "decision": decision}, at_ms)


def claiming(head: Head, number: int, worker: str) -> Job:
    """One worker's claim of what the head says was decided."""
    call = head.call(number)
    assert call is not None
    return Job("claim", {"call": call_id(head.pause, number), "digest": call.digest, "worker": worker})
