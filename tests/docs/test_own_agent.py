"""docs/own-agent.md: its registry entry and policy are taken, its agent runs, and reviewer and model read what the page says."""

from __future__ import annotations

import re
import shlex
import threading
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest

import placet_policy
from infra.registry import Agent as Entry
from local import commands as local
from placet.client.langchain import Finished, Waiting
from placet.frameworks.langchain import answers as adapter
from placet.model.pauses import Evidence
from placet.model.states import CallState
from placet.policy import Policy, Threshold, Tool, rule_on
from placet.policy.mistakes import mistakes
from placet.service import review
from placet.web import pages
from placet.web.forms import FormFacts
from tests.docs.reading import ROOT, blocks, rows
from tests.frameworks.fake_gateway import FakeGateway
from tests.frameworks.langchain.scene import Scripted, call
from tests.frameworks.serving import served
from tests.gateway import Gateway

PAGE = ROOT / "docs/own-agent.md"
POLICY, AGENT, ASKS, GOES_ON = blocks(PAGE, "python")
CALL = {"supplier": "Nordwind", "amount": 1200.0}


def registered_entry() -> dict[str, Any]:
    """The entry that the page puts into the registry."""
    (text,) = blocks(PAGE, "toml")
    (entry,) = tomllib.loads(text)["agents"]
    return dict(entry)


class Bank:
    """What the tool of the page acts on."""

    def __init__(self) -> None:
        self.paid: list[tuple[str, float]] = []

    def pay(self, supplier: str, amount: float) -> str:
        self.paid.append((supplier, amount))
        return f"paid {amount} to {supplier}"


def tool_of_the_page() -> Tool:
    found: Tool = eval(POLICY, {"Tool": Tool, "Threshold": Threshold})  # noqa: S307 - our own documentation
    return found


def policy_of_the_page() -> Policy:
    known = placet_policy.POLICY
    return Policy.of(
        "page", [*known.classes.values()], [*known.tools.values(), tool_of_the_page()], known.unknown_class
    )


@pytest.fixture
def gateway(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Iterator[FakeGateway]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "made-up")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.chdir(tmp_path)
    fake = FakeGateway()
    with served(fake) as url:
        monkeypatch.setenv("PLACET_URL", url)
        yield fake


def started(bank: Bank, **arguments: Any) -> dict[str, Any]:
    """The page's agent, asked as the page asks."""
    turn = [call("pay_supplier", 1, **{**CALL, **arguments})]
    names: dict[str, Any] = {"bank": bank, "model": Scripted(turns=[turn, "Done."])}
    exec(AGENT, names)  # noqa: S102 - our own documentation
    names["approvals"]._quiet_s = 0.0
    exec(ASKS, names)  # noqa: S102 - our own documentation
    return names


class OneLook(threading.Event):
    """Is set as soon as somebody waits for it: the worker has looked once."""

    def wait(self, timeout: float | None = None) -> bool:
        self.set()
        return True


