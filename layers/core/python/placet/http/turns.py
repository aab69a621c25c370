"""The body of a turn of a Bedrock agent (docs/api.md); apart from the others, because only `invoke_agent` takes it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from placet.http.bodies import Body, Count, Short
from placet.http.bodies.agents import Confidence, EvidenceBody, FactsBody, Numbers, Requester
from placet.model.limits import LONGEST_NAME, MOST_EVIDENCE
from placet.service.bedrock.continuing import About
from placet.service.bedrock.invoking import Invocation
from placet.service.origin import check_run


class InvokeBody(Body):
    """`POST /v1/agents/{agent}/invoke`."""

    exact = frozenset({"confidence"})
    run: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
    text: Annotated[str, Field(min_length=1, max_length=100_000)]
    key: Short = ""
    entity: Short = ""
    requester: Requester = ""
    evidence: Annotated[list[EvidenceBody], Field(default_factory=list, max_length=MOST_EVIDENCE)]
    facts: FactsBody = FactsBody()
    wait_at_most_s: Count | None = None
    confidence: Confidence = None
    numbers: Annotated[Numbers, Field(default_factory=dict)]

    def invocation(self) -> Invocation:
        """As a value. Raises Invalid `run_reserved`."""
        check_run(self.run)
        about = About(
            entity=self.entity,
            requester=self.requester,
            evidence=tuple(one.value() for one in self.evidence),
            facts=self.facts.model_dump(),
            wait_at_most_s=self.wait_at_most_s,
            confidence=self.confidence,
            numbers=self.numbers,
        )
        return Invocation(self.run, self.text, self.key, about)
