"""Placet as agentbarrier's suite drives it: each action is a call of a captured pause, each effect runs under its permit.

A gated action is a call of a tool that the policy does not know, an ungated one of a tool that the policy lets pass. A delegated
action is proposed only once its parent runs, as a framework does it: the sub-agent does not exist before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from agentbarrier.adapter import AgentAdapter, validate_actions, validate_timeout
from agentbarrier.models import ActionRequest, Capability
from agentbarrier.probe import EffectProbe

from tests.conformance.run import Knowledge, Run


class Placet(AgentAdapter):
    """The local stack."""

    name = "placet"
    capabilities = frozenset(Capability)
    run = Run

    async def begin(
        self,
        *,
        run_id: str,
        actions: Sequence[ActionRequest],
        effect: EffectProbe,
        timeout_seconds: float | None = None,
    ) -> Run:
        """Start a run."""
        known = Knowledge(run_id, validate_actions(actions), effect, validate_timeout(timeout_seconds))
        return await asyncio.to_thread(self.run.started, known, asyncio.get_running_loop())


class Forgetful(Run):
    """The planted bug: an agent that runs what was approved without claiming the permit."""

    guarded = False


class PlacetWithoutPermits(Placet):
    """A gateway whose agents do not claim: the suite has to see it."""

    name = "placet-without-permits"
    run = Forgetful
