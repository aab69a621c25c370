"""The gateway of the other tests, each verb under its own role, with the stream filters that are deployed."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

from infra.constructs.bus import TOLD
from infra.constructs.stream import EDGES
from local.ports import MemoryBus, MemoryExecutors
from placet.aws.expressions import to_wire
from placet.model.pauses import Agent, BedrockTarget, call_id
from placet.model.registry import Registry
from placet.model.states import Verdict
from placet.service.dispatch import dispatch, edge_of
from placet.service.execute import claim
from placet.service.notify import notify
from placet.service.ports import Turn, TurnFailed
from placet.service.publish import Change, publish, told_by
from placet.service.resume import resume
from placet.service.undo_calls import proposed
from tests.gateway import BILLING, REFUND, SUPPORT, Gateway
from tests.infra.guarded_table import GuardedBodies, GuardedTable, Right
from tests.infra.test_stream_filters import matches

FILTERS = [edge for _, edge in EDGES]
TELLING = [edge for _, edge in TOLD]


DESK = Agent(
    name="refund-desk",
    role="placet-refund-desk",
    owner="owner@example.com",
    target="bedrock",
    bedrock=BedrockTarget("AGENT12345", "TSTALIASID", "", "placet-refund-executor", session_ttl_s=600),
)


@dataclass
class ScriptedRuntime:
    """Bedrock's runtime as a list of what each turn comes to; `sessions` are those that were asked, in order."""

    turns: list[Turn | TurnFailed] = field(default_factory=list)
    sessions: list[str] = field(default_factory=list)

    def turn(self, agent: Agent, session: str, text: str, state: dict[str, Any], definition: Any) -> Turn:
        self.sessions.append(session)
        found = self.turns.pop(0)
        if isinstance(found, TurnFailed):
            raise found
        return found

    def definition(self, agent: Agent) -> Any:
        return None


@dataclass
class Guarded(Gateway):
    """The gateway of the other tests, each verb under its own role."""

    table: GuardedTable
    epoch: int = 1
    support: Agent = SUPPORT  # as the registry has it
    runtime: ScriptedRuntime = field(default_factory=ScriptedRuntime)
    executors: MemoryExecutors = field(default_factory=MemoryExecutors)
    bus: MemoryBus = field(default_factory=MemoryBus)

    @classmethod
    def under(cls, rights: dict[str, set[Right]]) -> Guarded:
        """With these rights, on the table and on the bucket."""
        table = GuardedTable(rights)
        made = cls(table=table, bodies=GuardedBodies(table))
        made.verbs.do = made.does
        return made

    def does(self, verb: str, payload: dict[str, Any]) -> object:
        """What another function of the gateway answers, under its own role."""
        if "undo" in payload:
            about = payload["by"], payload["undo"], payload["names"]
            return json.loads(json.dumps(self.as_verb(verb, proposed, self.ports, *about)))
        return self.as_verb(verb, resume, self.ports, payload["pause"])

    @property
    def ports(self) -> Any:
        agents = Registry((self.support, BILLING, DESK))
        reached = {"registry": agents, "runtime": self.runtime, "executors": self.executors, "bus": self.bus}
        return replace(super().ports, epoch=self.epoch, **reached)

    def as_verb(self, verb: str, function: Any, *args: Any, **more: Any) -> Any:
        with self.table.as_verb(verb):
            return function(*args, **more)

    def shown(self, *calls: Any, **facts: Any) -> Any:
        found = self.as_verb("capture", self.capture, *calls, **facts).head
        self.deliver()
        self.tell(found.pause)
        return self.head(found.pause)

    def tell(self, pause: str) -> None:
        """The machine hands notify its token."""
        self.as_verb("notify", notify, self.ports, pause, self.head(pause).gen, "token")
        self.deliver()

    def decided(self, verdict: Verdict = Verdict.ACCEPT, call: Any = REFUND, **facts: Any) -> Any:
        """A pause of one call, decided."""
        head = self.shown(call, **facts)
        self.as_verb("decide", self.decide, head, 1, verdict)
        self.deliver()
        return self.head(head.pause)

    def claimed(self, **facts: Any) -> Any:
        """A pause whose one call an attempt `w` holds."""
        head = self.decided(**facts)
        self.as_verb("execute", claim, self.ports, SUPPORT, call_id(head.pause, 1), head.calls[0].digest, "w")
        return self.head(head.pause)

    def deliver(self) -> None:
        """Only what the deployed filters let through reaches dispatch and publish; they keep nothing back that means something."""
        changes = [(*one, record(*one)) for one in self.table.changes]
        self.table.changes[:] = []
        for old, new, written in changes:
            passes = any(matches(edge, written) for edge in FILTERS)
            edge = edge_of(old, new)
            assert passes == (edge is not None), (old, new)
            if edge is not None and new is not None:
                self.as_verb("dispatch", dispatch, self.ports, edge, new["pk"].rpartition("#")[2], new)
        passed = [any(matches(edge, written) for edge in TELLING) for _, _, written in changes]
        told = [bool(told_by(old, new, 1)) for old, new, _ in changes]
        assert all(passes for passes, tells in zip(passed, told, strict=True) if tells), changes
        handed = [Change(old, new, 1) for (old, new, _), passes in zip(changes, passed, strict=True) if passes]
        assert all(self.as_verb("publish", publish, self.ports, handed))


def record(old: Any, new: Any) -> dict[str, Any]:
    """A change as the stream writes it."""
    image = new or old
    keys = to_wire({"pk": image["pk"], "sk": image["sk"]})
    images = {"OldImage": old, "NewImage": new}
    return {"Keys": keys, **{name: to_wire(one) for name, one in images.items() if one}}
