"""Slips in how `gated` and what it gives are called, told before anything is asked or started."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from langchain_core.tools import BaseTool

from placet.client.errors import Misused, NotCapturable
from placet.client.records import Pause
from placet.client.usage import check_has, check_list


def check_gated(tools: Any, gateway: Any, checkpointer: Any, agent: Any, keyed: Any, own: Mapping[str, Any]) -> None:
    """What `gated` is given. Raises Misused; NotCapturable for what is no LangChain tool."""
    if isinstance(tools, BaseTool):
        raise Misused(f"tools is the tool {tools.name} alone: write gated([{tools.name}], …).")
    check_list("tools", tools, "written gated([my_tool], gateway, checkpointer)")
    for tool in tools:
        if not isinstance(tool, BaseTool):
            name = getattr(tool, "__name__", None) or repr(tool)
            raise NotCapturable(f"{name} is no LangChain tool; decorate it with @tool so that it can be gated.")
    names = [tool.name for tool in tools]
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise Misused(f"tools has {twice[0]} twice: a call names its tool, so each name is one tool.")
    check_has("gateway", gateway, "gates", 'Gateway("https://…"), or Gateway() with PLACET_URL set')
    if isinstance(checkpointer, type):
        raise Misused(f"checkpointer is the class {checkpointer.__name__}: make one of it.")
    if not isinstance(agent, str):
        raise Misused(f"agent is a {type(agent).__name__}: it has to be the name of the graph, a text.")
    if isinstance(keyed, str):
        raise Misused(f"keyed is a text: it has to be a list of tools, written [{keyed!r}].")
    if strange := sorted(set(keyed) - set(names)):
        raise Misused(f"keyed names {strange[0]}, and the tools are {', '.join(names) or 'none'}.")
    for what, function in own.items():
        if function is not None and not callable(function):
            raise Misused(
                f"{what} is a {type(function).__name__}: gated takes a function of the run's state; "
                f"what is known of one run is given to run(…, {what}=…)."
            )


def check_agent(agent: Any) -> None:
    """A compiled graph. Raises Misused."""
    check_has("agent", agent, "invoke", "what create_agent gave")


def check_config(config: Any) -> None:
    """A config of LangGraph; whether it names a thread is asked where one is needed. Raises NotCapturable."""
    inner = config.get("configurable") if isinstance(config, Mapping) else None
    if not isinstance(config, Mapping) or not isinstance(inner, Mapping | None):
        raise NotCapturable('The config names no thread: pass {"configurable": {"thread_id": "…"}}.')


def check_wait(wait: Any) -> None:
    """Seconds. Raises Misused."""
    if isinstance(wait, bool) or not isinstance(wait, int | float):
        raise Misused(f"wait is a {type(wait).__name__}: it has to be a number of seconds.")


def check_pause(pause: Any) -> None:
    """A record. Raises Misused."""
    if not isinstance(pause, Pause):
        raise Misused(
            f"pause is a {type(pause).__name__}: resume takes a record of the pick-up list, as gateway.take(pause).pauses gives it."
        )
