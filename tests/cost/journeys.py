"""What is played of each kind: the parts of its way, each ended before the next begins."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from local.agents.processes import gateway_as
from local.agents.refund_desk import AGENT
from local.browser import Browser, Page
from local.stack import LocalStack
from placet.client import Gateway
from placet.client.bedrock import Finished, Waiting, follow, invoke
from tests.cost.kinds import ACCEPTED, BEDROCK, EDITED, EXPIRED, REJECTED
from tests.e2e.agents import gateway_of
from tests.gateway import native

if TYPE_CHECKING:
    from tests.cost.play import Run

CALL = ("issue_refund", {"order_id": "1182", "amount": 240.5})
LESS = '{"order_id":"1182","amount":200.00}'
EVIDENCE = [
    {"title": "Order 1182", "source": "get_order", "trusted": True, "text": "Total 240.50, paid by card, delivered."}
]
EXPIRES_S = 5


def accepted(run: Run, stack: LocalStack, browser: Browser) -> None:
    """Accepted on the page, executed by an agent that picks it up."""
    agent = gateway_of(stack)
    pause = _captured(run, agent, "accepted")
    page = _looked(run, stack, browser, pause)
    run.phase("decide", "she accepts; the machine's wait is answered and ends")
    _sends(browser, page, "accept", typed="240.5")
    _closed(run, pause)
    _executed(run, agent)
    _went_on(run, agent, pause)
    _timer(run, pause)


def edited(run: Run, stack: LocalStack, browser: Browser) -> None:
    """As accepted, with other arguments that the reviewer confirmed."""
    agent = gateway_of(stack)
    pause = _captured(run, agent, "edited")
    _looked(run, stack, browser, pause)
    run.phase("form", "she opens the form that edits the call")
    form_page = browser.get(f"{stack.api_url}/reviews/{pause}-1/edit")
    run.phase("preview", "and is shown before and after")
    form = next(form for form in form_page.forms() if form.action.endswith("/edit"))
    preview = browser.submit(form_page, form, arguments=LESS, reason="half is right")
    run.phase("decide", "she confirms the edit")
    form = next(form for form in preview.forms() if form.action.endswith("/decide"))
    assert "Maria Keller" in browser.submit(preview, form, **{"typed-1": "200.00"}).text
    _closed(run, pause)
    _executed(run, agent)
    _went_on(run, agent, pause)
    _timer(run, pause)


def rejected(run: Run, stack: LocalStack, browser: Browser) -> None:
    """Rejected on the page; the agent tells its run and nothing is executed."""
    agent = gateway_of(stack)
    pause = _captured(run, agent, "rejected")
    page = _looked(run, stack, browser, pause)
    run.phase("decide", "she rejects")
    _sends(browser, page, "reject", reason="own", own="not this one")
    _closed(run, pause)
    run.phase("pick-up", "the agent asks for decisions")
    assert [one.pause for one in agent.resumes().pauses] == [pause]
    _went_on(run, agent, pause)
    _timer(run, pause)


def expired(run: Run, stack: LocalStack, browser: Browser) -> None:
    """Nobody decides; the timer ends it."""
    agent = gateway_of(stack)
    pause = _captured(run, agent, "expired", wait_at_most_s=EXPIRES_S)
    time.sleep(EXPIRES_S + 1)
    run.phase("decide", "its deadline has passed, and its timer fires")
    run.fire_timer(pause, gone=True)
    _closed(run, pause, by="escalate")
    run.phase("pick-up", "the agent asks for decisions")
    assert [one.pause for one in agent.resumes().pauses] == [pause]
    _went_on(run, agent, pause)


def bedrock(run: Run, stack: LocalStack, browser: Browser) -> None:
    """A turn of a Bedrock agent asks for a call; what is accepted its executor runs, and the agent is answered."""
    agent, name = gateway_as(stack, AGENT), "run-cost"
    run.phase("capture", "a turn of the agent proposes a refund")
    waiting = invoke(agent, AGENT, name, "refund ORD-1182 24050", entity="order:1182", requester="elif@example.com")
    assert isinstance(waiting, Waiting), waiting
    run.ended("invoke_agent", "dispatch", "notify")
    page = _looked(run, stack, browser, waiting.pause)
    run.phase("decide", "she accepts; the executor runs it and the agent is answered")
    _sends(browser, page, "accept", typed="24050")
    _closed(run, waiting.pause)
    run.phase("run went on", "the caller asks for the run")
    standing = follow(agent, name)
    assert isinstance(standing, Finished), standing
    _timer(run, waiting.pause)


JOURNEYS = {
    ACCEPTED.name: accepted,
    EDITED.name: edited,
    REJECTED.name: rejected,
    BEDROCK.name: bedrock,
    EXPIRED.name: expired,
}


def _captured(run: Run, agent: Gateway, name: str, **more: Any) -> str:
    run.phase("capture", "stored, its wait begun, two reviewers told")
    paused = agent.capture(
        "langchain", f"thread-{name}", native(CALL, checkpoint=f"cp-{name}"),
        entity="order:1182", requester="elif@example.com", says="I recommend approving.", evidence=EVIDENCE, **more,
    )  # fmt: skip
    run.ended("capture", "dispatch", "notify")
    return paused.pause


def _looked(run: Run, stack: LocalStack, browser: Browser, pause: str) -> Page:
    run.phase("inbox", "Maria opens her inbox")
    assert pause in browser.get(f"{stack.api_url}/inbox").text
    run.phase("detail", "and the pause")
    return browser.get(f"{stack.api_url}/reviews/{pause}")


def _sends(browser: Browser, page: Page, decision: str, **fields: str) -> None:
    form = next(form for form in page.forms() if form.fields.get("decision") == decision)
    assert "Maria Keller" in browser.submit(page, form, **{f"{name}-1": value for name, value in fields.items()}).text


def _closed(run: Run, pause: str, by: str = "decide") -> None:
    run.ended(by, "dispatch", "resume")
    run.machine_ended(f"{pause}-1")


def _executed(run: Run, agent: Gateway) -> None:
    run.phase("pick-up", "the agent asks for decisions")
    (decided,) = agent.resumes().pauses
    run.phase("claim", "claims the permit")
    call = decided.calls[0]
    agent.claim(call.call, call.digest, "worker-1")
    run.phase("outcome", "runs the tool and reports")
    agent.outcome(call.call, "worker-1", "done", "refund re_1182 created")


def _went_on(run: Run, agent: Gateway, pause: str) -> None:
    run.phase("run went on", "and says that the run went on")
    agent.resumed(pause)


def _timer(run: Run, pause: str) -> None:
    run.phase("timer", "hours later the timer finds nothing to do")
    run.fire_timer(pause)
