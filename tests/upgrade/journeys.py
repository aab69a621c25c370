"""Records of an earlier release, brought to their end by today's verbs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from local.ports import MemoryBodies, MemoryClock
from placet.aws.expressions import from_wire
from placet.model.canonical import digest, parse
from placet.model.errors import Invalid
from placet.model.pauses import Reviewer
from placet.model.states import CallState, PauseState, PermitState, ResumeState, Verdict
from placet.records.heads import Head
from placet.service.bedrock.following import follow
from placet.service.cancel import cancel
from placet.service.dispatch import Edge, dispatch
from placet.service.escalate import escalate
from placet.service.execute import claim, outcome
from placet.service.find import find
from placet.service.notify import notify
from placet.service.resume import resume, take
from placet.service.review import detail
from placet.service.went_on import resumed
from tests.gateway import BILLING, REFUND, SUPPORT, Gateway

ITEMS = Path(__file__).parent / "items"
WAYS = ("accept", "edit", "reject", "expire", "cancel")
EDIT = '{"order_id":"1182","amount":150.00}'
BROKEN = '{"order_id":"1182","amount":"half"}'
SEEN_AGAIN = (
    "captured",
    "notified",
    "voted",
    "accepted",
    "claimed",
    "rejected",
)  # one refund of the support agent each


@dataclass(frozen=True)
class Written:
    """What one commit wrote."""

    commit: str
    date: str
    subject: str
    at_ms: int
    pauses: dict[str, str]
    bodies: dict[str, str]
    items: list[dict[str, Any]]


def written() -> list[Written]:
    """Every file."""
    return [Written(**json.loads(path.read_text())) for path in sorted(ITEMS.glob("*.json"))]


def gateway_on(table: Any, file: Written) -> Gateway:
    """Today's gateway on the table that the file's items were put into, a second after they were written."""
    return Gateway(table=table, clock=MemoryClock(file.at_ms + 1_000), bodies=MemoryBodies(dict(file.bodies)))


@dataclass
class Journey:
    """One pause on one way; `counts` by verb."""

    gateway: Gateway
    pause: str
    way: str
    counts: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.agent = BILLING if self.head.agent == BILLING.name else SUPPORT
        self.first = self.head

    @property
    def head(self) -> Head:
        """As stored now."""
        return self.gateway.head(self.pause)

    def go(self) -> None:
        """To the end. Raises AssertionError where the pause is not what it has to be."""
        if self.head.open_calls:
            self._show()
            self._decide()
        elif self.way == "cancel" and not self.head.cancelled:
            self._cancel()
        if not self.head.cancelled:
            self._go_on()
        self._ended()

    def is_found(self) -> None:
        """By its agent under its run, by an operator under run, business thing and id: the index of earlier releases has it."""
        ports, head = self.gateway.ports, self.head
        assert follow(ports, self.agent, head.run, with_pauses=True).pauses == (self.pause,), "its run does not know it"
        for wanted in filter(None, (head.run, head.card.entity, self.pause)):
            pages, after = set[str](), None
            while after != "":
                page = find(ports, wanted, limit=7, after=after or "")
                pages, after = pages | {one["pause"] for one in page}, page.next
            assert self.pause in pages, f"nobody finds it by {wanted}"
            self._count("found")

    def _show(self) -> None:
        if not self.head.notified_ms:
            dispatch(self.gateway.ports, Edge.CAPTURED, self.pause)
            assert f"{self.pause}-{self.head.gen}" in self.gateway.waits.started, "no wait was started"
            notify(self.gateway.ports, self.pause, self.head.gen, f"token of {self.pause}")
            self._count("shown")
        shown = detail(self.gateway.ports, self.gateway.jonas, self.pause)
        for call, view in zip(self.head.calls, shown.calls, strict=True):
            assert digest(view.arguments) == view.digest == call.digest, "the page shows other arguments"

    def _decide(self) -> None:
        if self.way == "cancel":
            return self._cancel()
        if self.way == "expire":
            self.gateway.clock.at_ms = max(call.deadline_ms for call in self.head.pending)
            assert escalate(self.gateway.ports, self.pause) == "expired"
            self._count("expired")
        for call in self.head.pending:
            self._decide_call(call.number)
        dispatch(self.gateway.ports, Edge.CLOSED, self.pause)
        assert self.gateway.waits.answered, "the wait was not answered"

    def _decide_call(self, number: int) -> None:
        for person in (self.gateway.jonas, self.gateway.maria):
            call = self.head.call(number)
            if call is None or call.state is not CallState.PENDING or call.votes.get(person.sub) == call.digest:
                continue
            second = self.way == "edit" and call.digest == digest(parse(EDIT))
            if self.way == "edit":
                self._keeps_its_schema(number, person)
            more = {"arguments": EDIT, "new_digest": digest(parse(EDIT))} if self.way == "edit" and not second else {}
            verdict = Verdict.ACCEPT if second else Verdict(self.way)
            self.gateway.decide(self.head, number, verdict, person, **more)
            self._count("decided")

    def _keeps_its_schema(self, number: int, person: Reviewer) -> None:
        call = self.head.call(number)
        if call is None or call.tool != REFUND[0]:
            return
        try:
            self.gateway.decide(
                self.head, number, Verdict.EDIT, person, arguments=BROKEN, new_digest=digest(parse(BROKEN))
            )
        except Invalid as refused:
            code = refused.code
        else:
            code = "taken"
        assert code == "arguments_break_schema", f"an edit that breaks the tool's schema: {code}"

    def _cancel(self) -> None:
        done, _ = cancel(self.gateway.ports, self.agent, self.pause, "an older run")
        assert done == "cancelled"
        self._count("cancelled")

    def _go_on(self) -> None:
        if self.agent is BILLING:
            assert resume(self.gateway.ports, self.pause) == "delivered"
            told = self.gateway.agents.delivered[-1][1]["resume"]
        else:
            (told,) = take(self.gateway.ports, SUPPORT, self.pause)
        self._count("told")
        for call in told["calls"]:
            assert call["native"]["type"] in ("approve", "edit", "reject")
            self._run(call)
        assert resumed(self.gateway.ports, self.agent, self.pause, told["fence"]) is False

    def _run(self, told: dict[str, Any]) -> None:
        if "arguments" not in told or told["permit"] not in ("free", "claimed"):
            return
        permit = claim(self.gateway.ports, self.agent, told["call"], told["digest"], "w1")
        assert permit.replayed == (told["permit"] == "claimed"), "the permit of an earlier release was given twice"
        assert digest(parse(permit.arguments)) == told["digest"], "other arguments than the decided ones"
        outcome(self.gateway.ports, self.agent, told["call"], "w1", PermitState.DONE, "ran")
        self._count("ran")

    def _ended(self) -> None:
        head = self.head
        assert (head.open_calls, head.resume_state, head.state) == (0, ResumeState.DONE, PauseState.ENDED)
        assert not head.wpk or head.stuck, "it ended, and is still on a work list"
        for call in head.calls:
            before = self.first.call(call.number)
            assert before is not None
            wanted = _END[self.way] if before.state is CallState.PENDING else {before.state}
            assert call.state in wanted, f"call {call.number} is {call.state}"
            if call.state.may_run and not head.cancelled:
                assert call.permit is PermitState.DONE, f"the permit of call {call.number} is {call.permit}"

    def _count(self, what: str) -> None:
        self.counts[what] = self.counts.get(what, 0) + 1


_END: dict[str, set[CallState]] = {
    "accept": {CallState.ACCEPTED, CallState.EDITED},  # somebody had edited, the other agreed
    "edit": {CallState.EDITED},
    "reject": {CallState.REJECTED},
    "expire": {CallState.EXPIRED},
    "cancel": {CallState.CANCELLED},
}


def travel(file: Written, way: str, table: Any, said: Callable[[str], None]) -> dict[str, int]:
    """Every pause of a file, whose items are in the table, on one way; `lost` counts those that did not come to their end."""
    counts = {"lost": 0}
    gateway = gateway_on(table, file)
    for name, pause in file.pauses.items():
        gateway.clock.at_ms = file.at_ms + 1_000
        try:
            if name in SEEN_AGAIN:  # the agent's process starts anew and hands in what it finds paused
                again = gateway.capture(REFUND, run=f"run-{name}", checkpoint=f"cp-{name}")
                assert (again.head.pause, again.replayed) == (pause, True), "the same pause was captured as another"
            journey = Journey(gateway, pause, way)
            journey.is_found()
            journey.go()
        except Exception as error:  # whatever it is: that record is lost
            counts["lost"] += 1
            said(f"{file.commit} {name}, {way}: {type(error).__name__}: {error}")
            continue
        for what, number in journey.counts.items():
            counts[what] = counts.get(what, 0) + number
    return counts


def values(file: Written) -> list[dict[str, Any]]:
    """The items as plain values."""
    return [from_wire(item) for item in file.items]
