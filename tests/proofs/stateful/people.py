"""What people do: decide, edit, at the last moment, on old pages, without the right."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from placet.model.pauses import Agent, call_id
from placet.model.states import Verdict
from placet.service import members
from placet.service.decide import Decision
from placet.service.extend import extend
from tests.proofs.stateful.acting import AGENTS, Heads
from tests.proofs.stateful.answers import Moment, digest_of
from tests.proofs.stateful.chances import (
    DECIDERS,
    EDGE,
    MOSTLY,
    SOME,
    any_pause,
    may_be_decided,
    may_be_edited,
)
from tests.proofs.stateful.events import Events
from tests.proofs.stateful.extensions import judge_extension
from tests.proofs.stateful.house import MENU
from tests.proofs.stateful.standing_in import rights


class People(Events):
    """The rules, and those of Events."""

    @any_pause
    @rule(some=SOME, aimed=MOSTLY, sub=DECIDERS, no=st.booleans(), fresh=MOSTLY)
    def decides(self, some: int, aimed: bool, sub: str, no: bool, fresh: bool) -> None:
        """Accept or reject what a page shows, which may be old."""
        pause, number, _ = self.call(some, may_be_decided if aimed else None)
        shown = self.shown_of(pause, number, fresh)
        self.decide(pause, number, sub, Decision(Verdict.REJECT if no else Verdict.ACCEPT, *shown, reason="no" * no))

    @any_pause
    @rule(some=SOME, sub=DECIDERS, by_ms=EDGE)
    def accepts_at_the_deadline(self, some: int, sub: str, by_ms: int) -> None:
        """At the last moment, or just after it."""
        pause, number, call = self.call(some, may_be_decided)
        self.house.time_is(call.get("deadline_ms", 0) + by_ms)
        self.accept(pause, number, sub)

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
        pause, number, call = self.call(some, may_be_edited if aimed else None)
        salary = {"person": "p-7", "amount": amount}
        given = {"order_id": order, "amount": amount} if call["tool"] == "issue_refund" else salary
        digest = digest_of(given if confirmed else {"x": 1})
        shown = self.shown_of(pause, number, fresh)
        asked = Decision(Verdict.EDIT, *shown, reason="less", arguments=json.dumps(given), new_digest=digest)
        self.decide(pause, number, sub, asked)

    @any_pause
    @rule(some=SOME, aimed=MOSTLY, sub=DECIDERS, hours=st.sampled_from([-1, 0, 1, 1, 3, 30]))
    def gives_more_time(self, some: int, aimed: bool, sub: str, hours: int) -> None:
        """A later deadline, or one that is none, or too late."""
        pause, number, call = self.call(some, may_be_decided if aimed else None)
        until_ms, person = call.get("deadline_ms", 0) + hours * 3_600_000, members.reviewer(self.house.ports, sub)
        held = rights(self.house, sub, call["class"])

        def judge(before: Heads, after: Heads, answer: Any) -> None:
            judge_extension(Moment(self.oracle, before, after, pause, number), sub, until_ms, held, answer)

        self.act("extend", lambda: extend(self.house.ports, person, call_id(pause, number), until_ms, "later"), judge)

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

    @rule(
        sub=st.sampled_from(["elif", "owner", "bela", "olga", "lena", "stranger"]),
        tool=st.sampled_from([MENU[0], MENU[2], MENU[4]]),
        verdict=st.sampled_from(list(Verdict)),
    )
    def wrong_person_decides(self, sub: str, tool: tuple[str, dict[str, Any]], verdict: Verdict) -> None:
        """Requester, agent's owner, somebody of a later level, of no group, of no name; and lena, who may have left."""
        tool = MENU[4] if sub == "bela" else tool  # her level is the later one of that class
        count = len(self.house.pauses)
        self.comes_into_the_queue([tool], AGENTS["support-agent"], False, "wait")
        if len(self.house.pauses) > count or (self.house.pauses and self.oracle.frozen):
            pause = self.house.pauses[-1]
            given = {**tool[1], "amount": 201}
            edit = {"arguments": json.dumps(given), "new_digest": digest_of(given)} if verdict is Verdict.EDIT else {}
            asked = Decision(verdict, *self.shown_of(pause, 1, True), reason="because", **edit)
            self.decide(pause, 1, sub, asked)

    @any_pause
    @rule(sub=DECIDERS, verdict=st.sampled_from([Verdict.ACCEPT, Verdict.REJECT]))
    def old_page_decides(self, sub: str, verdict: Verdict) -> None:
        """Somebody edited a call that two have to agree to, and another one's page still shows what was proposed."""
        self.comes_into_the_queue([MENU[2]], AGENTS["support-agent"], False, "wait")
        self.edits(0, True, "maria", 202, "1182", True, True)
        pause, number, _ = self.call(0, may_be_edited)
        self.decide(pause, number, sub, Decision(verdict, *self.shown_of(pause, number, False), reason="because"))
