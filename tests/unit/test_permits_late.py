"""Permits whose worker died, approvals that got too old, the policy's second look, leases, and the epoch after a restore."""

import copy
from dataclasses import replace

import pytest

from placet.model.errors import Busy, Conflict, Frozen, Invalid, Lost
from placet.model.pauses import call_id
from placet.model.states import CallState, PauseState, PermitState, Verdict
from placet.policy import Tool
from placet.service import operate
from placet.service.cancel import cancel, supersede
from placet.service.escalate import escalate
from placet.service.execute import claim, outcome
from placet.service.notify import mail_again, notify
from placet.service.resume import LEASE_MS, list_stuck, pick_up, renew, resumed, take
from placet.service.review import detail
from placet.service.sweep import sweep
from tests.gateway import BILLING, DELETE, REFUND, SMALL, SUPPORT, Gateway

LEASE_S = 900


def approved(gateway: Gateway, **more):
    head = gateway.shown(REFUND, **more)
    gateway.decide(head, 1, Verdict.ACCEPT)
    return gateway.head(head.pause), call_id(head.pause, 1)


def claimed(gateway: Gateway, **more):
    head, call = approved(gateway, **more)
    claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w1")
    return gateway.head(head.pause), call


def test_a_worker_that_never_reports_ends_as_unknown_and_listed(gateway: Gateway) -> None:
    head, _ = claimed(gateway)
    gateway.clock.move(LEASE_S - 1)
    assert sweep(gateway.ports).given_up == 0
    gateway.clock.move(1)
    assert sweep(gateway.ports).given_up == 1
    after = gateway.head(head.pause)
    assert (after.calls[0].permit, after.stuck) == (PermitState.UNKNOWN, "permit_unknown")
    (entry,) = operate.stuck(gateway.ports)
    assert entry.repair == f"placet reconcile {head.pause}-1 --done|--failed --evidence …"


def test_a_late_worker_may_still_turn_its_own_unknown_into_done_and_nothing_else(gateway: Gateway) -> None:
    _, call = claimed(gateway)
    gateway.clock.move(LEASE_S)
    sweep(gateway.ports)
    with pytest.raises(Conflict, match="does not hold"):
        outcome(gateway.ports, SUPPORT, call, "w2", PermitState.DONE, "")
    assert outcome(gateway.ports, SUPPORT, call, "w1", PermitState.DONE, "r-1") is False
    with pytest.raises(Conflict, match="done already"):
        outcome(gateway.ports, SUPPORT, call, "w1", PermitState.FAILED, "")


def test_a_tool_with_an_idempotency_key_is_run_again_with_the_same_key(gateway: Gateway) -> None:
    head, call = claimed(gateway)
    gateway.table.items[gateway.keys.head(head.pause)]["calls"]["1"]["takes_key"] = True
    gateway.clock.move(LEASE_S)
    sweep(gateway.ports)
    assert gateway.head(head.pause).calls[0].permit is PermitState.FREE
    again = claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w2")
    assert again.idempotency_key == f"placet-{call}"


def test_a_permit_that_is_out_when_the_run_went_on_is_still_looked_after(gateway: Gateway) -> None:
    head, call = claimed(gateway)
    resumed(gateway.ports, SUPPORT, head.pause)
    assert pick_up(gateway.ports, SUPPORT) == []
    assert gateway.head(head.pause).wpk == gateway.keys.out("support-agent")
    outcome(gateway.ports, SUPPORT, call, "w1", PermitState.DONE, "")
    sweep(gateway.ports)
    assert gateway.head(head.pause).wpk == ""


def test_and_is_given_up_when_nobody_reports(gateway: Gateway) -> None:
    head, _ = claimed(gateway)
    resumed(gateway.ports, SUPPORT, head.pause)
    gateway.clock.move(LEASE_S)
    sweep(gateway.ports)
    assert gateway.head(head.pause).stuck == "permit_unknown"


