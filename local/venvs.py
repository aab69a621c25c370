"""The virtual environments, made with pip only and stamped, so that a second start has nothing to do.

Runs before anything is installed: standard library only, and callable as a file:
``python3 -P local/venvs.py product ministack``.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import stat
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NoReturn

CHECKOUT = Path(__file__).resolve().parents[1]
HOME = Path(os.environ.get("PLACET_HOME") or CHECKOUT / ".placet")
EMPTY = "PLACET_HOME is set and empty, which names no folder.", "Set it to a folder of yours, or unset it."
PINS = Path(__file__).parent / "requirements"
SUPPORTED = ((3, 11), (3, 12), (3, 13))


@dataclass(frozen=True)
class Venv:
    """One virtual environment: where it is, what is in it, and what it is for (said while it is made).

    Attributes:
        more_than: the one to which this adds packages, at the same path.
        compiled: beforehand, all of it: for who may not write there. Otherwise Python compiles what it imports.
    """

    path: Path
    pins: Path
    purpose: str
    with_placet: bool = False
    more_than: str = ""
    compiled: bool = True

    @property
    def python(self) -> Path:
        return self.path / "bin" / "python"

    @property
    def lock(self) -> Path:
        """The same pins with everything that they stand on, and the digest of every file (infra/lock.py)."""
        return self.pins.with_suffix(".lock")

    @property
    def stamp(self) -> Path:
        return self.path / (f".stamp-{self.pins.stem}" if self.more_than else ".stamp")


VENVS = {
    "product": Venv(CHECKOUT / ".venv", CHECKOUT / "requirements.txt", "the product", with_placet=True, compiled=False),
    "tests": Venv(
        CHECKOUT / ".venv", CHECKOUT / "requirements-tests.txt", "its tests", more_than="product", compiled=False
    ),
    "ministack": Venv(HOME / "venv-ministack", PINS / "ministack.txt", "the AWS emulator"),
    "steps": Venv(HOME / "venv-sfn", PINS / "steps.txt", "the state machine's interpreter"),
    "agent": Venv(HOME / "venv-agent", PINS / "agent.txt", "the demo agent", with_placet=True, compiled=False),
    "conformance": Venv(
        HOME / "venv-conformance", PINS / "conformance.txt", "the public conformance suites", with_placet=True
    ),
}


def fingerprint(venv: Venv) -> str:
    """What the environment's content follows from: interpreter, pins, and how placet is packaged."""
    parts = [sys.version, str(venv.path), venv.lock.read_text()]
    if venv.more_than:
        parts.append(VENVS[venv.more_than].lock.read_text())
    if venv.with_placet:
        project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())
        packaging = project.get("tool", {}).get("setuptools")
        parts.append(repr([project.get("build-system"), project.get("project"), packaging]))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def ensure(name: str) -> Venv:
    """Make the environment unless it is there as pinned; exit with one sentence when that fails."""
    venv = VENVS[name]
    if not venv.lock.exists():
        fail(f"{venv.lock} is missing.", "Restore it: git checkout -- " + str(venv.lock))
    with _only_one_at_a_time():
        wanted = fingerprint(venv)
        if venv.stamp.exists() and venv.stamp.read_text() == wanted:
            return venv
        print(f"setup: installing {venv.purpose} (this happens once) …", flush=True)
        started = time.monotonic()
        venv.stamp.unlink(missing_ok=True)
        log = HOME / "logs" / f"install-{name}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        log.unlink(missing_ok=True)
        if not _same_interpreter(venv):
            _refuse_what_is_no_environment(venv.path)
            _step([sys.executable, "-m", "venv", "--clear", str(venv.path)], log, venv)
        pip = [str(venv.python), "-m", "pip", "install", "--disable-pip-version-check", "--progress-bar", "off"]
        pip += [] if venv.compiled else ["--no-compile"]
        # A file that is not one of those that were locked is not installed, wherever it comes from.
        _step([*pip, "--require-hashes", "-r", str(venv.lock)], log, venv)
        if venv.with_placet:
            _step([*pip, "--no-deps", "-e", str(CHECKOUT)], log, venv)
            _see_the_checkout(venv)
        venv.stamp.write_text(wanted)
        print(f"setup: {venv.purpose} installed in {time.monotonic() - started:.0f} s", flush=True)
    return venv


