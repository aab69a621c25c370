"""What mutants of the core once survived: every written attribute, every clause where it is needed, limits, and names."""

import json
from typing import Any

import pytest

from placet.local.memory import MemoryTable
from placet.model.errors import Busy, Conflict, Invalid, NotFound
from placet.model.pauses import call_id
from placet.model.states import PermitState, Verdict
from placet.model.transitions import CallMove, PermitMove
from placet.records import clauses
from placet.records.clauses import clause, failing
from placet.service import decide as deciding
from placet.service import execute
from placet.service.cancel import cancel, supersede
from placet.service.resume import give_back, pick_up, resume, resumed, take
from tests.gateway import BILLING, REFUND, SMALL, SUPPORT, Gateway
from tests.proofs.clauses import SCENARIOS, Scenario, ends_wrongly
from tests.unit.written import FILE, FLOWS, written


@pytest.mark.parametrize("name", FLOWS)
def test_every_write_is_what_it_was(name: str) -> None:
    """When a write was changed on purpose: python -m tests.unit.written, and look at the difference."""
    assert written(name) == json.loads(FILE.read_text())[name]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
def test_with_its_clause_a_scenario_ends_well(scenario: Scenario) -> None:
    assert not ends_wrongly(scenario, MemoryTable(), set(), without=False)


