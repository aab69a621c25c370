"""Plays the demo agent: its own process, its own virtual environment, its own role."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from local import venvs
from local.errors import StepFailed

SUPPORT = "local.agents.support"


def play(scenario: str, environment: dict[str, str], log: Path, patience_s: float | None) -> None:
    """Run one scenario of the support agent to its end, what it prints in the log as it runs; raise StepFailed.

    An agent that is not done in time is ended; without a patience it has all the time that it needs.
    """
    python = venvs.VENVS["agent"].python
    if not python.exists():
        raise StepFailed("The demo agent's environment is missing.", "Install it: make setup-local")
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    with log.open("ab") as lines:
        begin = lines.tell()
        process = subprocess.Popen(  # noqa: S603 - our own module, our own interpreter
            [python, "-P", "-m", SUPPORT, "--scenario", scenario],
            env=kept | {"PYTHONUNBUFFERED": "1"} | environment,
            stdin=subprocess.DEVNULL,
            stdout=lines,
            stderr=subprocess.STDOUT,
        )
    try:
        code = process.wait(patience_s)
    except subprocess.TimeoutExpired:
        raise StepFailed(f"The demo agent was not done after {patience_s:.0f} s.", f"Its log: {log}") from None
    finally:
        process.kill()  # nothing is left behind, by whatever this ends
        process.wait()
    if code:
        raise StepFailed(f"The demo agent failed ({_last_line(log, begin)[:200]}).", f"Its log: {log}")


def _last_line(log: Path, begin: int) -> str:
    said = log.read_bytes()[begin:].decode(errors="replace").splitlines()
    return next((line.strip() for line in reversed(said) if line.strip()), "no output")
