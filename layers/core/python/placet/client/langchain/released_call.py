"""What a tool may do right now: the one call being resumed, and the calls of the pause that must not run meanwhile.

LangGraph runs tools in threads that copy the caller's context, so a context variable reaches exactly the tools of one
invoke, and nothing of it is written into a checkpoint.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from placet.client.errors import NotReleased
from placet.client.records import Call


@dataclass(frozen=True)
class Release:
    """Attributes:
    call: the decided call whose answer is being sent, None when none is.
    held: framework call ids of all calls of the pause; none but `call` may run, whatever the gate list says by now.
    """

    call: Call | None
    held: frozenset[str]


_release: ContextVar[Release | None] = ContextVar("placet_release", default=None)


@contextmanager
def released(call: Call | None, held: frozenset[str]) -> Iterator[None]:
    """Lets `call` (and no other of `held`) run inside the block."""
    token = _release.set(Release(call, held))
    try:
        yield
    finally:
        _release.reset(token)


def answered_call() -> Call | None:
    """The call whose answer is being sent; None when none is."""
    release = _release.get()
    return release.call if release else None


def released_call(tool: str, tool_call_id: str | None, *, gated: bool) -> Call | None:
    """The decided call that this tool call is; None for a free tool that no pause holds.

    Raises NotReleased when it must not run: gated and not the one being resumed, rejected, or held by the pause. The
    last matters when the gate list changed while the run was paused: LangChain no longer asks, so a rejected call runs.
    """
    release = _release.get()
    if not gated and (release is None or tool_call_id not in release.held):
        return None
    call = release.call if release else None
    if call is None or not call.may_run or call.framework_call_id != tool_call_id or call.tool != tool:
        raise NotReleased(tool)
    return call
