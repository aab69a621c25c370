"""``make stop``: ends a start that was left behind, by the process that its own state names."""

from __future__ import annotations

import os
import signal

from local.choosing import listens
from local.errors import StepFailed
from local.processes import wait_until
from local.run_state import is_up, read_state, remove_state, running
from local.settings import LocalSettings

PATIENCE_S = 60  # a dozen processes end, on a machine that may be busy


def stop(settings: LocalSettings) -> str:
    """End it and give the sentence that says so; raise StepFailed when it does not end."""
    state = read_state(settings.run)
    if state is None:
        other = ", where another program listens" if listens(settings.gateway_port) else ""
        return f"stop: nothing of Placet is running on port {settings.gateway_port}{other}{_elsewhere(settings)}"
    pid = int(state["pid"])
    if not is_up(state):
        removed = (
            "its state is removed" if remove_state(settings.run) else f"{settings.run} has no mark of ours, and stays"
        )
        return f"stop: nothing of Placet is running any more; {removed}"
    os.kill(pid, signal.SIGTERM)
    if not wait_until(lambda: not is_up(state), patience=PATIENCE_S):
        raise StepFailed(f"Process {pid} does not end.", f"End it by hand: kill -9 {pid}")
    return "stop: ended"


def _elsewhere(settings: LocalSettings) -> str:
    """How to end what runs on other ports."""
    ports = [port for port in sorted(running(settings.home)) if port != settings.gateway_port]
    return "".join(f"; on port {port} it is: PLACET_PORT={port} make stop" for port in ports)
