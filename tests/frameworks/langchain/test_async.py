"""`ainvoke` meets both gates too."""

from __future__ import annotations

import asyncio

import pytest
from langchain_core.messages import HumanMessage
from langgraph.types import Command

from placet.client import NotReleased
from placet.client.langchain.released_call import released
from tests.frameworks.fake_gateway import FakeGateway
from tests.frameworks.langchain.on_dynamodb import Process, notes
from tests.frameworks.langchain.scene import config, refund


def test_an_async_run_pauses_is_noted_and_runs_only_when_released(saver):
    fake = FakeGateway()
    one = Process(fake, saver, [[refund(1, 240.0)]])

    async def ask(given):
        return await one.agent.ainvoke(given, config("t1"), version="v2")

    asked = asyncio.run(ask({"messages": [HumanMessage("Please.")]}))
    assert [item.value["tool_call_id"] for item in asked.interrupts] == ["call_001"]
    assert notes(saver) == ["t1"]
    one.approvals.recover(one.agent)
    fake.decide(*fake.pending(), "edited", '{"order_id":"1182","amount":200.00}')
    (pause,) = one.approvals.gateway.resumes().pauses
    (call,) = pause.calls
    answer = Command(resume={call.interrupt_id: call.native})
    with pytest.raises(NotReleased):
        asyncio.run(ask(answer))
    assert one.ran == []
    with released(call, frozenset({"call_001"})):
        asyncio.run(ask(answer))
    assert one.ran == [("issue_refund", "1182", 200.0)]
    assert fake.permits[call.call]["state"] == "done"
