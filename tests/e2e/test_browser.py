"""A person at a real browser: signs in through the user pool's pages, reads, and decides; with and without JavaScript."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

from local.stack import LocalStack
from placet.client import Gateway
from tests.e2e.agents import capture, gateway_of, mailed_long_ago, until
from tests.gateway import REFUND


@pytest.fixture(params=["with script", "without script"])
def page(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    context = browser.new_context(java_script_enabled=request.param == "with script")
    yield context.new_page()
    context.close()


@pytest.fixture(scope="module")
def agent(stack: LocalStack) -> Gateway:
    return gateway_of(stack)


def ours(stack: LocalStack, message: ConsoleMessage) -> bool:
    """An error of one of our pages, not of the emulator's login page."""
    return message.type == "error" and message.location.get("url", "").startswith(stack.api_url)


def waiting(stack: LocalStack, agent: Gateway) -> Any:
    """A captured pause that reviewers can see."""
    mailed_long_ago(stack)
    pause = capture(agent, REFUND)
    until(lambda: [one for one in stack.outbox() if pause.pause in one.text], "the mail")
    return pause


def sign_in(stack: LocalStack, page: Page, name: str, path: str = "/inbox") -> None:
    person = stack.reviewer(name)
    page.goto(stack.api_url + path)
    page.get_by_role("link", name="Sign in").click()
    page.locator("input[name=username]").fill(person.username)
    page.locator("input[name=password]").fill(person.password)
    page.locator("input[name=password]").press("Enter")
    page.wait_for_url(f"{stack.api_url}{path}")


def test_a_reviewer_follows_the_mail_reads_and_accepts(stack: LocalStack, agent: Gateway, page: Page) -> None:
    pause = waiting(stack, agent)
    problems: list[str] = []
    page.on("console", lambda one: ours(stack, one) and problems.append(f"{one.text} {one.location}"))
    sign_in(stack, page, "maria", f"/reviews/{pause.pause}")
    expect(page.get_by_role("heading", level=1)).to_contain_text("240.5")
    accept = page.get_by_role("button", name="Accept")
    page.get_by_label("Type").fill("240.5")
    accept.click()
    expect(page.locator("main")).to_contain_text("Maria Keller")
    assert agent.pause(pause.pause).calls[0].state == "accepted"
    assert problems == []


def test_a_reviewer_rejects_from_the_inbox_and_signs_out(stack: LocalStack, agent: Gateway, page: Page) -> None:
    pause = waiting(stack, agent)
    sign_in(stack, page, "jonas")
    page.locator(f"a[href='/reviews/{pause.pause}']").click()
    page.locator("input[name=reason-1]").first.check()
    page.get_by_role("button", name="Reject").click()
    expect(page.locator("main")).to_contain_text("Jonas Weber")
    assert agent.pause(pause.pause).calls[0].state == "rejected"
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("signed out")
    page.goto(f"{stack.api_url}/inbox")
    assert "/sign-in" in page.url
