"""Looking into a runtime that is a process of its own, and moving it: a few routes beside those of Bedrock.

GET  /_bedrock/health
GET  /_bedrock/state      what ran, what is unanswered, how often what was answered, the faults, the log
POST /_bedrock/faults     {"kind": …, "on": "any" | "text" | "answer", "session": …, "seconds": …}
POST /_bedrock/forward    {"seconds": …}: sessions grow older by so much
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from local.bedrock.faults import Fault
from local.bedrock.runtime import BedrockRuntime

PREFIX = "/_bedrock/"


def look(runtime: BedrockRuntime, path: str) -> Any:
    """The answer to a GET; None for an address that is none."""
    if path == f"{PREFIX}health":
        return {"status": "ok"}
    return state(runtime) if path == f"{PREFIX}state" else None


def state(runtime: BedrockRuntime) -> dict[str, Any]:
    """Everything that a test can ask, as JSON."""
    return {
        "executed": [asdict(one) for one in list(runtime.executed)],
        "unanswered": [
            {"session": session, "invocation": pause.invocation, "calls": len(pause.control.proposals)}
            for session, pause in runtime.unanswered()
        ],
        "answers": {name: asdict(count) for name, count in list(runtime.answers.items())},
        "faults": {"armed": runtime.faults.armed, "fired": runtime.faults.fired},
        "log": [asdict(one) for one in list(runtime.log)],
    }


def change(runtime: BedrockRuntime, path: str, body: bytes) -> tuple[int, Any]:
    """Do what a POST asks; HTTP status and answer."""
    known: dict[str, Callable[[dict[str, Any]], None]] = {
        f"{PREFIX}faults": lambda given: runtime.faults.arm(Fault(given.pop("kind")), **given),
        f"{PREFIX}forward": lambda given: runtime.forward(**given),
    }
    if path not in known:
        return 404, None
    try:
        known[path](json.loads(body))
    except (KeyError, TypeError, ValueError) as error:
        return 400, {"message": str(error)}
    return 200, {}
