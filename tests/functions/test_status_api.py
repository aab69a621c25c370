"""The person who waits: one call, one stream of events and one piece of a page, through the real handler and the SDK."""

from __future__ import annotations

import json
import re
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from placet.client.gateway import Gateway as Client
from placet.client.status import CSS, waiting, watch
from placet.client.transport import Answer
from placet.client.waiting import Pace
from placet.model.pauses import call_id
from placet.model.states import PermitState, Verdict
from placet.service.ask import ask
from placet.service.execute import claim, outcome
from tests.functions.conftest import ACCOUNT, Api, role_arn
from tests.gateway import REFUND, SUPPORT

ROUTE = "GET /v1/pauses/{id}/status"
HOSTILE = '</p><script>alert(1)</script>\n\ndata: {"state":"done"}'


def stream(api: Api, pause: str, last: str = "") -> tuple[int, str]:
    authorizer = {"iam": {"userArn": role_arn("placet-support-agent"), "accountId": ACCOUNT}}
    headers = {"accept": "text/event-stream", **({"last-event-id": last} if last else {})}
    answer = api.send("pick_up", ROUTE, authorizer=authorizer, pathParameters={"id": pause}, headers=headers)
    assert answer["headers"]["content-type"] == "text/event-stream"
    return answer["statusCode"], answer["body"]


def client(api: Api) -> Client:
    class Sends:
        def send(self, method: str, path: str, body: str | None = None) -> Answer:
            status, told = api.agent("pick_up", ROUTE, pathParameters={"id": path.split("/")[3]})
            assert status == 200
            return Answer(told, 0.0)

    return Client(transport=Sends())


def ends(api: Api, pause: str) -> None:
    gateway = api.gateway
    call = call_id(pause, 1)
    claim(gateway.ports, SUPPORT, call, gateway.head(pause).calls[0].digest, "w")
    outcome(gateway.ports, SUPPORT, call, "w", PermitState.DONE, "paid")


def test_one_call_says_where_it_stands(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    status, told = api.agent("pick_up", ROUTE, pathParameters={"id": head.pause})
    assert status == 200
    assert told == {
        "pause": head.pause,
        "state": "waiting",
        "over": False,
        "title": "Waiting on Finance",
        "on": ["Finance"],
        "asked_at": head.captured_ms,
        "typical_s": None,
        "late": False,
        "until": head.deadline_ms,
        "widens_to": [],
        "widens_at": None,
        "held_until": None,
        "at": None,
        "as_of": api.gateway.clock.at_ms,
        "asked": [],
        "calls": [{"call": call_id(head.pause, 1), "state": "waiting", "at": None, "reason": None, "changed": []}],
    }


def test_it_is_its_agents_own(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    path = {"pathParameters": {"id": head.pause}}
    absent = api.agent("pick_up", ROUTE, pathParameters={"id": "x" * 26})
    assert api.agent("pick_up", ROUTE, role="placet-billing-agent", **path) == absent
    assert absent[0] == 404


def test_a_stream_tells_what_changed_and_then_that_it_is_over(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    status, body = stream(api, head.pause)
    fields = dict(line.split(": ", 1) for line in body.strip().splitlines())
    assert (status, fields["retry"], fields["event"]) == (200, "5000", "status")
    assert json.loads(fields["data"])["state"] == "waiting"
    api.gateway.clock.move(60)
    assert stream(api, head.pause, fields["id"]) == (200, "retry: 5000\n\n"), "nothing changed but the clock"
    api.gateway.decide(head, 1, Verdict.ACCEPT)
    ends(api, head.pause)
    status, body = stream(api, head.pause, fields["id"])
    fields = dict(line.split(": ", 1) for line in body.strip().splitlines())
    assert json.loads(fields["data"])["state"] == "done"
    assert stream(api, head.pause, fields["id"]) == (204, ""), "whoever has heard the end stays away"
    assert stream(api, head.pause, "another")[0] == 200


def test_no_text_of_a_reviewer_makes_an_event_or_an_element(api: Api) -> None:
    api.gateway.with_policy(tells_requester=True)
    head = api.gateway.shown(REFUND)
    api.gateway.decide(head, 1, Verdict.REJECT, reason=HOSTILE.replace("\n", " "))
    _, body = stream(api, head.pause)
    assert [line.split(":")[0] for line in body.splitlines() if line] == ["retry", "id", "event", "data"]
    found = waiting(head.pause, client(api))
    assert "<script" not in found.html()
    assert "&lt;script&gt;" in found.html()
    assert found.event().count("\n") == 3


@pytest.mark.parametrize("tells", [True, False])
def test_a_question_is_told_as_text_and_only_where_its_words_may_be(api: Api, tells: bool) -> None:
    api.gateway.with_policy(tells_requester=tells)
    head = api.gateway.shown(REFUND)
    ask(api.gateway.ports, api.gateway.maria, call_id(head.pause, 1), HOSTILE, 1)
    _, told = api.agent("pick_up", ROUTE, pathParameters={"id": head.pause})
    at = api.gateway.clock.at_ms
    words = HOSTILE.strip() if tells else None
    assert told["asked"] == [{"call": call_id(head.pause, 1), "by": "Finance", "at": at, "text": words}]
    found = waiting(head.pause, client(api))
    assert found.status.asked_back[0].text == (words or "")
    assert ("Finance asked: \u201c" in found.text(), "Finance asked a question." in found.text()) == (tells, not tells)
    assert "\n" not in found.text()
    assert ("<script" in found.html(), "&lt;script&gt;" in found.html()) == (False, tells)
    assert "Maria" not in found.html()
    assert found.event().count("\n") == 3


def test_the_sdk_says_it_in_a_line_and_in_a_piece_of_a_page(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    found = waiting(head.pause, client(api))
    said = found.text(ZoneInfo("Europe/Zurich"))
    assert re.fullmatch(r"Waiting on Finance, decides by [^.]*\d\d:\d\d\.", said), said
    html = found.html()
    assert html.startswith('<div class="wait wait-wait" role="status" data-state="waiting"><svg')
    assert "Maria" not in html
    assert "href" not in html


def test_watching_tells_each_change_once(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    steps = iter([lambda: None, lambda: api.gateway.decide(head, 1, Verdict.ACCEPT), lambda: ends(api, head.pause)])
    seen = [
        one.status.state.value for one in watch(head.pause, client(api), pace=Pace(), sleep=lambda _: next(steps)())
    ]
    assert seen == ["waiting", "going_on", "done"]


@pytest.mark.parametrize("width", [320, 1280])
def test_the_piece_stands_in_a_page_of_somebody_else(api: Api, browser: Any, width: int) -> None:
    """Long words of a reviewer do not widen it, and it is heard as a status."""
    api.gateway.with_policy(tells_requester=True)
    head = api.gateway.shown(REFUND)
    api.gateway.decide(head, 1, Verdict.REJECT, reason="No" * 200)
    html = waiting(head.pause, client(api)).html()
    page = browser.new_page(viewport={"width": width, "height": 600})
    page.set_content(f"<!doctype html><title>Shop</title><style>{CSS}</style><main>{html}</main>")
    assert page.get_by_role("status").inner_text().startswith("A person said no")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.close()
