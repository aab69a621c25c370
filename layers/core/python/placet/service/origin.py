"""Whose a pause is: an agent hands in what its own framework proposed, and what the gateway captures itself nobody hands in."""

from __future__ import annotations

import contextlib

from placet.frameworks import handed_in, is_by_gateway
from placet.model.errors import Conflict, Invalid, NotFound
from placet.model.frameworks import OWN
from placet.model.pauses import Agent, split_call_id
from placet.records.heads import Head
from placet.service.loading import head_of
from placet.service.ports import Ports

EXECUTES, CONFIRMS = "execute-", "confirm-"  # what the gateway's own attempts are called, with the fence of their lease
OURS = (EXECUTES, CONFIRMS)
UNDOES = "undo-"  # what a run of the gateway's own is called that takes a call back, with that call


def check_origin(agent: Agent, framework: str, by: str = "") -> None:
    """Let a pause in only in the way in which its framework's pauses arrive, and only for an agent that is built with it.

    Args:
        by: the verb that captures it; empty for an agent that hands it in.

    Raises:
        Invalid: `framework_unknown`, not one that can be captured in this way; `framework_differs`, not the agent's.
    """
    known = [framework] if by and is_by_gateway(framework) else [] if by else handed_in()
    if framework not in known:
        raise Invalid("framework_unknown", f"Agents hand in pauses of: {', '.join(handed_in())}.")
    if framework not in (agent.framework, OWN):
        raise Invalid("framework_differs", f"The registry says that {agent.name} is built with {agent.framework}.")


def check_run(run: str) -> None:
    """Keep the names of the gateway's own runs to itself: none of an agent's is called like one.

    Raises Invalid `run_reserved`.
    """
    if not run.startswith(UNDOES):
        return
    with contextlib.suppress(NotFound):
        split_call_id(run.removeprefix(UNDOES))
        raise Invalid("run_reserved", f"Placet's own runs are called {UNDOES} and a call. Give this run another name.")


def check_resumer(framework: str) -> None:
    """Refuse to let an agent's process take, hold or end a pause that the gateway answers itself: only who delivers it ends it.

    Raises Conflict `gateway_answers`.
    """
    if is_by_gateway(framework):
        raise Conflict("gateway_answers", "Placet answers this pause itself; only it can say that the run went on.")


def check_claimer(agent: Agent, framework: str, worker: str) -> None:
    """Let an agent's process claim permits of a pause that the gateway answers only where the agent's Lambdas do so (`verified`).

    Raises Conflict `gateway_answers`; as `check_worker`.
    """
    verified = agent.bedrock is not None and agent.bedrock.verified and framework != OWN
    if is_by_gateway(framework) and not verified:
        raise Conflict(
            "gateway_answers", "Placet runs this call itself, or lets Bedrock run it; nobody else claims it."
        )
    check_worker(framework, worker)


def check_worker(framework: str, worker: str) -> None:
    """Refuse a process that speaks in the name of one of the gateway's own attempts. Raises Conflict `gateway_answers`."""
    if is_by_gateway(framework) and worker.startswith(OURS):
        raise Conflict(
            "gateway_answers", "Attempts of Placet's own are called like this one; only Placet reports them."
        )


def is_answerable(agent: Agent, framework: str) -> bool:
    """Whether the decisions on a stored pause can go to this agent: what the gateway answers itself is of one framework only.

    Of frameworks that resume themselves the agent's processes know their own pauses, also after the registry says another.
    """
    if framework == OWN:
        return True  # whoever carries it out looks whether there is an executor
    return framework == agent.framework or not (is_by_gateway(framework) or is_by_gateway(agent.framework))


def pause_of(ports: Ports, agent: Agent, pause: str) -> Head:
    """A pause of this agent; another agent's is as absent as none. Raises NotFound, Unreadable."""
    return head_of(ports, pause, agent.name)


def resumable(ports: Ports, agent: Agent, pause: str) -> Head:
    """A pause that this agent's processes resume. Raises NotFound, Conflict as `check_resumer`."""
    head = pause_of(ports, agent, pause)
    check_resumer(head.framework)
    return head
