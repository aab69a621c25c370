"""What each framework can do: how a pause arrives, how long it can wait, what an edit needs, how answers find their calls.

One table, read by capture (how many calls), by the synth (how long) and by docs/choose.md, whose table is made from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

DAY_S = 86_400
YEAR_S = 365 * DAY_S  # Step Functions ends an execution after a year, whatever it waits for
UNSAID = (
    "langchain"  # what an entry of the registry is built with that does not say: once the only one an agent handed in
)
OWN = "placet"  # of calls that a person proposes through the gateway, which runs them itself: no framework that one chooses
MOST_CALLS = 10  # of our own: the names of a pause's calls stand in its head, which every decision writes


class Edits(StrEnum):
    """Who runs the arguments that a reviewer changed."""

    NATIVE = "natively"  # the framework takes changed arguments in its answer
    EXECUTOR = "by an executor"  # what runs under the permit runs them; the framework is told the result
    NOT = "not"


class Matching(StrEnum):
    """How an answer finds its call."""

    BY_ID = "by id"
    BY_POSITION = "by position"


@dataclass(frozen=True)
class Framework:
    """One framework, as its runs pause and go on.

    Attributes:
        name: as an agent names it in `framework`.
        title: as people name it.
        taken: whether this release has an adapter for it.
        by_gateway: whether the gateway captures and answers its pauses itself, so that no agent hands one in.
        arrives: what a pause is.
        waits_s: the longest a paused run can wait in seconds, when nobody says how long its saver keeps it.
        saver_bounds: whether a saver of the customer's keeps the run, so that it decides how long.
        why: why it cannot wait longer.
        edits: who runs an edited call.
        most_calls: how many calls one pause may have.
        matching: how an answer finds its call.
        late: what becomes of a decision that comes after the run can no longer take it.
    """

    name: str
    title: str
    taken: bool
    by_gateway: bool
    arrives: str
    waits_s: int
    saver_bounds: bool
    why: str
    edits: Edits
    most_calls: int
    matching: Matching
    late: str


FRAMEWORKS: Mapping[str, Framework] = {
    one.name: one
    for one in (
        Framework(
            name="langchain",
            title="LangChain, LangGraph",
            taken=True,
            by_gateway=False,
            arrives="one interrupt per call, from `HumanInTheLoopMiddleware` in per-call mode",
            waits_s=YEAR_S,
            saver_bounds=True,
            why="the checkpointer keeps the thread; one that deletes old threads ends the wait",
            edits=Edits.NATIVE,
            most_calls=MOST_CALLS,
            matching=Matching.BY_ID,
            late="A thread that moved on or is gone takes no answer; the pause stays listed and its permits unspent.",
        ),
        Framework(
            name="bedrock",
            title="Amazon Bedrock Agents",
            taken=True,
            by_gateway=True,
            arrives="a `returnControl` event in the stream of InvokeAgent or InvokeInlineAgent",
            waits_s=YEAR_S,
            saver_bounds=False,
            why="the session ends after 60 to 5,400 s without a turn (inline agents 3,600 s); a late call runs in the executor",
            edits=Edits.EXECUTOR,
            most_calls=5,
            matching=Matching.BY_POSITION,
            late="The executor runs what was approved, once; a new session is told the facts.",
        ),
        Framework(
            name="openai",
            title="OpenAI Agents SDK",
            taken=False,
            by_gateway=False,
            arrives="interruptions of a run, with its `RunState` as JSON",
            waits_s=YEAR_S,
            saver_bounds=True,
            why="whoever keeps the snapshot decides; an older SDK refuses a newer snapshot",
            edits=Edits.EXECUTOR,
            most_calls=MOST_CALLS,
            matching=Matching.BY_ID,
            late="The snapshot can still be resumed; resuming it twice runs the tool twice, unless it claims a permit.",
        ),
        Framework(
            name="claude",
            title="Claude Agent SDK",
            taken=False,
            by_gateway=False,
            arrives="a PreToolUse hook that defers, and a result with `stop_reason` `tool_deferred`",
            waits_s=30 * DAY_S,
            saver_bounds=True,
            why="local session files are cleaned up after 30 days; a `SessionStore` keeps them as long as it likes",
            edits=Edits.NATIVE,
            most_calls=1,
            matching=Matching.BY_ID,
            late="A session that is gone cannot be resumed; nothing runs.",
        ),
        Framework(
            name="strands",
            title="Strands Agents",
            taken=False,
            by_gateway=False,
            arrives="interrupts of a hook, in a result with `stop_reason` `interrupt`",
            waits_s=YEAR_S,
            saver_bounds=True,
            why="the session manager keeps the run; without one it ends with its process",
            edits=Edits.NATIVE,
            most_calls=MOST_CALLS,
            matching=Matching.BY_ID,
            late="A process without the hook runs the tool whatever was answered: only the permit in the tool stops it.",
        ),
        Framework(
            name="agentcore",
            title="Amazon Bedrock AgentCore harness",
            taken=False,
            by_gateway=False,
            arrives="calls of an `inline_function` tool, in a message with `stopReason` `tool_use`",
            waits_s=8 * 3_600,
            saver_bounds=True,
            why="a runtime session lives for 8 hours (14 days on instance capacity); beyond it only attached memory helps",
            edits=Edits.EXECUTOR,
            most_calls=MOST_CALLS,
            matching=Matching.BY_ID,
            late="What becomes of an open call when its session ends is not documented.",
        ),
    )
}


def is_by_gateway(framework: str) -> bool:
    """Whether pauses of this framework are the gateway's own to capture."""
    found = FRAMEWORKS.get(framework)
    return framework == OWN or (found is not None and found.by_gateway)


def is_taken(framework: str) -> bool:
    """Whether this release can read and answer pauses of this framework."""
    found = FRAMEWORKS.get(framework)
    return framework == OWN or (found is not None and found.taken)


def handed_in() -> list[str]:
    """Names of the frameworks whose pauses agents hand in, in order."""
    return sorted(one.name for one in FRAMEWORKS.values() if one.taken and not one.by_gateway)


def longest_wait_s(framework: str, keeps_runs_s: int = 0) -> int:
    """The longest that a paused run can wait, in seconds.

    Args:
        framework: name of a framework in the table. Raises KeyError for any other.
        keeps_runs_s: how long the agent's saver keeps a paused run, from the registry; 0 when nobody said.
    """
    found = FRAMEWORKS[framework]
    return min(keeps_runs_s, YEAR_S) if found.saver_bounds and keeps_runs_s else found.waits_s
