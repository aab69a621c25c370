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
from tests.infra.bedrock_scenarios import BEDROCK_SCENARIOS
from tests.infra.guarded_gateway import Guarded
from tests.infra.guarded_table import Denied, Right, rights_of
from tests.infra.people_scenarios import PEOPLE_SCENARIOS
from tests.infra.scenarios import SCENARIOS, the_run_asks_again_and_takes_one_back

EVERY = (*SCENARIOS, *PEOPLE_SCENARIOS, *BEDROCK_SCENARIOS)


@pytest.fixture
def gateway(templates: Templates) -> Guarded:
    return Guarded.under(rights_of(templates))


@pytest.mark.parametrize("scenario", EVERY, ids=lambda one: one.__name__)
def test_the_rights_suffice(gateway: Guarded, scenario: Callable[[Guarded], None]) -> None:
    scenario(gateway)


def idle(rights: dict[str, set[Right]]) -> dict[str, set[Right]]:
    """Rights that no scenario uses."""
    left = {verb: set(granted) for verb, granted in rights.items()}
    for scenario in EVERY:
        gateway = Guarded.under(rights)
        scenario(gateway)
        for verb, used in gateway.table.used.items():
            left[verb] -= used
    return {verb: rest for verb, rest in left.items() if rest}


def test_every_right_is_used(templates: Templates) -> None:
    assert idle(rights_of(templates)) == {}


def test_an_idle_right_would_be_seen(templates: Templates) -> None:
    rights = rights_of(templates)
    rights["sign_in"].add(("UpdateItem", "", "T#*#S#*"))
    assert idle(rights) == {"sign_in": {("UpdateItem", "", "T#*#S#*")}}


def test_a_run_with_one_earlier_pause_needs_the_right_that_many_need(templates: Templates) -> None:
    """The planted bug: one was read by another request than several, so a scenario of one never asked for this right."""
    rights = rights_of(templates)
    rights["capture"] -= {right for right in rights["capture"] if right[0] == "BatchGetItem"}
    with pytest.raises(Denied, match="capture: BatchGetItem"):
        the_run_asks_again_and_takes_one_back(Guarded.under(rights))


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
