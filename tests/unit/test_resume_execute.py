"""resume and execute: the run goes on with what was decided, and each permit is spent once."""

import pytest

from placet.model.canonical import digest, parse
from placet.model.errors import Busy, Conflict, Damaged, NotFound
from placet.model.pauses import call_id
from placet.model.states import PauseState, PermitState, Verdict
from placet.service.escalate import escalate
from placet.service.execute import claim, outcome
from placet.service.resume import LEASE_MS, pick_up, resume
from placet.service.went_on import resumed
from tests.gateway import BILLING, DELETE, REFUND, SMALL, SUPPORT, Gateway, approved


def test_the_pick_up_list_shows_what_is_decided_and_only_to_its_agent(gateway: Gateway) -> None:
    head, call = approved(gateway)
    gateway.shown(DELETE, checkpoint="cp-2")
    (found,) = pick_up(gateway.ports, SUPPORT)
    assert (found["pause"], found["state"], found["run"]) == (head.pause, "decided", "thread-1")
    assert found["calls"][0] | {"native": 0} == {
        "call": call,
        "tool": "issue_refund",
        "framework_call_id": "call_1",
        "interrupt_id": f"{1:032x}",
        "state": "accepted",
        "reason": "because",
        "decided_by": "Maria Keller",
        "by_whom": {"name": "Maria Keller", "in_place_of": None},
        "permit": "free",
        "digest": head.calls[0].digest,
        "arguments": '{"order_id":"1182","amount":240.5}',
        "native": 0,
    }
    assert pick_up(gateway.ports, BILLING) == []


def test_the_native_answer_says_what_was_decided(gateway: Gateway) -> None:
    text = '{"order_id":"1182","amount":200.00}'
    head = gateway.shown(REFUND, DELETE)
    gateway.decide(head, 1, Verdict.EDIT, arguments=text, new_digest=digest(parse(text)))
    gateway.decide(head, 2, Verdict.REJECT, reason="not these")
    (found,) = pick_up(gateway.ports, SUPPORT)
    edit, reject = (call["native"] for call in found["calls"])
    assert edit == {"type": "edit", "edited_action": {"name": "issue_refund", "args": parse(text)}}
    assert reject == {"type": "reject", "message": "not these"}
    assert "arguments" not in found["calls"][1]


