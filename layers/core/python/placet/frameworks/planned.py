"""Frameworks that have no room yet: what is known of them, for who chooses one."""

from __future__ import annotations

from collections.abc import Mapping

from placet.frameworks.contract import DAY_S, MOST_CALLS, YEAR_S, Edits, Framework, Matching

PLANNED: Mapping[str, Framework] = {
    one.name: one
    for one in (
        Framework(
            name="openai",
            title="OpenAI Agents SDK",
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
