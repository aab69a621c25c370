"""Where a scenario plays: the in-process gateway on any table, with one clause of one write kept or taken out."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any
from unittest import mock

from placet.model.errors import PlacetError, Unreadable
from placet.model.pauses import call_id
from placet.model.states import PermitState, Verdict
from placet.records import writes
from placet.records.heads import Head
from placet.records.keys import Keys
from placet.records.ops import Check, ConditionFailed, Op, Put, update
from placet.service.execute import Permit, claim
from tests.gateway import REFUND, SUPPORT, Gateway
from tests.proofs.clauses.code import builders

Play = Callable[["Stage"], bool]
Pair = tuple[str, str]
Build = Callable[..., list[Op]]
_tenants = itertools.count(1)


@dataclass(frozen=True)
class Scenario:
    """What must not happen, and the clause that keeps it from happening."""

    write: str
    clause: str
    play: Play

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.write}.{self.clause}: {self.play.__name__.replace('_', ' ')}"


SCENARIOS: list[Scenario] = []


def scenario(write: str, clause: str) -> Callable[[Play], Play]:
    """Register a scenario for one clause of one write."""

    def registered(play: Play) -> Play:
        SCENARIOS.append(Scenario(write, clause, play))
        return play

    return registered


def ends_wrongly(one: Scenario, table: Any, seen: set[Pair], *, without: bool) -> bool:
    """Play a scenario with its clause, or without it; `seen` gathers the clauses that were carried."""
    stage = Stage(table=Streamed(table), subject=one.write)
    with _through(stage, one if without else None, seen):
        try:
            return one.play(stage)
        except Unreadable:
            return True  # what is written contradicts itself


class Streamed:
    """A table that keeps a stream by hand, as the in-memory one does."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.changes: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def write(self, ops: list[Op]) -> None:
        """All or none."""
        changed = [op for op in ops if not isinstance(op, Check)]
        before = [self._inner.get(op.key) for op in changed]
        self._inner.write(ops)
        self.changes += [(old, self._inner.get(op.key)) for op, old in zip(changed, before, strict=True)]


@dataclass
class Stage(Gateway):
    """A gateway with a tenant of its own, so that many scenarios share one table.

    Attributes:
        subject: the write that the scenario is about.
        meanwhile: what others commit between the building of the subject and the writing of it; once.
    """

    subject: str = ""
    meanwhile: Callable[[], Any] | None = None
    epoch: int = 1

    def __post_init__(self) -> None:
        self.keys = Keys(f"t{next(_tenants)}")
        self.maria = self.person("maria", "Maria Keller", "finance", "approvers")
        self.jonas = self.person("jonas", "Jonas Weber", "finance", "approvers")

    @property
    def ports(self) -> Any:
        """As a function of this epoch has them."""
        return replace(super().ports, epoch=self.epoch)

    def attempt(self, job: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """Its result, or the deliberate error it ended with."""
        try:
            return job(*given, **named)
        except PlacetError as error:
            return error

    def write(self, name: str, *given: Any) -> bool:
        """One write by its name; whether it was carried out."""
        try:
            self.table.write(getattr(writes, name)(self.keys, *given))
        except ConditionFailed:
            return False
        return True

    def force(self, pause: str, remove: tuple[str, ...] = (), **values: Any) -> None:
        """Set attributes of a head by hand, `__` standing for a dot: a state that came from elsewhere."""
        changes = {name.replace("__", "."): value for name, value in values.items()}
        self.table.write([update(self.keys.head(pause), [], set=changes, remove=remove)])

    def keep_out(self, head: Head, name: str) -> Head:
        """The same pause, as one that takes a call back in which somebody of this name had no say."""
        self.force(head.pause, card={**self.item(head.pause)["card"], "kept_out": {name: True}})
        return self.head(head.pause)

    def approved(self, **facts: Any) -> Head:
        """A pause whose one call was accepted."""
        head = self.shown(REFUND, **facts)
        self.decide(head, 1, Verdict.ACCEPT)
        return self.head(head.pause)

    def claimed(self, worker: str = "w1", **facts: Any) -> Head:
        """The same, and its permit is out."""
        head = self.approved(**facts)
        self.claim(head, worker)
        return self.head(head.pause)

    def claim(self, head: Head, worker: str, fence: int | None = None) -> Any:
        """Claim the first call; the permit, or the refusal."""
        at, digest = call_id(head.pause, 1), head.calls[0].digest
        return self.attempt(claim, self.ports, SUPPORT, at, digest, worker, fence)

    def item(self, pause: str) -> dict[str, Any]:
        """The head's item."""
        return dict(self.table.get(self.keys.head(pause)) or {})

    def tell(self, pause: str, fact: str) -> None:
        """Put an event on record, as another telling of the fact left it."""
        self.table.write([Put({**self.keys.event(pause, fact)._asdict(), "kind": "EVENT", "by": "the first"})])

    def told_again(self, pause: str, fact: str) -> bool:
        """Whether that event was overwritten."""
        return bool((self.table.get(self.keys.event(pause, fact)) or {}).get("by") != "the first")

    def astray(self, pause: str) -> bool:
        """Called stuck and not on that list or the other way round; or on no list while an outcome is open."""
        head = self.head(pause)
        out = any(call.permit in (PermitState.CLAIMED, PermitState.UNKNOWN) for call in head.calls)
        return bool(head.stuck) != (head.wpk == self.keys.stuck()) or (out and not head.wpk)


def is_permit(answer: Any) -> bool:
    """Whether a claim got what it asked for."""
    return isinstance(answer, Permit)


@contextmanager
def _through(stage: Stage, broken: Scenario | None, seen: set[Pair]) -> Iterator[None]:
    """Let every write pass here: it is noted, others come in between, and a clause is taken out of one."""
    with ExitStack() as stack:
        for name in builders():
            built = _built(stage, name, getattr(writes, name), broken, seen)
            stack.enter_context(mock.patch.object(writes, name, built))
        yield


def _built(stage: Stage, name: str, build: Build, broken: Scenario | None, seen: set[Pair]) -> Build:
    @functools.wraps(build)
    def built(*given: Any, **named: Any) -> list[Op]:
        ops = build(*given, **named)
        seen.update((name, one.name) for op in ops for one in op.clauses)
        if name == stage.subject and stage.meanwhile is not None:
            others, stage.meanwhile = stage.meanwhile, None
            others()
        if broken is None or broken.write != name:
            return ops
        left = [replace(op, clauses=tuple(one for one in op.clauses if one.name != broken.clause)) for op in ops]
        return [op for op in left if op.clauses or not isinstance(op, Check)]  # a check of nothing is no request

    return built
