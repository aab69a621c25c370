"""A real LangChain agent with a scripted model and a SQLite file, and a gateway in this process."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.checkpoint.sqlite import SqliteSaver

from placet.client import Gateway
from placet.client.langchain import Approvals, gated
from tests.frameworks.fake_gateway import FakeGateway


class Scripted(BaseChatModel):
    """Says its next turn by how many it sees in the conversation, so it behaves the same in another process."""

    turns: list[Any]

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Scripted:
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        said = sum(isinstance(message, AIMessage) for message in messages)
        turn = self.turns[said] if said < len(self.turns) else "done"
        plain = isinstance(turn, str)
        message = AIMessage(turn) if plain else AIMessage("I would do this.", tool_calls=turn)
        return ChatResult(generations=[ChatGeneration(message=message)])


def call(name: str, number: int, **args: Any) -> dict[str, Any]:
    """One tool call of a turn."""
    return {"name": name, "args": args, "id": f"call_{number:03}", "type": "tool_call"}


def refund(number: int, amount: Any, order: str = "1182") -> dict[str, Any]:
    return call("issue_refund", number, order_id=order, amount=amount)


class Scene:
    """One agent on one SQLite file. `ran` is what its tools really did; `again` is the same agent in a fresh process."""

    def __init__(self, folder: Path, turns: list[Any], fake: FakeGateway | None = None, ran: list[Any] | None = None):
        self.folder = folder
        self.looked_up = "one lamp"
        self.turns = turns
        self.fake = fake or FakeGateway()
        self.ran: list[Any] = [] if ran is None else ran
        self.connection = sqlite3.connect(folder / "runs.sqlite", check_same_thread=False)
        self.saver = SqliteSaver(self.connection)
        self.approvals = self.gate()
        self.agent = self.make(self.approvals)

    def tools(self) -> list[Any]:
        @tool
        def issue_refund(order_id: str, amount: float) -> str:
            """Pay money back."""
            self.ran.append(("issue_refund", order_id, amount))
            return f"refunded {amount}"

        @tool
        def get_order(order_id: str) -> str:
            """Look an order up."""
            self.ran.append(("get_order", order_id))
            return self.looked_up

        @tool
        def send_email(to: str, subject: str) -> str:
            """Send an email."""
            self.ran.append(("send_email", to, subject))
            return "sent"

        return [issue_refund, get_order, send_email]

    def gate(self, **options: Any) -> Approvals:
        approvals = gated(self.tools(), Gateway(transport=self.fake), self.saver, **options)
        approvals._quiet_s = 0.0
        return approvals

    def make(self, approvals: Approvals) -> Any:
        return create_agent(
            Scripted(turns=self.turns),
            tools=approvals.tools,
            middleware=approvals.middleware,
            checkpointer=approvals.checkpointer,
        )

    def again(self) -> Scene:
        """What another process would hold: everything new, but the file, the gateway and the record of what ran."""
        return Scene(self.folder, self.turns, self.fake, self.ran)

    def run(self, thread: str = "t1", **about: Any) -> Any:
        given = {"messages": [HumanMessage("Please refund me.")]}
        return self.approvals.run(self.agent, given, config(thread), **about)

    def decided(self) -> list[Any]:
        """What the pick-up list offers."""
        return list(self.approvals.gateway.resumes().pauses)

    def close(self) -> None:
        self.connection.close()


def config(thread: str) -> dict[str, Any]:
    return {"configurable": {"thread_id": thread}}
