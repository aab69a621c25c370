"""The first of the two gates: LangChain's own middleware asks before a tool starts, by the gateway's gate list."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Any

from langchain.agents.middleware import AgentMiddleware, HumanInTheLoopMiddleware
from langchain_core.messages import ToolMessage
from langgraph.config import get_config

from placet.client.langchain.released_call import answered_call
from placet.client.langchain.threads import Threads
from placet.client.records import Gates

log = logging.getLogger(__name__)

DECISIONS = ["approve", "edit", "reject"]


class NotesThread(AgentMiddleware):
    """Notes the thread before a gated call can pause it. Stands before the middleware that pauses."""

    def __init__(self, gated: frozenset[str], threads: Threads) -> None:
        super().__init__()
        self._gated = gated
        self._threads = threads

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Note, then go on."""
        if request.tool_call["name"] in self._gated:
            self._threads.note(_thread())
        return handler(request)

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """As `wrap_tool_call`."""
        if request.tool_call["name"] in self._gated:
            await asyncio.to_thread(self._threads.note, _thread())
        return await handler(request)


class SaysWhy(AgentMiddleware):
    """Tells the model why a call was not run, in the answer's own words. LangChain puts "User rejected the tool call" before every
    answer that is no yes; of a call that nobody said no to that is not true. Stands before the middleware that pauses.
    """

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Go on, then look."""
        return _in_its_own_words(request.tool_call["name"], handler(request))

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """As `wrap_tool_call`."""
        return _in_its_own_words(request.tool_call["name"], await handler(request))


def _in_its_own_words(tool: str, result: Any) -> Any:
    call = answered_call()
    before = f"User rejected the tool call for `{tool}` with reason: "  # LangChain's; a test pins it
    if call is None or call.may_run or not isinstance(result, ToolMessage) or not isinstance(result.content, str):
        return result
    if (call.state == "rejected" and not call.by_rule) or not result.content.startswith(before):
        return result
    return result.model_copy(update={"content": result.content.removeprefix(before)})


def asking(names: Iterable[str], gates: Gates, threads: Threads) -> list[AgentMiddleware]:
    """The middleware that pauses every tool the policy does not call free, one question per call.

    No `when`: a predicate that answers differently on resume would run a rejected call. No `respond`: it is for tools
    that ask the user.
    """
    gated = frozenset(name for name in names if not gates.free(name))
    questions: Any = {name: {"allowed_decisions": DECISIONS} for name in sorted(gated)}
    asks: Any = HumanInTheLoopMiddleware(interrupt_on=questions, interrupt_mode="per_call")
    return [NotesThread(gated, threads), SaysWhy(), asks]


def say_unknown(names: Iterable[str], gates: Gates) -> None:
    """Log the tools that the policy does not name: each of their calls waits for a person, and mostly a name is misspelt."""
    for name in sorted(set(names) - set(gates.tools)):
        near = get_close_matches(name, list(gates.tools), n=1, cutoff=0.8)
        meant = f" It names {near[0]}; is that the same?" if near else ""
        log.warning("the policy names no tool %s: each of its calls waits for a person.%s", name, meant)


def _thread() -> str:
    return str(get_config()["configurable"]["thread_id"])
