"""capture: durable before visible, once, and with what later questions need."""

import json

import pytest

from placet.model.errors import Conflict, Invalid
from placet.model.states import CallState, PauseState, PermitState
from placet.records.bodies import read_body
from placet.service.capture import INLINE_GRACE_MS
from tests.gateway import BILLING, DELETE, REFUND, SMALL, Gateway


def test_a_pause_is_stored_with_its_calls_and_nothing_is_shown_yet(gateway: Gateway) -> None:
    found = gateway.capture(REFUND)
    head = gateway.head(found.head.pause)
    assert not found.replayed
    assert (head.state, head.open_calls, head.wpk) == (PauseState.OPEN, 1, gateway.keys.new())
    assert head.calls[0].deadline_ms == 0
    assert len(head.pause) == 26


def test_the_same_pause_again_is_the_same_pause(gateway: Gateway) -> None:
    first, again = gateway.capture(REFUND), gateway.capture(REFUND)
    assert again.replayed
    assert again.head == first.head


def test_a_run_that_is_half_resumed_shows_the_rest_of_the_same_pause(gateway: Gateway) -> None:
    whole = gateway.capture(REFUND, DELETE)
    assert gateway.capture(REFUND).head.pause == whole.head.pause


def test_the_same_key_with_other_arguments_is_refused(gateway: Gateway) -> None:
    first = gateway.capture(REFUND)
    with pytest.raises(Conflict) as caught:
        gateway.capture(("issue_refund", {"order_id": "1182", "amount": 9_999}))
    assert caught.value.code == "pause_differs"
    assert caught.value.members["pause"] == first.head.pause


def test_another_agent_gets_another_pause_for_the_same_run(gateway: Gateway) -> None:
    assert gateway.capture(REFUND).head.pause != gateway.capture(REFUND, agent=BILLING).head.pause


def test_arguments_that_break_the_tools_schema_bother_nobody(gateway: Gateway) -> None:
    with pytest.raises(Invalid) as caught:
        gateway.capture(("issue_refund", {"order_id": 7, "amount": "lots"}))
    assert caught.value.code == "arguments_break_schema"
    assert {problem["at"] for problem in caught.value.members["problems"]} == {"order_id", "amount"}
    assert not [item for item in gateway.table.items.values() if item["kind"] in ("HEAD", "BODY")]


def test_a_schema_that_got_stricter_does_not_undo_what_was_captured(gateway: Gateway) -> None:
    from tests import gateway as module

    first = gateway.capture(REFUND)
    stricter = {**module.SCHEMA, "properties": {"order_id": {"type": "integer"}, "amount": {"type": "integer"}}}
    before, module.SCHEMA = module.SCHEMA, stricter
    try:
        assert gateway.capture(REFUND).head.pause == first.head.pause
    finally:
        module.SCHEMA = before


def test_a_name_that_would_blow_the_head_up_is_refused(gateway: Gateway) -> None:
    with pytest.raises(Invalid, match="at most 256"):
        gateway.capture(("x" * 257, {}))


def test_a_call_that_needs_nobody_passes_and_is_recorded(gateway: Gateway) -> None:
    head = gateway.capture(SMALL).head
    assert head.state is PauseState.CLOSED
    assert (head.calls[0].state, head.calls[0].permit) == (CallState.PASSED, PermitState.FREE)
    item = gateway.table.get(gateway.keys.head(head.pause))
    assert (item["wpk"], item["wsk"]) == (gateway.keys.out("support-agent"), gateway.clock.now_ms() + INLINE_GRACE_MS)
    gateway.deliver()
    assert gateway.waits.started == {}


def test_what_passes_may_run_for_as_long_as_its_class_calls_an_approval_fresh(gateway: Gateway) -> None:
    head = gateway.capture(SMALL).head
    (call,) = gateway.table.get(gateway.keys.head(head.pause))["calls"].values()
    fresh_s = gateway.policy.classes[head.calls[0].action_class].freshness_s
    assert call["permit"]["until_ms"] == head.captured_ms + 1000 * fresh_s


def test_one_call_that_needs_a_person_holds_the_whole_pause(gateway: Gateway) -> None:
    head = gateway.capture(SMALL, REFUND).head
    assert [call.state for call in head.calls] == [CallState.PASSED, CallState.PENDING]
    assert head.state is PauseState.OPEN


def test_what_later_questions_need_is_in_the_body(gateway: Gateway) -> None:
    head = gateway.capture(REFUND, facts={"model": "m-1"}, says="trust me").head
    item = gateway.table.get(gateway.keys.body(head.pause, head.body))
    body = read_body(item, None, head.body)
    assert body.calls[0].text == '{"order_id":"1182","amount":240.5}'
    assert body.fired[1] == (("money-out/over-limit", "The amount is over 100.00."),)
    assert (body.facts["model"], body.says, body.policy_version) == ("m-1", "trust me", gateway.policy.version)
    assert "schema_digest" in json.loads(item["content"])["calls"][0]


def test_an_agent_may_shorten_its_deadline_and_never_lengthen_it(gateway: Gateway) -> None:
    assert gateway.capture(REFUND, wait_at_most_s=30).head.calls[0].wait_s == 30
    assert gateway.capture(REFUND, wait_at_most_s=10**9, checkpoint="cp-2").head.calls[0].wait_s == 4 * 3600


def test_the_head_stays_under_one_write_unit(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    assert (
        len(json.dumps(gateway.table.get(gateway.keys.head(head.pause)))) < 1400
    )  # DynamoDB's form is smaller than JSON
