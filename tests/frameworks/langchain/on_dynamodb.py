"""An agent whose runs lie in DynamoDB."""

from __future__ import annotations

from langchain.agents import create_agent
from langchain_core.messages import HumanMessage

from placet.client import Gateway
from placet.client.langchain import gated
from placet.client.langchain.threads import NotedThreads
from tests.frameworks.langchain.scene import Scene, Scripted, config


class Process:
    """One process of the agent."""

    def __init__(self, fake, saver, turns):
        self.ran = []
        self.fake = fake
        self.approvals = gated(Scene.tools(self), Gateway(transport=fake), saver)
        self.approvals._quiet_s = 0.0
        self.agent = create_agent(
            Scripted(turns=turns),
            tools=self.approvals.tools,
            middleware=self.approvals.middleware,
            checkpointer=saver,
        )

    def run(self, thread="t1", **about):
        return self.approvals.run(self.agent, {"messages": [HumanMessage("Please.")]}, config(thread), **about)


def notes(saver):
    return sorted(NotedThreads(saver, "").maybe_paused())
