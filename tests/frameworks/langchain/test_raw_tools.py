"""An agent with a tool that is not behind the gate is refused before anything runs."""

from __future__ import annotations

import pytest
from langchain.agents import create_agent

from placet.client import NotGated, Pause
from tests.frameworks.langchain.scene import Scene, Scripted, config, refund


def with_raw(scene: Scene, *names: str) -> object:
    """The same agent, with some of its tools as they were before they were gated."""
    raw = {tool.name: tool for tool in scene.tools() if tool.name in names}
    tools = [raw.get(tool.name, tool) for tool in scene.approvals.tools]
    model, gates = Scripted(turns=scene.turns), scene.approvals
    return create_agent(model, tools=tools, middleware=gates.middleware, checkpointer=gates.checkpointer)


@pytest.fixture
def one(scene):
    return scene([refund(1, 240.0)])


def test_it_is_told_at_run_which_tools_those_are(one):
    agent = with_raw(one, "issue_refund", "send_email")
    with pytest.raises(NotGated, match=r"issue_refund, send_email\. Give every tool to gated"):
        one.approvals.run(agent, {"messages": [("user", "Please.")]}, config("t1"))
    assert one.ran == []


def test_it_is_told_at_resume_and_recover_too(one):
    agent = with_raw(one, "issue_refund")
    with pytest.raises(NotGated):
        one.approvals.resume(agent, Pause("p", "decided", (), run="t1"))
    with pytest.raises(NotGated):
        one.approvals.recover(agent)


def test_what_the_policy_leaves_free_may_stand_beside_the_gated_tools(one):
    agent = with_raw(one, "get_order")
    assert one.approvals.run(agent, {"messages": [("user", "Please.")]}, config("t1"))


def test_gated_tools_are_taken(one):
    one.run()
