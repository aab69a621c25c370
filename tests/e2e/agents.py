"""An agent for tests: the public SDK under a demo agent's role, and captured LangChain pauses to hand in."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Any, TypeVar

import botocore.session

from local.stack import LocalStack
from placet.client import Gateway, Pause
from placet.records.keys import Keys
from tests.gateway import native

T = TypeVar("T")
_numbers = itertools.count(1)


def gateway_of(stack: LocalStack, agent: str = "support-agent") -> Gateway:
    """The gateway as this agent reaches it."""
    session = botocore.session.Session()
    found = stack.agent_credentials(agent)
    session.set_credentials(found.id, found.secret, found.token)
    return Gateway(stack.api_url, "us-east-1", session)


def capture(gateway: Gateway, *calls: tuple[str, dict[str, Any]], **about: Any) -> Any:
    """Capture a new pause of these calls."""
    number = next(_numbers)
    about = {"entity": f"order:e2e-{number}", "requester": "elif@example.com", **about}
    run = about.pop("run", f"thread-e2e-{number}")
    return gateway.capture("langchain", run, native(*calls, checkpoint=f"cp-{number}"), **about)


def mailed_long_ago(stack: LocalStack, *subs: str) -> None:
    """None of these, or neither Maria nor Jonas, was mailed just now, so the next call is told by itself."""
    table = stack.client("dynamodb")
    for sub in subs or [stack.reviewer(name).sub for name in ("maria", "jonas")]:
        key = Keys("main").mailbox(sub)
        table.delete_item(TableName=stack.table_name, Key={"pk": {"S": key.pk}, "sk": {"S": key.sk}})


def on_offer(gateway: Gateway, pause: str) -> Pause | None:
    """A pause on the pick-up list, whatever page of it; None when it is not there."""
    page = gateway.resumes()
    while not (found := [one for one in page.pauses if one.pause == pause]) and page.next:
        page = gateway.resumes(page.next)
    return found[0] if found else None


def until(found: Callable[[], T | None], what: str, patience_s: float = 40) -> T:
    """Ask until there is an answer; says what was waited for when there is none."""
    end = time.monotonic() + patience_s
    while time.monotonic() < end:
        if answer := found():
            return answer
        time.sleep(0.2)
    raise AssertionError(f"waited {patience_s} s in vain for {what}")
