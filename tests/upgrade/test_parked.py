"""A record of a version that this release does not know is parked: refused as such, changed by nobody, in nobody's way."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from placet.model.errors import Parked
from placet.model.pauses import call_id
from placet.model.states import PermitState, Verdict
from placet.records.heads import Head
from placet.service.cancel import cancel
from placet.service.decide import Decision, decide
from placet.service.escalate import escalate
from placet.service.execute import claim, outcome
from placet.service.find import find
from placet.service.inbox import inbox
from placet.service.lost_wait import lost_wait
from placet.service.notify import notify
from placet.service.operate import repair, stuck
from placet.service.resume import pick_up, resume, take
from placet.service.review import detail
from placet.service.stuck import list_stuck
from placet.service.sweep import sweep
from placet.service.went_on import resumed
from tests.functions.conftest import Api, api  # noqa: F401 - a fixture
from tests.gateway import REFUND, SMALL, SUPPORT, Gateway

DIGEST = "0" * 64
Verb = Callable[[Gateway, str], Any]
VERBS: dict[str, Verb] = {
    "notify": lambda g, p: notify(g.ports, p, 1, "token"),
    "escalate": lambda g, p: escalate(g.ports, p),
    "detail": lambda g, p: detail(g.ports, g.maria, p),
    "decide": lambda g, p: decide(g.ports, g.maria, call_id(p, 1), Decision(Verdict.ACCEPT, 1, DIGEST)),
    "resume": lambda g, p: resume(g.ports, p),
    "take": lambda g, p: take(g.ports, SUPPORT, p),
    "resumed": lambda g, p: resumed(g.ports, SUPPORT, p),
    "claim": lambda g, p: claim(g.ports, SUPPORT, call_id(p, 1), DIGEST, "w"),
    "outcome": lambda g, p: outcome(g.ports, SUPPORT, call_id(p, 1), "w", PermitState.DONE, ""),
    "cancel": lambda g, p: cancel(g.ports, SUPPORT, p, "because"),
    "list": lambda g, p: lost_wait(g.ports, p, "wait_failed"),
    "repair": lambda g, p: repair(g.ports, "olga", p),
}


def park(gateway: Gateway, head: Head, shape: str = "moved") -> None:
    """As a later release would have written it: a version more, and another shape."""
    item = gateway.table.items[gateway.keys.head(head.pause)]
    item["schema_version"] = 2
    SHAPES[shape](item)


def _moved(item: dict[str, Any]) -> None:
    item["owned_by"], item["summary"] = item.pop("agent"), item.pop("card")


def _nested(item: dict[str, Any]) -> None:
    item["calls"] = [item["calls"][number] for number in sorted(item["calls"])]
    item["card"] = {"title": {"text": item["card"]["title"]}, "tools": "issue_refund"}


def _bare(item: dict[str, Any]) -> None:
    for name in item.keys() - {"pk", "sk", "kind", "schema_version", "wpk", "wsk", "fpk"}:
        del item[name]


def _retyped(item: dict[str, Any]) -> None:
    for name in item.keys() - {"pk", "sk", "kind", "schema_version", "wpk", "wsk", "fpk"}:
        item[name] = 1 if isinstance(item[name], str) else "1"


SHAPES: dict[str, Callable[[dict[str, Any]], None]] = {
    "as today": lambda item: None,
    "moved": _moved,
    "nested": _nested,
    "bare": _bare,
    "retyped": _retyped,
}
shapes = pytest.mark.parametrize("shape", SHAPES)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_refuses_it_and_writes_nothing_of_it(verb: str) -> None:
    gateway = Gateway()
    head = gateway.shown(REFUND)
    park(gateway, head, "as today")
    before = {key: item for key, item in copy.deepcopy(gateway.table.items).items() if key.sk != "TOKEN#1"}
    with pytest.raises(Parked):
        VERBS[verb](gateway, head.pause)
    assert {key: item for key, item in gateway.table.items.items() if key.sk != "TOKEN#1"} == before


ROUTES: list[tuple[str, str, dict[str, Any]]] = [
    ("pick_up", "GET /v1/pauses/{id}", {}),
    ("pick_up", "POST /v1/resumes", {"pause": "PAUSE"}),
    ("capture", "POST /v1/pauses/{id}/cancel", {"reason": "because"}),
    ("execute", "POST /v1/calls/{id}/claim", {"digest": DIGEST, "worker": "w"}),
    ("execute", "POST /v1/calls/{id}/outcome", {"worker": "w", "permit": "done"}),
    ("execute", "POST /v1/resumes/{id}/outcome", {"state": "resumed"}),
]


routes = pytest.mark.parametrize(("function", "route", "body"), ROUTES, ids=[route for _, route, _ in ROUTES])


@routes
@pytest.mark.parametrize("shape", ["as today", "nested"])
def test_agents_are_told_409_parked(api: Api, shape: str, function: str, route: str, body: dict[str, Any]) -> None:  # noqa: F811
    head = api.gateway.shown(REFUND)
    park(api.gateway, head, shape)
    before = copy.deepcopy(api.gateway.table.items)
    named = {"id": call_id(head.pause, 1) if "calls" in route else head.pause}
    sent = {name: head.pause if value == "PAUSE" else value for name, value in body.items()}
    status, problem = api.agent(function, route, sent, pathParameters=named)
    assert (status, problem["code"], problem["pause"]) == (409, "parked", head.pause)
    placed = before[api.gateway.keys.head(head.pause)]
    if route.startswith("POST"):  # what a release cannot read it lists, and that is all that it changes
        placed |= {"wpk": api.gateway.keys.stuck(), "wsk": api.gateway.clock.at_ms, "stuck": "parked"}
    assert api.gateway.table.items == before


@routes
@pytest.mark.parametrize("shape", ["moved", "bare", "retyped"])
def test_whose_it_is_cannot_be_read_is_absent(
    api: Api,  # noqa: F811
    shape: str,
    function: str,
    route: str,
    body: dict[str, Any],
) -> None:
    """Nobody is told of a pause that may be another's; the sweep lists it."""
    head = api.gateway.shown(REFUND)
    park(api.gateway, head, shape)
    before = copy.deepcopy(api.gateway.table.items)
    named = {"id": call_id(head.pause, 1) if "calls" in route else head.pause}
    sent = {name: head.pause if value == "PAUSE" else value for name, value in body.items()}
    status, problem = api.agent(function, route, sent, pathParameters=named)
    assert (status, problem["code"]) == (404, "not_found")
    assert api.gateway.table.items == before


