"""LangChain and LangGraph: what the gateway knows of them."""

from __future__ import annotations

from placet.frameworks.contract import MOST_CALLS, YEAR_S, Edits, Framework, Matching

FRAMEWORK = Framework(
    name="langchain",
    title="LangChain, LangGraph",
    by_gateway=False,
    arrives="one interrupt per call, from `HumanInTheLoopMiddleware` in per-call mode",
    waits_s=YEAR_S,
    saver_bounds=True,
    why="the checkpointer keeps the thread; one that deletes old threads ends the wait",
    edits=Edits.NATIVE,
    most_calls=MOST_CALLS,
    matching=Matching.BY_ID,
    late="A thread that moved on or is gone takes no answer; the pause stays listed and its permits unspent.",
    room=__name__,
)
