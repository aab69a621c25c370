"""The examples of a start: what fails of them is one sentence, and the start stays up."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from local import agent_process, agents_setup, examples, run, tokens, venvs
from local import commands as local
from local import stack as stacks
from local.errors import LocalError, StepFailed
from local.reviewing import Refused, Reviewing
from local.settings import LocalSettings
from local.signals import Ended
from local.stack import LocalStack

SLOW = "import time; print('one asked'); time.sleep(60)"
FAILS = "import sys; print('one asked'); sys.exit('no table')"


@pytest.fixture
def settings(tmp_path: Path) -> LocalSettings:
    made = replace(LocalSettings().on_free_ports(), home=tmp_path)
    made.logs.mkdir(parents=True)
    return made


@pytest.fixture
def agent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Makes the support agent a program of this text; gives what a process of it has to know."""
    monkeypatch.setitem(venvs.VENVS, "agent", SimpleNamespace(python=Path(sys.executable)))  # type: ignore[arg-type]
    monkeypatch.setattr(agent_process, "SUPPORT", "an_agent")

    def is_this(text: str) -> dict[str, str]:
        (tmp_path / "an_agent.py").write_text(text)
        return {"PYTHONPATH": str(tmp_path)}

    return is_this


def test_an_agent_that_is_not_done_in_time_is_a_step_that_failed_and_its_log_has_what_it_said(
    settings: LocalSettings, agent: Any
) -> None:
    log = settings.logs / "agent.log"
    with pytest.raises(StepFailed, match="not done after 2 s") as failed:
        agent_process.play("seed", agent(SLOW), log, 2.0)
    assert failed.value.way_out == f"Its log: {log}"
    assert log.read_text() == "one asked\n"
    with pytest.raises(StepFailed, match=r"failed \(no table\)"):
        agent_process.play("seed", agent(FAILS), log, None)
    agent_process.play("seed", agent(""), log, None)
    assert log.read_text() == "one asked\none asked\nno table\n"


class Up:
    """A start that is up until somebody ends it."""

    def __init__(self, settings: LocalSettings, environment: dict[str, str]) -> None:
        self.settings = settings
        self.agent_environment = lambda name: environment
        self.memory = SimpleNamespace(processes=4, megabytes=300)

    def __enter__(self) -> Up:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    @property
    def alive(self) -> bool:
        raise Ended


class NoDesk:
    def __init__(self, stack: object) -> None:
        raise RuntimeError("Bedrock is\nout")


def test_a_start_whose_examples_fail_stays_up_and_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], settings: LocalSettings, agent: Any
) -> None:
    environment = agent(SLOW)
    monkeypatch.setattr(run, "LocalStack", lambda chosen, say: Up(chosen, environment))
    monkeypatch.setattr(run, "PATIENCE_S", 1.0)
    monkeypatch.setattr(examples, "RefundDesk", NoDesk)
    run.run(settings)
    said = capsys.readouterr().out
    log = settings.logs / "agent.log"
    again = f"PLACET_PORT={settings.gateway_port} .venv/bin/python -m local examples"
    for name, why in (("support-agent", "not done after 1 s"), ("refund-desk", "RuntimeError: Bedrock is")):
        (line,) = [line for line in said.splitlines() if f"The examples of {name} are missing" in line]
        assert why in line
        assert line.endswith(f"The log: {log}. To make them: {again} {name}")
    assert "ready: seconds=" in said
    assert said.index("ready: seconds=") > said.index("To make them")
    assert "RuntimeError: Bedrock is\nout" in log.read_text()


def test_being_asked_to_end_while_the_examples_are_made_ends_the_start(
    monkeypatch: pytest.MonkeyPatch, settings: LocalSettings
) -> None:
    def ended(*_: object) -> None:
        raise Ended

    monkeypatch.setattr(examples, "EXAMPLES", {"support-agent": ended})
    with pytest.raises(Ended):
        examples.missing(Up(settings, {}))  # type: ignore[arg-type]


