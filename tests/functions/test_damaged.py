"""Whoever meets a record that cannot be read lists its pause once, tells its caller so, and goes on."""

from __future__ import annotations

import copy
import importlib
from typing import Any

import pytest

from placet.aws.expressions import to_wire
from placet.model.pauses import call_id
from placet.records.heads import Head
from placet.service import operate
from placet.service.resume import take
from tests.functions.conftest import Api
from tests.gateway import REFUND, SUPPORT, approved


def hurt(api: Api, head: Head, **changes: Any) -> dict[str, Any]:
    item: dict[str, Any] = api.gateway.table.items[api.gateway.keys.head(head.pause)]
    item.update(changes or {"calls": "x"})
    return item


def invoke(function: str, event: dict[str, Any]) -> Any:
    return importlib.import_module(f"functions.{function}.handler").handler(event, None)


def listed(api: Api) -> list[tuple[str, str]]:
    return [(one.pause, one.reason) for one in operate.stuck(api.gateway.ports)]


@pytest.mark.parametrize("function", ["notify", "escalate", "resume"])
def test_an_event_of_it_is_done_once_it_is_listed(api: Api, function: str) -> None:
    head = api.gateway.shown(REFUND)
    hurt(api, head)
    event = {"pause": head.pause, "gen": 1, "token": "t"}
    for _ in range(2):
        assert invoke(function, event) in (None, {"result": "listed"})
    assert listed(api) == [(head.pause, "damaged")]
    assert [name for name, _ in api.gateway.log if name == "stuck"] == ["stuck"]


def test_a_wait_that_failed_lists_it_as_what_it_is(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    hurt(api, head)
    assert invoke("resume", {"pause": head.pause, "gen": 1, "list": "wait_failed"}) == {"result": "listed"}
    assert listed(api) == [(head.pause, "damaged")]


@pytest.mark.parametrize("changes", [{"state": 5}, {"open_calls": 0, "calls": "x"}, {"cancelled": 7}, {"pk": 5}])
def test_the_shard_goes_on_behind_it(api: Api, changes: dict[str, Any]) -> None:
    damaged, fine = (api.gateway.capture(REFUND, checkpoint=name).head for name in "ab")
    images = [api.gateway.table.get(api.gateway.keys.head(one.pause)) for one in (damaged, fine)]
    hurt(api, damaged, **{name: value for name, value in changes.items() if name != "pk"})
    records = [{"dynamodb": {"SequenceNumber": str(n), "NewImage": to_wire(one)}} for n, one in enumerate(images)]
    records[0]["dynamodb"] |= {"NewImage": to_wire(images[0] | changes)}
    assert invoke("dispatch", {"Records": records}) == {"batchItemFailures": []}
    assert f"{fine.pause}-1" in api.gateway.waits.started


def test_a_closing_edge_of_it_lists_it(api: Api) -> None:
    head, _ = approved(api.gateway)
    new = copy.deepcopy(hurt(api, head))
    record = {"SequenceNumber": "1", "OldImage": to_wire(new | {"open_calls": 1}), "NewImage": to_wire(new)}
    assert invoke("dispatch", {"Records": [{"dynamodb": record}]}) == {"batchItemFailures": []}
    assert listed(api) == [(head.pause, "damaged")]


def test_who_only_reads_it_is_told_and_changes_nothing(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    hurt(api, head)
    cookie, _ = api.signed_in()
    before = copy.deepcopy(api.gateway.table.items)
    page = api.page("review", "GET /reviews/{id}", cookie, pathParameters={"id": head.pause})
    status, problem = api.agent("pick_up", "GET /v1/pauses/{id}", pathParameters={"id": head.pause})
    assert (page["statusCode"], "cannot be read" in page["body"]) == (409, True)
    assert (status, problem["code"], problem["pause"]) == (409, "damaged", head.pause)
    assert "again does not help" in problem["detail"]
    assert api.gateway.table.items == before


def test_a_decision_on_it_lists_it(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    hurt(api, head, card="x")
    claims = {"jwt": {"claims": {"sub": "maria", "token_use": "access"}}}
    body = {"decision": "accept", "revision": 1, "digest": head.calls[0].digest}
    status, problem = api.agent(
        "decide",
        "POST /v1/reviews/{id}/decision",
        body,
        authorizer=claims,
        pathParameters={"id": call_id(head.pause, 1)},
    )
    assert (status, problem["code"]) == (409, "damaged")
    assert listed(api) == [(head.pause, "damaged")]


def test_taking_decided_pauses_lists_the_one_whose_body_is_gone(api: Api) -> None:
    damaged, _ = approved(api.gateway, checkpoint="a")
    fine, _ = approved(api.gateway, checkpoint="b")
    api.gateway.deliver()
    del api.gateway.table.items[api.gateway.keys.body(damaged.pause, damaged.body)]
    assert [one["pause"] for one in take(api.gateway.ports, SUPPORT, limit=5)] == [fine.pause]
    assert listed(api) == [(damaged.pause, "damaged")]
    assert operate.stuck(api.gateway.ports)[0].repair.endswith(f"placet repair {damaged.pause}")


def test_it_is_told_although_the_list_cannot_be_written_now(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """The caller gets the 409 all the same; the sweep lists it later."""
    from placet.model.errors import Busy

    head = api.gateway.shown(REFUND)
    hurt(api, head)

    def busy(ops: object) -> None:
        raise Busy

    monkeypatch.setattr(api.gateway.table, "write", busy)
    sent = {"reason": "because"}
    status, problem = api.agent("capture", "POST /v1/pauses/{id}/cancel", sent, pathParameters={"id": head.pause})
    assert (status, problem["code"]) == (409, "damaged")
