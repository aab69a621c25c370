"""What the agent says about a run: kept in its own checkpoints, so that any process captures it in the same words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from placet.client.exact import to_text

KEY = "placet"


@dataclass(frozen=True)
class About:
    """The agent's word on a run; the fields are those of `POST /v1/pauses`.

    Attributes:
        agent: which agent's graph the thread belongs to, where several share a checkpointer.
        evidence, says: None means: read them off the conversation at the pause.
    """

    agent: str = ""
    entity: str = ""
    requester: str = ""
    evidence: list[dict[str, Any]] | None = None
    says: str | None = None
    facts: dict[str, str] | None = None
    wait_at_most_s: int | None = None
    confidence: Any = None
    numbers: dict[str, Any] | None = None

    def metadata(self) -> dict[str, str]:
        """As LangGraph keeps it beside every checkpoint (only plain texts survive there)."""
        return {KEY: to_text(asdict(self))}

    @classmethod
    def of(cls, metadata: Mapping[str, Any] | None) -> About | None:
        """From a checkpoint's metadata; None when the run was not started by `run`."""
        text = (metadata or {}).get(KEY)
        return cls(**json.loads(text, parse_float=Decimal)) if isinstance(text, str) else None
