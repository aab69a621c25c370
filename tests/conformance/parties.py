"""Who talks to the gateway: an agent, a reviewer and an operator, each under credentials from the environment."""

from __future__ import annotations

import json
import os
from typing import Any

import botocore.session

from local.reviewing import Reviewing
from placet.client import Gateway
from placet.client.gateway import Sends, operations

REGION = "us-east-1"
GATED, FREE = "sentinel_write", "get_order"  # the example policy does not know the first, and lets the second pass


def agent() -> Gateway:
    """The support agent."""
    return Gateway(os.environ["PLACET_URL"], REGION, _session("AGENT"))


def operator() -> Sends:
    """An operator."""
    return operations(os.environ["PLACET_URL"], REGION, _session("OPERATOR"))


def reviewer() -> Reviewing:
    """A person of the group that decides calls of unknown tools."""
    return Reviewing(os.environ["PLACET_URL"], os.environ["PLACET_REVIEWER_TOKEN"])


def native(checkpoint: str, calls: list[tuple[str, str, dict[str, Any]]]) -> dict[str, Any]:
    """(id, tool, arguments) of each call as LangChain's pause."""
    interrupts = [
        {"id": name, "value": {"type": "tool_approval", "tool_call_id": name, "name": tool, "args": arguments}}
        for name, tool, arguments in calls
    ]
    return {"mode": "per_call", "checkpoint_ns": "", "checkpoint_id": checkpoint, "interrupts": interrupts}


def _session(who: str) -> Any:
    session = botocore.session.Session()
    session.set_credentials(*json.loads(os.environ[f"PLACET_{who}_CREDENTIALS"]))
    return session
