"""Where a run stands, as JSON (docs/api.md)."""

from __future__ import annotations

from typing import Any

from placet.service.bedrock.following import Following


def following(found: Following) -> dict[str, Any]:
    """Where a run stands."""
    return {
        "run": found.run,
        "agent": found.agent,
        "status": found.status,
        "say": found.say,
        "pause": found.pause or None,
        "completion": found.completion if found.status == "finished" else None,
        "cut": found.cut,
        "code": found.code or None,
        "why": found.why or None,
        "pauses": list(found.pauses),
        "more": found.more,
    }
