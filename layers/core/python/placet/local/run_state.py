"""What a start leaves on disk while it runs, and how the remains of one that was killed are recognised."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

from placet.local.errors import StepFailed
from placet.local.settings import LocalSettings

STATE = "state.json"
ODD_SECONDS = 3600  # a folder without state is a start in its first moments, or the remains of one


def write_state(run: Path, **facts: Any) -> None:
    """Note this process and what belongs to it, for its owner's eyes: the start's root key is among it."""
    text = json.dumps({"pid": os.getpid(), **facts})
    new = run / f"{STATE}.new"
    new.touch(mode=0o600)
    new.write_text(text)
    new.replace(run / STATE)


def read_state(run: Path) -> dict[str, Any] | None:
    """What the start in this folder noted; None when there is none."""
    try:
        return dict(json.loads((run / STATE).read_text()))
    except (OSError, ValueError):
        return None


def remove_state(run: Path) -> None:
    """The start has ended; its logs stay."""
    (run / STATE).unlink(missing_ok=True)
    shutil.rmtree(run / "tmp", ignore_errors=True)


def remove_remains(home: Path, now: float | None = None) -> None:
    """Remove the folders of tests that were killed and could not do it themselves."""
    for run in home.glob("run-*"):
        state = read_state(run)
        young = run.stat().st_mtime > (now or time.time()) - ODD_SECONDS
        if (state and not _exists(int(state["pid"]))) or not (state or young):
            shutil.rmtree(run, ignore_errors=True)


def running(home: Path) -> dict[int, int]:
    """The starts that are up in this home: by the port of each, its process."""
    states = (read_state(run) for run in home.glob("run*"))
    return {int(state["port"]): int(state["pid"]) for state in states if state and "port" in state and is_up(state)}


def nothing_runs(settings: LocalSettings) -> StepFailed:
    """What to say to who needs a start that is up, when there is none on these ports."""
    up = ", ".join(f"PLACET_PORT={port}" for port in sorted(running(settings.home)))
    way_out = f"Name the one that runs: {up}" if up else f"Start it: {settings.chosen}make run"
    return StepFailed(f"Nothing of Placet is running on port {settings.gateway_port}.", way_out)


def is_up(state: dict[str, Any] | None) -> bool:
    """Whether the process of a start is there: a number may have gone to another program, so it has to run this package."""
    return state is not None and "placet.local" in _command(int(state["pid"]))


def _command(pid: int) -> str:
    """How the process was started; nothing when there is none."""
    if Path("/proc/self").exists():
        try:
            return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
        except OSError:
            return ""
    shown = subprocess.run(["ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True)  # noqa: S603, S607
    return shown.stdout


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
