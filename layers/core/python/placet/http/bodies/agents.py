"""What agents send: a pause, what becomes of its calls, and how its run goes on."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from placet.frameworks import adapter_of
from placet.http.bodies import Body, Count, Digest, Name, Reason, Short, Whole
from placet.model.canonical import Lexeme, exact_text
from placet.model.ids import is_call_number, is_pause_id
from placet.model.limits import (
    LONGEST_ANSWER,
    LONGEST_NAME,
    LONGEST_NUMBER,
    LONGEST_TEXT,
    LONGEST_TITLE,
    MOST_EVIDENCE,
    MOST_NUMBERS,
)
from placet.model.pauses import Agent, Capture, Evidence, Number
from placet.model.people import is_one_person
from placet.model.states import PermitState
from placet.service.origin import check_origin

MOST_RESUMES = 25  # decided pauses in one answer: each comes with all that it needs to go on


def _number(value: Any) -> Number:
    """An exact number, as it was written."""
    if isinstance(value, bool) or not isinstance(value, int | Lexeme):
        raise PydanticCustomError("no_number", "A number is wanted here")
    if len(str(value)) > LONGEST_NUMBER:
        raise PydanticCustomError("number_long", "A number has at most {most} characters", {"most": LONGEST_NUMBER})
    number: Number = value
    return number


def _confidence(value: Any) -> Number | None:
    if value is None:
        return None
    number = _number(value)
    if not 0 <= Decimal(str(number)) <= 1:
        raise PydanticCustomError("no_confidence", "A confidence is a number from 0 to 1")
    return number


def _one_person(text: str) -> str:
    """A requester is one person. With a list in their place an agent would choose who may not decide its call."""
    if not is_one_person(text):
        raise PydanticCustomError("several_people", "A requester is one person: one address, or one sub")
    return text


def _a_call(text: str) -> str:
    """The id of a call, or nothing: it stands in every record of the pause, and whatever else stood there would name nothing."""
    pause, _, number = text.rpartition("-")
    if text and not (is_pause_id(pause) and is_call_number(number)):
        raise PydanticCustomError(
            "no_call", "It is the id of a call, as the answer to the capture of its pause gave it"
        )
    return text


Confidence = Annotated[Any, AfterValidator(_confidence)]
Numbers = Annotated[dict[Name, Annotated[Any, AfterValidator(_number)]], Field(max_length=MOST_NUMBERS)]
Requester = Annotated[Short, AfterValidator(_one_person)]
Worker = Annotated[str, Field(min_length=1, max_length=128)]


class EvidenceBody(Body):
    """One piece of evidence."""

    title: Annotated[str, Field(min_length=1, max_length=LONGEST_TITLE)]
    source: Short = ""
    trusted: bool = False
    text: Annotated[str, Field(max_length=LONGEST_TEXT)]
    origin: Literal["user", "tool", "retrieved", "agent", ""] = ""
    cut: Whole = 0

    def value(self) -> Evidence:
        """As a value."""
        return Evidence(self.title, self.source, self.trusted, self.text, self.origin, self.cut)


class FactsBody(Body):
    """What later evals need to know of the agent."""

    model: Short = ""
    agent_version: Short = ""
    framework_version: Short = ""


class CaptureBody(Body):
    """`POST /v1/pauses`."""

    exact = frozenset({"confidence"})
    framework: Short
    run: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
    native: dict[str, Any]
    entity: Short = ""
    requester: Requester = ""
    evidence: Annotated[list[EvidenceBody], Field(default_factory=list, max_length=MOST_EVIDENCE)]
    says: Annotated[str, Field(max_length=LONGEST_TEXT)] = ""
    confidence: Confidence = None
    numbers: Annotated[Numbers, Field(default_factory=dict)]
    before: Short | None = None
    facts: FactsBody = FactsBody()
    parent: Annotated[Short, AfterValidator(_a_call)] = ""
    wait_at_most_s: Count | None = None
    supersedes: bool = False

    def capture(self, agent: Agent) -> Capture:
        """As a value, with the calls read by the agent's own framework's adapter."""
        check_origin(agent, self.framework)
        return Capture(
            agent=agent.name,
            framework=self.framework,
            run=self.run,
            native=adapter_of(self.framework).read(self.run, self.native),
            native_text=exact_text(self.native),
            entity=self.entity,
            requester=self.requester,
            evidence=tuple(one.value() for one in self.evidence),
            says=self.says,
            facts=self.facts.model_dump(),
            parent=self.parent,
            wait_at_most_s=self.wait_at_most_s,
            confidence=self.confidence,
            numbers=self.numbers,
            before=self.before,
        )


class AnswerBody(Body):
    """`POST /v1/pauses/{pause}/answer`."""

    call: Short
    question: Count
    text: Annotated[str, Field(max_length=4 * LONGEST_ANSWER)]
    evidence: Annotated[list[EvidenceBody], Field(default_factory=list, max_length=MOST_EVIDENCE)]


class CancelBody(Body):
    """`POST /v1/pauses/{pause}/cancel`."""

    reason: Reason
    successor: Short = ""


class TakeBody(Body):
    """`POST /v1/resumes`."""

    pause: Short = ""
    limit: Annotated[int, Field(ge=1, le=MOST_RESUMES)] = 1
    skip: Annotated[list[Short], Field(default_factory=list, max_length=100)]
    request: Annotated[str, Field(max_length=32)] = ""
    after: Short = ""


class LeaseBody(Body):
    """`POST /v1/resumes/{pause}/lease` and `…/release`."""

    fence: Count


class ClaimBody(Body):
    """`POST /v1/calls/{call}/claim`."""

    digest: Digest
    worker: Worker
    fence: Count | None = None
    renews: bool = False


class RenewClaimBody(Body):
    """`POST /v1/calls/{call}/renew`."""

    worker: Worker


class OutcomeBody(Body):
    """`POST /v1/calls/{call}/outcome`."""

    worker: Worker
    permit: Literal["done", "failed", "unknown"]
    result: str = ""

    @property
    def state(self) -> PermitState:
        """The reported state of the permit."""
        return PermitState(self.permit)


class ResumedBody(Body):
    """`POST /v1/resumes/{pause}/outcome`."""

    state: Literal["resumed"]
    fence: Count | None = None
