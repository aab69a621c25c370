"""The resume worker under crashresume: killed after every effect, started anew, and nothing may happen twice.

The subject's state is what the gateway says of each permit: spent or not. A worker that comes after a killed one does not run the
call again and does not claim to know how it went.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from crashresume import conform

from placet.client import GatewayRefused
from placet.client.exact import digest_of
from placet.client.permits import DONE, Permits
from placet.client.records import Pause
from tests.conformance import parties

# (name, tool, arguments, what the reviewer makes of them)
INPUTS: list[tuple[str, str, dict[str, Any], dict[str, Any] | None]] = [
    ("free", parties.FREE, {"order_id": "1182"}, None),
    ("accepted", parties.GATED, {"recipient": "a@example.com", "amount": 3}, None),
    ("edited", parties.GATED, {"recipient": "b@example.com", "amount": 9}, {"recipient": "b@example.com", "amount": 2}),
]
PATIENCE_S = 60.0


class Worker:
    """One process that resumes a run."""

    guarded = True

    def __init__(self, context: Any) -> None:
        self.context = context
        self.gateway = parties.agent()
        self.spent: dict[str, str] = {}

    def state(self) -> dict[str, str]:
        """What is known of the permits."""
        return dict(self.spent)

    def step(self, item: Any) -> None:
        """Pause, have it decided, claim, act, report, go on."""
        name, tool, arguments, replacement = item
        native = parties.native(name, [(name, tool, arguments)])
        pause = self._decided(
            self.gateway.capture("langchain", f"crash-{RUN}-{self.context.run_id}", native), replacement
        )
        (call,) = pause.calls
        if self.guarded:
            try:
                permit = Permits(self.gateway).claim(call)
            except GatewayRefused as refused:
                if refused.code not in ("permit_claimed", "permit_settled"):
                    raise
            else:
                self._act(name, permit.arguments)
                Permits(self.gateway).settle(permit, DONE, "ran")
        else:
            self._act(name, call.arguments)
        self.spent[name] = "spent"
        if pause.state != "ended":
            self.gateway.resumed(pause.pause)

    def _act(self, call: str, arguments: str) -> None:
        kept = (
            call.rpartition("-")[2] + arguments
        )  # the suite compares keys between runs, so the pause's own id is no part
        self.context.effect("tool", json.loads(arguments), key=kept)

    def _decided(self, pause: Pause, replacement: dict[str, Any] | None) -> Pause:
        reviewer, end = parties.reviewer(), time.monotonic() + PATIENCE_S
        while pause.state == "waiting":
            assert time.monotonic() < end, f"{pause.pause} was not decided"
            (call,) = reviewer.review(pause.pause)["calls"]
            if call["may_decide"] and replacement is None:
                reviewer.accept(call)
            elif call["may_decide"]:
                text = json.dumps(replacement)
                reviewer.edit(call, text, digest_of(text), "less")
            time.sleep(0.2)
            pause = self.gateway.pause(pause.pause)
        return pause


class Unguarded(Worker):
    """The planted bug: a worker that does not claim."""

    guarded = False


RUN = time.time_ns()


def main(subject: str) -> int:
    report = conform({"worker": Worker, "unguarded": Unguarded}[subject], INPUTS)
    for finding in report.findings:
        print(f"{finding.kind} after effect {finding.crash_after}: {finding.detail}")
    print(json.dumps({"points": report.crash_points, "findings": len(report.findings)}))
    return 1 if report.findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
