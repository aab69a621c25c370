"""The support agent: a real LangChain agent with a scripted model, resumed by whichever of its processes picks a decision up.

    python -m local.agents.support --scenario accept [--thread T] [--stay]    start a conversation
    python -m local.agents.support --scenario seed                            start those `make run` shows
    python -m local.agents.support --scenario resume                          go on with whatever is decided now
    python -m local.agents.support --pick-up --thread T [--patience S]        go on with decided ones, until T ended

It knows the environment (PLACET_URL, AWS_*) and nothing else. Each event is printed as one line of JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import uuid
from collections.abc import Sequence
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph_checkpoint_aws import DynamoDBSaver

from local.agents.executions import CHECKPOINTS, record
from local.agents.scripts import SCRIPTS, SEEDED, script_of
from placet.client import Gateway, Pace
from placet.client.langchain import Approvals, Finished, Waiting, gated


@tool
def issue_refund(order_id: str, amount: float) -> str:
    """Pay money back for an order."""
    return record("issue_refund", {"order_id": order_id, "amount": amount})


@tool
def send_email(to: str, subject: str, body: str) -> str:
    """Send an email."""
    return record("send_email", {"to": to, "subject": subject, "body": body})


@tool
def delete_records(table: str, where: str) -> str:
    """Delete the records of a table that match."""
    return record("delete_records", {"table": table, "where": where})


class ScriptedModel(BaseChatModel):
    """Says its script: the calls first, then a sentence about what came of them."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> ScriptedModel:
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        script = script_of(next(message.text for message in messages if isinstance(message, HumanMessage)))
        if any(isinstance(message, AIMessage) for message in messages):
            said = AIMessage(f"Here is what happened: {messages[-1].text}")
        else:
            calls = [
                {"name": name, "args": args, "id": f"call_{place:03}", "type": "tool_call"}
                for place, (name, args) in enumerate(script.calls, 1)
            ]
            said = AIMessage(script.says, tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=said)])


def make_agent() -> tuple[Approvals, Any]:
    """The agent and its approvals, as docs/langchain.md makes them."""
    tools = [issue_refund, send_email, delete_records]
    approvals = gated(tools, Gateway(), DynamoDBSaver(CHECKPOINTS), agent="support")
    agent = create_agent(
        ScriptedModel(), approvals.tools, middleware=approvals.middleware, checkpointer=approvals.checkpointer
    )
    return approvals, agent


def start(approvals: Approvals, agent: Any, scenario: str, thread: str) -> None:
    """Start a conversation; it ends here or waits for a person."""
    script = SCRIPTS[scenario]
    outcome = approvals.run(
        agent,
        {"messages": [HumanMessage(script.asks)]},
        {"configurable": {"thread_id": thread}},
        entity=script.entity,
        requester=script.requester,
        wait_at_most_s=script.wait_at_most_s,
    )
    tell(outcome, thread)


class Ended:
    """Stops the pick-up loop when a thread has ended, or patience has."""

    def __init__(self, agent: Any, thread: str, patience_s: float) -> None:
        self._agent = agent
        self._thread = thread
        self._until = time.monotonic() + patience_s

    def wait(self, timeout: float | None = None) -> bool:
        """Look first, sleep only when there is something left to wait for."""
        if self.ended() or time.monotonic() > self._until:
            return True
        time.sleep(timeout or 0.0)
        return False

    def ended(self) -> bool:
        state = self._agent.get_state({"configurable": {"thread_id": self._thread}})
        return bool(state.values) and not state.next


def pick_up(approvals: Approvals, agent: Any, thread: str, patience_s: float) -> None:
    """Recover and resume whatever is decided, until `thread` has ended. Raises SystemExit when it has not by then."""
    recover(approvals, agent)
    stop = Ended(agent, thread, patience_s)
    if not stop.ended():
        approvals.pick_up(agent, stop, pace=Pace(soon_s=0.5, longest_s=3.0))
    if not stop.ended():
        raise SystemExit(f"thread {thread} has not ended after {patience_s:.0f} s")
    state = agent.get_state({"configurable": {"thread_id": thread}})
    tell(Finished(state.values), thread)


def recover(approvals: Approvals, agent: Any) -> None:
    """Capture what was not, resume what is decided, and say what became of each paused thread."""
    for thread, outcome in approvals.recover(agent).items():
        tell(outcome, thread)


def tell(outcome: Finished | Waiting, thread: str) -> None:
    """One line of JSON."""
    event: dict[str, Any] = {"pid": os.getpid(), "thread": thread}
    if isinstance(outcome, Waiting):
        pause = outcome.pause
        event |= {"event": "waiting", "pause": pause.pause, "calls": [call.call for call in pause.calls]}
    else:
        said = outcome.values["messages"][-1].text
        event |= {"event": "finished", "says": said, "pauses": list(outcome.pauses)}
    print(json.dumps(event), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m local.agents.support")
    parser.add_argument("--scenario", choices=["seed", "resume", *SCRIPTS])
    parser.add_argument("--thread", default="")
    parser.add_argument("--pick-up", action="store_true")
    parser.add_argument("--patience", type=float, default=60.0)
    parser.add_argument("--stay", action="store_true", help="stay alive after the pause, for somebody to kill")
    given = parser.parse_args()
    approvals, agent = make_agent()
    if given.pick_up:
        pick_up(approvals, agent, given.thread, given.patience)
        return
    if given.scenario == "resume":
        recover(approvals, agent)
        return
    for scenario in SEEDED if given.scenario == "seed" else [given.scenario]:
        start(approvals, agent, scenario, given.thread or f"{scenario}-{uuid.uuid4().hex[:8]}")
    while given.stay:
        time.sleep(60)


if __name__ == "__main__":
    main()
