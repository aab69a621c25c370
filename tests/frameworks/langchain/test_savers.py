"""What may hold a paused run, and the private parts of LangGraph this release counts on."""

from __future__ import annotations

import sqlite3

import pytest
from langchain.agents import create_agent
from langgraph._internal import _constants
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.errors import UnknownInterruptError
from langgraph.types import Command

from placet.client import Gateway, RunIsBusy, SaverForgets
from placet.client.langchain import gated
from placet.client.langchain.answering import STRICT, _send
from placet.client.langchain.savers import check_saver
from tests.frameworks.fake_gateway import FakeGateway
from tests.frameworks.langchain.scene import Scripted, config, refund


@pytest.mark.parametrize("saver", [None, True, False, "sqlite", InMemorySaver()])
def test_savers_that_forget_are_refused_in_one_sentence(saver):
    with pytest.raises(SaverForgets, match="must outlive its process") as refused:
        gated([], Gateway(transport=FakeGateway()), saver)
    assert str(refused.value).count(". ") == 0


def test_sqlite_in_memory_is_refused_and_in_a_file_taken(tmp_path):
    memory = sqlite3.connect(":memory:")
    with pytest.raises(SaverForgets, match=":memory:"):
        check_saver(SqliteSaver(memory))
    memory.close()
    file = sqlite3.connect(tmp_path / "runs.sqlite")
    check_saver(SqliteSaver(file))
    file.close()


def test_an_agent_on_another_saver_is_refused(scene):
    one = scene([refund(1, 240.0)])
    for other in (None, InMemorySaver()):
        stray = create_agent(
            Scripted(turns=[]), tools=one.approvals.tools, middleware=one.approvals.middleware, checkpointer=other
        )
        with pytest.raises(SaverForgets):
            one.approvals.run(stray, {"messages": []}, config("t1"))
        with pytest.raises(SaverForgets):
            one.approvals.recover(stray)


def test_the_strict_key_is_the_one_langgraph_reads():
    assert STRICT == _constants.CONFIG_KEY_STRICT_RESUME


def test_strictly_an_unknown_question_raises_and_writes_nothing(scene):
    """Without the key LangGraph returns normally and does nothing, so an answer would be lost without a word."""
    one = scene([refund(1, 240.0)])
    one.run()
    stray = Command(resume={"0" * 32: {"type": "approve"}})
    strict = {"configurable": {"thread_id": "t1", STRICT: True}}
    before = one.agent.get_state(config("t1"))
    one.agent.invoke(stray, config("t1"), version="v2")
    with pytest.raises(UnknownInterruptError):
        one.agent.invoke(stray, strict, version="v2")
    assert one.agent.get_state(config("t1")).interrupts == before.interrupts


def test_an_answer_to_a_question_that_is_gone_raises(scene):
    """Another process answered between our look and our answer; not strictly, ours would be dropped without a word."""
    one = scene([refund(1, 240.0)])
    one.run()
    one.fake.decide(*one.fake.pending(), "rejected", reason="no")
    (pause,) = one.decided()
    one.approvals.resume(one.agent, pause)
    with pytest.raises(RunIsBusy):
        _send(one.agent, config("t1"), pause.calls[0], frozenset())