def test_nobody_decided_is_told_apart_from_no(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.clock.move(4 * 3600)
    escalate(gateway.ports, head.pause)
    (found,) = pick_up(gateway.ports, SUPPORT)
    assert found["calls"][0]["state"] == "expired"
    assert "Nobody decided" in found["calls"][0]["native"]["message"]


def test_a_resumed_pause_has_ended_and_is_on_no_list(gateway: Gateway) -> None:
    head, _ = approved(gateway)
    assert resumed(gateway.ports, SUPPORT, head.pause) is False
    assert resumed(gateway.ports, SUPPORT, head.pause) is True
    after = gateway.head(head.pause)
    assert (after.state, after.wpk) == (PauseState.ENDED, "")
    assert pick_up(gateway.ports, SUPPORT) == []


def test_a_pause_that_waits_cannot_be_resumed(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    with pytest.raises(Conflict, match="not decided"):
        resumed(gateway.ports, SUPPORT, head.pause)
    with pytest.raises(NotFound):
        resumed(gateway.ports, BILLING, head.pause)


def test_an_agent_lambda_gets_the_decisions_under_a_lease(gateway: Gateway) -> None:
    head, _ = approved(gateway, agent=BILLING)
    assert resume(gateway.ports, head.pause) == "delivered"
    assert resume(gateway.ports, head.pause) == "leased"
    gateway.clock.move(LEASE_MS / 1000)
    assert resume(gateway.ports, head.pause) == "delivered"
    assert [name for name, _ in gateway.agents.delivered] == ["billing-agent"] * 2
    assert gateway.agents.delivered[0][1]["resume"]["pause"] == head.pause


def test_a_delivery_that_failed_gives_its_lease_back(gateway: Gateway) -> None:
    head, _ = approved(gateway, agent=BILLING)
    gateway.agents.error = Busy()
    with pytest.raises(Busy):
        resume(gateway.ports, head.pause)
    gateway.agents.error = None
    assert resume(gateway.ports, head.pause) == "delivered"


def test_an_agent_that_is_gone_is_listed_with_the_reason(gateway: Gateway) -> None:
    head, _ = approved(gateway)
    gateway.table.items[gateway.keys.head(head.pause)]["agent"] = "gone-agent"
    assert resume(gateway.ports, head.pause) == "listed"
    (entry,) = gateway.table.work(gateway.keys.stuck())
    assert entry["stuck"] == "agent_gone"


def test_the_permit_carries_exactly_what_was_approved_and_is_spent_once(gateway: Gateway) -> None:
    head, call = approved(gateway)
    permit = claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w1")
    assert permit.arguments == '{"order_id":"1182","amount":240.5}'
    assert claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w1").replayed
    with pytest.raises(Conflict) as caught:
        claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w2")
    assert caught.value.code == "permit_claimed"
    assert gateway.table.get(gateway.keys.event(head.pause, "1#refused#permit_claimed#w2"))


def test_a_settled_permit_answers_with_what_happened(gateway: Gateway) -> None:
    head, call = approved(gateway)
    claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w1")
    assert outcome(gateway.ports, SUPPORT, call, "w1", PermitState.DONE, "refund r-1") is False
    assert outcome(gateway.ports, SUPPORT, call, "w1", PermitState.DONE, "refund r-1") is True
    with pytest.raises(Conflict) as caught:
        claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w2")
    assert (caught.value.code, caught.value.members) == ("permit_settled", {"permit": "done", "result": "refund r-1"})
    with pytest.raises(Conflict, match="done already"):
        outcome(gateway.ports, SUPPORT, call, "w1", PermitState.FAILED, "")


def test_only_the_attempt_that_holds_the_permit_reports(gateway: Gateway) -> None:
    head, call = approved(gateway)
    with pytest.raises(Conflict, match="does not hold"):
        outcome(gateway.ports, SUPPORT, call, "w1", PermitState.DONE, "")
    claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w1")
    with pytest.raises(Conflict, match="does not hold"):
        outcome(gateway.ports, SUPPORT, call, "w2", PermitState.DONE, "")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"call": {"state": "rejected"}}, "call_not_approved"),
        ({"call": {"state": "pending"}, "head": {"open_calls": 1}}, "call_not_approved"),
        ({"call": {"state": "expired"}}, "call_not_approved"),
        ({"call": {"state": "cancelled"}}, "call_cancelled"),
        ({"head": {"cancelled": "moved on"}}, "call_cancelled"),
        ({"head": {"epoch": 0}}, "epoch_differs"),
        ({"permit": {"until_ms": 0}}, "permit_stale"),
        ({"permit": {"state": "unknown"}}, "permit_settled"),
        ({"permit": {"state": "none"}}, "permit_claimed"),
    ],
)
def test_no_permit_no_effect(gateway: Gateway, change: dict, code: str) -> None:
    head, call = approved(gateway)
    item = gateway.table.items[gateway.keys.head(head.pause)]
    item.update(change.get("head", {}))
    item["calls"]["1"].update(change.get("call", {}))
    item["calls"]["1"]["permit"].update(change.get("permit", {}))
    with pytest.raises(Conflict) as caught:
        claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w1")
    assert caught.value.code == code
    assert gateway.table.get(gateway.keys.event(head.pause, f"1#refused#{code}#w1"))
    assert gateway.table.items[gateway.keys.head(head.pause)]["calls"]["1"].get("permit", {}).get("state") != "claimed"


def test_a_permit_releases_only_the_arguments_that_were_decided(gateway: Gateway) -> None:
    head, call = approved(gateway)
    with pytest.raises(Conflict) as caught:
        claim(gateway.ports, SUPPORT, call, "e" * 64, "w1")
    assert caught.value.code == "digest_differs"
    gateway.table.items[gateway.keys.head(head.pause)]["calls"]["1"]["digest"] = "e" * 64
    with pytest.raises(Damaged):  # the head names arguments that nobody proposed
        claim(gateway.ports, SUPPORT, call, "e" * 64, "w1")


def test_another_agents_call_is_as_absent_as_none(gateway: Gateway) -> None:
    head, call = approved(gateway)
    for agent, wanted in ((BILLING, call), (SUPPORT, call_id(head.pause, 2)), (SUPPORT, "nosuch-1")):
        with pytest.raises(NotFound):
            claim(gateway.ports, agent, wanted, head.calls[0].digest, "w1")


def test_a_passed_call_has_a_permit_too(gateway: Gateway) -> None:
    head = gateway.capture(SMALL).head
    assert claim(gateway.ports, SUPPORT, call_id(head.pause, 1), head.calls[0].digest, "w").arguments == (
        '{"order_id":"1183","amount":12}'
    )