def test_texts_have_a_longest_length(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    longest = "r" * deciding.MAX_REASON
    with pytest.raises(Invalid) as caught:
        gateway.decide(head, 1, Verdict.REJECT, reason=longest + "r")
    assert (caught.value.code, caught.value.members) == ("reason_too_long", {"limit": 500})
    gateway.decide(head, 1, Verdict.REJECT, reason=longest)
    ran = gateway.capture(SMALL, checkpoint="cp-2").head
    at = call_id(ran.pause, 1)
    execute.claim(gateway.ports, SUPPORT, at, ran.calls[0].digest, "w")
    with pytest.raises(Invalid) as caught:
        execute.outcome(gateway.ports, SUPPORT, at, "w", PermitState.DONE, "r" * 4_097)
    assert (caught.value.code, caught.value.members) == ("result_too_long", {"limit": 4_096})
    assert execute.outcome(gateway.ports, SUPPORT, at, "w", PermitState.DONE, "r" * 4_096) is False
    assert execute.outcome(gateway.ports, SUPPORT, at, "w", PermitState.DONE, "r" * 4_096) is True


def test_another_agents_call_and_a_call_that_is_not_there_are_absent(gateway: Gateway) -> None:
    head = gateway.capture(SMALL).head
    digest = head.calls[0].digest
    for agent, call in ((BILLING, call_id(head.pause, 1)), (SUPPORT, call_id(head.pause, 2)), (SUPPORT, "no-1")):
        with pytest.raises(NotFound):
            execute.claim(gateway.ports, agent, call, digest, "w")
        with pytest.raises(NotFound):
            execute.outcome(gateway.ports, agent, call, "w", PermitState.DONE, "")
    with pytest.raises(NotFound):
        gateway.decide(head, 1, Verdict.ACCEPT, gateway.person("nobody", "Nobody"))


def test_a_settled_permit_is_refused_with_its_result(gateway: Gateway) -> None:
    head = gateway.capture(SMALL).head
    at, digest = call_id(head.pause, 1), head.calls[0].digest
    permit = execute.claim(gateway.ports, SUPPORT, at, digest, "w")
    assert (permit.call, permit.tool, permit.idempotency_key) == (at, "issue_refund", f"placet-{at}")
    with pytest.raises(Conflict) as caught:
        execute.claim(gateway.ports, SUPPORT, at, digest, "w2")
    assert caught.value.code == "permit_claimed"
    assert execute.claim(gateway.ports, SUPPORT, at, digest, "w").replayed is True
    execute.outcome(gateway.ports, SUPPORT, at, "w", PermitState.DONE, "r-1")
    for worker in ("w", "w2"):
        with pytest.raises(Conflict) as caught:
            execute.claim(gateway.ports, SUPPORT, at, digest, worker)
        assert (caught.value.code, caught.value.members) == ("permit_settled", {"permit": "done", "result": "r-1"})


@pytest.mark.parametrize(
    ("operator", "value", "holding"),
    [
        ("=", 2, [False, True, False]),
        ("<>", 2, [True, False, True]),
        ("<", 2, [True, False, False]),
        ("<=", 2, [True, True, False]),
        (">", 2, [False, False, True]),
        (">=", 2, [False, True, True]),
    ],
)
def test_comparisons_hold_where_they_should(operator: Any, value: int, holding: list[bool]) -> None:
    one = clause("one", ("a.b", operator, value))
    assert [failing([one], {"a": {"b": number}}) == [] for number in (1, 2, 3)] == holding
    assert (failing([one], {}) == []) == (operator == "<>")  # as DynamoDB: what is absent differs
    assert failing([one], {"a": {"b": "2"}}) == ([] if operator == "<>" else ["one"])
    assert failing([one], {"a": 1}) == ([] if operator == "<>" else ["one"])


def test_sizes_and_presence() -> None:
    two, there, gone = (
        clause("two", ("a", "size=", 2)),
        clause("there", ("a", "exists")),
        clause("gone", ("a", "absent")),
    )
    assert failing([two, there, gone], {"a": {"x": 1, "y": 2}}) == ["gone"]
    assert failing([two, there, gone], {"a": {}}) == ["two", "gone"]
    assert failing([two, there, gone], None) == ["two", "there"]


def test_a_clause_has_the_name_of_its_constructor() -> None:
    given = {
        "number": 1,
        "revision": 1,
        "digest": "d",
        "now_ms": 1,
        "count": 1,
        "gen": 1,
        "fence": 1,
        "level": 1,
        "epoch": 1,
        "turn": 1,
    }
    given |= {"sub": "s", "email": "e", "worker": "w", "state": "free", "wpk": "l", "stuck": "r"}
    pairs = {"claimed_by_me": ["permit_used", "my_permit"], "still_claimed": ["permit_claimed", "same_worker"]}
    pairs |= {"not_requester": ["not_requester"] * 2, "not_owner": ["not_owner"] * 2}
    made = 0
    for name, build in vars(clauses).items():
        if (
            callable(build)
            and getattr(build, "__annotations__", {}).get("return") in ("Clause", "list[Clause]")
            and name != "clause"
        ):
            found = build(**{one: given[one] for one in build.__annotations__ if one != "return"})
            names = [one.name for one in found] if isinstance(found, list) else [found.name]
            assert names == pairs.get(name, [name])
            made += 1
    assert made > 30


def test_moves_are_called_by_their_names() -> None:
    for move in (*CallMove, *PermitMove):
        assert move.value == move.name.lower()


def test_what_an_operator_has_to_see_is_logged(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    at = call_id(head.pause, 1)
    execute.claim(gateway.ports, SUPPORT, at, head.calls[0].digest, "w")
    assert cancel(gateway.ports, SUPPORT, head.pause, "the user left") == ("cancelled", [1])
    assert ("stuck", {"pause": head.pause, "reason": "cancelled_while_claimed"}) in gateway.log
    execute.outcome(gateway.ports, SUPPORT, at, "w", PermitState.UNKNOWN, "")
    assert ("stuck", {"pause": head.pause, "reason": "permit_unknown"}) in gateway.log


def test_a_delivery_that_fails_gives_the_lease_back(gateway: Gateway) -> None:
    head = gateway.shown(REFUND, agent=BILLING)
    assert resume(gateway.ports, head.pause) == "waiting"
    gateway.decide(head, 1, Verdict.ACCEPT)
    gateway.agents.error = Busy()
    with pytest.raises(Busy):
        resume(gateway.ports, head.pause)
    gateway.agents.error = None
    assert resume(gateway.ports, head.pause) == "delivered"
    assert resume(gateway.ports, head.pause) == "leased"
    ((agent, payload),) = gateway.agents.delivered
    assert (agent, payload["resume"]["fence"], payload["resume"]["state"]) == ("billing-agent", 2, "decided")
    give_back(gateway.ports, head)
    assert resumed(gateway.ports, BILLING, head.pause, 2) is False
    assert resumed(gateway.ports, BILLING, head.pause) is True
    assert resume(gateway.ports, head.pause) == "done"


def test_what_is_picked_up_has_everything_an_agent_needs(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    (found,) = pick_up(gateway.ports, SUPPORT)
    (call,) = found.pop("calls")
    assert found == {
        "pause": head.pause,
        "run": "thread-1",
        "framework": "langchain",
        "state": "decided",
        "native_ref": {"checkpoint_ns": "", "checkpoint_id": "cp-1"},
    }
    assert call == {
        "call": call_id(head.pause, 1),
        "tool": "issue_refund",
        "framework_call_id": "call_1",
        "interrupt_id": f"{1:032x}",
        "state": "accepted",
        "reason": "because",
        "decided_by": "Maria Keller",
        "native": {"type": "approve"},
        "permit": "free",
        "digest": head.calls[0].digest,
        "arguments": '{"order_id":"1182","amount":240.5}',
    }


def test_taking_gives_as_many_as_asked_for_oldest_first(gateway: Gateway) -> None:
    pauses = []
    for number in range(3):
        head = gateway.shown(REFUND, checkpoint=f"cp-{number}")
        gateway.decide(head, 1, Verdict.ACCEPT)
        gateway.clock.move(1)
        pauses.append(head.pause)
    assert [one["pause"] for one in pick_up(gateway.ports, SUPPORT, 2)] == pauses[:2]
    (first,) = take(gateway.ports, SUPPORT)
    assert (first["pause"], first["lease_until"] - gateway.clock.now_ms() <= 120_000) == (pauses[0], True)
    assert [one["pause"] for one in take(gateway.ports, SUPPORT, limit=5)] == pauses[1:]
    assert take(gateway.ports, SUPPORT, limit=5) == []


def test_a_run_that_asks_again_closes_only_what_waits(gateway: Gateway) -> None:
    waiting = gateway.shown(REFUND)
    decided = gateway.shown(REFUND, checkpoint="cp-2")
    gateway.decide(decided, 1, Verdict.ACCEPT)
    other = gateway.shown(REFUND, checkpoint="cp-4", run="thread-2")
    last = gateway.shown(REFUND, checkpoint="cp-3")
    assert supersede(gateway.ports, SUPPORT, "thread-1", last.pause) == [waiting.pause]
    assert gateway.head(waiting.pause).successor == last.pause
    assert [gateway.head(one.pause).cancelled for one in (decided, other, last)] == ["", "", ""]
