"""Everything that anybody can do, in any order; the oracle looks after every step."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from placet.model.errors import PlacetError
from placet.model.pauses import Agent, call_id
from placet.model.states import PermitState, Verdict
from placet.service import members, operate
from placet.service.cancel import cancel
from placet.service.decide import Decision
from placet.service.escalate import escalate
from placet.service.execute import outcome
from placet.service.resume import renew, resumed, take
from placet.service.sweep import sweep
from tests.proofs.stateful.acting import AGENTS, Acting
from tests.proofs.stateful.answers import digest_of
from tests.proofs.stateful.house import MENU, PEOPLE

SOME = st.sampled_from([0, 0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7])  # taken modulo what there is, counted from the newest
DECIDERS = st.sampled_from([*PEOPLE, *["maria", "jonas"] * 4])
WORKERS = st.sampled_from(["w1", "w2", "w3"])
EDGE = st.sampled_from([-1, 0, 1])
MOSTLY = st.sampled_from([True, True, True, True, False])
any_pause = precondition(lambda machine: bool(machine.house.pauses))


def _permit(state: str) -> Callable[[dict[str, Any]], bool]:
    return lambda call: call.get("permit", {}).get("state") == state


def _may_be_decided(call: dict[str, Any]) -> bool:
    return call["state"] == "pending" and bool(call.get("deadline_ms"))


def _may_be_edited(call: dict[str, Any]) -> bool:
    return _may_be_decided(call) and call["class"] != "general"


class Verbs(Acting):
    """The rules."""

    @rule(
        calls=st.lists(st.sampled_from(MENU), min_size=1, max_size=3),
        agent=st.sampled_from(list(AGENTS.values())),
        requester=st.sampled_from(["elif@example.com", "elif", ""]),
        keyed=st.booleans(),
    )
    def captures(self, calls: list[tuple[str, dict[str, Any]]], agent: Agent, requester: str, keyed: bool) -> None:
        """A new pause."""
        self.runs += 1
        run = f"thread-{self.runs}"
        self.quietly("capture", "frozen", do=lambda: self.house.capture(agent, calls, requester, keyed, run))

    @rule(
        calls=st.lists(st.sampled_from(MENU[:5]), min_size=1, max_size=2),
        agent=st.sampled_from(list(AGENTS.values())),
        keyed=st.booleans(),
        then=st.sampled_from(["accept", "edit", "wait"]),
    )
    def comes_into_the_queue(
        self, calls: list[tuple[str, dict[str, Any]]], agent: Agent, keyed: bool, then: str
    ) -> None:
        """The straight way in one step, so that what comes after it is tried often."""
        count = len(self.house.pauses)
        self.captures(calls, agent, "elif@example.com", keyed)
        if len(self.house.pauses) == count:
            return
        self.stream_comes()
        for pause, gen in self.house.executions()[-1:]:
            self.act("notify", lambda pause=pause, gen=gen: self.house.notify(pause, gen))
        if then == "edit":
            self.edits(0, True, "maria", 201, "1182", True, True)
        if then != "wait":
            self.decides_everything(0, False)

    @any_pause
    @rule(some=SOME, aimed=MOSTLY, worker=WORKERS, right=MOSTLY, fence=st.sampled_from([None, None, 0, -1]))
    def claims(self, some: int, aimed: bool, worker: str, right: bool, fence: int | None) -> None:
        """A worker claims, sometimes with other arguments, or under a lease that is its own or another's."""
        pause, number, call = self.call(some, _permit("free") if aimed else None)
        named = None if fence is None else max(0, self.house.heads()[pause]["fence"] + fence)
        self.claim(pause, number, call["digest"] if right else digest_of({"x": 2}), worker, named)

    @any_pause
    @rule(some=SOME, worker=WORKERS, by_ms=EDGE)
    def comes_late(self, some: int, worker: str, by_ms: int) -> None:
        """A worker claims just when the approval gets too old."""
        pause, number, call = self.call(some, _permit("free"))
        self.house.time_is(call.get("permit", {}).get("until_ms", 0) + by_ms)
        self.claim(pause, number, call["digest"], worker, None)

    @any_pause
    @rule(some=SOME, worker=WORKERS, by_ms=EDGE, said=st.sampled_from([*PermitState][3:]))
    def claims_and_reports(self, some: int, worker: str, by_ms: int, said: PermitState) -> None:
        """A worker claims, and reports just when its time is over, after the sweep."""
        pause, number, call = self.call(some, _permit("free"))
        self.claim(pause, number, call["digest"], worker, None)
        permit = self.house.heads()[pause]["calls"][str(number)].get("permit", {})
        if permit.get("worker") == worker:
            self.house.time_is(permit["at_ms"] + 900_000 + by_ms)
            self.sweeps(True)
            self.report(pause, number, worker, said)

    @any_pause
    @rule(some=SOME, worker=WORKERS, own=MOSTLY, said=st.sampled_from([*PermitState][3:]))
    def reports(self, some: int, worker: str, own: bool, said: PermitState) -> None:
        """An outcome, mostly by the worker that holds the permit."""
        pause, number, call = self.call(some, _permit("claimed") if own else None)
        holder = call.get("permit", {}).get("worker")
        worker = holder if own and holder else worker
        self.report(pause, number, worker, said)

    def report(self, pause: str, number: int, worker: str, said: PermitState) -> None:
        """An outcome; only the worker that holds the permit is heard."""
        holder = self.house.heads()[pause]["calls"][str(number)].get("permit", {}).get("worker")
        agent, name = self.agent_of(pause), call_id(pause, number)
        answer = self.quietly(
            "outcome",
            "not_your_permit",
            "permit_settled",
            do=lambda: outcome(self.house.ports, agent, name, worker, said, "r"),
        )
        assert isinstance(answer, PlacetError) or worker == holder, (
            "2: a report of a worker that holds no permit was taken"
        )

    @any_pause
    @rule(some=SOME, named=st.booleans())
    def takes(self, some: int, named: bool) -> None:
        """A worker takes decided pauses under leases; nobody else's lease may be running."""
        pause, before = self.pause(some), self.house.heads()
        agent = self.agent_of(pause)
        for one in self.quietly("take", do=lambda: take(self.house.ports, agent, pause if named else "", 2)):
            old = before[one["pause"]]
            assert old.get("lease_until_ms", 0) <= self.house.now_ms, "2: a lease was given away twice"
            assert old["open_calls"] == 0, "3: a run may go on before it is decided"
            assert old["resume_state"] != "done", "2: a run may go on twice"

    @any_pause
    @rule(some=SOME, back=st.integers(0, 1))
    def renews(self, some: int, back: int) -> None:
        """A worker keeps its lease."""
        pause = self.pause(some)
        fence = max(0, self.house.heads()[pause]["fence"] - back)
        self.quietly("renew", "lease_lost", do=lambda: renew(self.house.ports, self.agent_of(pause), pause, fence))

    @any_pause
    @rule(some=SOME, back=st.sampled_from([None, None, 0, 1]))
    def goes_on(self, some: int, back: int | None) -> None:
        """A run is reported as gone on."""
        pause, before = self.pause(some), self.house.heads()
        fence = None if back is None else max(0, before[pause]["fence"] - back)
        answer = self.quietly(
            "resumed",
            "still_waiting",
            "lease_lost",
            do=lambda: resumed(self.house.ports, self.agent_of(pause), pause, fence),
        )
        assert isinstance(answer, PlacetError) or before[pause]["open_calls"] == 0, "3: it went on undecided"

    @any_pause
    @rule(some=SOME, other=SOME, asked_again=st.booleans(), really=st.booleans())
    def cancels(self, some: int, other: int, asked_again: bool, really: bool) -> None:
        """A run is cancelled, or asks again."""
        if not really:
            return
        pause = self.pause(some)
        agent = self.agent_of(pause)
        others = [one for one in self.house.pauses if one != pause and self.agent_of(one) == agent]
        same = asked_again and bool(others)
        successor = others[-1 - other % len(others)] if same else ""
        self.quietly(
            "supersede" if same else "cancel",
            "already_resumed",
            do=lambda: cancel(self.house.ports, agent, pause, "moved on", successor),
        )

    # --- people -------------------------------------------------------------------------------------------------------

    @any_pause
    @rule(some=SOME, sub=DECIDERS, by_ms=EDGE)
    def accepts_at_the_deadline(self, some: int, sub: str, by_ms: int) -> None:
        """At the last moment, or just after it."""
        pause, number, call = self.call(some, _may_be_decided)
        self.house.time_is(call.get("deadline_ms", 0) + by_ms)
        self.accept(pause, number, sub)

    @any_pause
    @rule(some=SOME, aimed=MOSTLY, sub=DECIDERS, no=st.booleans(), fresh=MOSTLY)
    def decides(self, some: int, aimed: bool, sub: str, no: bool, fresh: bool) -> None:
        """Accept or reject what a page shows, which may be old."""
        pause, number, _ = self.call(some, _may_be_decided if aimed else None)
        shown = self.shown_of(pause, number, fresh)
        self.decide(pause, number, sub, Decision(Verdict.REJECT if no else Verdict.ACCEPT, *shown, reason="no" * no))

    @any_pause
    @rule(
        some=SOME,
        aimed=MOSTLY,
        sub=DECIDERS,
        amount=st.sampled_from([200, 200, 201, 201, 240, "all"]),
        order=st.sampled_from([*["1182"] * 4, "9"]),
        confirmed=MOSTLY,
        fresh=MOSTLY,
    )
    def edits(
        self, some: int, aimed: bool, sub: str, amount: int | str, order: str, confirmed: bool, fresh: bool
    ) -> None:
        """An edit, sometimes one that must be refused."""
        pause, number, call = self.call(some, _may_be_edited if aimed else None)
        salary = {"person": "p-7", "amount": amount}
        given = {"order_id": order, "amount": amount} if call["tool"] == "issue_refund" else salary
        digest = digest_of(given if confirmed else {"x": 1})
        shown = self.shown_of(pause, number, fresh)
        asked = Decision(Verdict.EDIT, *shown, reason="less", arguments=json.dumps(given), new_digest=digest)
        self.decide(pause, number, sub, asked)

    @any_pause
    @rule(some=SOME, no=st.booleans())
    def decides_everything(self, some: int, no: bool) -> None:
        """All that is open of a pause, by two people, so that whole pauses get decided."""
        pause = self.pause(some)
        for number, call in self.house.heads()[pause]["calls"].items():
            for sub in ("maria", "jonas") if call["state"] == "pending" else ():
                shown = self.shown_of(pause, int(number), True)
                verdict = Verdict.REJECT if no else Verdict.ACCEPT
                self.decide(pause, int(number), sub, Decision(verdict, *shown, reason="no" * no))

    @rule(sub=st.sampled_from(list(PEOPLE)), joins=st.booleans())
    def joins_or_leaves(self, sub: str, joins: bool) -> None:
        """Memberships change."""
        person = self.house.people[sub]
        for group in PEOPLE[sub]:
            if joins:
                members.add(self.house.ports, person, group)
            else:
                self.house.remove(sub, group)

    # --- the gateway's own events -------------------------------------------------------------------------------------

    @rule()
    def stream_comes(self) -> None:
        """Everything the stream has, in order."""
        for old, new in self.house.take_records():
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
        pause, _, call = self.call(some, _may_be_decided)
        if by_ms is not None:
            self.house.time_is(call.get("deadline_ms", 0) + by_ms)
        self.quietly("escalate", do=lambda: escalate(self.house.ports, pause))

    @rule(then=MOSTLY)
    def sweeps(self, then: bool) -> None:
        """The sweep, and mostly what it asks other functions for."""
        self.quietly("sweep", do=lambda: sweep(self.house.ports))
        if then:
            self.act("functions", self.house.functions)

    @rule(seconds=st.sampled_from([30, 90, 120, 120, 900, 901, 901, 3_600, 7_200, 21_600, 43_200, 86_400]))
    def time_passes(self, seconds: int) -> None:
        """Minutes or a day."""
        self.house.gateway.clock.move(seconds)

    # --- operators ----------------------------------------------------------------------------------------------------

    @any_pause
    @rule(some=SOME)
    def repairs(self, some: int) -> None:
        """A stuck pause is set going."""
        pause = self.pause(some)
        self.quietly(
            "repair", "not_stuck", "needs_reconcile", do=lambda: operate.repair(self.house.ports, "ops/olga", pause)
        )

    @any_pause
    @rule(some=SOME, aimed=MOSTLY, did=st.booleans())
    def reconciles(self, some: int, aimed: bool, did: bool) -> None:
        """An unknown is settled with evidence."""
        pause, number, call = self.call(some, _permit("unknown") if aimed else None)
        permit = PermitState.DONE if did else PermitState.FAILED
        answer = self.quietly(
            "reconcile",
            "permit_not_unknown",
            do=lambda: operate.reconcile(self.house.ports, "ops/olga", call_id(pause, number), permit, "statement 7"),
        )
        known = call.get("permit", {}).get("state") != "unknown"
        assert isinstance(answer, PlacetError) == known, "10: settled what was known, or refused what was not"

    @precondition(lambda self: not self.oracle.frozen)
    @rule(really=st.integers(0, 7))
    def freezes(self, really: int) -> None:
        """Everything is held, now and then."""
        if really:
            return
        operate.freeze(self.house.ports, "ops/olga", "restore")
        self.oracle.frozen = True

    @precondition(lambda self: self.oracle.frozen)
    @rule(restored=st.sampled_from([False, False, True]))
    def thaws(self, restored: bool) -> None:
        """It goes on, sometimes under a new epoch."""
        if restored:
            self.house.epoch += 1
            self.counts["epoch raised"] += 1
        self.quietly("thaw", do=lambda: operate.thaw(self.house.ports, "ops/olga"))
        self.oracle.frozen = False

    @rule(really=st.integers(0, 9))
    def is_restored(self, really: int) -> None:
        """The epoch is raised; what the table says of permits may not be so any more."""
        if not really:
            self.house.epoch += 1
            self.counts["epoch raised"] += 1
            self.quietly("thaw", do=lambda: operate.thaw(self.house.ports, "ops/olga"))
            self.oracle.frozen = False
