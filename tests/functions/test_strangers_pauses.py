"""A pause that is not the caller's to see is as absent as none, on any route, also where its record cannot be read."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest

from placet.model.errors import Damaged, NotFound
from placet.records.heads import Head
from placet.service import review, rights
from placet.service.loading import head_of
from tests.functions.calling import Called, every_route, good, headers, identity
from tests.functions.conftest import ACCOUNT, Api, role_arn
from tests.gateway import DELETE, REFUND

NAMING = [
    called
    for called in every_route()
    if called.who in ("agent", "token", "page")
    and ("{id}" in called.route or called.route == "POST /v1/resumes")
    and "/runs/" not in called.route
]
HURT: dict[str, Callable[[dict[str, Any]], object]] = {
    "calls of another shape": lambda item: item.update(calls="x"),
    "another version": lambda item: item.update(schema_version=9),
    "a state that no release knows": lambda item: item.update(state="sleeping"),
    "no word of whose it is": lambda item: item.update(agent=5, card="x", calls="x"),
    "no body": lambda item: item.update(body="0" * 64),
}


def answered(api: Api, called: Called, pause: str, head: Head, caller: dict[str, Any], csrf: str) -> tuple[int, str]:
    """What somebody else's request of this route is told, without the id that it named."""
    given = json.loads(json.dumps(good(called, head, csrf)).replace(head.pause, pause))
    sent = given.get("form", given.get("json"))
    body = urlencode(sent) if "form" in given else json.dumps(sent)
    answer = api.send(
        called.function, called.route, **caller, headers=headers(called), pathParameters=given["path"], body=body
    )
    return answer["statusCode"], answer["body"].replace(pause, "ID")


def somebody_else(api: Api, who: str) -> tuple[dict[str, Any], str]:
    """A caller that the route is for, and the pause is not."""
    if who == "agent":
        return {"authorizer": {"iam": {"userArn": role_arn("placet-billing-agent"), "accountId": ACCOUNT}}}, ""
    api.gateway.person("rita", "Rita", "somewhere-else")
    if who == "token":
        return {"authorizer": {"jwt": {"claims": {"sub": "rita", "token_use": "access"}}}}, ""
    cookie, csrf = api.signed_in("rita")
    return identity("page", cookie), csrf


@pytest.mark.parametrize("hurt", HURT.values(), ids=HURT)
@pytest.mark.parametrize("called", NAMING, ids=str)
def test_a_foreign_pause_that_cannot_be_read_is_as_absent_as_none(
    api: Api, called: Called, hurt: Callable[[dict[str, Any]], object]
) -> None:
    head = api.gateway.shown(REFUND)
    absent = ("a" if head.pause[0] != "a" else "b") + head.pause[1:]
    caller, csrf = somebody_else(api, called.who)
    hurt(api.gateway.table.items[api.gateway.keys.head(head.pause)])
    before = {key: dict(item) for key, item in api.gateway.table.items.items() if "HEAD" in key.sk}
    told = answered(api, called, head.pause, head, caller, csrf)
    assert told == answered(api, called, absent, head, caller, csrf)
    assert told[0] == 404
    assert {key: dict(api.gateway.table.items[key]) for key in before} == before, "nor can a stranger have it listed"


def test_the_successor_of_a_cancelled_pause_is_a_pause_of_the_caller(api: Api) -> None:
    foreign = api.gateway.shown(REFUND).pause
    own = api.gateway.shown(REFUND, run="thread-2").pause
    api.gateway.table.items[api.gateway.keys.head(foreign)]["calls"] = "x"
    api.gateway.table.items[api.gateway.keys.head(foreign)]["agent"] = "billing-agent"
    body = {"reason": "asked again", "successor": foreign}
    status, problem = api.agent("capture", "POST /v1/pauses/{id}/cancel", body, pathParameters={"id": own})
    assert (status, problem["code"]) == (404, "not_found")


@pytest.mark.parametrize("left", ["calls", "card"])
def test_whose_it_is_to_see_is_told_by_what_is_left_of_it(api: Api, left: str) -> None:
    gateway = api.gateway
    head = gateway.shown(REFUND)
    item = gateway.table.items[gateway.keys.head(head.pause)]
    item.update({"gen": "x", ({"calls", "card"} - {left}).pop(): "x"})
    with pytest.raises(Damaged):
        review.detail(gateway.ports, gateway.maria, head.pause)
    item[left] = {"classes": [5], "1": {"class": []}}
    with pytest.raises(NotFound):
        review.detail(gateway.ports, gateway.maria, head.pause)


def test_the_walk_has_every_kind_of_caller(api: Api) -> None:
    assert {called.who for called in NAMING} == {"agent", "token", "page"}
    assert len(NAMING) >= 12
    assert api.gateway.shown(DELETE).calls[0].action_class != api.gateway.shown(REFUND, run="b").calls[0].action_class


def test_a_record_that_is_read_before_it_is_known_whose_it_is_would_be_told_of(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted bug."""
    monkeypatch.setattr(rights, "head_for", lambda ports, who, pause: head_of(ports, pause))
    monkeypatch.setattr(review, "head_for", rights.head_for)
    head = api.gateway.shown(REFUND)
    api.gateway.table.items[api.gateway.keys.head(head.pause)]["calls"] = "x"
    with pytest.raises(Damaged):
        review.detail(api.gateway.ports, api.gateway.person("rita", "Rita", "somewhere-else"), head.pause)
