"""Plays the demo agent: its own process, its own virtual environment, its own role."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from placet.local import venvs
from placet.local.errors import StepFailed

SUPPORT = "placet.local.agents.support"
PATIENCE = 180.0  # seconds


def play(scenario: str, environment: dict[str, str], log: Path) -> str:
    """Run one scenario of the support agent to its end; give what it printed, or raise StepFailed."""
    python = venvs.VENVS["agent"].python
    if not python.exists():
        raise StepFailed("The demo agent's environment is missing.", "Install it: make setup-local")
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    done = subprocess.run(  # noqa: S603 - our own module, our own interpreter
        [python, "-m", SUPPORT, "--scenario", scenario],
        env=kept | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    with log.open("a") as lines:
        lines.write(done.stdout + done.stderr)
    if done.returncode:
        last = next((line for line in reversed(done.stderr.splitlines()) if line.strip()), "no output")
        raise StepFailed(f"The demo agent failed ({last.strip()[:200]}).", f"Its log: {log}")
    return done.stdout
