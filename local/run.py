"""``make run``: everything up in the foreground, with something to decide in the inbox; Ctrl-C ends all of it."""

from __future__ import annotations

import os
import time

from local.errors import StepFailed
from local.examples import EXAMPLES, PATIENCE_S, missing
from local.people import PEOPLE
from local.settings import LocalSettings
from local.signals import Ended, signals_end_this
from local.stack import LocalStack


def run(settings: LocalSettings) -> None:
    """Start, say how to sign in, and stay until Ctrl-C or SIGTERM; raise LocalError when a step fails."""
    started = float(os.environ.get("PLACET_STARTED") or time.time())
    with signals_end_this(), LocalStack(settings, say=lambda line: say(line, started)) as stack:
        say(f"seed: {len(EXAMPLES)} demo agents ask for their first approvals", started)
        for sentence in missing(stack, patience_s=PATIENCE_S):
            say(f"seed: {sentence}", started)
        taken = stack.memory
        said = f"seconds={time.time() - started:.0f} processes={taken.processes} memory_mb={taken.megabytes}"
        print(f"ready: {said}", flush=True)
        print(directions(settings), flush=True)
        try:
            while stack.alive:
                time.sleep(0.5)
        except Ended:
            print("\nstop: ending every process", flush=True)
            return
        raise StepFailed("An emulator ended by itself.", f"The logs: {settings.logs}")


def say(line: str, started: float) -> None:
    """One line of progress with the seconds since the start."""
    print(f"{time.time() - started:3.0f} s  {line}", flush=True)


def directions(settings: LocalSettings) -> str:
    """Where the inbox is and how to get in."""
    people = [f"{one.username:<6} {one.password:<20} {one.name}, {' and '.join(one.groups)}" for one in PEOPLE]
    return "\n".join(
        [
            "",
            f"  Inbox    {settings.api_url}/inbox",
            "  Sign in  " + "\n           ".join(people),
            f"  Mails    {settings.chosen}.venv/bin/python -m local outbox",
            f"  Token    {settings.chosen}.venv/bin/python -m local token {PEOPLE[0].username}",
            f"  Logs     {settings.logs}",
            f"  Stop     Ctrl-C, or from elsewhere {settings.chosen}make stop",
            "",
        ]
    )
