"""``make demo``: one approval from pause to execution, played by the demo agent and a reviewer, in about half a minute."""

from __future__ import annotations

import os
import time

from placet.local.agent_process import play
from placet.local.run import say, signals_end_this
from placet.local.settings import LocalSettings
from placet.local.stack import LocalStack


def demo(settings: LocalSettings) -> None:
    """Start on free ports, play, and end; raise LocalError when a step fails."""
    started = float(os.environ.get("PLACET_STARTED") or time.time())
    mine = settings.on_free_ports()
    with signals_end_this(), LocalStack(mine, say=lambda line: say(line, started)) as stack:
        agent = stack.agent_environment("support-agent")
        say("agent: wants to refund an order, and is stopped before the call", started)
        play("seed", agent, mine.logs / "agent.log")
        maria = stack.reviewing("maria")
        for call in maria.wait_for_calls():
            say(f"maria: accepts {call['tool']} {call['arguments']}", started)
            maria.accept(call)
        say("agent: picks the decisions up and goes on", started)
        print(play("resume", agent, mine.logs / "agent.log"), end="")
        print(f"demo: seconds={time.time() - started:.0f}")
