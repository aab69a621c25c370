"""What reviewers send."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from placet.http.bodies import Body, Count, Digest, Whole
from placet.model.limits import LONGEST_COMMENT, LONGEST_QUESTION, MAX_REASON
from placet.model.states import Verdict
from placet.service.decide import Decision


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


class ExtendBody(Body):
    """`POST /v1/reviews/{call}/extend`."""

    until_ms: Whole
    reason: Annotated[str, Field(max_length=4 * MAX_REASON)] = ""
