"""What stands in the record when a decided pause of Bedrock is to be answered, and what follows from it for each call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from placet.frameworks.bedrock.ways import Way, ways
from placet.model.errors import NotFound
from placet.model.pauses import Agent
from placet.model.states import CallState, PermitState
from placet.records.runs import Run, RunState
from placet.service.bedrock.deployed import is_as_deployed
from placet.service.bedrock.ledger import Opened, opened
from placet.service.bedrock.turns import is_live, run_of
from placet.service.denials import denials
from placet.service.loading import arguments_of
from placet.service.origin import CONFIRMS
from placet.service.ports import Ports


@dataclass(frozen=True)
class Answer:
    """One decided pause that is being answered.

    Attributes:
        live: whether the session that asked still waits, of an agent that is still deployed as it was.
        denied: calls that the policy forbids by now, although they were approved.
    """

    agent: Agent
    pause: Opened
    run: Run
    fence: int
    live: bool
    ways: Mapping[int, Way]
    denied: frozenset[int]

    @property
    def id(self) -> str:
        """The pause's id."""
        return self.pause.head.pause

    @property
    def answered(self) -> bool:
        """Whether its answer arrived and only the last write is missing: a run waits for a pause until that is answered."""
        return self.run.turn > 0 and self.run.pause != self.id

    @property
    def confirmed(self) -> list[int]:
        """Calls that Bedrock runs itself."""
        return [number for number, way in self.ways.items() if way is Way.CONFIRM]

    @property
    def held(self) -> list[int]:
        """Those of them whose permit the answer itself spends, because no action checks it."""
        verified = self.agent.bedrock is not None and self.agent.bedrock.verified
        return [] if verified else self.confirmed

    @property
    def executed(self) -> list[int]:
        """Calls that the executor runs."""
        return [number for number, way in self.ways.items() if way is Way.EXECUTE]

    @property
    def worker(self) -> str:
        """The name of this attempt on the permits of what Bedrock runs."""
        return f"{CONFIRMS}{self.fence}"


def look(ports: Ports, agent: Agent, pause: str, fence: int) -> Answer:
    """Everything about a decided pause, as it stands now. Raises NotFound without a record of its run: none is made up.

    A permit that is not free any more although Bedrock was to run the call means that the session was told before: it is not told
    twice, so a new one is.
    """
    found = opened(ports, pause)
    head = found.head
    run = run_of(ports, agent, head.run)
    if run is None:
        raise NotFound
    denied = frozenset(call.number for call in head.calls if _forbidden(ports, found, call.number))
    states = {n: CallState.DENIED if n in denied else state for n, state in found.states.items()}
    asked_us = run.state is RunState.WAITING and run.pause == pause
    live = asked_us and is_live(ports, agent, run, found.session) and is_as_deployed(ports, agent, found.body.native)
    chosen = ways(found.asked, states, live=live)
    if live and any(chosen[call.number] is Way.CONFIRM and call.permit is not PermitState.FREE for call in head.calls):
        live, chosen = False, ways(found.asked, states, live=False)
    return Answer(agent, found, run, fence, live, chosen, denied)


def again(ports: Ports, found: Answer) -> Answer:
    """The same answer with the permits as they are now."""
    return replace(found, pause=opened(ports, found.id))


def _forbidden(ports: Ports, pause: Opened, number: int) -> bool:
    call = pause.head.calls[number - 1]
    if not call.state.may_run or call.permit is not PermitState.FREE:
        return False
    arguments = arguments_of(ports, pause.head, pause.body, call)
    return bool(denials(ports, pause.head, pause.body, call, arguments))
