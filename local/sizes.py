"""What a start takes of the machine: the memory of its processes."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PSS = re.compile(r"^Pss:\s+(\d+) kB", re.MULTILINE)


@dataclass(frozen=True)
class Memory:
    """Of all processes together; what several share counts once (on Linux; elsewhere for each)."""

    processes: int
    megabytes: int


def memory_of(group: int | None) -> Memory:
    """That of this process and of a group: the emulators and the functions' environments."""
    found = [size for pid, member in _groups() if member == group or pid == os.getpid() if (size := _kilobytes(pid))]
    return Memory(len(found), sum(found) // 1024)


def _groups() -> Iterator[tuple[int, int]]:
    """Every process and its group."""
    shown = subprocess.run(["ps", "-A", "-o", "pid=,pgid="], capture_output=True, text=True)  # noqa: S607
    for line in shown.stdout.splitlines():
        pid, member = line.split()
        yield int(pid), int(member)


def _kilobytes(pid: int) -> int:
    """What this process takes; 0 when it has ended."""
    try:
        found = PSS.search(Path(f"/proc/{pid}/smaps_rollup").read_text())
        return int(found.group(1)) if found else 0
    except OSError:
        if Path("/proc/self/smaps_rollup").exists():
            return 0
    shown = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True)  # noqa: S603, S607
    return int(shown.stdout.strip() or 0)
