"""Verbs that nobody waits for: in trouble they fail, so that whoever called them calls again, and then they do it."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from placet.aws.expressions import to_wire
from placet.aws.table import DynamoTable
from placet.model.errors import Busy
from placet.model.states import Verdict
from tests.contract.faults import ANY, Faulty, always, name_of
from tests.functions.conftest import Api, api  # noqa: F401 - a fixture
from tests.gateway import REFUND

TROUBLE = pytest.mark.parametrize("fault", [ANY[0], ANY[-1]], ids=name_of)


def handler(function: str) -> Any:
    return importlib.import_module(f"functions.{function}.handler").handler


def in_trouble(api: Api, fault: Exception) -> Any:  # noqa: F811
    """The store is away; gives the one that comes back."""
    good = api.gateway.table
    api.gateway.table = DynamoTable("t", Faulty(None, always(fault)), lambda seconds: None)
    return good


@TROUBLE
@pytest.mark.parametrize("function", ["notify", "escalate", "resume"])
def test_what_is_invoked_fails_and_does_it_when_it_is_called_again(
    api: Api,  # noqa: F811
    fault: Exception,
    function: str,
) -> None:
    head = api.gateway.capture(REFUND).head if function == "notify" else api.gateway.shown(REFUND)
    if function == "resume":
        api.gateway.decide(head, 1, Verdict.ACCEPT)
    event = {"tenant": "main", "pause": head.pause, "gen": 1, "token": "token"}
    api.gateway.clock.at_ms = head.deadline_ms or api.gateway.clock.at_ms
    good = in_trouble(api, fault)
    with pytest.raises(Busy):
        handler(function)(event, None)
    api.gateway.table = good
    done = handler(function)(event, None)
    after = api.gateway.head(head.pause)
    wanted = {
        "notify": after.notified_ms > 0,
        "escalate": after.open_calls == 0,
        "resume": done == {"result": "offered"},
    }
    assert wanted[function]


@TROUBLE
def test_a_stream_record_alone_is_reported_and_comes_again(api: Api, fault: Exception) -> None:  # noqa: F811
    head = api.gateway.capture(REFUND).head
    image = to_wire(api.gateway.table.items[api.gateway.keys.head(head.pause)])
    event = {"Records": [{"dynamodb": {"SequenceNumber": "7", "NewImage": image}}]}
    good = in_trouble(api, fault)
    assert handler("dispatch")(event, None) == {"batchItemFailures": [{"itemIdentifier": "7"}]}
    assert api.gateway.waits.started == {}
    api.gateway.table = good
    assert handler("dispatch")(event, None) == {"batchItemFailures": []}
    assert f"{head.pause}-1" in api.gateway.waits.started


@TROUBLE
def test_a_sweep_says_what_it_could_not_read_and_the_next_one_does_it_all(api: Api, fault: Exception) -> None:  # noqa: F811
    head = api.gateway.capture(REFUND).head
    api.gateway.table.changes.clear()
    api.gateway.clock.move(120)
    good = in_trouble(api, fault)
    swept = handler("sweep")({}, None)
    assert swept["started"] == 0
    assert swept["failed"] > 0
    api.gateway.table = good
    assert handler("sweep")({}, None)["started"] == 1
    assert f"{head.pause}-1" in api.gateway.waits.started
