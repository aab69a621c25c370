"""Handing a call on over HTTP: as JSON, from the page, and with the command."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner

from placet.cli import __main__ as cli
from placet.client import bearer
from placet.client.transport import Answer
from placet.model.pauses import call_id
from placet.policy import Level
from tests.functions.conftest import BASE, Api
from tests.functions.test_reviewers import token
from tests.gateway import REFUND
from tests.web.reading import Page

ROUTE, FORM, SEND = "POST /v1/reviews/{id}/reassign", "GET /reviews/{id}/reassign", "POST /reviews/{id}/reassign"


@pytest.fixture
def call(api: Api) -> str:
    """A call of two levels that waits."""
    api.gateway.with_policy(levels=(Level(("finance",)), Level(("leads",), 3600)))
    api.gateway.person("lea", "Lea Lang", "leads")
    return call_id(api.gateway.shown(REFUND).pause, 1)


def handed(api: Api, call: str) -> set[str]:
    return set(api.gateway.head(call.rpartition("-")[0]).calls[0].handed)


def ask(api: Api, call: str, body: Any, sub: str = "maria") -> tuple[int, dict[str, Any]]:
    status, answer = api.agent("decide", ROUTE, body, authorizer=token(sub), pathParameters={"id": call})
    return status, answer


def test_a_call_is_handed_on_as_json(api: Api, call: str) -> None:
    status, answer = ask(api, call, {"to": "lea@example.com"})
    assert (status, answer["to"], answer["group"], answer["to_name"], answer["handed_by"]) == (
        200, "lea", "leads", "Lea Lang", "Maria Keller",
    )  # fmt: skip
    assert ask(api, call, {"to": "lea"})[1] == answer | {"replayed": True}
    assert ask(api, call, {"group": "leads"})[1]["to"] is None
    shown = api.agent("review", "GET /v1/reviews/{id}", authorizer=token("lea"), pathParameters={"id": call[:-2]})[1]
    assert shown["calls"][0]["may_decide"] is True
    assert [one["to_name"] for one in shown["calls"][0]["handed"]] == ["Lea Lang", "leads"]


@pytest.mark.parametrize(
    ("body", "sub", "status", "code"),
    [
        ({}, "maria", 422, "reassign_unclear"),
        ({"to": "nobody@example.com"}, "maria", 422, "reassign_unknown"),
        ({"to": "elif@example.com"}, "maria", 422, "reassign_unknown"),
        ({"to": 7}, "maria", 422, "field_invalid"),
        ({"to": "lea", "deadline_ms": 1}, "maria", 422, "unknown_field"),
        ({"to": "lea"}, "stranger", 404, "not_found"),
        ({"to": "maria"}, "lea", 404, "not_found"),
    ],
)
def test_what_cannot_be_is_a_clear_problem(api: Api, call: str, body: Any, sub: str, status: int, code: str) -> None:
    found = ask(api, call, body, sub)
    assert (found[0], found[1]["code"]) == (status, code)
    assert handed(api, call) == set()


def test_a_call_is_handed_on_from_its_page(api: Api, call: str) -> None:
    cookie, csrf = api.signed_in()
    pause = {"pathParameters": {"id": call[:-2]}}
    shown = api.page("review", "GET /reviews/{id}", cookie, **pause)["body"]
    assert f'formaction="/reviews/{call}/reassign"' in shown
    path = {"pathParameters": {"id": call}}
    form = api.page("review", FORM, cookie, **path)["body"]
    values = [one["value"] for one in Page(form).all("option")]
    assert values == ["", "U#jonas", "U#lea", "G#finance", "G#leads"], "neither the reader nor the requester"
    answer = api.page("decide", SEND, cookie, {"csrf": csrf, "whom": "U#lea"}, **path)
    assert (answer["statusCode"], answer["headers"]["location"]) == (303, f"/reviews/{call[:-2]}#call-1")
    assert handed(api, call) == {"U#lea"}
    assert "handed this call to" in api.page("review", "GET /reviews/{id}", cookie, **pause)["body"]


def test_a_mistake_on_the_form_is_told_with_what_was_chosen(api: Api, call: str) -> None:
    cookie, csrf = api.signed_in()
    path = {"pathParameters": {"id": call}}
    wrong = {
        "": "Name either",
        "U#stranger": "Nobody of this name",
        "G#gardeners": "No level of",
        "U#maria": "yourself",
    }
    for whom, says in wrong.items():
        answer = api.page("decide", SEND, cookie, {"csrf": csrf, "whom": whom}, **path)
        assert answer["statusCode"] == 422
        assert says in answer["body"]
    assert handed(api, call) == set()


def test_only_our_own_page_of_this_session_hands_on(api: Api, call: str) -> None:
    cookie, csrf = api.signed_in()
    _, others = api.signed_in("jonas")
    path, kind = {"pathParameters": {"id": call}}, "application/x-www-form-urlencoded"
    for origin, sent, site in (("https://evil.example", csrf, ""), (BASE, others, ""), (BASE, others, "same-origin")):
        headers = {"content-type": kind, "origin": origin, **({"sec-fetch-site": site} if site else {})}
        answer = api.page("decide", SEND, cookie, {"csrf": sent, "whom": "U#lea"}, headers=headers, **path)
        assert answer["statusCode"] == 403
    assert handed(api, call) == set()


def test_who_may_not_decide_it_is_led_to_the_call(api: Api, call: str) -> None:
    cookie, _ = api.signed_in("lea")
    answer = api.page("review", FORM, cookie, pathParameters={"id": call})
    assert (answer["statusCode"], answer["headers"]["location"]) == (303, f"/reviews/{call[:-2]}#call-1")
    stranger, _ = api.signed_in("stranger")
    assert api.page("review", FORM, stranger, pathParameters={"id": call})["statusCode"] == 404


def test_the_command_sends_the_reviewers_own_token(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    answer = {"call": "abc-1", "to_name": "Lea Lang", "handed_by": "Maria Keller"}

    def send(self: Any, method: str, path: str, body: str | None = None) -> Answer:
        asked.append((self._token, method, path, json.loads(body or "")))
        return Answer(answer, 0)

    monkeypatch.setattr(bearer.Bearer, "send", send)
    monkeypatch.setenv("PLACET_TOKEN", "a.b.c")
    words = ["--url", "https://x.example", "reassign", "abc-1", "--to", "lea@example.com"]
    said = CliRunner().invoke(cli.main, words)
    assert said.output == "abc-1 is handed to Lea Lang, by Maria Keller.\n"
    assert json.loads(CliRunner().invoke(cli.main, ["--json", *words]).output) == answer
    assert asked[0] == ("a.b.c", "POST", "/v1/reviews/abc-1/reassign", {"to": "lea@example.com"})
    for wrong in ({"PLACET_TOKEN": ""}, {"PLACET_TOKEN": "a b"}, {"PLACET_TOKEN": "a\nb"}):
        monkeypatch.setenv("PLACET_TOKEN", wrong["PLACET_TOKEN"])
        assert CliRunner().invoke(cli.main, words).exit_code == 2
    monkeypatch.setenv("PLACET_TOKEN", "a.b.c")
    assert CliRunner().invoke(cli.main, ["--url", "http://x.example", *words[2:]]).exit_code == 2, "never in the open"
    assert CliRunner().invoke(cli.main, [*words[:4], "--to", "a", "--group", "b"]).exit_code == 2
    assert len(asked) == 2


def test_a_token_is_sent_as_a_bearer(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: dict[str, Any] = {}

    class Pool:
        def urlopen(self, method: str, path: str, **given: Any) -> Any:
            sent.update(given, method=method, path=path)
            raise SystemExit

    sends = bearer.reviewer("https://x.example", "a.b.c")
    monkeypatch.setattr(sends, "_pool", Pool())
    with pytest.raises(SystemExit):
        sends.send("POST", "/v1/reviews/abc-1/reassign", "{}")
    assert sent["headers"]["Authorization"] == "Bearer a.b.c"
    assert (sent["redirect"], sent["path"]) == (False, "/v1/reviews/abc-1/reassign")


def test_a_call_that_its_pause_does_not_have_is_handed_to_nobody(api: Api, call: str) -> None:
    other = call.rpartition("-")[0] + "-7"
    cookie, csrf = api.signed_in()
    assert api.page("review", FORM, cookie, pathParameters={"id": other})["statusCode"] == 404
    sent = {"csrf": csrf, "to": "lea@example.com"}
    assert api.page("decide", SEND, cookie, sent, pathParameters={"id": other})["statusCode"] == 404
