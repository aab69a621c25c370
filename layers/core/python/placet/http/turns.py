"""The body of a turn of a Bedrock agent (docs/api.md); apart from the others, because only `invoke_agent` takes it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from placet.http.bodies import Body, Count, EvidenceBody, FactsBody, Short
from placet.model.limits import LONGEST_NAME
from placet.model.pauses import Evidence
from placet.service.bedrock.continuing import About
from placet.service.bedrock.invoking import Invocation


class InvokeBody(Body):
    """`POST /v1/agents/{agent}/invoke`."""

    run: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
    text: Annotated[str, Field(min_length=1, max_length=100_000)]
    key: Short = ""
    entity: Short = ""
    requester: Short = ""
    evidence: Annotated[list[EvidenceBody], Field(default_factory=list, max_length=20)]
    facts: FactsBody = FactsBody()
    wait_at_most_s: Count | None = None

    def invocation(self) -> Invocation:
        """As a value."""
        about = About(
            entity=self.entity,
            requester=self.requester,
            evidence=tuple(Evidence(one.title, one.source, one.trusted, one.text) for one in self.evidence),
            facts=self.facts.model_dump(),
            wait_at_most_s=self.wait_at_most_s,
        )
        return Invocation(self.run, self.text, self.key, about)
