"""Going on: policies that changed, one worker at a time, what is listed and what sets it going again."""

from dataclasses import replace

import pytest

from placet.model.errors import Busy, Conflict
from placet.model.states import CallState, PauseState, PermitState, Verdict
from placet.policy import Tool
from placet.records.lanes import moment_at
from placet.service import operate
from placet.service.cancel import supersede
from placet.service.execute import claim
from placet.service.lost_wait import lost_wait
from placet.service.notify import mail_again
from placet.service.resume import LEASE_MS, pick_up, renew, take
from placet.service.stuck import list_stuck
from placet.service.sweep import sweep
from placet.service.went_on import resumed
from tests.gateway import BILLING, REFUND, SUPPORT, Gateway, approved


def denying(gateway: Gateway) -> None:
    tool = Tool("issue_refund", "money-out", denied=True)
    gateway.policy = replace(gateway.policy, tools={**gateway.policy.tools, "issue_refund": tool})


def test_a_policy_that_turned_to_deny_wins_over_an_approval(gateway: Gateway) -> None:
    head, call = approved(gateway)
    denying(gateway)
    with pytest.raises(Conflict) as caught:
        claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w")
    assert caught.value.code == "policy_denies"
    assert gateway.table.get(gateway.keys.event(head.pause, "1#refused#policy_denies#w"))


def test_a_denied_call_bothers_nobody_and_has_no_permit(gateway: Gateway) -> None:
    denying(gateway)
    head = gateway.capture(REFUND).head
    assert (head.state, head.calls[0].state, head.calls[0].permit) == (
        PauseState.CLOSED,
        CallState.DENIED,
        PermitState.NONE,
    )
    gateway.clock.move(60)
    assert "policy forbids" in pick_up(gateway.ports, SUPPORT)[0]["calls"][0]["native"]["message"]


def test_the_machines_late_failure_does_not_list_what_went_on(gateway: Gateway) -> None:
    head, _ = approved(gateway)
    assert lost_wait(gateway.ports, head.pause, "wait_failed", gen=2) == "went_on"
    resumed(gateway.ports, SUPPORT, head.pause)
    assert lost_wait(gateway.ports, head.pause, "wait_failed", gen=1) == "went_on"
    assert list_stuck(gateway.ports, head, "wait_failed") is False
    assert operate.stuck(gateway.ports) == []


def test_an_agent_lambda_that_never_reports_is_listed_in_the_end(gateway: Gateway) -> None:
    head, _ = approved(gateway, agent=BILLING)
    gateway.clock.move(90)
    assert sweep(gateway.ports).resumed == 1
    gateway.clock.move(86_400)
    assert sweep(gateway.ports).listed == 1
    assert gateway.head(head.pause).stuck == "not_picked_up"


def test_a_capture_told_twice_does_not_close_what_the_run_asked_since(gateway: Gateway) -> None:
    first = gateway.shown(REFUND)
    second = gateway.shown(REFUND, checkpoint="cp-2")
    assert supersede(gateway.ports, SUPPORT, "thread-1", first.pause) == []
    assert supersede(gateway.ports, SUPPORT, "thread-1", second.pause) == [first.pause]
    assert supersede(gateway.ports, SUPPORT, "thread-1", first.pause) == []
    assert gateway.head(second.pause).open_calls == 1


def test_one_worker_at_a_time_resumes_a_run(gateway: Gateway) -> None:
    head, call = approved(gateway)
    (taken,) = take(gateway.ports, SUPPORT)
    assert (taken["pause"], taken["fence"]) == (head.pause, 1)
    assert take(gateway.ports, SUPPORT) == []
    gateway.clock.move(LEASE_MS / 1000 - 1)
    assert renew(gateway.ports, SUPPORT, head.pause, 1) == gateway.clock.now_ms() + LEASE_MS
    gateway.clock.move(LEASE_MS / 1000)
    (again,) = take(gateway.ports, SUPPORT, head.pause)
    assert again["fence"] == 2
    digest = head.calls[0].digest
    for lost in (
        lambda: renew(gateway.ports, SUPPORT, head.pause, 1),
        lambda: claim(gateway.ports, SUPPORT, call, digest, "w1", fence=1),
        lambda: resumed(gateway.ports, SUPPORT, head.pause, fence=1),
    ):
        with pytest.raises(Conflict) as caught:
            lost()
        assert caught.value.code == "lease_lost"
    claim(gateway.ports, SUPPORT, call, digest, "w2", fence=2)
    assert resumed(gateway.ports, SUPPORT, head.pause, fence=2) is False


def test_a_pause_that_waits_cannot_be_taken(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    assert take(gateway.ports, SUPPORT, head.pause) == []


def test_a_missing_mail_is_tried_again_by_the_sweep(gateway: Gateway) -> None:
    real = gateway.mail.send

    def busy(note):
        if note.to_email == "maria@example.com":
            raise Busy
        return real(note)

    gateway.mail.send = busy
    head = gateway.shown(REFUND)
    assert head.mails_missed == ("maria",)
    gateway.clock.move(60)
    assert sweep(gateway.ports).mailed == 1
    assert gateway.verbs.called == [("notify", {"tenant": "main", "pause": head.pause, "mail_again": True})]
    assert mail_again(gateway.ports, head.pause) == 1
    gateway.clock.move(120)
    gateway.mail.send = real
    assert mail_again(gateway.ports, head.pause) == 0
    item = gateway.table.get(gateway.keys.head(head.pause))
    assert (moment_at(item["wsk"]), "mails_missed" in item) == (head.deadline_ms, False)
    assert sorted(note.to_email for note in gateway.mail.sent) == ["jonas@example.com", "maria@example.com"]


@pytest.mark.parametrize(("reason", "waits"), [("wait_failed", True), ("not_picked_up", False), ("agent_gone", False)])
def test_a_repair_sets_going_and_never_decides(gateway: Gateway, reason: str, waits: bool) -> None:
    head = gateway.shown(REFUND)
    if not waits:
        gateway.decide(head, 1, Verdict.ACCEPT)
    before = gateway.head(head.pause)
    list_stuck(gateway.ports, gateway.head(head.pause), reason)
    operate.repair(gateway.ports, "ops/olga", head.pause)
    after = gateway.head(head.pause)
    assert [call.state for call in after.calls] == [call.state for call in before.calls]
    assert after.wpk == (gateway.keys.new() if waits else gateway.keys.out("support-agent"))
    with pytest.raises(Conflict, match="not stuck"):
        operate.repair(gateway.ports, "ops/otto", head.pause)
