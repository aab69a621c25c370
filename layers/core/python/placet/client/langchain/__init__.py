"""Placet for LangChain agents: put tools behind approvals, run, wait, resume, recover. See docs/langchain.md."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from placet.client.evidence import Piece
from placet.client.gateway import Gateway
from placet.client.langchain.approvals import Approvals, Finished, Waiting
from placet.client.langchain.collecting import collected
from placet.client.langchain.gate import asking, say_unknown
from placet.client.langchain.own import Own, Values
from placet.client.langchain.savers import check_saver, read_own_writes
from placet.client.langchain.threads import threads_of
from placet.client.langchain.tools import Options, gate_tools, tool_schema
from placet.client.langchain.usage import check_gated
from placet.client.permits import Permits

__all__ = ["Approvals", "Finished", "Waiting", "collected", "gated"]


def gated(
    tools: Sequence[Any],
    gateway: Gateway,
    checkpointer: Any,
    *,
    agent: str = "",
    keyed: Collection[str] = (),
    decimals: bool = False,
    evidence: Callable[[Values], list[Piece]] | None = None,
    confidence: Callable[[Values], Any] | None = None,
    numbers: Callable[[Values], Mapping[str, Any]] | None = None,
) -> Approvals:
    """Put tools behind approvals, by the gate list of the gateway: tools it does not know pause, free ones do not.

    Args:
        tools: LangChain tools (`@tool`); the result's `tools` replace them in `create_agent`.
        agent: name of the graph, where several graphs share one checkpointer.
        keyed: tools that pass `current_permit().idempotency_key` on, so that they may be retried.
        decimals: fractions of permitted arguments arrive as Decimal instead of float.
        evidence, confidence, numbers: functions of the run's state, called when it has paused, for at most five seconds each.
            Evidence stands in place of what is `collected`. One that fails stops nothing, and the reviewer reads that it failed.

    Raises:
        Misused, NotCapturable: what was given is not what stands above; the message says what to write.
        SaverForgets: the checkpointer would lose a paused run.
        GatewayUnavailable, GatewayRefused: no gate list; an agent without one must not start.
    """
    check_gated(
        tools, gateway, checkpointer, agent, keyed, {"evidence": evidence, "confidence": confidence, "numbers": numbers}
    )
    check_saver(checkpointer)
    read_own_writes(checkpointer)
    gates = gateway.gates()
    threads = threads_of(checkpointer, agent)
    options = Options(frozenset(keyed), decimals)
    wrapped = gate_tools(tools, gates, Permits(gateway), options)
    say_unknown((tool.name for tool in wrapped), gates)
    schemas = {
        tool.name: {"schema": tool_schema(tool), "idempotency_key": tool.name in options.keyed} for tool in wrapped
    }
    return Approvals(
        gateway,
        tools=list(wrapped),
        middleware=asking([tool.name for tool in wrapped], gates, threads),
        checkpointer=checkpointer,
        threads=threads,
        agent=agent,
        schemas=schemas,
        free=gates.free,
        own=Own(evidence, confidence, numbers),
    )
