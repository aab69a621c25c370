"""The runtime: sessions of scripted agents, what they propose, and what becomes of the answers."""

from __future__ import annotations

import re
import threading
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from local.bedrock import prompts
from local.bedrock.acting import Act, Executed, done, lambda_event, said_by
from local.bedrock.agents import AGENTS, Agent, Mode
from local.bedrock.answers import FAILURE, OpenPause, Result
from local.bedrock.faults import Faults
from local.bedrock.inline import inline_agent
from local.bedrock.proposals import Control, Proposal
from local.bedrock.refusals import Refusal, conflict, failed_dependency, not_found
from local.bedrock.requests import Logged, Request
from local.bedrock.sessions import Session

REOPENED = re.compile(r"-r[0-9]+\Z")


@dataclass
class Count:
    """How often an invocation id was answered."""

    accepted: int = 0
    refused: int = 0


@dataclass(frozen=True)
class Reply:
    """What a turn ends with: text, or a control, or that the session is over.

    Attributes:
        became: `text`, `pause` or `ended`.
        control: the body of the `returnControl` event.
    """

    became: str
    text: str = ""
    control: dict[str, Any] = field(default_factory=dict)


class BedrockRuntime:
    """Args:
        agents: who can be invoked by id and alias.
        act: called with the Lambda event of every action that Bedrock runs itself; its answer is the Lambda's.
        clock: seconds; sessions expire by it.
        new_id: a new invocation id.

    Attributes:
        executed: every action that was run here, oldest first.
        log: every request as received.
        controls: session and control of everything that was proposed, oldest first, whether anybody heard of it or not.
        answers: invocation id → how often it was answered, and how often that was refused.
        faults: arm them here.
    """

    def __init__(
        self,
        agents: Iterable[Agent] = AGENTS,
        act: Act = done,
        clock: Callable[[], float] = time.monotonic,
        new_id: Callable[[], str] = lambda: str(uuid.uuid4()),
    ) -> None:
        self.executed: list[Executed] = []
        self.log: list[Logged] = []
        self.controls: list[tuple[str, dict[str, Any]]] = []
        self.answers: dict[str, Count] = defaultdict(Count)
        self.faults = Faults()
        self._agents = {(one.id, one.alias): one for one in agents}
        self._act = act
        self._clock = clock
        self._new_id = new_id
        self._sessions: dict[tuple[str, str, str], Session] = {}
        self._proposed: dict[str, Control] = {}  # by run: what a stubborn agent would propose again
        self._ahead_s = 0.0
        self._lock = threading.Lock()

    def forward(self, seconds: float, session: str = "") -> None:
        """Let so much time pass at once, for all sessions or for those of one id."""
        if not session:
            self._ahead_s += seconds
            return
        with self._lock:
            for one in self._sessions.values():
                one.seen -= seconds if one.id == session else 0.0

    def _now(self) -> float:
        return self._clock() + self._ahead_s

    def note(self, request: Request) -> Logged:
        """Log a request that came in."""
        logged = Logged(self._now(), request)
        self.log.append(logged)
        return logged

    def unanswered(self) -> list[tuple[str, OpenPause]]:
        """Session id and pause of everything that still can be answered."""
        with self._lock:
            return [(one.id, one.open) for one in self._sessions.values() if one.open and not self._forgotten(one)]

    def invoke(self, request: Request) -> Reply:
        """Process one request. Raises Refusal for one that ends with an error."""
        reply = self._processed(request)
        if reply.became == "pause":
            self.controls.append((request.session, reply.control))
        return reply

    def _processed(self, request: Request) -> Reply:
        agent = inline_agent(request.body) if request.inline else self._agents.get((request.agent, request.alias))
        if agent is None:
            raise not_found(f"Agent {request.agent} with alias {request.alias} not found")
        session, pairs = self._enter(request, agent)
        try:
            if request.is_answer:
                return self._answered(session, pairs)
            if request.body.get("endSession"):
                return self._ended(request)
            return self._heard(session, request.text)
        finally:
            session.busy = False

    def _enter(self, request: Request, agent: Agent) -> tuple[Session, list[tuple[Proposal, Result]]]:
        """The session, which is this request's alone from here on, and what the request answers."""
        with self._lock:
            session = self._live(request, agent)
            session.seen = self._now()
            if session.busy and request.state.get("invocationId") not in session.answered:
                raise conflict("another request of this session is being processed")
            pairs = self._counted(session, request) if request.is_answer else session.take_text(request)
            session.hear(request)
            session.busy = True
            return session, pairs

    def _live(self, request: Request, agent: Agent) -> Session:
        """The session of that id; one that was forgotten silently begins anew."""
        key = (request.agent, request.alias, request.session)
        session = self._sessions.get(key)
        if session is None or self._forgotten(session):
            session = self._sessions[key] = Session(request.session, agent, self._now())
        session.agent = agent
        return session

    def _forgotten(self, session: Session) -> bool:
        return not session.busy and self._now() - session.seen > session.agent.idle_ttl_s

    def _counted(self, session: Session, request: Request) -> list[tuple[Proposal, Result]]:
        count = self.answers[str(request.state.get("invocationId"))]
        try:
            pairs = session.take_answer(request)
        except Refusal:
            count.refused += 1
            raise
        count.accepted += 1
        return pairs

    def _ended(self, request: Request) -> Reply:
        with self._lock:
            del self._sessions[request.agent, request.alias, request.session]
        return Reply("ended", "Session ended.")

    def _heard(self, session: Session, text: str) -> Reply:
        """A text turn."""
        fresh, session.turns, session.asked = session.turns == 0, session.turns + 1, text
        if text.strip() == "ask":
            return Reply("text", "Shall I proceed?")
        try:
            session.plan = list(prompts.read(text, session.agent))
        except prompts.Unclear as unclear:
            return Reply("text", str(unclear))
        if not session.plan:
            session.said = [f"Noted: {text}" if fresh else "How can I help?"]
            earlier = self._proposed.get(_run(session))
            if fresh and earlier:
                self._insist(session, earlier)
        return self._go_on(session)

    def _answered(self, session: Session, pairs: list[tuple[Proposal, Result]]) -> Reply:
        """The turn after an accepted answer."""
        if any(result.response == FAILURE for _, result in pairs):
            raise failed_dependency("an action reported FAILURE")
        for call, result in pairs:
            session.said.append(f"{call.label}: {self._outcome(session, call, result)}")
        denied = [(call, result.body or "") for call, result in pairs if result.denied]
        if session.agent.complies:
            others = [prompts.instructed(body, call) for call, body in denied]
            session.plan[:0] = [Control((other,)) for other in others if other]
        elif denied:
            self._insist(session, Control(tuple(call for call, _ in denied)))
        return self._go_on(session)

    def _insist(self, session: Session, control: Control) -> None:
        """A stubborn agent proposes the same again, once in a session."""
        if session.agent.stubborn and not session.repeated:
            session.repeated = True
            session.plan.insert(0, control)

    def _outcome(self, session: Session, call: Proposal, result: Result) -> str:
        if result.denied:
            return "not done" + (f" ({result.body})" if result.body else "")
        if call.action.mode is Mode.CONFIRM:
            return self._run(session, call)
        return result.body or ""

    def _run(self, session: Session, call: Proposal) -> str:
        """Run an action as Bedrock does it itself. Raises Refusal when its Lambda fails."""
        event = lambda_event(
            call, session.agent, session.id, session.asked, session.attributes, session.prompt_attributes
        )
        self.executed.append(Executed(session.id, call.action.tool, call.named, event))
        try:
            answer = self._act(event)
        except Exception as error:
            raise failed_dependency(f"the action group's Lambda failed: {error}") from error
        return said_by(answer, event)

    def _go_on(self, session: Session) -> Reply:
        """The next control, or everything that is to be said."""
        while session.plan:
            control = session.plan.pop(0)
            if not control.runs_at_once:
                return self._propose(session, control)
            session.said += [f"{call.label}: {self._run(session, call)}" for call in control.proposals]
        text, session.said = "; ".join(session.said), []
        return Reply("text", text)

    def _propose(self, session: Session, control: Control) -> Reply:
        confirms = any(call.action.mode is not Mode.RESULT for call in control.proposals)
        invocation = self._new_id() + ("-uc-result" if confirms else "")
        with self._lock:
            session.open = OpenPause(invocation, control)
            self._proposed[_run(session)] = control
        return Reply("pause", control=control.payload(session.agent, invocation))


def _run(session: Session) -> str:
    """The run that a session belongs to: its id without the number of the reopening."""
    return REOPENED.sub("", session.id)
