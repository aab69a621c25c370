"""What no other function may do: real verbs on a table and a bucket that ask the synthesized policies before every access.

That every verb may do its own work, and nothing else, is of `make proof-rights`. The emulator enforces actions and resources, but
not ``dynamodb:LeadingKeys``; here every partition is asked for.
"""

from __future__ import annotations

import json
from contextlib import nullcontext

import pytest

from infra.checks.template import Templates
from placet.model.errors import Refused
from placet.model.pauses import call_id
from placet.model.states import PermitState, Verdict
from placet.records.keys import Key
from placet.service import members, operate, sessions
from placet.service.stuck import list_stuck
from tests.gateway import REFUND
from tests.infra.guarded_gateway import Guarded
from tests.infra.guarded_table import Denied, GuardedTable, rights, rights_of
from tests.infra.scenarios import the_run_asks_again_and_takes_one_back


@pytest.fixture
def gateway(templates: Templates) -> Guarded:
    return Guarded.under(rights_of(templates))


def test_a_run_with_one_earlier_pause_needs_the_right_that_many_need(templates: Templates) -> None:
    """The planted bug: one was read by another request than several, so a scenario of one never asked for this right."""
    given = rights_of(templates)
    given["capture"] -= {right for right in given["capture"] if right.action == "BatchGetItem"}
    with pytest.raises(Denied, match="capture: BatchGetItem"):
        the_run_asks_again_and_takes_one_back(Guarded.under(given))


def test_a_batch_needs_one_statement_for_all_its_kinds_of_partitions() -> None:
    """The planted bug: budgets and what was seen, each in a statement of its own, and one request that asks for both."""
    budgets, seen = "T#*#B#*", "T#*#D#*"
    one, two = rights("BatchGetItem", budgets, seen), rights("BatchGetItem", budgets) | rights("BatchGetItem", seen)
    keys = [Key("T#main#B#a", "BUDGET"), Key("T#main#D#b", "SEEN")]
    for granted, asked, denied in (
        (one, keys, False),
        (two, keys[:1], False),
        (two, keys[1:], False),
        (two, keys, True),
    ):
        table = GuardedTable({"capture": granted})
        with table.as_verb("capture"), pytest.raises(Denied) if denied else nullcontext():
            table.get_many(asked)
        assert table.denied == ["capture: BatchGetItem on T#main#B#a and T#main#D#b"] * denied


@pytest.mark.parametrize(
    "verb", ["review", "pick_up", "dispatch", "resume", "capture", "operate", "execute", "sweep", "invoke_agent"]
)
def test_nobody_else_decides(gateway: Guarded, verb: str) -> None:
    head = gateway.shown(REFUND)
    with pytest.raises((Denied, Refused)):
        gateway.as_verb(verb, gateway.decide, head, 1, Verdict.ACCEPT)


def test_reading_decides_nothing(gateway: Guarded) -> None:
    head = gateway.shown(REFUND)
    for verb in ("review", "pick_up"):
        with pytest.raises(Denied):
            gateway.as_verb(verb, list_stuck, gateway.ports, head, "x")


def test_an_operator_reaches_neither_tokens_nor_people_nor_sessions(gateway: Guarded) -> None:
    keys = gateway.keys
    for partition in (keys.token("p", 1), keys.member("maria", "finance"), keys.session("x")):
        with pytest.raises(Denied):
            gateway.as_verb("operate", gateway.table.get, partition)
    for function in (members.reviewer, sessions.begin):
        with pytest.raises(Denied):
            gateway.as_verb("operate", function, gateway.ports, "maria")


@pytest.mark.parametrize("verb", ["review", "execute", "capture", "sweep", "decide"])
def test_only_operators_freeze_and_settle(gateway: Guarded, verb: str) -> None:
    head = gateway.claimed()
    with pytest.raises(Denied):
        gateway.as_verb(verb, operate.freeze, gateway.ports, "me", "because")
    call = call_id(head.pause, 1)
    with pytest.raises((Denied, Refused)):
        gateway.as_verb(verb, operate.reconcile, gateway.ports, "me", call, PermitState.DONE, "because")


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
