"""Amazon Bedrock Agents (`returnControl`): what the gateway knows of them."""

from __future__ import annotations

from placet.frameworks.contract import YEAR_S, Edits, Framework, Matching

FRAMEWORK = Framework(
    name="bedrock",
    title="Amazon Bedrock Agents",
    by_gateway=True,
    arrives="a `returnControl` event in the stream of InvokeAgent or InvokeInlineAgent",
    waits_s=YEAR_S,
    saver_bounds=False,
    why="the session ends after 60 to 5,400 s without a turn (inline agents 3,600 s); a late call runs in the executor",
    edits=Edits.EXECUTOR,
    most_calls=5,
    matching=Matching.BY_POSITION,
    late="The executor runs what was approved, once; a new session is told the facts.",
    room=__name__,
)
