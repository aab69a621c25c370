"""The real verbs on the in-memory table, held against the synthesized policies: nothing that they do is denied on AWS.

The emulator enforces actions and resources, but not ``dynamodb:LeadingKeys``; here every partition is asked for.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from infra.checks.template import Templates
from infra.constructs.stream import EDGES
from placet.aws.expressions import to_wire
from placet.model.canonical import digest, parse
from placet.model.errors import Conflict, Refused
from placet.model.pauses import call_id
from placet.model.states import PermitState, Verdict
from placet.service import members, review, sessions
from placet.service.dispatch import dispatch, edge_of
from placet.service.escalate import escalate
from placet.service.execute import claim, outcome
from placet.service.notify import notify
from placet.service.resume import list_stuck, pause_of, pick_up, resume, resumed
from placet.service.sweep import sweep
from tests.gateway import BILLING, DELETE, REFUND, SMALL, SUPPORT, Gateway
from tests.infra.guarded_table import Denied, GuardedTable, rights_of
from tests.infra.test_stream_filters import matches

FILTERS = [edge for _, edge in EDGES]


class Guarded(Gateway):
    """The gateway of the other tests, each verb under its own role."""

    table: GuardedTable

    def as_verb(self, verb: str, function: Any, *args: Any, **more: Any) -> Any:
        with self.table.as_verb(verb):
            return function(*args, **more)

    def shown(self, *calls: Any, **facts: Any) -> Any:
        found = self.as_verb("capture", self.capture, *calls, **facts).head
        self.deliver()
        self.as_verb("notify", notify, self.ports, found.pause, found.gen, "token")
        self.deliver()
        return self.head(found.pause)

    def deliver(self) -> None:
        """Only what the deployed filters let through reaches dispatch, and what they let through is an edge to it."""
        changes, self.table.changes[:] = list(self.table.changes), []
        for old, new in changes:
            passes = any(matches(edge, record(old, new)) for edge in FILTERS)
            edge = edge_of(old, new)
            assert passes == (edge is not None), (old, new)
            if edge is not None and new is not None:
                self.as_verb("dispatch", dispatch, self.ports, edge, new["pk"].rpartition("#")[2])


def record(old: Any, new: Any) -> dict[str, Any]:
    """A change as the stream writes it."""
    image = new or old
    keys = to_wire({"pk": image["pk"], "sk": image["sk"]})
    images = {"OldImage": old, "NewImage": new}
    return {"Keys": keys, **{name: to_wire(one) for name, one in images.items() if one}}


@pytest.fixture
def gateway(templates: Templates) -> Guarded:
    return Guarded(table=GuardedTable(rights_of(templates)))


def decide_as(gateway: Guarded, *args: Any, **more: Any) -> Any:
    return gateway.as_verb("decide", gateway.decide, *args, **more)


def test_a_pause_is_decided_picked_up_and_executed(gateway: Guarded) -> None:
    head = gateway.shown(REFUND, DELETE, SMALL)
    me = gateway.as_verb("review", members.reviewer, gateway.ports, "maria")
    gateway.as_verb("review", review.inbox, gateway.ports, me)
    gateway.as_verb("review", review.detail, gateway.ports, me, head.pause)
    text = '{"order_id":"1182","amount":200.00}'
    gateway.as_verb("decide", review.preview, gateway.ports, me, head.pause, 1, text, "less")
    decide_as(gateway, head, 1, Verdict.EDIT, arguments=text, new_digest=digest(parse(text)))
    decide_as(gateway, gateway.head(head.pause), 2, Verdict.REJECT)
    gateway.deliver()
    (found,) = gateway.as_verb("pick_up", pick_up, gateway.ports, SUPPORT)
    gateway.as_verb("pick_up", pause_of, gateway.ports, SUPPORT, head.pause)
    call = call_id(head.pause, 1)
    gateway.as_verb("execute", claim, gateway.ports, SUPPORT, call, found["calls"][0]["digest"], "w")
    with pytest.raises(Conflict):
        gateway.as_verb("execute", claim, gateway.ports, SUPPORT, call, found["calls"][0]["digest"], "other")
    gateway.as_verb("execute", outcome, gateway.ports, SUPPORT, call, "w", PermitState.DONE, "paid")
    gateway.as_verb("execute", resumed, gateway.ports, SUPPORT, head.pause)
    gateway.deliver()


def test_nobody_decides(gateway: Guarded) -> None:
    head = gateway.shown(REFUND)
    gateway.as_verb("escalate", escalate, gateway.ports, head.pause)
    gateway.clock.move(4 * 3600)
    gateway.as_verb("escalate", escalate, gateway.ports, head.pause)
    gateway.deliver()
    assert gateway.as_verb("pick_up", pick_up, gateway.ports, SUPPORT)[0]["calls"][0]["state"] == "expired"


def test_a_decision_before_the_token(gateway: Guarded) -> None:
    head = gateway.shown(REFUND)
    decide_as(gateway, head, 1, Verdict.ACCEPT)
    gateway.as_verb("notify", notify, gateway.ports, head.pause, head.gen, "a newer token")
    gateway.deliver()


def test_a_called_agent_and_the_stuck_list(gateway: Guarded) -> None:
    head = gateway.shown(REFUND, agent=BILLING)
    decide_as(gateway, head, 1, Verdict.ACCEPT)
    gateway.deliver()
    gateway.as_verb("resume", resume, gateway.ports, head.pause)
    gateway.as_verb("resume", list_stuck, gateway.ports, head.pause, "wait_failed")
    gateway.deliver()


def test_sweep_redoes_what_was_lost(gateway: Guarded) -> None:
    gateway.as_verb("capture", gateway.capture, REFUND)
    gateway.table.changes.clear()  # the stream lost it
    gateway.shown(DELETE, checkpoint="cp-2")
    late = gateway.shown(REFUND, checkpoint="cp-3", agent=BILLING)
    decide_as(gateway, late, 1, Verdict.ACCEPT)
    gateway.clock.move(3 * 24 * 3600)
    gateway.as_verb("sweep", sweep, gateway.ports)
    gateway.waits.started.clear()
    gateway.as_verb("sweep", sweep, gateway.ports)
    gateway.deliver()


def test_signing_in_and_out(gateway: Guarded) -> None:
    cookie = gateway.as_verb("sign_in", sessions.begin, gateway.ports, "maria")
    for verb in ("review", "decide", "sign_in"):
        assert gateway.as_verb(verb, sessions.find, gateway.ports, cookie)
        assert gateway.as_verb(verb, members.reviewer, gateway.ports, "maria").sub == "maria"
    gateway.as_verb("sign_in", sessions.end, gateway.ports, cookie)


@pytest.mark.parametrize("verb", ["review", "pick_up", "dispatch", "resume", "capture"])
def test_nobody_else_decides(gateway: Guarded, verb: str) -> None:
    head = gateway.shown(REFUND)
    with pytest.raises((Denied, Refused)):
        gateway.as_verb(verb, gateway.decide, head, 1, Verdict.ACCEPT)


def test_reading_decides_nothing(gateway: Guarded) -> None:
    head = gateway.shown(REFUND)
    for verb in ("review", "pick_up"):
        with pytest.raises(Denied):
            gateway.as_verb(verb, list_stuck, gateway.ports, head.pause, "x")


def test_the_table_has_what_the_records_need(templates: Templates) -> None:
    (table,) = templates.of("AWS::DynamoDB::Table").values()
    indexes = {one["IndexName"]: one for one in table["GlobalSecondaryIndexes"]}
    assert {one["AttributeName"]: one["KeyType"] for one in table["KeySchema"]} == {"pk": "HASH", "sk": "RANGE"}
    assert [one["AttributeName"] for one in indexes["work"]["KeySchema"]] == ["wpk", "wsk"]
    assert [one["AttributeName"] for one in indexes["find"]["KeySchema"]] == ["fpk", "pk"]
    assert {one["AttributeName"]: one["AttributeType"] for one in table["AttributeDefinitions"]} == {
        "pk": "S", "sk": "S", "wpk": "S", "wsk": "N", "fpk": "S",
    }  # fmt: skip
    assert table["TimeToLiveSpecification"]["AttributeName"] == "ttl"
    assert json.dumps(indexes["find"]["Projection"]) == '{"ProjectionType": "KEYS_ONLY"}'
    assert sorted(indexes["work"]["Projection"]["NonKeyAttributes"]) == [
        "agent", "captured_ms", "card", "deadline_ms", "gen", "level", "open_calls", "schema_version", "state",
    ]  # fmt: skip
