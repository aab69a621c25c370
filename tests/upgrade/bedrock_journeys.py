"""Runs of Bedrock that an earlier release wrote down, brought to their end by today's verbs: in their session, and without it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from local.memory import MemoryTable
from local.ports import MemoryBodies, MemoryClock
from placet.aws.expressions import from_wire
from placet.model.states import ResumeState
from placet.records.heads import Head
from placet.records.keys import Key
from tests.bedrock.desk import Desk
from tests.upgrade.bedrock_scenes import desk_of

ITEMS = Path(__file__).parent / "items" / "bedrock"
WAYS = ("accept", "edit", "reject", "expire")
OVER = {"finished": "finished", "refused": "failed", "inconclusive": "inconclusive"}
SECOND = ("ORD-8", 60000)
FIRST = ("ORD-7", 50000)


@dataclass(frozen=True)
class Recorded:
    """What one commit wrote: by scene {heard, at_ms, bodies, items}."""

    commit: str
    date: str
    subject: str
    runs: dict[str, dict[str, Any]]


def recorded() -> list[Recorded]:
    """Every file."""
    return [Recorded(**json.loads(path.read_text())) for path in sorted(ITEMS.glob("*.json"))]


@dataclass
class Way:
    """One run on one way.

    Attributes:
        late: Bedrock has forgotten its session by now.
    """

    name: str
    story: dict[str, Any]
    how: str
    late: bool
    counts: dict[str, int] = field(default_factory=dict)

    def go(self) -> None:
        """To the end. Raises AssertionError where the run is not what it has to be."""
        made = desk_of(self.name)
        try:
            made.table = MemoryTable()
            made.table.items = {Key(one["pk"], one["sk"]): one for one in map(from_wire, self.story["items"])}
            made.clock = MemoryClock(self.story["at_ms"] + 1_000)
            made.bodies = MemoryBodies(dict(self.story["bodies"]))
            self._over(made) if self.name in OVER else self._ended(made)
        finally:
            made.server.stop()

    def _over(self, made: Desk) -> None:
        """Its last turn came to something: that is told, and another turn goes on."""
        found = made.status()
        assert (found.status, bool(found.completion)) == (OVER[self.name], self.name == "finished"), found
        assert made.say("hello").status == "finished"
        self._count("told")

    def _ended(self, made: Desk) -> None:
        head = next(one for one in made.heads() if one.resume_state is not ResumeState.DONE)
        self._session(made, head)
        if head.open_calls:
            made.ends(head, 1, self.how)
            self._count("expired" if self.how == "expire" else "decided")
        for _ in range(4):
            if made.resumes(head.pause) in ("delivered", "done"):
                break
        self._count("told")
        found = made.status()
        assert (found.status, bool(found.completion)) == ("finished", True), found
        before = [FIRST] if self.name == "answer_lost" else []
        assert sorted(before + made.paid()) == self._wanted(head), f"{self.name}, {self.how}: paid {made.paid()}"
        self._count("ran", len(made.paid()))
        stays = not self.late and self.how != "expire" and self.name != "answer_lost"
        assert (made.session == self.name) == stays, f"{self.name}, {self.how}: told in {made.session}"

    def _session(self, made: Desk, head: Head) -> None:
        """Let Bedrock's session stand where it stood, or be forgotten."""
        if self.late:
            return made.late()
        native = made.native(head)
        asked = native["return_control"]["invocationId"].removesuffix("-uc-result")  # which the runtime puts behind it
        fresh, made.runtime._new_id = made.runtime._new_id, lambda: asked
        runtime, agent = made._runtime, made.agent
        turn = runtime.turn(agent, native["session"], self.story["heard"], {}, runtime.definition(agent))
        made.runtime._new_id = fresh
        assert turn.control is not None, "the session does not wait"

    def _wanted(self, head: Head) -> list[tuple[str, int]]:
        how = head.calls[0].state.value if not head.open_calls else self.how
        order, cents = SECOND if self.name == "asked_again" else FIRST
        return {"accept": [(order, cents)], "edit": [(order, 30000)]}.get(how.removesuffix("ed"), [])

    def _count(self, what: str, number: int = 1) -> None:
        self.counts[what] = self.counts.get(what, 0) + number


def ways(file: Recorded) -> Iterator[Way]:
    """Every run on every way that it can still go."""
    for name, story in file.runs.items():
        if name in OVER:
            yield Way(name, story, "", late=False)
            continue
        waits = "asked" in name
        for how in WAYS if waits else ("",):
            yield Way(name, story, how, late=True)
            if how != "expire":
                yield Way(name, story, how, late=False)


def travel(file: Recorded, said: Callable[[str], None], every: int = 1) -> dict[str, int]:
    """Every run of a file, on every way, or on each `every`th of them; `lost` counts those that did not come to their end."""
    counts = {"lost": 0}
    for way in itertools.islice(ways(file), 0, None, every):
        try:
            way.go()
        except Exception as error:  # whatever it is: that record is lost
            counts["lost"] += 1
            said(f"{file.commit} {way.name}, {way.how}{', late' * way.late}: {type(error).__name__}: {error}")
            continue
        for what, number in way.counts.items():
            counts[what] = counts.get(what, 0) + number
    return counts
