"""A process of the agent that ends by SIGKILL at a named moment: `python killed_agent.py <folder> <moment>`."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from tests.frameworks.fake_gateway import FakeGateway
from tests.frameworks.langchain.scene import Scene, refund

TURNS = [[refund(1, 240.0), refund(2, 300.0, "1183")]]


def die(*_: Any, **__: Any) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


def _until_stored(one: Scene, checkpoint: str) -> None:
    """LangGraph stores the checkpoint in the background; before it is there, the run is not paused but merely dead."""
    while True:
        found = one.saver.get_tuple({"configurable": {"thread_id": "t1"}})
        if found and found.checkpoint["id"] == checkpoint:
            return
        time.sleep(0.01)


def main(folder: str, moment: str) -> None:
    """Moments: `before_capture`, or `while_calls_start` (one of two calls asked, the other did not yet)."""
    one = Scene(Path(folder), TURNS, FakeGateway())
    if moment == "before_capture":
        one.approvals.gateway.capture = die
    if moment == "while_calls_start":
        put = one.saver.put_writes
        one_at_a_time = threading.Lock()

        def dies_after_the_first_question(config: Any, writes: Any, task_id: str, task_path: str = "") -> None:
            with one_at_a_time:
                put(config, writes, task_id, task_path)
                if any(channel == "__interrupt__" for channel, _ in writes):
                    _until_stored(one, config["configurable"]["checkpoint_id"])
                    die()

        one.saver.put_writes = dies_after_the_first_question
    one.run()


if __name__ == "__main__":
    main(*sys.argv[1:])