def gone_on(names: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> str:
    """The page's worker, which goes on with what is decided; what the model read."""
    with monkeypatch.context() as patched:
        patched.setattr(threading, "Event", OneLook)
        exec(GOES_ON, names)  # noqa: S102 - our own documentation
    messages = names["agent"].get_state({"configurable": {"thread_id": "thread-1"}}).values["messages"]
    return str(next(one.text for one in reversed(messages) if one.type == "tool"))


def says(what: str) -> str:
    """What the page says that the model reads."""
    (cell,) = (
        text for name, text in rows(PAGE, "what happened", "result of the tool, as the model reads it") if name == what
    )
    return re.findall(r"`([^`]+)`", cell)[0].replace("'", "`").rstrip("…")


# --- what goes into the checkout --------------------------------------------------------------------------------------


def test_the_registry_takes_the_entry() -> None:
    entry = Entry(**registered_entry())
    assert (entry.name, entry.role, entry.kind) == ("payables", "payables-agent", "pick_up")


def test_the_policy_takes_the_tool_and_asks_over_its_limit() -> None:
    policy = policy_of_the_page()
    assert mistakes(policy) == []
    assert not rule_on(policy, "pay_supplier", {"supplier": "Nordwind", "amount": 500}).review
    ruling = rule_on(policy, "pay_supplier", {"supplier": "Nordwind", "amount": 501})
    assert ruling.review
    assert ruling.action_class.levels[0].groups == ("finance",)


def test_what_is_installed_and_typed_is_there() -> None:
    install, run = blocks(PAGE, "sh")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["name"] == "placet"
    assert set(re.findall(r"\[(\w+)\]", install)) <= set(project["optional-dependencies"])
    asked = re.search(r"-m local (\w+) (\w+)", run)
    assert asked is not None
    assert (asked[1] in local.COMMANDS, asked[2]) == (True, registered_entry()["name"])


def test_the_environment_of_a_registered_agent_is_what_its_sdk_reads(
    monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    from local import registered
    from local.emulator.signatures import Key
    from local.endpoint import Endpoint
    from local.settings import LocalSettings

    monkeypatch.setattr(Endpoint, "assume", lambda self, role, name: Key(role, name, "a 'token'"))
    monkeypatch.setattr(registered, "roles", lambda settings: {"payables": "payables-agent"})
    lines = registered.environment(LocalSettings(), "payables").splitlines()
    told = dict(shlex.split(line.removeprefix("export "))[0].split("=", 1) for line in lines)
    assert {line.split()[0] for line in lines} == {"export"}
    assert told["PLACET_URL"] == "http://localhost:4568"
    assert told["AWS_ACCESS_KEY_ID"].endswith(":role/payables-agent")
    assert (told["AWS_SESSION_TOKEN"], told["AWS_REGION"]) == ("a 'token'", "us-east-1")


# --- the agent --------------------------------------------------------------------------------------------------------


def test_the_agent_of_the_page_asks_first_and_pays_what_was_accepted(
    gateway: FakeGateway, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    bank = Bank()
    names = started(bank)
    assert isinstance(names["outcome"], Waiting)
    assert capsys.readouterr().out.startswith("A person has to agree")
    assert bank.paid == []
    gateway.decide(*gateway.pending(), "accepted")
    assert gone_on(names, monkeypatch) == says("accepted")
    assert bank.paid == [("Nordwind", 1200.0)]


def test_the_model_hears_of_an_edit(gateway: FakeGateway, monkeypatch: pytest.MonkeyPatch) -> None:
    bank = Bank()
    names = started(bank)
    gateway.decide(*gateway.pending(), "edited", '{"supplier":"Nordwind","amount":900.0}')
    assert says("accepted with another amount") in (read := gone_on(names, monkeypatch))
    assert "a human reviewer replaced this tool call" in read
    assert bank.paid == [("Nordwind", 900.0)]


def test_the_model_hears_a_persons_reason(gateway: FakeGateway, monkeypatch: pytest.MonkeyPatch) -> None:
    bank = Bank()
    names = started(bank)
    gateway.decide(*gateway.pending(), "rejected", reason="It was paid in February.")
    assert gone_on(names, monkeypatch) == says("rejected")
    assert bank.paid == []


def test_the_model_is_told_of_arguments_that_cannot_be_sent(gateway: FakeGateway) -> None:
    names = started(Bank(), amount=float("inf"))
    outcome = names["outcome"]
    assert isinstance(outcome, Finished)
    (result,) = (one for one in outcome.values["messages"] if one.type == "tool")
    assert result.text.startswith(says("the model's arguments do not fit the tool"))


@pytest.mark.parametrize(
    ("what", "state"),
    [("nobody decided in time", CallState.EXPIRED), ("the policy forbids it", CallState.DENIED)],
)
def test_the_gateways_own_sentences_are_those_of_the_page(what: str, state: CallState) -> None:
    assert adapter.answer(state, "pay_supplier", {}, "")["message"] == says(what)


# --- the reviewer -----------------------------------------------------------------------------------------------------


def test_the_reviewer_reads_what_the_page_says() -> None:
    made = Gateway(policy=policy_of_the_page())
    said = Evidence("User", "conversation", False, "Please pay Nordwind 1200 for March.", "user")
    facts = {"entity": "supplier:Nordwind", "requester": "elif@example.com", "evidence": (said,)}
    head = made.shown(("pay_supplier", CALL), **facts)
    detail = review.detail(made.ports, made.maria, head.pause)
    shown = re.sub(r"<[^>]+>", "", pages.detail(detail, made.maria, FormFacts("c", "m", 1)))
    listed = PAGE.read_text().partition("## What the reviewer sees")[2].partition("## What the model hears")[0]
    quoted = [*re.findall(r'"([^"]+)"', listed), *re.findall(r"`(\S+[@:]\S+)`", listed)]
    assert len(quoted) >= 5
    for text in quoted:
        assert text in shown, text
    (headline,) = re.findall(r"\*\*(.+)\*\*", listed)
    assert headline in shown
    elif_ = made.person("elif", "Elif", "finance")
    assert not review.detail(made.ports, elif_, head.pause).calls[0].may_decide
