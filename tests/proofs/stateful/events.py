"""What the gateway is told by AWS: captures, stream records, executions, timers, the sweep, the time."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from placet.model.pauses import Agent
from placet.service.dispatch import edge_of
from placet.service.escalate import escalate
from placet.service.sweep import sweep
from tests.proofs.stateful.acting import AGENTS, Acting
from tests.proofs.stateful.chances import (
    MOSTLY,
    SOME,
    any_pause,
    may_be_decided,
)
from tests.proofs.stateful.house import MENU


class Events(Acting):
    """The rules, and those of Acting."""

    @rule(
        calls=st.lists(st.sampled_from(MENU), min_size=1, max_size=3),
        agent=st.sampled_from(list(AGENTS.values())),
        requester=st.sampled_from(["elif@example.com", "elif", ""]),
        keyed=st.booleans(),
    )
    def captures(self, calls: list[tuple[str, dict[str, Any]]], agent: Agent, requester: str, keyed: bool) -> None:
        """A new pause, of an agent that the gateway knows."""
        if not self.house.knows(agent):
            return
        self.runs += 1
        checkpoint = f"cp-{self.runs}"
        self.quietly("capture", "frozen", do=lambda: self.house.capture(agent, calls, requester, keyed, checkpoint))

    @rule()
    def stream_comes(self) -> None:
        """Everything the stream has, in order."""
        for old, new in self.house.take_records():
            if edge_of(old, new) is not None:  # nothing is told of any other
                self.act("dispatch", lambda old=old, new=new: self.house.deliver(old, new))

    @rule()
    def stream_is_lost(self) -> None:
        """Nothing of it arrives now; it may come late."""
        self.house.take_records()

    @rule(which=st.integers(0, 59))
    def stream_comes_again(self, which: int) -> None:
        """A record comes twice or late."""
        if self.house.seen_records:
            old, new = self.house.seen_records[which % len(self.house.seen_records)]
            self.act("dispatch", lambda: self.house.deliver(old, new))

    @rule(some=SOME)
    def machine_notifies(self, some: int) -> None:
        """An execution hands over its token, the first time or again."""
        if running := self.house.executions():
            pause, gen = running[-1 - some % len(running)]
            self.act("notify", lambda: self.house.notify(pause, gen))

    @rule(some=SOME)
    def machine_fails(self, some: int) -> None:
        """An execution ends without a decision."""
        if running := self.house.executions():
            pause, gen = running[-1 - some % len(running)]
            self.act("wait fails", lambda: self.house.wait_ends(pause, gen))

    @any_pause
    @rule(some=SOME)
    def machine_resumes(self, some: int) -> None:
        """The machine delivers, or tries to."""
        pause = self.pause(some)
        self.act("resume", lambda: self.house.resume(pause))

    @any_pause
    @rule(some=SOME, by_ms=st.sampled_from([None, -1, 0]))
    def timer_fires(self, some: int, by_ms: int | None) -> None:
        """Early, late, twice, or just at a deadline."""
        pause, _, call = self.call(some, may_be_decided)
        if by_ms is not None:
            self.house.time_is(call.get("deadline_ms", 0) + by_ms)
        self.quietly("escalate", do=lambda: escalate(self.house.ports, pause))

    @rule(then=MOSTLY)
    def sweeps(self, then: bool) -> None:
        """The sweep, and mostly what it asks other functions for."""
        before = self.house.heads()
        self.quietly("sweep", do=lambda: sweep(self.house.ports))
        self.oracle.swept(before)
        if then:
            self.act("functions", self.house.functions)
            self.oracle.told.asked_others(self.house)

    @rule(seconds=st.sampled_from([30, 90, 120, 120, 900, 901, 901, 3_600, 7_200, 21_600, 43_200, 86_400]))
    def time_passes(self, seconds: int) -> None:
        """Minutes or a day."""
        self.house.gateway.clock.move(seconds)
