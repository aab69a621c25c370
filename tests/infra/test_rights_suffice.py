"""The real verbs on the in-memory table and bucket, held against the synthesized policies: nothing is denied, nothing idle.

The emulator enforces actions and resources, but not ``dynamodb:LeadingKeys``; here every partition is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from infra.checks.template import Templates
from placet.model.errors import Refused
from placet.model.pauses import call_id
from placet.model.states import PermitState, Verdict
from placet.service import members, operate, sessions
from placet.service.stuck import list_stuck
from tests.gateway import REFUND
from tests.infra.bedrock_scenarios import BEDROCK_SCENARIOS, what_rules_ask_is_counted_remembered_and_drawn_of_bedrock
from tests.infra.guarded_gateway import Guarded
from tests.infra.guarded_table import Denied, Right, rights, rights_of
from tests.infra.people_scenarios import PEOPLE_SCENARIOS
from tests.infra.scenarios import (
    SCENARIOS,
    the_run_asks_again_and_takes_one_back,
    what_rules_ask_is_counted_remembered_and_drawn,
)

EVERY = (*SCENARIOS, *PEOPLE_SCENARIOS, *BEDROCK_SCENARIOS)


@pytest.fixture
def gateway(templates: Templates) -> Guarded:
    return Guarded.under(rights_of(templates))


@pytest.mark.parametrize("scenario", EVERY, ids=lambda one: one.__name__)
def test_the_rights_suffice(gateway: Guarded, scenario: Callable[[Guarded], None]) -> None:
    scenario(gateway)


def idle(given: dict[str, set[Right]]) -> dict[str, set[Right]]:
    """Rights that no scenario uses."""
    left = {verb: set(granted) for verb, granted in given.items()}
    for scenario in EVERY:
        gateway = Guarded.under(given)
        scenario(gateway)
        for verb, used in gateway.table.used.items():
            left[verb] -= used
    return {verb: rest for verb, rest in left.items() if rest}


def test_every_right_is_used(templates: Templates) -> None:
    assert idle(rights_of(templates)) == {}


def test_an_idle_right_would_be_seen(templates: Templates) -> None:
    given = rights_of(templates)
    given["sign_in"] |= rights("UpdateItem", "T#*#S#*")
    assert idle(given) == {"sign_in": rights("UpdateItem", "T#*#S#*")}


def test_a_run_with_one_earlier_pause_needs_the_right_that_many_need(templates: Templates) -> None:
    """The planted bug: one was read by another request than several, so a scenario of one never asked for this right."""
    given = rights_of(templates)
    given["capture"] -= {right for right in given["capture"] if right.action == "BatchGetItem"}
    with pytest.raises(Denied, match="capture: BatchGetItem"):
        the_run_asks_again_and_takes_one_back(Guarded.under(given))


@pytest.mark.parametrize(
    ("verb", "scenario"),
    [
        ("capture", what_rules_ask_is_counted_remembered_and_drawn),
        ("invoke_agent", what_rules_ask_is_counted_remembered_and_drawn_of_bedrock),
        ("resume", what_rules_ask_is_counted_remembered_and_drawn_of_bedrock),
    ],
)
def test_two_statements_do_not_allow_one_batch(
    templates: Templates, verb: str, scenario: Callable[[Guarded], None]
) -> None:
    """The planted bug: budgets and what was seen, each in a statement of its own, and one request that asks for both."""
    given = rights_of(templates)
    batch = {right for right in given[verb] if right.action == "BatchGetItem"}
    given[verb] = (given[verb] - batch).union(*(rights(right.action, right.pattern) for right in batch))
    with pytest.raises(Denied, match=rf"{verb}: BatchGetItem on T#main#B#\S+ and T#main#D#"):
        scenario(Guarded.under(given))


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
