"""One session: what it remembers, and which requests it refuses where it stands."""

from __future__ import annotations

from dataclasses import dataclass, field

from local.bedrock.agents import Agent
from local.bedrock.answers import OpenPause, Result, matched
from local.bedrock.proposals import Control, Proposal
from local.bedrock.refusals import conflict, invalid
from local.bedrock.requests import Request


@dataclass
class Session:
    """Attributes:
    seen: when the last request came, in seconds of the runtime's clock.
    turns: texts of the user so far.
    asked: the last of them.
    open: the pause that waits for its answer.
    answered: invocation ids that had their answer.
    plan: controls still to come.
    said: what the agent will say at the end of its turn.
    repeated: a stubborn agent has been stubborn here.
    busy: a request is being processed.
    """

    id: str
    agent: Agent
    seen: float
    turns: int = 0
    asked: str = ""
    attributes: dict[str, str] = field(default_factory=dict)
    prompt_attributes: dict[str, str] = field(default_factory=dict)
    open: OpenPause | None = None
    answered: set[str] = field(default_factory=set)
    plan: list[Control] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    repeated: bool = False
    busy: bool = False

    def hear(self, request: Request) -> None:
        """Take the attributes of a request: those of the session stay, those of the prompt are for this turn."""
        self.attributes.update(request.state.get("sessionAttributes") or {})
        self.prompt_attributes = dict(request.state.get("promptSessionAttributes") or {})

    def take_answer(self, request: Request) -> list[tuple[Proposal, Result]]:
        """Close the open pause. Raises Refusal, with the pause as it was, unless this answers all of it."""
        invocation = request.state.get("invocationId")
        if invocation in self.answered:
            raise invalid(f"invocationId {invocation} was already answered")
        if self.open is None or self.open.invocation != invocation:
            raise invalid(f"No pending invocation matches invocationId {invocation}")
        pairs = matched(self.open, request.state["returnControlInvocationResults"], self.agent)
        self.answered.add(self.open.invocation)
        self.open = None
        return pairs

    def take_text(self, request: Request) -> list[tuple[Proposal, Result]]:
        """No answers. Raises Refusal while a pause is open, or when there is no text."""
        if self.open is not None:
            raise conflict("session awaits results for an earlier invocation")
        if not request.text and not request.body.get("endSession"):
            raise invalid("inputText or returnControlInvocationResults is required")
        return []
