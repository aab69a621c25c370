"""`make conformance`: both suites against the local stack. The last two lines are the figures; 1 when either is not clean."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from local import venvs
from local.settings import CHECKOUT
from local.stack import LocalStack
from tests.shared import shared_stack

SCENARIOS = 11
PATIENCE_S = ["--operation-timeout", "60", "--settle", "0.5", "--tool-timeout", "1"]
PATHS = [CHECKOUT, CHECKOUT / "layers/core/python"]


def agentbarrier(stack: LocalStack, adapter: str = "Placet", scenarios: tuple[str, ...] = ()) -> dict[str, Any]:
    """The suite's report: `summary` with passed, failed, errors and skipped, and `results`."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        chosen = [part for name in scenarios for part in ("--scenario", name)]
        target = [f"tests.conformance.adapter:{adapter}", "--approval-profile", "per-action", "--strict-skips"]
        _run(stack, "agentbarrier", "verify", *target, *PATIENCE_S, *chosen, "--json", str(report))
        return dict(json.loads(report.read_text()))


def crashresume(stack: LocalStack, subject: str = "worker") -> dict[str, int]:
    """Crash points tested, and findings."""
    said = _run(stack, "tests.conformance.crash", subject)
    return dict(json.loads(said.splitlines()[-1]))


def environment(stack: LocalStack) -> dict[str, str]:
    """Addresses and credentials of the three parties, and nothing else of the stack."""
    credentials = {"AGENT": stack.agent_credentials("support-agent"), "OPERATOR": stack.operator_credentials()}
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join(map(str, PATHS)),
        "PLACET_URL": stack.api_url,
        "PLACET_REVIEWER_TOKEN": stack.access_token("maria"),
        **{
            f"PLACET_{who}_CREDENTIALS": json.dumps([one.id, one.secret, one.token]) for who, one in credentials.items()
        },
    }


def _run(stack: LocalStack, module: str, *arguments: str) -> str:
    command = [str(venvs.ensure("conformance").python), "-m", module, *arguments]
    done = subprocess.run(command, cwd=CHECKOUT, env=environment(stack), stdout=subprocess.PIPE, text=True)
    print(done.stdout, flush=True)
    return done.stdout


def main() -> int:
    stack = shared_stack()
    summary, crashes = agentbarrier(stack)["summary"], crashresume(stack)
    failed = summary["failed"] + summary["errors"]
    print(f"crashresume: points={crashes['points']} findings={crashes['findings']}")
    print(f"agentbarrier: passed={summary['passed']} failed={failed} skipped={summary['skipped']}")
    return 0 if summary["passed"] == SCENARIOS and not failed and crashes["points"] and not crashes["findings"] else 1


if __name__ == "__main__":
    sys.exit(main())