def test_a_person_settles_an_unknown_with_evidence_once(gateway: Gateway) -> None:
    head, call = claimed(gateway)
    gateway.clock.move(LEASE_S)
    sweep(gateway.ports)
    with pytest.raises(Conflict) as caught:
        operate.repair(gateway.ports, "ops/olga", head.pause)
    assert (caught.value.code, caught.value.members["calls"]) == ("needs_reconcile", [call])
    with pytest.raises(Invalid, match="how you know"):
        operate.reconcile(gateway.ports, "ops/olga", call, PermitState.DONE, " ")
    operate.reconcile(gateway.ports, "ops/olga", call, PermitState.DONE, "bank statement 7")
    event = gateway.table.get(gateway.keys.event(head.pause, "1#reconciled"))
    assert (event["by"], event["evidence"]) == ("ops/olga", "bank statement 7")
    with pytest.raises(Conflict, match="only an unknown"):
        operate.reconcile(gateway.ports, "ops/olga", call, PermitState.FAILED, "no")
    assert operate.repair(gateway.ports, "ops/olga", head.pause) == "is offered to its agent again"
    assert operate.stuck(gateway.ports) == []


def test_an_approval_that_got_too_old_goes_back_to_review_and_can_be_given_again(gateway: Gateway) -> None:
    head, call = approved(gateway)
    gateway.clock.move(86_400)
    with pytest.raises(Conflict) as caught:
        claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w")
    assert caught.value.code == "permit_stale"
    back = gateway.head(head.pause)
    assert (back.state, back.open_calls, back.gen, back.calls[0].round) == (PauseState.OPEN, 1, 2, 2)
    assert (back.calls[0].state, back.calls[0].permit) == (CallState.PENDING, PermitState.NONE)
    sweep(gateway.ports)
    assert f"{head.pause}-2" in gateway.waits.started
    notify(gateway.ports, head.pause, 2, "t2")
    gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT, gateway.jonas)
    assert claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w").replayed is False
    assert gateway.table.get(gateway.keys.event(head.pause, "1#decided"))["by"] == "maria"
    assert gateway.table.get(gateway.keys.event(head.pause, "1#decided#2"))["by"] == "jonas"


def test_what_passed_by_itself_and_got_too_old_goes_to_a_person(gateway: Gateway) -> None:
    head = gateway.capture(SMALL).head
    gateway.clock.move(86_400)
    with pytest.raises(Conflict, match="reviewed again"):
        claim(gateway.ports, SUPPORT, call_id(head.pause, 1), head.calls[0].digest, "w")
    assert gateway.head(head.pause).calls[0].state is CallState.PENDING


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


def test_the_second_round_of_a_quorum_takes_the_same_people_again(gateway: Gateway) -> None:
    gateway.with_policy(quorum=2)
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT, gateway.jonas)
    gateway.clock.move(86_400)
    with pytest.raises(Conflict):
        claim(gateway.ports, SUPPORT, call_id(head.pause, 1), head.calls[0].digest, "w")
    notify(gateway.ports, head.pause, 2, "t2")
    gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT)
    assert gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT, gateway.jonas).state is CallState.ACCEPTED


