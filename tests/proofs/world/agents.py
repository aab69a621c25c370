"""An agent's processes, as `placet.client` lets them behave: what the framework stored outlives them, their memory does not."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from placet.model.canonical import digest as digest_of
from placet.model.canonical import parse
from placet.model.errors import Busy, Conflict, NotAllowed, PlacetError
from placet.model.pauses import Agent
from placet.model.states import PermitState
from placet.service.cancel import cancel, supersede
from placet.service.capture import capture
from placet.service.execute import claim, outcome
from placet.service.ports import Ports
from placet.service.resume import pick_up, take
from placet.service.went_on import resumed
from tests.proofs.world.cast import Proposed, handed_in, interrupt_of
from tests.proofs.world.touching import Hook, Touch

T = TypeVar("T")
TRIES = 3  # of one request, by the client's transport


@dataclass
class Thread:
    """One paused run in the framework's store.

    Attributes:
        pending: questions that have no answer yet.
        told: the answers that the run got.
        capturing: requests under way; one process at a time works on a run, so it does not ask again meanwhile.
        pause: the gateway's id, for the judges only; no process reads it.
    """

    run: str
    checkpoint: str
    calls: tuple[Proposed, ...]
    keyed: bool
    requester: str = ""
    supersedes: bool = False
    pending: set[str] = field(default_factory=set)
    told: dict[str, Any] = field(default_factory=dict)
    pause: str = ""
    gone: bool = False
    capturing: int = 0


@dataclass(frozen=True)
class Effect:
    """Something that a tool did outside."""

    call: str
    key: str
    digest: str
    worker: str


Ask = Callable[[str, Callable[[Ports], Any]], Any]


@dataclass
class Process:
    """The code of an agent.

    Attributes:
        ask: sends one request to a function of the gateway.
        hook: sees what it touches itself.
        threads, ledger: the framework's store, and what was done outside: they outlive the process.
        attempts: by call, so that no two share a name; it outlives the process.
        known: runs that this process captured; its memory.
        name: of the process; the agent's own when there is one at a time.
        leases: whether it takes decided pauses under a lease, or just looks at the list.
    """

    agent: Agent
    ask: Ask
    hook: Hook
    threads: dict[tuple[str, str], Thread] = field(default_factory=dict)
    ledger: list[Effect] = field(default_factory=list)
    attempts: Counter[str] = field(default_factory=Counter)
    name: str = ""
    known: set[tuple[str, str]] = field(default_factory=set)
    leases: bool = True
    outcome_of: Callable[[], PermitState] = lambda: PermitState.DONE

    def __post_init__(self) -> None:
        self.name = self.name or self.agent.name

    def pause(self, thread: Thread) -> None:
        """The framework stores the run and stops."""

        def stored() -> None:
            if thread.supersedes:  # the run asks again: its earlier questions are not asked any more
                for earlier in self.threads.values():
                    if earlier.run == thread.run:
                        earlier.gone, earlier.pending = True, set()
            thread.pending = {interrupt_of(thread.checkpoint, number + 1) for number in range(len(thread.calls))}
            self.threads[thread.run, thread.checkpoint] = thread

        self._touch("framework.pause", stored)

    def start(self) -> None:
        """Every run that is paused is captured: whether an earlier process did it cannot be known."""
        for place, thread in list(self.threads.items()):
            if thread.pending and place not in self.known and not thread.gone:
                self.capture(thread)

    def capture(self, thread: Thread) -> None:
        """Hand a paused run in."""
        made = handed_in(
            self.agent, thread.run, thread.checkpoint, thread.calls, keyed=thread.keyed, requester=thread.requester
        )

        def captured(ports: Ports) -> str:
            found = capture(ports, self.agent, made).head.pause
            if thread.supersedes:
                supersede(ports, self.agent, thread.run, found)
            return found

        thread.capturing += 1
        try:
            thread.pause = self._request("capture", captured)
        finally:
            thread.capturing -= 1
        self.known.add((thread.run, thread.checkpoint))

    def cancel(self, thread: Thread) -> None:
        """The run moved on without an answer."""

        def moved_on() -> None:
            thread.gone = True
            thread.pending = set()

        self._touch("framework.move_on", moved_on)
        if thread.pause:
            self._request("cancel", lambda ports: cancel(ports, self.agent, thread.pause, "the user left"))

    def work(self, limit: int = 25) -> int:
        """One look at the pick-up list; returns how many runs were taken."""
        if self.leases:
            found = self._request("take", lambda ports: take(ports, self.agent, limit=limit))
        else:
            found = self._request("pick_up", lambda ports: pick_up(ports, self.agent))
        for resume in found:
            try:
                self.answer(resume)
            except PlacetError:
                continue  # it stays on the list for the next round
        return len(found)

    def take(self, pause: str) -> None:
        """Go on with one run, if it is decided and free."""
        for resume in self._request("take", lambda ports: take(ports, self.agent, pause)):
            self.answer(resume)

    def answer(self, resume: dict[str, Any]) -> None:
        """Send every answer into the run, execute what may run, and say that it went on. May come twice."""
        thread = self.threads[resume["run"], resume["native_ref"]["checkpoint_id"]]
        fence, stopped = resume.get("fence"), None
        for call in resume["calls"]:
            if call["interrupt_id"] not in thread.pending:
                continue
            try:
                told = self._execute(call, thread, fence) if "arguments" in call else call["native"]
            except PlacetError as error:
                stopped = stopped or error
                continue
            self._touch("framework.save", lambda call=call, told=told: self._saved(thread, call, told))
        if stopped is not None:
            raise stopped
        self._request("resumed", lambda ports: resumed(ports, self.agent, resume["pause"], fence))

    def _execute(self, call: dict[str, Any], thread: Thread, fence: int | None) -> Any:
        self.attempts[call["call"]] += 1
        worker = f"{self.name}.{call['call']}.{self.attempts[call['call']]}"
        try:
            permit = self._request(
                "claim", lambda ports: claim(ports, self.agent, call["call"], call["digest"], worker, fence)
            )
        except Conflict as refused:
            if refused.code == "policy_denies":
                return {"denied": refused.code}
            if refused.code != "permit_settled":
                raise
            return {"settled": refused.members["permit"]}
        key = permit.idempotency_key if thread.keyed else ""
        effect = Effect(call["call"], key, digest_of(parse(permit.arguments)), worker)
        self._touch("tool.act", lambda: self.ledger.append(effect))
        came = self.outcome_of()
        with contextlib.suppress(
            PlacetError
        ):  # as the client: what the tool did stands, the gateway will list the permit
            self._request("outcome", lambda ports: outcome(ports, self.agent, call["call"], worker, came, "r"))
        return {"ran": came.value}

    def _saved(self, thread: Thread, call: dict[str, Any], told: Any) -> None:
        thread.pending.discard(call["interrupt_id"])
        thread.told[call["interrupt_id"]] = {"state": call["state"], "told": told}

    def _request(self, name: str, send: Callable[[Ports], T]) -> T:
        """One request, tried again as the client's transport does; the gateway lets in whom its registry names."""

        def known(ports: Ports) -> T:
            if ports.registry.by_name(self.agent.name) is None:
                raise NotAllowed("not_an_agent", "The registry does not name this agent.")
            return send(ports)

        for _ in range(TRIES):
            try:
                answer: T = self._touch(f"gateway.{name}", lambda: self.ask(name, known))
                return answer
            except Busy:
                continue
        raise Busy

    def _touch(self, what: str, act: Callable[[], T]) -> T:
        answer: T = self.hook(Touch(self.name, what, act))
        return answer


def doubled(ledger: list[Effect]) -> list[str]:
    """Calls that had more than one effect; a key makes repeats of a call one effect."""
    seen: dict[str, int] = {}
    for call, _ in {(one.call, one.key or (one.worker, index)) for index, one in enumerate(ledger)}:
        seen[call] = seen.get(call, 0) + 1
    return sorted(call for call, count in seen.items() if count > 1)
