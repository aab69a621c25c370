"""Runs with approvals: start, capture, wait, resume, recover.

    run ─► invoke ─► nothing asked ─────────────────────────────► Finished
                └──► asked ─► capture ─► a person is needed ────► Waiting     (any process goes on: pick_up → resume)
                        ▲         └────► decided ─► answer each question, one per invoke ─┐
                        └───────────── asked again ◄──────────────────────────────────────┘

Every step can be repeated: capture and `resumed` are idempotent at the gateway, a question that was answered is
skipped, and a tool acts only under its permit.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.types import StateSnapshot

from placet.client.errors import NotCapturable, NotGated, RunIsBusy, RunIsPaused, RunNotFound, SaverForgets
from placet.client.gateway import Gateway
from placet.client.langchain.answering import QUIET_S, answer, go_on
from placet.client.langchain.capturing import Capturing
from placet.client.langchain.own import Own
from placet.client.langchain.pauses import cut_short
from placet.client.langchain.refusals import TRIES
from placet.client.langchain.run_metadata import About
from placet.client.langchain.threads import Threads
from placet.client.langchain.tools import raw_tools
from placet.client.langchain.usage import check_agent, check_config, check_pause, check_wait
from placet.client.records import Pause
from placet.client.said import check_said
from placet.client.waiting import Pace, Stop, kept, pick_up, wait_for

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Finished:
    """The run has ended.

    Attributes:
        values: the graph's state, with its `messages`.
        pauses: the pauses that were resumed on the way here, by this call.
    """

    values: dict[str, Any]
    pauses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Waiting:
    """A person has to decide; nothing needs to stay in memory. `pause.say` is what the end user may be told."""

    pause: Pause


class Approvals:
    """The gates of one agent: its tools behind permits, the middleware that asks, and the runs in between.

    Args:
        tools, middleware, checkpointer: hand these to `create_agent`; `gated` makes them.
        agent: name of this agent's graph, where several graphs share one checkpointer.
        schemas: by tool name, what the gateway is told of each tool.
        free: whether the policy leaves a tool free, so that it may stand beside the gated ones as it is.
        own: functions of the agent's builder.
    """

    def __init__(
        self,
        gateway: Gateway,
        *,
        tools: list[Any],
        middleware: list[Any],
        checkpointer: Any,
        threads: Threads,
        agent: str,
        schemas: dict[str, dict[str, Any]],
        free: Callable[[str], bool] = lambda tool: False,
        own: Own | None = None,
        quiet_s: float = QUIET_S,
    ) -> None:
        self.gateway = gateway
        self.tools = tools
        self.middleware = middleware
        self.checkpointer = checkpointer
        self._threads = threads
        self._agent = agent
        self._free = free
        self._capturing = Capturing(gateway, schemas, own or Own())
        self._quiet_s = quiet_s

    def run(
        self,
        agent: Any,
        given: Any,
        config: RunnableConfig,
        *,
        entity: str = "",
        requester: str = "",
        evidence: list[dict[str, Any]] | None = None,
        says: str | None = None,
        facts: dict[str, str] | None = None,
        wait_at_most_s: int | None = None,
        confidence: float | Decimal | None = None,
        numbers: dict[str, Any] | None = None,
        wait: float = 0.0,
    ) -> Finished | Waiting:
        """Start or continue the thread of `config` with `given`, until it ends or a person is needed.

        Args:
            entity, requester, evidence, says, facts, wait_at_most_s, confidence, numbers: the agent's word on it,
                docs/api.md. They go before the functions that `gated` got; evidence is a list here.
            wait: seconds to wait here for a decision before `Waiting` is returned.

        Raises:
            NotTaken: one of these is not what the gateway takes; nothing was started. Or a tool's schema is not, once it pauses.
            NotGated: the agent has a tool that is neither gated nor free by the policy.
            RunIsPaused: the thread waits for a decision; new input would make LangGraph drop the pause.
            GatewayUnavailable: nothing is lost, `recover` captures the pause.
        """
        check_config(config)
        check_wait(wait)
        self._check(agent)
        thread = _thread(config)
        state = agent.get_state(config)
        if state.interrupts:
            raise RunIsPaused(f"Thread {thread} waits for a decision; resume it before it gets new input.")
        if callable(evidence):  # the run may be captured by another process, which would not have it
            raise NotCapturable("A function for evidence is given to gated(..., evidence=...), not to a run.")
        told: dict[str, Any] = {"entity": entity, "requester": requester, "evidence": evidence, "says": says}
        told |= {"facts": facts, "wait_at_most_s": wait_at_most_s, "confidence": confidence, "numbers": numbers}
        check_said(run=thread, **told)
        about = About(self._agent, **told)
        config = _with(config, about)
        result = agent.invoke(given, config, version="v2")
        return self._settle(agent, config, self._capturing.first(agent, config, result), wait)

    def resume(self, agent: Any, pause: Pause, config: RunnableConfig | None = None) -> Finished | Waiting:
        """Answer the questions of a decided pause and go on with its run.

        Args:
            pause: a record of the pick-up list, or of the resume event.
            config: what the run needs besides its thread id (callbacks, own values).

        Raises:
            RunNotFound, RunIsBusy, StillPending: the pause stays on the list.
            GatewayRefused: a permit is in other hands; nothing was run here.
        """
        check_pause(pause)
        self._check(agent)
        config, _ = self._found(agent, pause.run, config)
        return self._settle(agent, config, pause, 0.0)

    def recover(self, agent: Any, config: RunnableConfig | None = None) -> dict[str, Finished | Waiting]:
        """Capture what was paused and never captured, resume what is decided. Gives what became of each.

        Call it when a process starts. A thread that cannot be recovered is logged and does not hold up the others.
        """
        self._check(agent)
        found: dict[str, Finished | Waiting] = {}
        for thread in self._threads.maybe_paused():
            try:
                outcome = self._recovered(agent, thread, config)
            except Exception:
                log.exception("thread %s could not be recovered", thread)
                continue
            if outcome is not None:
                found[thread] = outcome
        return found

    def pick_up(
        self, agent: Any, stop: Stop, config: RunnableConfig | None = None, *, pace: Pace | None = None
    ) -> None:
        """Resume every decided pause of this agent, whichever process captured it, until `stop`. Raises Misused."""
        check_agent(agent)

        def handle(pause: Pause) -> None:
            self.resume(agent, pause, config)

        pick_up(self.gateway, handle, stop, pace=pace)

    def _recovered(self, agent: Any, thread: str, config: RunnableConfig | None) -> Finished | Waiting | None:
        seen = self._threads.seen(thread)
        config, state = self._found(agent, thread, config)
        about = About.of(state.metadata)
        if about is not None and about.agent != self._agent:
            return None
        if not state.interrupts and not state.next:
            self._threads.forget(thread, seen)
            return None
        if not state.interrupts or cut_short(state):
            go_on(agent, config, state, quiet_s=self._quiet_s)
        pause = self._capturing.pending(agent, config, maybe_captured=True)
        if pause is None or pause.state != "decided" or not pause.pause:
            return self._settle(agent, config, pause, 0.0)
        taken = self.gateway.take(pause.pause).pauses
        if not taken:
            raise RunIsBusy(f"Another process resumes thread {thread} now.")
        with kept(self.gateway, taken[0]):
            return self._settle(agent, config, taken[0], 0.0)

    def _settle(self, agent: Any, config: RunnableConfig, pause: Pause | None, wait: float) -> Finished | Waiting:
        """Capture and answer in turn, until the run ends or a person is needed."""
        until = time.monotonic() + wait
        resumed: list[str] = []
        declines = 0
        while True:
            seen = self._threads.seen(_thread(config))
            if pause is None:
                values = agent.get_state(config).values
                self._threads.forget(_thread(config), seen)
                return Finished(values, tuple(resumed))
            if pause.state == "waiting" and (left := until - time.monotonic()) > 0:
                pause = wait_for(self.gateway, pause.pause, left)
            if pause.state == "waiting":
                return Waiting(pause)
            declines = 0 if pause.pause else declines + 1
            if declines > TRIES:
                raise NotCapturable(f"Thread {_thread(config)} proposes calls again that nobody can be asked about.")
            answer(agent, config, pause, quiet_s=self._quiet_s)
            following = self._capturing.pending(agent, config)
            if pause.pause:
                self.gateway.resumed(pause.pause, pause.fence)
                resumed.append(pause.pause)
            pause = following

    def _found(self, agent: Any, thread: str, config: RunnableConfig | None) -> tuple[RunnableConfig, StateSnapshot]:
        """The config of a known thread, carrying on what `run` said about it."""
        config = {**(config or {}), "configurable": {**(config or {}).get("configurable", {}), "thread_id": thread}}
        state = agent.get_state(config)
        if not state.values and not state.next:
            raise RunNotFound(f"The checkpointer has no thread {thread}.")
        about = About.of(state.metadata)
        return (_with(config, about) if about else config), state

    def _check(self, agent: Any) -> None:
        check_agent(agent)
        if getattr(agent, "checkpointer", None) is not self.checkpointer:
            raise SaverForgets("The agent does not run on the checkpointer it was gated with; pass it to create_agent.")
        if raw := [name for name in raw_tools(agent) if not self._free(name)]:
            names = ", ".join(raw)
            raise NotGated(f"Not behind the gate: {names}. Give every tool to gated, and its `tools` to create_agent.")


def _with(config: RunnableConfig, about: About) -> RunnableConfig:
    return {**config, "metadata": {**config.get("metadata", {}), **about.metadata()}}


def _thread(config: RunnableConfig) -> str:
    thread = (config.get("configurable") or {}).get("thread_id")
    if not thread or not str(thread).strip():
        raise NotCapturable('The config names no thread: pass {"configurable": {"thread_id": "…"}}.')
    return str(thread)
