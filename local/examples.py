"""What there is to decide after a start: the demo agents ask. The product runs without it, so nothing that fails here ends it."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Collection
from pathlib import Path

from local.agent_process import play
from local.agents.bedrock_scenes import SEEDED, RefundDesk
from local.agents.refund_desk import AGENT
from local.errors import LocalError
from local.processes import answers
from local.registered import roles
from local.run_state import nothing_runs
from local.settings import LocalSettings
from local.stack import LocalStack

PATIENCE_S = (
    180.0  # of a start, for the agent's process; who asks for the examples by themselves waits as long as they like
)
Asks = Callable[[LocalStack, Path, float | None], None]


def _support(stack: LocalStack, log: Path, patience_s: float | None) -> None:
    play("seed", stack.agent_environment("support-agent"), log, patience_s)


def _refunds(stack: LocalStack, _log: Path, _patience_s: float | None) -> None:
    RefundDesk(stack).ask(SEEDED)


EXAMPLES: dict[str, Asks] = {"support-agent": _support, AGENT: _refunds}


def missing(stack: LocalStack, agents: Collection[str] = (), patience_s: float | None = None) -> list[str]:
    """Let these agents ask; when none is named, all of them that the registry names.

    Gives a sentence for each whose examples are not there, or not all.
    """
    log = stack.settings.logs / "agent.log"
    found = []
    for agent in agents or [one for one in EXAMPLES if one in roles(stack.settings)]:
        try:
            EXAMPLES[agent](stack, log, patience_s)
        except Exception as error:
            found.append(_sentence(stack.settings, agent, error, log))
    return found


def ask(settings: LocalSettings, agent: str = "") -> list[str]:
    """The same on a start that is up; raise LocalError when there is none, or no such agent."""
    if agent and agent not in EXAMPLES:
        raise LocalError(f"There are no examples of {agent!r}.", f"There are those of {', '.join(EXAMPLES)}.")
    if not answers(settings.endpoint):
        raise nothing_runs(settings)
    return missing(LocalStack(settings), [agent] if agent else ())


def _sentence(settings: LocalSettings, agent: str, error: Exception, log: Path) -> str:
    why = error.sentence if isinstance(error, LocalError) else f"{type(error).__name__}: {error}".splitlines()[0][:200]
    with log.open("a") as lines:
        traceback.print_exception(error, file=lines)
    command = f"{settings.chosen}.venv/bin/python -m local examples {agent}"
    return (
        f"The examples of {agent} are missing, all or some: {why.rstrip('.')}. The log: {log}. To make them: {command}"
    )
