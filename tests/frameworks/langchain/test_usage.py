"""Slips in how the SDK is called: one sentence each of what was given and what to write, and nothing is asked or started."""

from __future__ import annotations

import datetime
import sqlite3
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from langchain_core.tools import tool
from langgraph.checkpoint.sqlite import SqliteSaver

from placet.client import ClientError, Gateway, pick_up
from placet.client.bearer import reviewer
from placet.client.errors import GatewayRefused, NotADelivery, SaverForgets
from placet.client.langchain import gated
from placet.client.transport import Answer
from tests.frameworks.langchain.scene import config, refund


@tool
def pay(amount: float) -> str:
    """Pay."""
    return str(amount)


def plain(amount: float) -> str:
    """Pay, without a decorator."""
    return str(amount)


class Silent:
    """Knows the gates, and takes nothing."""

    def send(self, method: str, path: str, body: str | None = None) -> Answer:
        assert path == "/v1/gates", f"{method} {path} was asked"
        return Answer({"policy_version": "1", "tools": {"pay": "pause"}}, 0.0)


@pytest.fixture
def saver(tmp_path: Any) -> Iterator[SqliteSaver]:
    connection = sqlite3.connect(tmp_path / "runs.db", check_same_thread=False)
    yield SqliteSaver(connection)
    connection.close()


GATEWAY = Gateway(transport=Silent())
OF_GATED: list[tuple[Callable[[Any], Any], str]] = [
    (lambda saver: gated(pay, GATEWAY, saver), "tools is the tool pay alone: write gated([pay], …)."),
    (lambda saver: gated([plain], GATEWAY, saver), "plain is no LangChain tool; decorate it with @tool"),
    (lambda saver: gated("pay", GATEWAY, saver), "tools is a str: it has to be a list, written gated([my_tool]"),
    (lambda saver: gated(None, GATEWAY, saver), "tools is a NoneType: it has to be a list"),
    (lambda saver: gated([pay, pay], GATEWAY, saver), "tools has pay twice"),
    (lambda saver: gated([pay], "https://x.example", saver), 'gateway is a str: pass Gateway("https://…")'),
    (lambda saver: gated([pay], Gateway, saver), "gateway is the class Gateway: make one of it"),
    (lambda saver: gated([pay], saver, GATEWAY), "gateway is a SqliteSaver: pass Gateway("),
    (lambda saver: gated([pay], GATEWAY, SqliteSaver), "checkpointer is the class SqliteSaver: make one of it."),
    (lambda saver: gated([pay], GATEWAY, saver, agent=5), "agent is a int"),
    (
        lambda saver: gated([pay], GATEWAY, saver, keyed="pay"),
        "keyed is a text: it has to be a list of tools, written ['pay'].",
    ),
    (lambda saver: gated([pay], GATEWAY, saver, keyed=["pya"]), "keyed names pya, and the tools are pay."),
    (
        lambda saver: gated([pay], GATEWAY, saver, evidence=[{}]),
        "evidence is a list: gated takes a function of the run's state",
    ),
    (lambda saver: gated([pay], GATEWAY, saver, confidence=0.5), "confidence is a float: gated takes a function"),
    (lambda saver: gated([pay], GATEWAY, saver, numbers={}), "numbers is a dict: gated takes a function"),
]


@pytest.mark.parametrize(("call", "says"), OF_GATED, ids=[says for _, says in OF_GATED])
def test_what_gated_cannot_use_is_told(call: Callable[[Any], Any], says: str, saver: SqliteSaver) -> None:
    with pytest.raises(ClientError) as told:
        call(saver)
    assert says in str(told.value)


def test_what_gated_can_use_it_takes(saver: SqliteSaver) -> None:
    for tools in ([pay], (pay,), []):
        assert len(gated(tools, GATEWAY, saver, keyed={one.name for one in tools}).tools) == len(tools)
    with pytest.raises(SaverForgets):
        gated([pay], GATEWAY, None)


OF_RUNS: list[tuple[Callable[[Any], Any], str]] = [
    (lambda one: one.approvals.run(one.agent, {}, None), "The config names no thread"),
    (lambda one: one.approvals.run(one.agent, {}, "t-1"), "The config names no thread"),
    (lambda one: one.approvals.run(one.agent, {}, {"thread_id": "t-1"}), "The config names no thread"),
    (lambda one: one.approvals.run(one.agent, {}, {"configurable": "t-1"}), "The config names no thread"),
    (lambda one: one.approvals.run(one.agent, {}, {"configurable": {"thread_id": " "}}), "The config names no thread"),
    (lambda one: one.approvals.run({}, one.agent, config("t-1")), "agent is a dict: pass what create_agent gave."),
    (lambda one: one.approvals.run(None, {}, config("t-1")), "agent is a NoneType: pass what create_agent gave."),
    (
        lambda one: one.approvals.run(one.agent, {}, config("t-1"), wait="5"),
        "wait is a str: it has to be a number of seconds.",
    ),
    (lambda one: one.approvals.pick_up(one.agent, True), "stop is a bool: pass threading.Event()"),
    (lambda one: one.approvals.pick_up(one.agent, threading.Event), "stop is the class Event: make one of it"),
    (lambda one: one.approvals.pick_up(None, threading.Event()), "agent is a NoneType"),
    (lambda one: one.approvals.resume(one.agent, "abc"), "pause is a str: resume takes a record of the pick-up list"),
    (lambda one: one.approvals.recover("agent"), "agent is a str: pass what create_agent gave."),
]


