"""The demo on the whole local stack: real agents, real processes, the deployed templates; its proof; two unkind variations; and
what comes of a call that nobody answers.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from local import venvs
from local.agents.demo import play
from local.agents.desk import Desk
from local.agents.executions import DIES, executed
from local.agents.processes import AgentFailed, SupportProcesses, gateway_as
from local.stack import LocalStack
from placet.client import Call
from tests.e2e.agents import until
from tests.e2e.unanswered import NILS, PETRA, WAITS_MS, Unanswered, unanswered


@pytest.fixture(autouse=True)
def _agent_environment() -> None:
    if not venvs.VENVS["agent"].python.exists():
        pytest.fail("The demo agent's environment is missing: make setup-local")


@pytest.fixture(scope="module", autouse=True)
def left_alone(stack: LocalStack) -> Iterator[Unanswered]:
    """A call that nobody answers, asked before anything else: its minutes pass while the others are played."""
    with unanswered(stack) as asked:
        yield asked


def decided(stack: LocalStack, support: SupportProcesses) -> tuple[str, Call]:
    """A thread with one accepted call, not yet resumed."""
    asked = support.start("accept")
    Desk(stack.api_url, stack.access_token("maria")).accept(asked["pause"], asked["calls"][0])
    (call,) = gateway_as(stack, "support-agent").pause(asked["pause"]).calls
    return asked["thread"], call


def runs_of(stack: LocalStack, call: Call) -> int:
    return sum(item["call"] == call.call for item in executed(stack.client("dynamodb")))


def test_every_tool_ran_exactly_as_approved_and_nothing_else_ran(stack: LocalStack) -> None:
    proof = play(stack)
    assert proof.holds, proof.table()
    assert proof.line() == (
        "demo: pauses=24 accepted=12 edited=4 rejected=5 expired=3 quorum=1 reminded=1 widened=1 delegated=1 "
        "executed=17 double=0 lost=0"
    )
    notes = [row.told.note for row in proof.rows if row.told.scenario == "kill"]
    assert "went on" in notes[0]


def test_processes_that_go_on_at_once_run_the_tool_once(stack: LocalStack) -> None:
    support = SupportProcesses(stack.agent_environment("support-agent"))
    thread, call = decided(stack, support)
    arguments = ("--pick-up", "--thread", thread, "--patience", "90")
    workers = [support.spawn(*arguments) for _ in range(3)]
    ends = [worker.communicate(timeout=150) for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0, 0], ends
    assert runs_of(stack, call) == 1


def test_a_process_killed_between_act_and_report_is_not_repeated(stack: LocalStack) -> None:
    """LangGraph still asks and would run the tool again; the permit is claimed, so nobody does, and a person is needed."""
    environment = stack.agent_environment("support-agent")
    support = SupportProcesses(environment)
    thread, call = decided(stack, support)
    dying = SupportProcesses({**environment, DIES: "1"}).spawn("--pick-up", "--thread", thread)
    dying.communicate(timeout=90)
    assert dying.returncode == -signal.SIGKILL
    assert runs_of(stack, call) == 1
    with pytest.raises(AgentFailed, match="has not ended"):
        support.go_on(thread, patience_s=8.0)
    assert runs_of(stack, call) == 1


SOON_MS = 90_000  # the sweep does what is so late: what is done before that, the schedule did


def test_a_call_that_nobody_answers_is_reminded_widened_and_over_by_its_own_schedule(left_alone: Unanswered) -> None:
    """One minute, two minutes, three minutes after it was shown; each once, and nobody said yes."""
    until(lambda: left_alone.agent.pause(left_alone.pause).state == "ended", "its end", patience_s=300)
    events = left_alone.events()
    late = {event["name"]: event["at_ms"] - left_alone.shown_ms for event in events}
    assert [event["name"] for event in events] == ["reminded", "widened", "expired"]
    for minutes, name in enumerate(("reminded", "widened", "expired"), start=1):
        assert 0 <= late[name] - 60_000 * minutes < SOON_MS, (name, late)
    reminded, widened, expired = events
    assert reminded["people"] == 1
    assert (widened["level"], widened["why"]) == (1, "after")
    assert expired["deadline_ms"] == left_alone.shown_ms + WAITS_MS

    mails = left_alone.mails()
    assert [mail.to for mail in mails] == [(NILS.email,), (NILS.email,), (PETRA.email,)]
    assert [mail.subject.startswith("Reminder: ") for mail in mails] == [False, True, False]
    (call,) = left_alone.agent.pause(left_alone.pause).calls
    assert (call.state, call.decided_by, call.may_run) == ("expired", "", False)
    assert all(done["call"] != call.call for done in executed(left_alone.stack.client("dynamodb")))
