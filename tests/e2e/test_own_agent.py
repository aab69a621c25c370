"""The agent of docs/own-agent.md against the running product, in the environment that `local environment` prints."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from local.registered import environment, roles
from local.stack import LocalStack
from placet.client.langchain import Waiting
from tests.docs.test_own_agent import Bank, gone_on, started
from tests.e2e.agents import gateway_of, on_offer, until


def test_the_agent_of_the_page_pays_what_maria_accepted(
    stack: LocalStack, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Under a role of the demo, whose policy does not know the tool: it asks, in the class of what is unknown."""
    monkeypatch.chdir(tmp_path)
    for line in environment(stack.settings, "support-agent").splitlines():
        name, _, value = shlex.split(line.removeprefix("export "))[0].partition("=")
        monkeypatch.setenv(name, value)
    bank = Bank()
    names = started(bank)
    assert isinstance(names["outcome"], Waiting)
    pause = names["outcome"].pause.pause
    maria = stack.reviewing("maria")
    until(lambda: any(one["pause"] == pause for one in maria.reviews()), "the pause in Maria's inbox")
    (call,) = maria.review(pause)["calls"]
    assert bank.paid == []
    maria.accept(call)
    until(lambda: on_offer(gateway_of(stack), pause), "the pick-up list")
    assert gone_on(names, monkeypatch) == "paid 1200.0 to Nordwind"
    assert bank.paid == [("Nordwind", 1200.0)]


def test_every_agent_of_the_registry_has_its_role(stack: LocalStack) -> None:
    pages = stack.client("iam").get_paginator("list_roles").paginate()
    there = {one["RoleName"] for page in pages for one in page["Roles"]}
    assert {*roles(stack.settings).values()} <= there