@pytest.mark.parametrize(("call", "says"), OF_RUNS, ids=[says for _, says in OF_RUNS])
def test_what_a_run_cannot_use_is_told_before_it_starts(scene: Any, call: Callable[[Any], Any], says: str) -> None:
    one = scene([refund(1, 240.0)])
    asked = list(one.fake.seen)
    with pytest.raises(ClientError) as told:
        call(one)
    assert says in str(told.value)
    assert one.fake.seen == asked


OF_THE_GATEWAY: list[tuple[Callable[[], Any], str]] = [
    (lambda: Gateway(5), "The url is a int: it has to be a text, for example https://"),  # type: ignore[arg-type]
    (lambda: Gateway("https://x.example", region=3), "region is a int: it has to be a text."),  # type: ignore[arg-type]
    (lambda: Gateway("https://x.example", session="default"), "session is a str: pass botocore.session.Session()"),  # type: ignore[arg-type]
    (lambda: GATEWAY.capture("langchain", "", {}), "run is empty"),
    (lambda: GATEWAY.capture("langchain", None, {}), "run is a NoneType"),  # type: ignore[arg-type]
    (lambda: GATEWAY.capture("langchain", "r", {}, says=3), "says is a int: it has to be a text."),
    (lambda: GATEWAY.capture("langchain", "r", {}, evidence="x"), "evidence is a str: it has to be a list"),
    (
        lambda: GATEWAY.capture("langchain", "r", {"args": {"when": [datetime.date(2026, 1, 1)]}}),
        "/native/args/when/0: JSON has no date. Write it as a text or a number.",
    ),
    (
        lambda: GATEWAY.capture("langchain", "r", {"args": {"a": float("nan")}}),
        "/native/args/a: NaN and Infinity are not JSON.",
    ),
    (
        lambda: GATEWAY.capture("langchain", "r", {"args": {1: 2}}),
        "/native/args: JSON names members by text only, and 1 is a int.",
    ),
    (lambda: GATEWAY.pause(""), "pause is empty: it has to be a text that names one."),
    (lambda: GATEWAY.status(None), "pause is a NoneType"),  # type: ignore[arg-type]
    (lambda: GATEWAY.questions(" "), "pause is empty"),
    (lambda: GATEWAY.cancel("", "why"), "pause is empty"),
    (lambda: GATEWAY.resumed(""), "pause is empty"),
    (lambda: GATEWAY.renew("", 1), "pause is empty"),
    (lambda: GATEWAY.release("", 1), "pause is empty"),
    (lambda: GATEWAY.claim("", "digest", "worker"), "call is empty"),
    (lambda: GATEWAY.renew_claim("", "worker"), "call is empty"),
    (lambda: GATEWAY.answer("", 1, "so"), "call is empty"),
    (lambda: GATEWAY.answer("p-1", 1, None), "text is a NoneType: it has to be a text."),  # type: ignore[arg-type]
    (lambda: GATEWAY.outcome("", "worker", "done"), "call is empty"),
    (
        lambda: GATEWAY.outcome("p-1", "worker", "approved"),
        "permit is 'approved': it has to be one of done, failed, unknown.",
    ),
    (lambda: GATEWAY.outcome("p-1", "worker", "done", None), "result is a NoneType: it has to be a text."),  # type: ignore[arg-type]
    (lambda: GATEWAY.turn("", {}), "agent is empty"),
    (lambda: GATEWAY.run(""), "run is empty"),
    (lambda: pick_up(GATEWAY, None, threading.Event()), "handler is a NoneType: pass a function"),  # type: ignore[arg-type]
    (lambda: pick_up(GATEWAY, print, 3), "stop is a int: pass threading.Event()"),  # type: ignore[arg-type]
    (lambda: reviewer("https://x.example", None), "The token is a NoneType"),  # type: ignore[arg-type]
    (lambda: reviewer("x.example", "token"), "does not begin with http:// or https://. Write https://x.example."),
    (lambda: reviewer("https://x.example/inbox", "token"), "it is more than the address of the API"),
]


@pytest.mark.parametrize(("call", "says"), OF_THE_GATEWAY, ids=[str(n) for n in range(len(OF_THE_GATEWAY))])
def test_what_the_gateway_cannot_be_asked_is_told_and_not_asked(
    call: Callable[[], Any], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (
        ("AWS_ACCESS_KEY_ID", "made-up"),
        ("AWS_SECRET_ACCESS_KEY", "made-up"),
        ("AWS_REGION", "us-east-1"),
    ):
        monkeypatch.setenv(name, value)
    with pytest.raises(ClientError) as told:
        call()
    assert says in str(told.value)
    assert not isinstance(told.value, GatewayRefused | NotADelivery)