def test_the_command_makes_what_is_named_and_needs_a_start(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], settings: LocalSettings
) -> None:
    asked: list[tuple[str, float | None]] = []
    made = {name: lambda stack, log, patience, name=name: asked.append((name, patience)) for name in examples.EXAMPLES}
    monkeypatch.setattr(examples, "EXAMPLES", made)
    monkeypatch.setattr(LocalSettings, "from_environment", lambda: settings)

    def told(*words: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["local", *words])
        code = local.main()
        shown = capsys.readouterr()
        return code, shown.out + shown.err

    nothing = f"placet: Nothing of Placet is running on port {settings.gateway_port}. Start it: "
    assert told("examples")[1].startswith(nothing)
    assert told("token", "maria")[1].startswith(nothing)
    assert told("token", "eve") == (
        1,
        "placet: There is no reviewer 'eve' here, only maria, jonas, olga. Name one of them.\n",
    )
    assert told("examples", "billing")[0] == 1
    assert asked == []
    monkeypatch.setattr(examples, "answers", lambda url: url == settings.endpoint)
    assert told("examples") == (0, "examples: they wait in the inbox\n")
    assert told("examples", "refund-desk")[0] == 0
    assert asked == [("support-agent", None), ("refund-desk", None), ("refund-desk", None)]
    for wrong in (("token",), ("outbox", "maria")):
        with pytest.raises(SystemExit):
            told(*wrong)


def test_a_start_counts_the_agents_that_get_roles(monkeypatch: pytest.MonkeyPatch, settings: LocalSettings) -> None:
    said: list[str] = []
    made: list[str] = []
    stack = LocalStack(settings, said.append)
    stack.outputs = {"UserPoolId": "pool", "TableName": "table"}
    monkeypatch.setattr(stacks, "roles", lambda _: {"payables": "payables-agent", "refund-desk": "placet-refund-desk"})
    for name in ("seed_people", "seed_members", "make_tables"):
        monkeypatch.setattr(stacks, name, lambda *_: {})
    monkeypatch.setattr(agents_setup, "make_roles", lambda aws, outputs, registered: made.extend(registered))
    monkeypatch.setattr(agents_setup, "make_functions", lambda *_: None)
    stack.seed()
    assert said == ["seed: reviewers, an operator, and 4 agents with their roles"]
    assert made == ["payables-agent", "placet-refund-desk"]


class Deployed:
    """An account with these outputs of stacks, and their client of the user pool."""

    outputs: ClassVar[dict[str, str]] = {}

    def __init__(self, url: str) -> None:
        self.url = url

    def client(self, _service: str) -> Deployed:
        return self

    def describe_stacks(self) -> dict[str, Any]:
        outputs = [{"OutputKey": key, "OutputValue": value} for key, value in self.outputs.items()]
        return {"Stacks": [{}, {"Outputs": outputs}]}

    def describe_user_pool_client(self, UserPoolId: str, ClientId: str) -> dict[str, Any]:
        return {"UserPoolClient": {"CallbackURLs": [f"http://api/{UserPoolId}/{ClientId}"]}}


def test_a_token_is_taken_where_the_deployed_client_is(
    monkeypatch: pytest.MonkeyPatch, settings: LocalSettings
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(tokens, "access_token", lambda *given: asked.append(given) or "a.b.c")
    monkeypatch.setattr(tokens, "Endpoint", Deployed)
    with pytest.raises(LocalError, match="Wait until the start says ready"):
        tokens.token(settings, "maria")
    monkeypatch.setattr(Deployed, "outputs", {"UserPoolId": "pool", "ClientId": "client"})
    assert tokens.token(settings, "maria") == "a.b.c"
    ((login, client, callback, person),) = asked
    assert (login, client, callback) == (settings.login_url, "client", "http://api/pool/client")
    assert person.username == "maria"
    with pytest.raises(LocalError, match="no reviewer 'Maria'"):
        tokens.token(settings, "Maria")


def test_a_token_of_the_login_page_opens_the_reviewers_routes(stack: LocalStack) -> None:
    """With the port of AWS alone, as the directions of a start name it."""
    only_port = replace(LocalSettings(), gateway_port=stack.settings.gateway_port)
    taken = tokens.token(only_port, "jonas")
    assert isinstance(Reviewing(stack.api_url, taken).reviews(), list)
    with pytest.raises(Refused):
        Reviewing(stack.api_url, taken + "x").reviews()
