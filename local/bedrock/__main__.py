"""``python -m local.bedrock --port N [--agents FILE]``: the runtime as a process of its own.

With ``--lambda URL`` the Lambdas that the file names are invoked there for actions that Bedrock runs itself, and only who
signs with a key of that start is let in.
"""

from __future__ import annotations

import argparse
import json
import os
import threading
from pathlib import Path
from typing import Any

from local.bedrock.acting import Act, done
from local.bedrock.agents import AGENTS, Agent
from local.bedrock.reading import agents_of
from local.bedrock.runtime import BedrockRuntime
from local.bedrock.server import BedrockServer
from local.emulator import guard, keys
from local.emulator.keys import Asking


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m local.bedrock", description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--agents", type=Path, help="a JSON file; without it three agents of the tests")
    parser.add_argument("--lambda", dest="endpoint", default="", help="endpoint of Lambda")
    given = parser.parse_args()
    if "PLACET_PARENT" in os.environ:
        guard.end_with_parent()
    agents = agents_of(json.loads(given.agents.read_text())) if given.agents else AGENTS
    runtime = BedrockRuntime(agents, invoking(agents, given.endpoint) if given.endpoint else done)
    with BedrockServer(runtime, given.port, Asking(given.endpoint) if given.endpoint else None) as server:
        print(server.url, flush=True)
        threading.Event().wait()


def invoking(agents: tuple[Agent, ...], endpoint: str) -> Act:
    """Invoke the Lambda that the action's group names, as Bedrock would. Raises RuntimeError when it failed."""
    from local.endpoint import Endpoint

    names = {((action.agent or one.id), action.group): action.runs for one in agents for action in one.actions}
    root = keys.root()
    functions = Endpoint(endpoint).client("lambda", root)

    def act(event: dict[str, Any]) -> dict[str, Any]:
        name = names.get((event["agent"]["id"], event["actionGroup"]))
        if not name:
            return done(event)
        answer = functions.invoke(FunctionName=name, Payload=json.dumps(event).encode())
        text = answer["Payload"].read().decode()
        if answer.get("FunctionError"):
            raise RuntimeError(text[:500])
        return dict(json.loads(text))

    return act


if __name__ == "__main__":
    main()
