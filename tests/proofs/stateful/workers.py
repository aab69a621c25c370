"""What agents do: claim, report, take and renew leases, go on, cancel."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import rule

from placet.model.errors import PlacetError
from placet.model.pauses import Agent, call_id
from placet.model.states import PermitState
from placet.service.cancel import cancel
from placet.service.execute import outcome
from placet.service.resume import renew, take
from placet.service.went_on import resumed
from tests.proofs.stateful.acting import AGENTS
from tests.proofs.stateful.answers import digest_of
from tests.proofs.stateful.chances import (
    EDGE,
    MOSTLY,
    SOME,
    WORKERS,
    any_pause,
    permit_is,
)
from tests.proofs.stateful.house import MENU
from tests.proofs.stateful.leaving import Leaving


class Workers(Leaving):
    """The rules, and those of Leaving."""

    @any_pause
    @rule(some=SOME, aimed=MOSTLY, worker=WORKERS, right=MOSTLY, fence=st.sampled_from([None, None, 0, -1]))
    def claims(self, some: int, aimed: bool, worker: str, right: bool, fence: int | None) -> None:
        """A worker claims, sometimes with other arguments, or under a lease that is its own or another's."""
        pause, number, call = self.call(some, permit_is("free") if aimed else None)
        named = None if fence is None else max(0, self.house.heads()[pause]["fence"] + fence)
        self.claim(pause, number, call["digest"] if right else digest_of({"x": 2}), worker, named)

    @any_pause
    @rule(some=SOME, worker=WORKERS, by_ms=EDGE)
    def comes_late(self, some: int, worker: str, by_ms: int) -> None:
        """A worker claims just when the approval gets too old."""
        pause, number, call = self.call(some, permit_is("free"))
        self.house.time_is(call.get("permit", {}).get("until_ms", 0) + by_ms)
        self.claim(pause, number, call["digest"], worker, None)

    @rule(worker=WORKERS, how=st.sampled_from(["accept", "edit", "passes"]), by_ms=EDGE)
    def waits_too_long(self, worker: str, how: str, by_ms: int) -> None:
        """A decision is made, or none is needed, and its worker comes when it gets too old."""
        call, then = (MENU[1], "wait") if how == "passes" else (MENU[0], how)
        self.comes_into_the_queue([call], AGENTS["support-agent"], False, then)
        if self.house.pauses:
            self.comes_late(0, worker, by_ms)

    @any_pause
    @rule(some=SOME, worker=WORKERS, by_ms=EDGE, said=st.sampled_from([*PermitState][3:]))
    def claims_and_reports(self, some: int, worker: str, by_ms: int, said: PermitState) -> None:
        """A worker claims, and reports just when its time is over, after the sweep."""
        pause, number, call = self.call(some, permit_is("free"))
        self.claim(pause, number, call["digest"], worker, None)
        permit = self.house.heads()[pause]["calls"][str(number)].get("permit", {})
        if permit.get("worker") == worker:
            self.house.time_is(permit["at_ms"] + 900_000 + by_ms)
            self.sweeps(True)
            self.report(pause, number, worker, said)

    @rule(worker=WORKERS, then=st.sampled_from(["again", "late", "goes on"]))
    def dies_with_a_key(self, worker: str, then: str) -> None:
        """A worker with an idempotency key claims and never reports: another one tries, too late, or the run goes on."""
        self.comes_into_the_queue([MENU[0]], AGENTS["support-agent"], True, "accept")
        if not self.house.pauses:
            return
        pause, number, call = self.call(0, permit_is("free"))
        self.claim(pause, number, call["digest"], worker, None)
        permit = self.house.heads()[pause]["calls"][str(number)].get("permit", {})
        if permit.get("worker") != worker:
            return
        self.house.time_is(permit["at_ms"] + 900_000)
        self.sweeps(True)
        if then == "goes on":
            self.goes_on(0, None)
            return
        if then == "late":
            self.house.time_is(permit.get("until_ms", 0))
        self.claim(pause, number, call["digest"], f"{worker} again", None)

    @any_pause
    @rule(some=SOME, worker=WORKERS, other=WORKERS, said=st.sampled_from([*PermitState][3:]))
    def two_workers(self, some: int, worker: str, other: str, said: PermitState) -> None:
        """Both claim, one of them other arguments first, and both report."""
        self.comes_into_the_queue([MENU[0]], AGENTS["support-agent"], False, "accept")
        pause, number, call = self.call(some, permit_is("free"))
        self.claim(pause, number, digest_of({"x": 2}), worker, None)
        for one in (worker, other):
            self.claim(pause, number, call["digest"], one, None)
        for one in (other, worker):
            self.report(pause, number, one, said)

    @any_pause
    @rule(some=SOME, worker=WORKERS, own=MOSTLY, said=st.sampled_from([*PermitState][3:]))
    def reports(self, some: int, worker: str, own: bool, said: PermitState) -> None:
        """An outcome, mostly by the worker that holds the permit."""
        pause, number, call = self.call(some, permit_is("claimed") if own else None)
        holder = call.get("permit", {}).get("worker")
        worker = holder if own and holder else worker
        self.report(pause, number, worker, said)

    def report(self, pause: str, number: int, worker: str, said: PermitState) -> None:
        """An outcome; only the worker that holds the permit is heard, and only while its agent is let in."""
        if not self.house.knows(self.agent_of(pause)):
            return
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
        pause = self.pause(some)
        self._take(self.agent_of(pause), pause if named else "")

    @any_pause
    @rule(some=SOME)
    def two_take_one(self, some: int) -> None:
        """Two workers ask for the same pause by its name, which shows them what the list leaves out."""
        heads = self.house.heads()
        due = [one for one in reversed(self.house.pauses) if heads[one]["resume_state"] in ("due", "offered")]
        for pause in [due[some % len(due)]] * 2 if due else []:
            self._take(self.agent_of(pause), pause)

    def _take(self, agent: Agent, pause: str) -> None:
        if not self.house.knows(agent):
            return
        before = self.house.heads()
        for one in self.quietly("take", do=lambda: take(self.house.ports, agent, pause, 2)):
            old = before[one["pause"]]
            assert old.get("lease_until_ms", 0) <= self.house.now_ms, "2: a lease was given away twice"
            assert old["open_calls"] == 0, "3: a run may go on before it is decided"
            assert old["resume_state"] != "done", "2: a run may go on twice"

    @any_pause
    @rule(some=SOME, back=st.integers(0, 1))
    def renews(self, some: int, back: int) -> None:
        """A worker keeps its lease."""
        pause = self.pause(some)
        if not self.house.knows(self.agent_of(pause)):
            return
        fence = max(0, self.house.heads()[pause]["fence"] - back)
        self.quietly("renew", "lease_lost", do=lambda: renew(self.house.ports, self.agent_of(pause), pause, fence))

    @any_pause
    @rule(some=SOME, back=st.sampled_from([None, None, 0, 1]))
    def goes_on(self, some: int, back: int | None) -> None:
        """A run is reported as gone on."""
        pause, before = self.pause(some), self.house.heads()
        if not self.house.knows(self.agent_of(pause)):
            return
        fence = None if back is None else max(0, before[pause]["fence"] - back)
        answer = self.quietly(
            "resumed",
            "still_waiting",
            "still_held",
            "lease_lost",
            do=lambda: resumed(self.house.ports, self.agent_of(pause), pause, fence),
        )
        assert isinstance(answer, PlacetError) or before[pause]["open_calls"] == 0, "3: it went on undecided"
        held = self.oracle.windows.open_ms(pause) > self.house.now_ms
        assert held or getattr(answer, "code", "") != "still_held", "10: still_held is not so"

    @any_pause
    @rule(some=SOME, other=SOME, what=st.sampled_from(["cancel", "ask again", "nothing"]))
    def cancels(self, some: int, other: int, what: str) -> None:
        """A run is cancelled, or asks again."""
        asked_again = what == "ask again"
        if what == "nothing":  # often, so that other things are tried
            return
        waiting = 2 if asked_again else 1 - some % 2  # two that wait, so that one can take the other's place
        for _ in range(waiting):
            self.comes_into_the_queue([MENU[0]], AGENTS["support-agent"], False, "wait")
        pause = self.house.pauses[-2] if asked_again and len(self.house.pauses) > 1 else self.pause(some)
        agent = self.agent_of(pause)
        if not self.house.knows(agent):
            return
        others = [one for one in self.house.pauses if one != pause and self.agent_of(one) == agent]
        same = asked_again and bool(others)
        successor = others[-1 - other % len(others)] if same else ""
        self.quietly(
            "supersede" if same else "cancel",
            "already_resumed",
            do=lambda: cancel(self.house.ports, agent, pause, "moved on", successor),
        )

    @rule(worker=WORKERS, cancelled=st.booleans())
    def claims_what_is_over(self, worker: str, cancelled: bool) -> None:
        """A worker comes for a decided call when its run was cancelled, or has gone on."""
        self.comes_into_the_queue([MENU[0]], AGENTS["support-agent"], False, "accept")
        if not self.house.pauses:
            return
        pause, number, call = self.call(0, permit_is("free"))
        if cancelled and self.house.knows(self.agent_of(pause)):
            self.quietly(
                "cancel",
                "already_resumed",
                do=lambda: cancel(self.house.ports, self.agent_of(pause), pause, "moved on"),
            )
        else:
            self.goes_on(0, None)
        self.claim(pause, number, call["digest"], worker, None)
