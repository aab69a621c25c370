"""``make stop``: ends a start that was left behind, by the process that its own state names."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

from placet.local.errors import StepFailed
from placet.local.processes import wait_until
from placet.local.run_state import read_state, remove_state
from placet.local.settings import LocalSettings


def stop(settings: LocalSettings) -> str:
    """End it and give the sentence that says so; raise StepFailed when it does not end."""
    state = read_state(settings.run)
    if state is None:
        return "stop: nothing of Placet is running"
    pid = int(state["pid"])
    if not _is_ours(pid):
        remove_state(settings.run)
        return "stop: nothing of Placet is running any more; its state is removed"
    os.kill(pid, signal.SIGTERM)
    if not wait_until(lambda: not _is_ours(pid), patience=20):
        raise StepFailed(f"Process {pid} does not end.", f"End it by hand: kill -9 {pid}")
    return "stop: ended"


def _is_ours(pid: int) -> bool:
    """A number may have gone to another program meanwhile: only a process that runs this package is ended."""
    return "placet.local" in _command(pid)


def _command(pid: int) -> str:
    """How the process was started; nothing when there is none."""
    if Path("/proc/self").exists():
        try:
            return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
        except OSError:
            return ""
    shown = subprocess.run(["ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True)  # noqa: S603, S607
    return shown.stdout