def test_a_parked_body_is_parked_too() -> None:
    gateway = Gateway()
    head = gateway.shown(REFUND)
    gateway.table.items[gateway.keys.body(head.pause, head.body)]["schema_version"] = 3
    with pytest.raises(Parked):
        detail(gateway.ports, gateway.maria, head.pause)


@pytest.mark.parametrize("before", [1, 203])
def test_the_sweep_goes_on_with_the_others(before: int) -> None:
    gateway = Gateway()
    parked = [gateway.capture(REFUND, checkpoint=f"parked-{number}").head for number in range(before)]
    gateway.clock.move(1)
    other = gateway.capture(REFUND, checkpoint="cp-2").head
    for head in parked:
        park(gateway, head)
    gateway.table.changes.clear()  # their events were lost
    gateway.clock.move(120)
    assert sweep(gateway.ports).started == 1
    assert f"{other.pause}-1" in gateway.waits.started
    assert {facts["pause"] for name, facts in gateway.log if name == "parked"} == {head.pause for head in parked}
    assert {one.pause: one.reason for one in stuck(gateway.ports, limit=500)} == {one.pause: "parked" for one in parked}
    assert sum(name == "stuck" for name, _ in gateway.log) == len(parked)


@shapes
def test_it_is_listed_once_with_what_repairs_it(shape: str) -> None:
    gateway = Gateway()
    head = gateway.shown(REFUND)
    park(gateway, head, shape)
    gateway.clock.at_ms = head.deadline_ms + 100_000
    for _ in range(3):
        sweep(gateway.ports)
        gateway.clock.move(60)
    assert [facts["reason"] for name, facts in gateway.log if name == "stuck"] == ["parked"]
    (listed,) = stuck(gateway.ports)
    assert (listed.pause, listed.reason, listed.since_ms) == (head.pause, "parked", head.deadline_ms + 100_000)
    assert listed.repair == f"deploy that release or a later one, then: placet repair {head.pause}"


def test_the_release_that_can_read_it_goes_on_with_it() -> None:
    gateway = Gateway()
    head = gateway.shown(REFUND)
    park(gateway, head, "as today")
    gateway.clock.at_ms = head.deadline_ms + 100_000
    sweep(gateway.ports)
    gateway.table.items[gateway.keys.head(head.pause)]["schema_version"] = 1
    (listed,) = stuck(gateway.ports)
    assert (listed.reason, listed.repair.endswith(f"placet repair {head.pause}")) == ("parked", True)
    assert repair(gateway.ports, "olga", head.pause) == "waits again"
    sweep(gateway.ports)
    notify(gateway.ports, head.pause, 2, "t2")
    gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT)
    assert gateway.head(head.pause).wpk == gateway.keys.out(SUPPORT.name)
    assert stuck(gateway.ports) == []


@shapes
def test_the_inbox_shows_the_others(shape: str) -> None:
    gateway = Gateway()
    head, other = gateway.shown(REFUND, checkpoint="cp-1"), gateway.shown(REFUND, checkpoint="cp-2")
    park(gateway, head, shape)
    assert [row.pause for row in inbox(gateway.ports, gateway.maria).rows] == [other.pause]


@shapes
def test_the_pick_up_list_shows_the_others(shape: str) -> None:
    gateway = Gateway()
    parked, other = (gateway.capture(SMALL, checkpoint=name).head for name in ("cp-1", "cp-2"))
    gateway.clock.move(120)
    park(gateway, parked, shape)
    assert [one["pause"] for one in pick_up(gateway.ports, SUPPORT)] == [other.pause]
    assert [one["pause"] for one in take(gateway.ports, SUPPORT)] == [other.pause]


@shapes
def test_operators_see_the_others(shape: str) -> None:
    gateway = Gateway()
    parked, other = gateway.shown(REFUND, checkpoint="cp-1"), gateway.shown(REFUND, checkpoint="cp-2")
    for head in (parked, other):
        list_stuck(gateway.ports, gateway.head(head.pause), "wait_failed")
    park(gateway, parked, shape)
    assert other.pause in {one.pause for one in stuck(gateway.ports)}
    assert other.pause in {one["pause"] for one in find(gateway.ports, "order:1182")}


def test_a_run_that_asks_again_is_not_held_up_by_an_old_parked_pause(api: Api) -> None:  # noqa: F811
    from tests.gateway import native

    head = api.gateway.shown(REFUND, run="thread-1", checkpoint="cp-1")
    park(api.gateway, head)
    body = {"framework": "langchain", "run": "thread-1", "native": native(REFUND, checkpoint="cp-2")}
    status, answer = api.agent("capture", "POST /v1/pauses", body | {"supersedes": True})
    assert status == 201, answer
