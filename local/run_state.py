"""What a start leaves on disk while it runs, and how the remains of one that was killed are recognised."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import stat
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from local.errors import StepFailed
from local.folders import is_ours
from local.settings import LocalSettings
from local.venvs import lock_at

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
    """What the start in this folder noted; None when there is none, or when what stands there is no note of a start."""
    try:
        handle = os.open(run / STATE, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with open(handle) as file:
            state = json.load(file) if stat.S_ISREG(os.fstat(handle).st_mode) else None
    except (OSError, ValueError, RecursionError):
        return None
    return state if isinstance(state, dict) and _is_note(state) else None


def _is_note(state: dict[str, Any]) -> bool:
    """Whether every fact is of the kind that a start writes, and at least its process is there."""
    ports, root = state.get("ports", []), state.get("root", ["", ""])
    return (
        _is_number(state.get("pid"), 2**31)
        and isinstance(state.get("born", ""), str)
        and _is_number(state.get("port", 1), 65536)
        and isinstance(ports, list)
        and all(_is_number(port, 65536) for port in ports)
        and isinstance(root, list)
        and [type(one) for one in root] == [str, str]
    )


def _is_number(value: object, end: int) -> bool:
    return type(value) is int and 0 < value < end


def remove_state(run: Path) -> bool:
    """The start has ended; its logs stay. Tells whether it was removed: in a folder without our mark nothing is."""
    if not is_ours(run):
        return False
    (run / STATE).unlink(missing_ok=True)
    shutil.rmtree(run / "tmp", ignore_errors=True)
    return True


def remove_remains(home: Path, now: float | None = None) -> list[Path]:
    """Remove what ended starts left: folders of those that were killed, half-made layers, and archives of earlier code.

    Gives the folders that stay although they look like such remains: without our mark they may be somebody's work.
    """
    moment = now or time.time()
    left = [run for run in sorted(home.glob("run-*")) if not _removed(run, moment)]
    return left if _tidied(home / "cache", moment) else [*left, home / "cache"]


def _removed(run: Path, now: float) -> bool:
    """Whether nothing of an ended start is there any more."""
    state = read_state(run)
    if state and not _gone(state):
        return True
    if not is_ours(run):
        return not (state or (run / "logs" / "ministack.log").is_file())
    if state or run.stat().st_mtime <= now - ODD_SECONDS:
        shutil.rmtree(run, ignore_errors=True)
    return True


def _tidied(cache: Path, now: float) -> bool:
    """Whether nothing old stays in the cache; it may stand elsewhere, behind a link."""
    partial = [
        one for one in (*cache.glob("making-*"), *cache.glob("assets/*.partial")) if _mtime(one) <= now - ODD_SECONDS
    ]
    old = [*partial, *sorted(cache.glob("assets/*.zip"), key=_mtime)[:-KEPT]]
    if old and not is_ours(cache.resolve()):
        return False
    for one in old:
        if one.is_dir() and not one.is_symlink():
            shutil.rmtree(one, ignore_errors=True)
        else:
            one.unlink(missing_ok=True)
    return True


def _mtime(path: Path) -> float:
    """When it was written last; now, when another start has just removed it."""
    try:
        return path.lstat().st_mtime
    except OSError:
        return time.time()


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
    try:
        home.mkdir(parents=True, exist_ok=True)
        lock = lock_at(home / "starts.lock")
    except OSError as error:
        raise StepFailed(
            f"The folder {home} cannot hold what a start needs ({error.filename}: {error.strerror}).",
            "Set PLACET_HOME to a folder of yours, or unset it.",
        ) from error
    with lock:
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
