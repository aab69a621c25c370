"""The JSON bodies of the API, checked by pydantic: unknown fields are refused, nothing is coerced."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from placet.adapters import adapter_of
from placet.model.canonical import Lexeme, exact_text
from placet.model.characters import is_blank
from placet.model.errors import Invalid
from placet.model.ids import is_call_number, is_pause_id
from placet.model.limits import (
    LONGEST_ANSWER,
    LONGEST_COMMENT,
    LONGEST_NAME,
    LONGEST_NUMBER,
    LONGEST_QUESTION,
    LONGEST_TEXT,
    LONGEST_TITLE,
    MAX_REASON,
    MOST,
    MOST_EVIDENCE,
    MOST_NUMBERS,
)
from placet.model.pauses import Agent, Capture, Evidence, Number
from placet.model.people import is_one_person
from placet.model.states import PermitState, Verdict
from placet.service.decide import Decision
from placet.service.origin import check_origin

MOST_RESUMES = 25  # decided pauses in one answer: each comes with all that it needs to go on

Short = Annotated[str, Field(max_length=LONGEST_NAME)]


def _seen(text: str) -> str:
    if is_blank(text):
        raise PydanticCustomError("nothing_seen", "Nobody can see anything of this text")
    return text


Reason = Annotated[str, Field(min_length=1, max_length=500), AfterValidator(_seen)]


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


Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
Confidence = Annotated[Any, AfterValidator(_confidence)]
Numbers = Annotated[dict[Name, Annotated[Any, AfterValidator(_number)]], Field(max_length=MOST_NUMBERS)]
Whole = Annotated[int, Field(ge=0, le=MOST)]
Count = Annotated[int, Field(ge=1, le=MOST)]
Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Worker = Annotated[str, Field(min_length=1, max_length=128)]
M = TypeVar("M", bound="Body")


class Body(BaseModel):
    """Strict and closed."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    exact: ClassVar[frozenset[str]] = frozenset()  # fields that take a number as it was written

    @field_validator("*", mode="before")
    @classmethod
    def _no_number_is_text(cls, value: Any, info: ValidationInfo) -> Any:
        """A fraction is kept as the text that was written, and pydantic would take that for a text of the body."""
        if info.field_name in cls.exact:
            return value
        if isinstance(value, Lexeme) or (isinstance(value, list) and any(isinstance(one, Lexeme) for one in value)):
            raise PydanticCustomError(
                "number_for_text", "A number with a fraction or an exponent is not what this field takes"
            )
        return value


def _one_person(text: str) -> str:
    """A requester is one person. With a list in their place an agent would choose who may not decide its call."""
    if not is_one_person(text):
        raise PydanticCustomError("several_people", "A requester is one person: one address, or one sub")
    return text


Requester = Annotated[Short, AfterValidator(_one_person)]


def _a_call(text: str) -> str:
    """The id of a call, or nothing: it stands in every record of the pause, and whatever else stood there would name nothing."""
    pause, _, number = text.rpartition("-")
    if text and not (is_pause_id(pause) and is_call_number(number)):
        raise PydanticCustomError(
            "no_call", "It is the id of a call, as the answer to the capture of its pause gave it"
        )
    return text


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
    evidence: Annotated[list[EvidenceBody], Field(max_length=MOST_EVIDENCE)] = []
    says: Annotated[str, Field(max_length=LONGEST_TEXT)] = ""
    confidence: Confidence = None
    numbers: Numbers = {}
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


class ClaimBody(Body):
    """`POST /v1/calls/{call}/claim`."""

    digest: Digest
    worker: Worker
    fence: Count | None = None
    renews: bool = False


class RenewClaimBody(Body):
    """`POST /v1/calls/{call}/renew`."""

    worker: Worker


class TakeBody(Body):
    """`POST /v1/resumes`."""

    pause: Short = ""
    limit: Annotated[int, Field(ge=1, le=MOST_RESUMES)] = 1
    skip: Annotated[list[Short], Field(max_length=100)] = []
    request: Annotated[str, Field(max_length=32)] = ""
    after: Short = ""


class LeaseBody(Body):
    """`POST /v1/resumes/{pause}/lease` and `…/release`."""

    fence: Count


class CancelBody(Body):
    """`POST /v1/pauses/{pause}/cancel`."""

    reason: Reason
    successor: Short = ""


class ReconcileBody(Body):
    """`POST /v1/operations/calls/{call}/reconcile`."""

    permit: Literal["done", "failed"]
    evidence: Annotated[str, Field(max_length=10_000)]


class FreezeBody(Body):
    """`POST /v1/operations/freeze`."""

    reason: Reason


class EmptyBody(Body):
    """A body that says nothing."""


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


class DecisionBody(Body):
    """`POST /v1/reviews/{call}/decision`."""

    decision: Literal["accept", "edit", "reject"]
    revision: Count
    digest: Digest
    reason: Annotated[str, Field(max_length=4 * MAX_REASON)] = ""
    arguments: str = ""
    new_digest: Digest | Literal[""] = ""
    shown_at: Whole = 0

    def value(self) -> Decision:
        """As a value."""
        return Decision(
            verdict=Verdict(self.decision),
            revision=self.revision,
            digest=self.digest,
            reason=self.reason,
            arguments=self.arguments,
            new_digest=self.new_digest,
            shown_at_ms=self.shown_at,
        )


class UndoBody(Body):
    """`POST /v1/reviews/{call}/undo`."""

    revision: Count


class CommentBody(Body):
    """`POST /v1/reviews/{pause}/comments`."""

    text: Annotated[str, Field(max_length=4 * LONGEST_COMMENT)]


class AskBody(Body):
    """`POST /v1/reviews/{call}/ask`."""

    text: Annotated[str, Field(max_length=4 * LONGEST_QUESTION)]
    revision: Count


class AnswerBody(Body):
    """`POST /v1/pauses/{pause}/answer`."""

    call: Short
    question: Count
    text: Annotated[str, Field(max_length=4 * LONGEST_ANSWER)]
    evidence: Annotated[list[EvidenceBody], Field(max_length=MOST_EVIDENCE)] = []


class ExtendBody(Body):
    """`POST /v1/reviews/{call}/extend`."""

    until_ms: Whole
    reason: Annotated[str, Field(max_length=4 * MAX_REASON)] = ""


_SAID = {"model_type": "An object is wanted here"}  # pydantic names a class of ours


def checked(kind: type[M], value: dict[str, Any]) -> M:
    """A body of one kind. Raises Invalid `unknown_field` or `field_invalid`, with `problems` ({at, problem})."""
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False, include_context=False)
        problems = [
            {"at": "/".join(map(str, one["loc"])), "problem": _SAID.get(one["type"], one["msg"])} for one in found[:20]
        ]
        code = "unknown_field" if any(one["type"] == "extra_forbidden" for one in found) else "field_invalid"
        raise Invalid(code, "The body is not what this route takes.", problems=problems) from None
