"""What a start leaves on disk while it runs, and how the remains of one that was killed are recognised."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from placet.local.errors import StepFailed
from placet.local.settings import LocalSettings

STATE = "state.json"
KEPT = 30  # archives in the cache, of about twelve that a start uploads
ODD_SECONDS = 3600  # a folder without state is a start in its first moments, or the remains of one


def write_state(run: Path, **facts: Any) -> None:
    """Note this process and what belongs to it, for its owner's eyes: the start's root key is among it."""
    text = json.dumps({"pid": os.getpid(), "born": _born(os.getpid()), **facts})
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
    """Remove what ended starts left: folders of those that were killed, half-made layers, and archives of earlier code."""
    for run in home.glob("run-*"):
        state = read_state(run)
        young = run.stat().st_mtime > (now or time.time()) - ODD_SECONDS
        if (state and _gone(state)) or not (state or young):
            shutil.rmtree(run, ignore_errors=True)
    for partial in (*home.glob("cache/making-*"), *home.glob("cache/assets/*.partial")):  # of a start that was killed
        if partial.stat().st_mtime <= (now or time.time()) - ODD_SECONDS:
            shutil.rmtree(partial, ignore_errors=True) if partial.is_dir() else partial.unlink(missing_ok=True)
    for old in sorted(home.glob("cache/assets/*.zip"), key=lambda one: one.stat().st_mtime)[:-KEPT]:
        old.unlink(missing_ok=True)


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
    """Whether the process of a start is there and not another one that has its number by now."""
    if state is None:
        return False
    pid = int(state["pid"])
    born = _born(pid)
    return bool(born) and born == state["born"] if "born" in state else "placet.local" in _command(pid)


def _gone(state: dict[str, Any]) -> bool:
    """Whether there is no such process any more."""
    born = _born(int(state["pid"]))
    return not born or born != state.get("born", born)


@contextmanager
def one_at_a_time(home: Path) -> Iterator[None]:
    """Of two starts at the same moment one takes ports and folder, and the other finds them taken."""
    home.mkdir(parents=True, exist_ok=True)
    with (home / "starts.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _born(pid: int) -> str:
    """When a process started, as the system tells it; nothing when there is none, or it has ended and its parent has not asked."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return "" if told[0] in ("Z", "X") else told[19]
    except OSError:
        return "" if Path("/proc/self").exists() else _told(pid, "lstart=")


def _command(pid: int) -> str:
    """How the process was started; nothing when there is none."""
    if Path("/proc/self").exists():
        try:
            return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
        except OSError:
            return ""
    return _told(pid, "command=")


def _told(pid: int, what: str) -> str:
    shown = subprocess.run(["ps", "-o", what, "-p", str(pid)], capture_output=True, text=True)  # noqa: S603, S607
    return shown.stdout.strip()
