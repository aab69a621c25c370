"""Acting and looking: whatever is done, the oracle sees the heads before and after, and the answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, ClassVar

from hypothesis.stateful import RuleBasedStateMachine

from placet.model.errors import PlacetError
from placet.model.pauses import Agent, call_id
from placet.model.states import Verdict
from placet.records.ops import Item
from placet.service import members
from placet.service.decide import Decision, decide
from placet.service.execute import claim
from tests.gateway import BILLING, SUPPORT
from tests.proofs.stateful.answers import Moment, digest_of, judge_claim, judge_decision
from tests.proofs.stateful.house import House
from tests.proofs.stateful.oracle import Oracle
from tests.proofs.stateful.standing_in import rights

Heads = dict[str, Item]
Judge = Callable[[Heads, Heads, Any], None]
AGENTS = {agent.name: agent for agent in (SUPPORT, BILLING)}


class Acting(RuleBasedStateMachine):
    """What every rule uses. `counts` goes on over all examples: what was done and answered, and which moves were made."""

    counts: ClassVar[Counter[str]] = Counter()

    def __init__(self) -> None:
        super().__init__()
        self.house = self.make_house()
        self.oracle = Oracle(self.house)
        self.runs = 0
        self.judging = False

    def make_house(self) -> House:
        """The gateway under test."""
        return House()

    def act(self, verb: str, do: Callable[[], Any], judge: Judge | None = None) -> Any:
        """Do it and look; the answer may be a deliberate error. Nobody competes, so `busy` is wrong."""
        before, self.judging = self.house.heads(), True
        try:
            answer = do()
        except PlacetError as error:
            answer = error
        code = f" {answer.code}" if isinstance(answer, PlacetError) else ""
        self.counts[f"{verb}{code}"] += 1
        assert code != " busy", f"10: {verb} is told that the record is busy, and nobody else is there"
        after = self.house.heads()
        if judge is not None:
            judge(before, after, answer)
        self.oracle.step(before, after)
        self.judging = False
        return answer

    def quietly(self, verb: str, *allowed: str, do: Callable[[], Any]) -> Any:
        """Do what may only be refused for one of these reasons."""
        answer = self.act(verb, do)
        assert not isinstance(answer, PlacetError) or answer.code in allowed, f"10: {verb} got {answer.code}"
        return answer

    def pause(self, some: int) -> str:
        """One of the pauses; small numbers are the newest."""
        return self.house.pauses[-1 - some % len(self.house.pauses)]

    def call(
        self, some: int, wanted: Callable[[dict[str, Any]], bool] | None = None
    ) -> tuple[str, int, dict[str, Any]]:
        """A pause, the number of one of its calls, and what the head says of it; one that is `wanted`, if there is one."""
        heads = self.house.heads()
        everything = [
            (pause, int(number), call)
            for pause in reversed(self.house.pauses)
            for number, call in heads[pause]["calls"].items()
        ]
        fitting = [one for one in everything if wanted is not None and wanted(one[2])] or everything
        return fitting[some % len(fitting)]

    def agent_of(self, pause: str) -> Agent:
        """The pause's own agent."""
        return AGENTS[self.house.heads()[pause]["agent"]]

    def decide(self, pause: str, number: int, sub: str, asked: Decision) -> None:
        """A person decides; the person is read afresh, as a request does."""
        person = members.reviewer(self.house.ports, sub)
        held = rights(self.house, sub, self.house.heads()[pause]["calls"][str(number)]["class"])

        def judge(before: Heads, after: Heads, answer: Any) -> None:
            judge_decision(Moment(self.oracle, before, after, pause, number), sub, asked, held, answer)

        verb = f"decide {asked.verdict.value}"
        self.act(verb, lambda: decide(self.house.ports, person, call_id(pause, number), asked), judge)

    def claim(self, pause: str, number: int, digest: str, worker: str, fence: int | None) -> None:
        """A worker claims, if the gateway lets its agent in."""
        agent, call = self.agent_of(pause), call_id(pause, number)
        if not self.house.knows(agent):
            return

        def judge(before: Heads, after: Heads, answer: Any) -> None:
            judge_claim(Moment(self.oracle, before, after, pause, number), digest, worker, fence, answer)

        self.act("claim", lambda: claim(self.house.ports, agent, call, digest, worker, fence), judge)

    def shown_of(self, pause: str, number: int, fresh: bool) -> tuple[int, str]:
        """Revision and digest on a reviewer's page; a page that is not fresh shows what the agent proposed."""
        call = self.house.heads()[pause]["calls"][str(number)]
        first = self.house.proposed[pause][number - 1]
        return (call["rev"], call["digest"]) if fresh else (1, digest_of(first[1]))

    def accept(self, pause: str, number: int, sub: str) -> None:
        """The plain yes to what is there."""
        self.decide(pause, number, sub, Decision(Verdict.ACCEPT, *self.shown_of(pause, number, True)))

    def teardown(self) -> None:
        """Nobody does anything any more: then each pause ends or is listed. After a violation there is nothing left to look at."""
        if self.judging:
            return
        before = self.house.heads()
        self.house.settle()
        self.oracle.step(before, self.house.heads())
        self.oracle.ended()
        self.counts.update(self.oracle.taken)