def _refuse_what_is_no_environment(path: Path) -> None:
    """Making one anew removes all that is in the folder."""
    if path.is_dir() and any(path.iterdir()) and not (path / "pyvenv.cfg").is_file():
        fail(f"{path} holds something else than a Python environment.", "Move it away, or choose another PLACET_HOME.")


def _see_the_checkout(venv: Venv) -> None:
    """The policy is its own layer and `local` a room of the checkout: the environment finds both by a path file."""
    (packages,) = venv.path.glob("lib/python3*/site-packages")
    (packages / "placet_policy.pth").write_text(f"{CHECKOUT / 'layers' / 'policy' / 'python'}\n{CHECKOUT}\n")


def _same_interpreter(venv: Venv) -> bool:
    """Then only what changed is installed: somebody may be working in this environment."""
    try:
        shown = subprocess.run([venv.python, "-VV"], capture_output=True, text=True)  # noqa: S603 - a Python of ours
    except OSError:
        return False
    ours = subprocess.run([sys.executable, "-VV"], capture_output=True, text=True)
    return shown.returncode == 0 and shown.stdout == ours.stdout


def fail(sentence: str, way_out: str) -> NoReturn:
    """Say what is wrong and the way out, and leave with 1."""
    print(f"placet: {sentence} {way_out}", file=sys.stderr, flush=True)
    raise SystemExit(1)


@contextmanager
def _only_one_at_a_time() -> Iterator[None]:
    """Two starts at once must not install into the same folder."""
    try:
        HOME.mkdir(parents=True, exist_ok=True)
        lock = lock_at(HOME / "venvs.lock")
    except OSError as error:
        fail(
            f"The folder {HOME} cannot hold what is installed ({error.filename}: {error.strerror}).",
            "Set PLACET_HOME to a folder of yours, or unset it.",
        )
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def lock_at(path: Path) -> BinaryIO:
    """The file to hold a lock on, made if it is not there; what is in it stays. Raises OSError for a link or no file."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "no regular file", str(path))
    return open(handle, "r+b")


def _step(command: list[str], log: Path, venv: Venv) -> None:
    """Run one command with its output in the log, and a sign of life every few seconds."""
    started = time.time()
    with log.open("ab") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)  # noqa: S603 - pip and venv
        begun = said = time.monotonic()
        while process.poll() is None:
            time.sleep(0.1)
            if time.monotonic() - said >= 5:
                said = time.monotonic()
                print(f"setup:   {said - begun:3.0f} s  {_last_line(log, venv, started)[:90]}", flush=True)
    if process.returncode:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-5:])
        print(tail, file=sys.stderr)
        fail(f"`{' '.join(command[1:4])} …` failed.", f"Read {log}; with no network, connect once and repeat.")


def _last_line(log: Path, venv: Venv, started: float) -> str:
    """What pip is doing: its newest line that is no warning, in a few words."""
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines()]
    newest = next((line for line in reversed(lines) if line and not line.startswith("WARNING")), "")
    if newest.startswith("Installing collected packages:"):
        unpacked = sum(
            one.stat().st_mtime >= started for one in venv.path.glob("lib/python3*/site-packages/*.dist-info")
        )
        return f"unpacked {unpacked} of {newest.count(',') + 1} packages"
    return newest


def main(names: list[str]) -> None:
    if sys.version_info[:2] not in SUPPORTED:
        fail(f"Python {sys.version.split()[0]} is not supported.", "Use 3.11, 3.12 or 3.13: make PYTHON=python3.13 …")
    if os.environ.get("PLACET_HOME") == "":
        fail(*EMPTY)
    try:
        for name in names:
            ensure(name)
    except KeyboardInterrupt:
        fail("The installation was interrupted.", "The next start goes on with it.")


if __name__ == "__main__":
    main(sys.argv[1:] or ["product"])
