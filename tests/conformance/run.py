"""One run: pause, wait, claim, act, report, go on. The agent's process of the suite."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass, field
from typing import Any, Self

from agentbarrier.adapter import RunHandle
from agentbarrier.errors import AmbiguousEffectError
from agentbarrier.models import (
    ActionRequest,
    AuditEvent,
    AuditReceipt,
    ReconciliationEvidence,
    ReconciliationStatus,
    RunOutcome,
    RunStatus,
    action_digest,
)
from agentbarrier.probe import EffectProbe

from placet.client import GatewayRefused
from placet.client.exact import digest_of
from placet.client.permits import DONE, FAILED, UNKNOWN, Permits
from placet.client.records import Call, Pause
from tests.conformance import parties
from tests.conformance.receipts import Receipts

ASK_AGAIN_S = 0.2
SETTLED = {DONE: RunStatus.COMPLETED, FAILED: RunStatus.FAILED, UNKNOWN: RunStatus.UNKNOWN}


@dataclass
class Knowledge:
    """What a framework keeps of a run: its actions, and how often each was proposed (the checkpoint moves with it)."""

    run_id: str
    actions: tuple[ActionRequest, ...]
    effect: EffectProbe
    timeout_s: float | None
    attempt: int = 1
    receipts: Receipts = field(default_factory=Receipts)

    def action(self, action_id: str) -> ActionRequest:
        """One by its id."""
        return next(one for one in self.actions if one.action_id == action_id)

    def below(self, parent: str | None) -> list[ActionRequest]:
        """What is proposed when the parent runs; None is the run itself."""
        return [one for one in self.actions if one.parent_action_id == parent]


class Run(RunHandle):
    """A process that works on a run. `guarded`: claims the permit before it acts, as every agent must."""

    guarded = True

    def __init__(self, known: Knowledge) -> None:
        self.known = known
        self.gateway = parties.agent()
        self.reviewer = parties.reviewer()
        self.permits = Permits(self.gateway)
        self.pauses: list[str] = []
        self.status = RunStatus.COMPLETED

    @classmethod
    def started(cls, known: Knowledge, loop: asyncio.AbstractEventLoop) -> Self:
        """A process that is at work already."""
        run = cls(known)
        run.first = run.capture(known.below(None), None)
        run.task = asyncio.run_coroutine_threadsafe(run._drive(), loop)
        return run

    first: Pause
    task: Any

    def capture(self, actions: list[ActionRequest], parent: str | None) -> Pause:
        """Hand in a pause of these calls; the same again is found again."""
        calls = [(one.action_id, _tool(one), dict(one.arguments)) for one in actions]
        checkpoint = f"{parent or ''}>{actions[0].action_id}>{self.known.attempt}"  # moves on, as a framework's does
        native = parties.native(checkpoint, calls)
        about = {"requester": "elif@example.com", "parent": f"{self.first.pause}-1" if parent else ""}
        pause = self.gateway.capture("langchain", self.known.run_id, native, **about)
        self.pauses.append(pause.pause)
        return pause

    async def _drive(self) -> RunOutcome:
        await self._go_on(self.first)
        if self.status is RunStatus.COMPLETED:
            self.known.receipts.completed()
        return RunOutcome(self.status)

    async def _go_on(self, pause: Pause) -> None:
        """Wait until every call is decided, run what may run, report."""
        while pause.state == "waiting":
            await asyncio.sleep(ASK_AGAIN_S)
            pause = await asyncio.to_thread(self.gateway.pause, pause.pause)
        for call in pause.calls:
            if call.may_run:
                await self._run(call)
        if pause.state != "ended":
            await asyncio.to_thread(self.gateway.resumed, pause.pause)

    async def _run(self, call: Call) -> None:
        action = self.known.action(call.framework_call_id)
        if not self.guarded:
            await self._act(action, call.arguments)
            return
        try:
            permit = await asyncio.to_thread(self.permits.claim, call)
        except GatewayRefused as refused:
            self.status = SETTLED[refused.members.get("permit", UNKNOWN)]
            return
        state = FAILED  # what a cancelled effect leaves: it says that it did nothing
        try:
            state = await self._act(action, permit.arguments)
        finally:
            await asyncio.shield(asyncio.to_thread(self.permits.settle, permit, state, "by the suite"))
        if state == DONE and (below := self.known.below(action.action_id)):
            await self._go_on(await asyncio.to_thread(self.capture, below, action.action_id))

    async def _act(self, action: ActionRequest, arguments: str) -> str:
        """The effect on exactly these arguments; what is to be reported of it."""
        try:
            await asyncio.wait_for(
                self.known.effect(action.with_arguments(json.loads(arguments))), self.known.timeout_s
            )
        except TimeoutError:
            self.status = RunStatus.TIMED_OUT
            return UNKNOWN
        except AmbiguousEffectError:
            self.status = RunStatus.UNKNOWN
            return UNKNOWN
        return DONE

    async def wait_for_pending(self, timeout_seconds: float) -> tuple[ActionRequest, ...]:
        """Once the reviewers can see it: the calls as they are shown."""
        end = time.monotonic() + timeout_seconds
        while not (calls := await asyncio.to_thread(self._shown)):
            if time.monotonic() > end:
                raise TimeoutError
            await asyncio.sleep(ASK_AGAIN_S)
        actions = [(self.known.action(name), json.loads(call["arguments"])) for name, call in calls.items()]
        return tuple(action.with_arguments(arguments) for action, arguments in actions)

    def _shown(self) -> dict[str, dict[str, Any]]:
        """The calls that a reviewer may decide now, by the suite's id."""
        names = {call.call: call.framework_call_id for call in self.first.calls}
        calls = self.reviewer.review(self.first.pause)["calls"]
        return {names[call["call"]]: call for call in calls if call["may_decide"]}

    async def approve(self, action_id: str, replacement: ActionRequest | None = None) -> None:
        """Accept what is shown, or edit it."""
        call = (await asyncio.to_thread(self._shown))[action_id]
        if replacement is None:
            await asyncio.to_thread(self.reviewer.accept, call)
            return
        text = json.dumps(dict(replacement.arguments))
        await asyncio.to_thread(self.reviewer.edit, call, text, digest_of(text), "reviewed")

    async def reject(self, action_id: str, reason: str | None = None) -> None:
        """Say no to what is shown."""
        call = (await asyncio.to_thread(self._shown))[action_id]
        await asyncio.to_thread(self.reviewer.reject, call, reason or "no")

    async def cancel(self) -> None:
        """The gateway hands out no more permits; then what runs here is stopped."""
        for pause in self.pauses:
            await asyncio.to_thread(self.gateway.cancel, pause, "cancelled by its run")
        self.status = RunStatus.CANCELLED
        self.task.cancel()

    async def wait(self, timeout_seconds: float) -> RunOutcome:
        """How the run ended."""
        try:
            return await asyncio.wait_for(asyncio.wrap_future(self.task), timeout_seconds)
        except asyncio.CancelledError:
            return RunOutcome(self.status)

    async def replay(self) -> RunHandle:
        """Another process takes the same run up again."""
        return await asyncio.to_thread(type(self).started, self.known, asyncio.get_running_loop())

    async def reconcile(self, action_id: str, timeout_seconds: float) -> ReconciliationEvidence:
        """An operator looks at what the tool's own system says, and settles the permit when that is clear."""
        action, receipts = self.known.action(action_id), self.known.receipts
        receipts.add(AuditEvent.RECONCILIATION_STARTED, action)
        try:
            found = await asyncio.wait_for(self.known.effect.reconcile(action), timeout_seconds)
        except TimeoutError:
            receipts.add(AuditEvent.RECONCILIATION_TIMED_OUT, action)
            detail = f"the lookup timed out after {timeout_seconds} s; the permit stays unknown"
            return ReconciliationEvidence(
                action_id, ReconciliationStatus.UNAVAILABLE, action_digest(action), detail=detail
            )
        settled = {ReconciliationStatus.COMMITTED: DONE, ReconciliationStatus.NOT_COMMITTED: FAILED}.get(found.status)
        if settled:
            await asyncio.to_thread(self._settle, action_id, settled, found.detail or found.status.value)
        if settled == FAILED:
            self.known.attempt += 1  # it certainly did not run, so the agent proposes it anew
        receipts.add(AuditEvent(f"reconciliation_{found.status.value}"), action)
        return found

    def _settle(self, action_id: str, permit: str, evidence: str) -> None:
        call = next(call.call for call in self.first.calls if call.framework_call_id == action_id)
        body = json.dumps({"permit": permit, "evidence": evidence})
        parties.operator().send("POST", f"/v1/operations/calls/{call}/reconcile", body)

    async def audit_receipts(self) -> tuple[AuditReceipt, ...]:
        """What the gateway keeps of the run, as the reviewers' route tells it."""
        names = {call.call: self.known.action(call.framework_call_id) for call in self.first.calls}
        shown = await asyncio.to_thread(self.reviewer.review, self.first.pause)
        return self.known.receipts.told(self.known.run_id, names, shown)

    async def close(self) -> None:
        """Stop."""
        self.task.cancel()


def _tool(action: ActionRequest) -> str:
    return parties.GATED if action.requires_approval else parties.FREE