def test_the_second_round_expires_too(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    for gen in (1, 2):
        gateway.clock.move(4 * 3600)
        assert escalate(gateway.ports, head.pause) == "expired"
        assert gateway.head(head.pause).calls[0].state is CallState.EXPIRED
        call = gateway.table.items[gateway.keys.head(head.pause)]["calls"]["1"]
        if gen == 1:  # as a stale approval leaves it
            gateway.table.items[gateway.keys.head(head.pause)].update(state="open", open_calls=1, gen=2)
            del gateway.table.items[gateway.keys.head(head.pause)]["notified_ms"]
            call.update(state="pending", round=2, deadline_ms=0)
            notify(gateway.ports, head.pause, 2, "t2")


def unknown(gateway: Gateway):
    head, call = claimed(gateway)
    gateway.clock.move(LEASE_S)
    sweep(gateway.ports)
    return head, call


@pytest.mark.parametrize("move", ["resumed", "cancelled", "claim refused"])
def test_an_unknown_stays_listed_whatever_else_happens_to_its_pause(gateway: Gateway, move: str) -> None:
    head, call = unknown(gateway)
    if move == "resumed":
        resumed(gateway.ports, SUPPORT, head.pause)
    elif move == "cancelled":
        cancel(gateway.ports, SUPPORT, head.pause, "killed")
    else:
        with pytest.raises(Conflict):
            claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w2")
    assert [one.pause for one in operate.stuck(gateway.ports)] == [head.pause]
    operate.reconcile(gateway.ports, "ops/olga", call, PermitState.DONE, "statement")
    operate.repair(gateway.ports, "ops/olga", head.pause)
    assert operate.stuck(gateway.ports) == []


def test_a_worker_that_reports_unknown_itself_is_listed(gateway: Gateway) -> None:
    _, call = claimed(gateway)
    outcome(gateway.ports, SUPPORT, call, "w1", PermitState.UNKNOWN, "timeout")
    assert operate.stuck(gateway.ports)[0].unknown == (call,)


def test_a_permit_cannot_be_claimed_after_the_run_went_on(gateway: Gateway) -> None:
    head, call = approved(gateway)
    resumed(gateway.ports, SUPPORT, head.pause)
    with pytest.raises(Conflict) as caught:
        claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w")
    assert caught.value.code == "already_resumed"


def test_a_claim_between_the_look_and_the_report_keeps_the_pause_listed(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    head, call = approved(gateway)
    real, once = gateway.table.write, []

    def write(ops):
        if not once and "resume_state" in str(ops[0]) and "ended" in str(ops[0]):
            once.append(1)
            claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w")
        real(ops)

    monkeypatch.setattr(gateway.table, "write", write)
    resumed(gateway.ports, SUPPORT, head.pause)
    assert once
    assert gateway.head(head.pause).wpk == gateway.keys.out("support-agent")


def test_a_claim_that_was_cancelled_away_becomes_unknown_and_can_be_settled(gateway: Gateway) -> None:
    head, call = claimed(gateway)
    cancel(gateway.ports, SUPPORT, head.pause, "killed")
    gateway.clock.move(LEASE_S)
    assert sweep(gateway.ports).given_up == 1
    assert gateway.head(head.pause).stuck == "permit_unknown"
    operate.reconcile(gateway.ports, "ops/olga", call, PermitState.FAILED, "never arrived")
    assert operate.repair(gateway.ports, "ops/olga", head.pause) == "nothing is left to do"


def test_the_machines_late_failure_does_not_list_what_went_on(gateway: Gateway) -> None:
    head, _ = approved(gateway)
    assert list_stuck(gateway.ports, head.pause, "wait_failed", gen=2) is False
    resumed(gateway.ports, SUPPORT, head.pause)
    assert list_stuck(gateway.ports, head.pause, "wait_failed", gen=1) is False
    assert operate.stuck(gateway.ports) == []


def test_an_agent_lambda_that_never_reports_is_listed_in_the_end(gateway: Gateway) -> None:
    head, _ = approved(gateway, agent=BILLING)
    gateway.clock.move(90)
    assert sweep(gateway.ports).resumed == 1
    gateway.clock.move(86_400)
    assert sweep(gateway.ports).listed == 1
    assert gateway.head(head.pause).stuck == "not_picked_up"


def test_a_record_that_cannot_be_read_hides_nothing(gateway: Gateway) -> None:
    parked, _ = approved(gateway)
    fine, _ = approved(gateway, checkpoint="cp-2")
    gateway.deliver()
    gateway.table.items[gateway.keys.head(parked.pause)]["schema_version"] = 99
    assert [one["pause"] for one in pick_up(gateway.ports, SUPPORT)] == [fine.pause]
    assert ("parked", {"pause": parked.pause}) in gateway.log
    assert {one["state"] for one in operate.find(gateway.ports, "order:1182")} == {"parked", "closed"}
    newest = gateway.shown(REFUND, checkpoint="cp-3")
    assert supersede(gateway.ports, SUPPORT, "thread-1", newest.pause) == []


def test_many_unreadable_records_hide_nothing(gateway: Gateway) -> None:
    for number in range(60):
        parked, _ = approved(gateway, checkpoint=f"p-{number}")
        gateway.deliver()
        gateway.table.items[gateway.keys.head(parked.pause)]["schema_version"] = 99
    gateway.clock.move(1)
    fine, _ = approved(gateway, checkpoint="fine")
    assert [one["pause"] for one in pick_up(gateway.ports, SUPPORT)] == [fine.pause]


def test_thawing_brings_every_restored_pause_into_the_new_epoch(gateway: Gateway) -> None:
    done, _ = approved(gateway)
    waiting = gateway.shown(REFUND, checkpoint="cp-2")
    raised = replace(gateway.ports, epoch=2)
    operate.freeze(raised, "ops/olga", "restore")
    operate.thaw(raised, "ops/olga")
    assert gateway.head(done.pause).stuck == "restored_permits"
    assert (gateway.head(waiting.pause).epoch, gateway.head(waiting.pause).wpk) == (2, gateway.keys.new())


def test_a_repair_cannot_carry_a_restored_permit_into_the_new_epoch(gateway: Gateway) -> None:
    head, call = approved(gateway)
    list_stuck(gateway.ports, head.pause, "not_picked_up")
    raised = replace(gateway.ports, epoch=2)
    with pytest.raises(Conflict) as caught:
        operate.repair(raised, "ops/olga", head.pause)
    assert caught.value.code == "needs_reconcile"
    with pytest.raises(Conflict):
        claim(raised, SUPPORT, call, head.calls[0].digest, "w")


def test_a_capture_told_twice_does_not_close_what_the_run_asked_since(gateway: Gateway) -> None:
    first = gateway.shown(REFUND)
    second = gateway.shown(REFUND, checkpoint="cp-2")
    assert supersede(gateway.ports, SUPPORT, "thread-1", first.pause) == []
    assert supersede(gateway.ports, SUPPORT, "thread-1", second.pause) == [first.pause]
    assert supersede(gateway.ports, SUPPORT, "thread-1", first.pause) == []
    assert gateway.head(second.pause).open_calls == 1


def test_an_unknown_beside_an_open_call_leaves_the_pause_with_its_people_and_is_listed_after(gateway: Gateway) -> None:
    head = gateway.shown(REFUND, DELETE)
    gateway.decide(head, 1, Verdict.ACCEPT)
    call = call_id(head.pause, 1)
    claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w1")
    outcome(gateway.ports, SUPPORT, call, "w1", PermitState.UNKNOWN, "timeout")
    between = gateway.head(head.pause)
    assert (between.wpk, between.stuck) == (gateway.keys.queue("general", 0), "")
    gateway.decide(between, 2, Verdict.REJECT)
    assert operate.stuck(gateway.ports)[0].unknown == (call,)


def test_a_call_asked_again_while_notify_works_is_shown_too(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    head = gateway.shown(REFUND, DELETE)
    gateway.decide(head, 1, Verdict.ACCEPT)
    gateway.decide(gateway.head(head.pause), 2, Verdict.ACCEPT)
    gateway.clock.move(86_400)
    calls = [(call_id(head.pause, call.number), call.digest) for call in head.calls]
    with pytest.raises(Conflict):
        claim(gateway.ports, SUPPORT, *calls[0], "w")
    real, once = gateway.table.write, []

    def write(ops):
        if not once and "notified_ms" in str(ops[0]) and "not_notified" in str(ops[0]):
            once.append(1)
            with pytest.raises(Conflict):
                claim(gateway.ports, SUPPORT, *calls[1], "w")
        real(ops)

    monkeypatch.setattr(gateway.table, "write", write)
    notify(gateway.ports, head.pause, 2, "t2")
    assert once
    assert all(call.deadline_ms for call in gateway.head(head.pause).pending)


def test_closing_the_last_call_while_another_is_asked_again_does_not_close_the_pause(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = gateway.shown(REFUND, DELETE)
    gateway.decide(head, 2, Verdict.ACCEPT)
    gateway.table.items[gateway.keys.head(head.pause)]["calls"]["2"]["permit"]["until_ms"] = 0
    real, once = gateway.table.write, []

    def write(ops):
        if not once and len(ops) == 3:
            once.append(1)
            with pytest.raises(Conflict):
                claim(gateway.ports, SUPPORT, call_id(head.pause, 2), head.calls[1].digest, "w")
        real(ops)

    monkeypatch.setattr(gateway.table, "write", write)
    gateway.decide(gateway.head(head.pause), 1, Verdict.REJECT)
    after = gateway.head(head.pause)
    assert once
    assert (after.state, after.open_calls, after.wpk) == (PauseState.OPEN, 1, gateway.keys.new())


def test_a_worker_of_the_round_before_cannot_end_the_pause(gateway: Gateway) -> None:
    head, call = approved(gateway)
    (taken,) = take(gateway.ports, SUPPORT)
    gateway.clock.move(86_400)
    with pytest.raises(Conflict):
        claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w", taken["fence"])
    notify(gateway.ports, head.pause, 2, "t2")
    gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT)
    with pytest.raises(Conflict, match="Another worker"):
        resumed(gateway.ports, SUPPORT, head.pause, taken["fence"])
    assert [one["pause"] for one in pick_up(gateway.ports, SUPPORT)] == [head.pause]


def freed(gateway: Gateway):
    head, call = claimed(gateway)
    gateway.table.items[gateway.keys.head(head.pause)]["calls"]["1"]["takes_key"] = True
    gateway.clock.move(LEASE_S)
    sweep(gateway.ports)
    assert gateway.head(head.pause).calls[0].permit is PermitState.FREE
    return head, call


@pytest.mark.parametrize("end", ["stale", "cancelled", "resumed"])
def test_a_freed_permit_that_nobody_retries_is_unknown_and_never_said_not_to_have_run(
    gateway: Gateway, end: str
) -> None:
    head, call = freed(gateway)
    if end == "stale":
        gateway.clock.move(86_400)
        with pytest.raises(Conflict):
            claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w2")
    elif end == "cancelled":
        cancel(gateway.ports, SUPPORT, head.pause, "killed")
    else:
        resumed(gateway.ports, SUPPORT, head.pause)
    after = gateway.head(head.pause)
    assert (after.calls[0].state, after.calls[0].permit) == (CallState.ACCEPTED, PermitState.UNKNOWN)
    assert operate.stuck(gateway.ports)[0].unknown == (call,)


def test_who_accepted_in_the_round_before_may_decide_in_this_one(gateway: Gateway) -> None:
    head, call = approved(gateway)
    gateway.clock.move(86_400)
    with pytest.raises(Conflict):
        claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w")
    notify(gateway.ports, head.pause, 2, "t2")
    assert gateway.head(head.pause).calls[0].votes == {}
    assert detail(gateway.ports, gateway.maria, head.pause).calls[0].may_decide
    assert gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT).replayed is False


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
    gateway.mail.send = real
    assert mail_again(gateway.ports, head.pause) == 0
    item = gateway.table.get(gateway.keys.head(head.pause))
    assert (item["wsk"], "mails_missed" in item) == (head.deadline_ms, False)
    assert sorted(note.to_email for note in gateway.mail.sent) == ["jonas@example.com", "maria@example.com"]


def test_a_large_body_lies_in_the_bucket_under_its_digest_and_is_read_to_the_byte(gateway: Gateway) -> None:
    big = ("delete_records", {"table": "contacts", "where": "x" * 20_000})
    head = gateway.shown(big)
    ((name, _),) = gateway.bodies.texts.items()
    assert name.endswith(head.body)
    gateway.decide(head, 1, Verdict.ACCEPT)
    permit = claim(gateway.ports, SUPPORT, call_id(head.pause, 1), head.calls[0].digest, "w")
    assert permit.arguments == '{"table":"contacts","where":"' + "x" * 20_000 + '"}'


def test_a_text_that_was_changed_in_the_bucket_is_not_believed(gateway: Gateway) -> None:
    head = gateway.shown(("delete_records", {"table": "contacts", "where": "x" * 20_000}))
    name = next(iter(gateway.bodies.texts))
    gateway.bodies.texts[name] = gateway.bodies.texts[name].replace("contacts", "accounts")
    with pytest.raises(Lost):
        detail(gateway.ports, gateway.maria, head.pause)


def test_while_frozen_nothing_is_captured_decided_or_claimed(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    done, call = approved(gateway, checkpoint="cp-2")
    operate.freeze(gateway.ports, "ops/olga", "restore")
    for held in (
        lambda: gateway.capture(REFUND, checkpoint="cp-3"),
        lambda: gateway.decide(head, 1, Verdict.ACCEPT),
        lambda: claim(gateway.ports, SUPPORT, call, done.calls[0].digest, "w"),
    ):
        with pytest.raises(Frozen):
            held()
    operate.thaw(gateway.ports, "ops/olga")
    gateway.decide(head, 1, Verdict.ACCEPT)


def test_after_a_restore_nothing_runs_twice(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    """The drill of docs/operations.md: snapshot, execute, restore the snapshot, raise the epoch."""
    head, call = approved(gateway)
    waiting = gateway.shown(REFUND, checkpoint="cp-2")
    snapshot = copy.deepcopy(gateway.table.items)
    claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w1")
    outcome(gateway.ports, SUPPORT, call, "w1", PermitState.DONE, "paid")

    gateway.table.items = copy.deepcopy(snapshot)
    raised = replace(gateway.ports, epoch=2)
    with pytest.raises(Conflict) as caught:
        claim(raised, SUPPORT, call, head.calls[0].digest, "w2")
    assert caught.value.code == "epoch_differs"
    gateway.clock.at_ms = waiting.deadline_ms  # every list is due
    sweep(raised)
    after, again = gateway.head(head.pause), gateway.head(waiting.pause)
    assert (after.calls[0].permit, after.stuck, after.epoch) == (PermitState.UNKNOWN, "restored_permits", 2)
    assert (again.epoch, again.gen, again.wpk) == (2, 2, gateway.keys.new())

    gateway.table.items = copy.deepcopy(
        snapshot
    )  # the planted bug: nobody raised the epoch, and the call is paid twice
    assert claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w2").replayed is False


def test_find_gives_a_pause_in_any_state_by_entity_run_or_id(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    for wanted in ("order:1182", "thread-1", head.pause, f"{head.pause}-1"):
        assert [one["pause"] for one in operate.find(gateway.ports, wanted)] == [head.pause]
    gateway.decide(head, 1, Verdict.REJECT)
    resumed(gateway.ports, SUPPORT, head.pause)
    assert operate.find(gateway.ports, "order:1182")[0]["state"] == "ended"
    assert operate.find(gateway.ports, "order:0") == []


@pytest.mark.parametrize(("reason", "waits"), [("wait_failed", True), ("not_picked_up", False), ("agent_gone", False)])
def test_a_repair_sets_going_and_never_decides(gateway: Gateway, reason: str, waits: bool) -> None:
    head = gateway.shown(REFUND)
    if not waits:
        gateway.decide(head, 1, Verdict.ACCEPT)
    before = gateway.head(head.pause)
    list_stuck(gateway.ports, head.pause, reason)
    operate.repair(gateway.ports, "ops/olga", head.pause)
    after = gateway.head(head.pause)
    assert [call.state for call in after.calls] == [call.state for call in before.calls]
    assert after.wpk == (gateway.keys.new() if waits else gateway.keys.out("support-agent"))
    with pytest.raises(Conflict, match="not stuck"):
        operate.repair(gateway.ports, "ops/olga", head.pause)
