"""Locks of what is installed: every distribution of every list of pins, exactly, with the digests of its files.

``python -m infra.lock`` writes them anew after a change of pins (with ``uv`` on the PATH: ``pip install uv``), and keeps what a
lock has unless a pin says otherwise. A lock names the digest of its pins, so a test sees one that is stale.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
LOCAL = ROOT / "local" / "requirements"
LAYER = ROOT / "layers" / "deps" / "requirements.txt"
PINS = (ROOT / "requirements.txt", ROOT / "requirements-tests.txt", LAYER, *sorted(LOCAL.glob("*.txt")))
PIPS = (":env:", "install", "global")  # rooms of pip's configuration, in the order in which they count
OLDEST = "3.11"  # of the Pythons that set-up takes
RUNTIME = ("--no-deps", "--python-version", "3.13", "--python-platform", "aarch64-manylinux_2_28")


class Locked(NamedTuple):
    """One distribution of a lock, with every digest that one of its files may have."""

    name: str
    version: str
    digests: tuple[str, ...]


def lock_of(pins: Path) -> Path:
    """The lock beside a list of pins."""
    return pins.with_suffix(".lock")


def first_line(pins: Path) -> str:
    """What a lock of these pins begins with."""
    return f"# of {pins.name}, sha256:{hashlib.sha256(pins.read_bytes()).hexdigest()}; written by python -m infra.lock"


def read(lock: Path) -> list[Locked]:
    """What a lock holds. Raises ValueError for a line that is none of a lock."""
    found = []
    for entry in lock.read_text("utf-8").replace("\\\n", " ").splitlines():
        if not entry.strip() or entry.startswith("#"):
            continue
        named = re.fullmatch(r"([\w.-]+)==([\w.+!-]+)\s*(?:;[^\\]*?)?((?:\s+--hash=sha256:[0-9a-f]{64})+)\s*", entry)
        if not named:
            raise ValueError(f"{lock.name}: {entry[:80]!r} is not one distribution with digests")
        found.append(Locked(named[1].lower(), named[2], tuple(re.findall(r"sha256:([0-9a-f]{64})", named[3]))))
    return found


def write(pins: Path) -> None:
    """Write the lock of a list of pins."""
    lock = lock_of(pins)
    how = RUNTIME if pins == LAYER else ("--universal", "--python-version", OLDEST)
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "made.lock")
        if lock.exists():
            shutil.copyfile(lock, made)  # so that uv keeps what is there
        plain = ("--quiet", "--generate-hashes", "--no-header", "--no-annotate")
        command = ["uv", "pip", "compile", str(pins), *plain, *how, "-o", str(made)]
        subprocess.run(command, check=True, env=index() | os.environ)  # noqa: S603
        lock.write_text(f"{first_line(pins)}\n{made.read_text()}")


def index() -> dict[str, str]:
    """The index that pip is configured with, as uv takes it, for uv does not read what pip does; empty leaves uv its own."""
    asked = [sys.executable, "-m", "pip", "config", "list"]
    told = subprocess.run(asked, check=True, capture_output=True, text=True).stdout  # noqa: S603
    return index_in(told)


def index_in(told: str) -> dict[str, str]:
    """The same of what `pip config list` says."""
    found = dict(re.findall(r"^(\S+)\.index-url='(.*)'$", told, re.MULTILINE))
    return next(({"UV_DEFAULT_INDEX": found[room]} for room in PIPS if room in found), {})


def stale() -> Iterator[str]:
    """Every lock that is not of its pins, or leaves one of them out."""
    for pins in PINS:
        lock = lock_of(pins)
        if not lock.exists() or lock.read_text().splitlines()[0] != first_line(pins):
            yield f"{lock.relative_to(ROOT)} is not of {pins.name} as it is: python -m infra.lock"
            continue
        held = {(one.name.replace("_", "-"), one.version) for one in read(lock)}
        for line in pins.read_text().splitlines():
            if pin := re.fullmatch(r"([\w.-]+)(?:\[[\w,]+\])?==([\w.+!-]+)", line.strip()):
                name = pin[1].lower().replace("_", "-")
                if (name, pin[2]) not in held:
                    yield f"{lock.relative_to(ROOT)} does not hold {line}"


def main() -> int:
    """Write every lock."""
    if not shutil.which("uv"):
        print("lock: uv is not on the PATH: pip install uv", file=sys.stderr)
        return 1
    for pins in PINS:
        write(pins)
        print(f"lock: {lock_of(pins).relative_to(ROOT)}: {len(read(lock_of(pins)))} distributions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
