"""What happens to pauses, from capture to repair, each verb under its own role; together they use every right there is."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from placet.model.canonical import digest, parse
from placet.model.errors import Busy, Conflict, TooManyOpen
from placet.model.pauses import call_id
from placet.model.registry import Registry
from placet.model.states import PermitState, Verdict
from placet.policy import Level
from placet.records.keys import Key
from placet.service import members, operate, review
from placet.service.bounds import admit
from placet.service.cancel import cancel, supersede
from placet.service.comment import comment
from placet.service.escalate import escalate
from placet.service.execute import claim, outcome, renew_claim
from placet.service.extend import extend
from placet.service.inbox import inbox
from placet.service.notify import mail_again, notify
from placet.service.origin import pause_of
from placet.service.resume import pick_up, release, renew, resume, take
from placet.service.samples import samples
from placet.service.status import status
from placet.service.stuck import list_stuck
from placet.service.sweep import sweep
from placet.service.went_on import resumed
from tests.asking import asking
from tests.gateway import BILLING, DELETE, REFUND, SMALL, SUPPORT, with_class, without_class
from tests.infra.guarded_gateway import Guarded

LONG = ("delete_records", {"table": "contacts", "where": "age > 90 or " * 1_000})


def decide_as(gateway: Guarded, *args: Any, **more: Any) -> Any:
    return gateway.as_verb("decide", gateway.decide, *args, **more)


def a_pause_is_decided_picked_up_and_executed(gateway: Guarded) -> None:
    head = gateway.shown(REFUND, DELETE, SMALL)
    me = gateway.as_verb("review", members.reviewer, gateway.ports, "maria")
    gateway.as_verb("review", inbox, gateway.ports, me)
    gateway.as_verb("review", review.detail, gateway.ports, me, head.pause)
    text = '{"order_id":"1182","amount":200.00}'
    gateway.as_verb("decide", review.preview, gateway.ports, me, head.pause, 1, text, "less")
    gateway.as_verb("decide", review.detail, gateway.ports, me, head.pause)
    gateway.as_verb("decide", comment, gateway.ports, me, head.pause, "I called them.")
    until_ms = head.deadline_ms + 3_600_000
    gateway.as_verb("decide", extend, gateway.ports, me, call_id(head.pause, 1), until_ms, "closed")
    decide_as(gateway, head, 1, Verdict.EDIT, arguments=text, new_digest=digest(parse(text)))
    decide_as(gateway, gateway.head(head.pause), 2, Verdict.REJECT)
    gateway.deliver()
    (found,) = gateway.as_verb("pick_up", pick_up, gateway.ports, SUPPORT)
    gateway.as_verb("pick_up", pause_of, gateway.ports, SUPPORT, head.pause)
    gateway.as_verb("pick_up", status, gateway.ports, SUPPORT, gateway.shown(REFUND, checkpoint="asked").pause)
    call = call_id(head.pause, 1)
    gateway.as_verb("execute", claim, gateway.ports, SUPPORT, call, found["calls"][0]["digest"], "w")
    with pytest.raises(Conflict):
        gateway.as_verb("execute", claim, gateway.ports, SUPPORT, call, found["calls"][0]["digest"], "other")
    gateway.as_verb("execute", outcome, gateway.ports, SUPPORT, call, "w", PermitState.DONE, "paid")
    gateway.as_verb("execute", resumed, gateway.ports, SUPPORT, head.pause)
    gateway.deliver()


def what_rules_ask_is_counted_remembered_and_drawn(gateway: Guarded) -> None:
    gateway.policy = asking("amount", "order_id")
    head = gateway.claimed()
    gateway.as_verb("execute", outcome, gateway.ports, SUPPORT, call_id(head.pause, 1), "w", PermitState.DONE, "paid")
    passed = gateway.as_verb("capture", gateway.capture, REFUND, checkpoint="cp-2").head
    assert passed.calls[0].sampled
    assert [row["pause"] for row in gateway.as_verb("operate", samples, gateway.ports)] == [passed.pause]


def a_long_pause_goes_through_the_bucket(gateway: Guarded) -> None:
    head = gateway.shown(LONG)
    assert gateway.bodies.texts
    assert gateway.as_verb("capture", gateway.capture, LONG).replayed
    gateway.as_verb("review", review.detail, gateway.ports, gateway.maria, head.pause)
    gateway.as_verb("decide", review.detail, gateway.ports, gateway.maria, head.pause)
    decide_as(gateway, head, 1, Verdict.ACCEPT)
    gateway.deliver()
    (found,) = gateway.as_verb("pick_up", pick_up, gateway.ports, SUPPORT)
    permit = gateway.as_verb(
        "execute", claim, gateway.ports, SUPPORT, call_id(head.pause, 1), found["calls"][0]["digest"], "w"
    )
    assert permit.arguments == found["calls"][0]["arguments"]
    called = gateway.decided(call=LONG, agent=BILLING, checkpoint="cp-2")
    gateway.as_verb("resume", resume, gateway.ports, called.pause)


def a_long_edit_goes_into_the_bucket(gateway: Guarded) -> None:
    head = gateway.shown(DELETE)
    text = json.dumps(LONG[1])
    decide_as(gateway, head, 1, Verdict.EDIT, arguments=text, new_digest=digest(parse(text)))
    assert gateway.bodies.texts


def nobody_decides(gateway: Guarded) -> None:
    head = gateway.shown(REFUND)
    gateway.as_verb("escalate", escalate, gateway.ports, head.pause)
    gateway.clock.move(4 * 3600)
    gateway.as_verb("escalate", escalate, gateway.ports, head.pause)
    gateway.deliver()
    assert gateway.as_verb("pick_up", pick_up, gateway.ports, SUPPORT)[0]["calls"][0]["state"] == "expired"


def nobody_decides_for_a_while(gateway: Guarded) -> None:
    gateway.with_policy(levels=(Level(("finance",)), Level(("leads",), 3600)), remind_after_s=(1800,))
    head = gateway.shown(REFUND)
    for did in ("reminded", "widened"):
        gateway.clock.move(1800)
        assert gateway.as_verb("escalate", escalate, gateway.ports, head.pause) == did
        gateway.as_verb("notify", mail_again, gateway.ports, head.pause)


def a_decision_comes_before_the_token(gateway: Guarded) -> None:
    head = gateway.decided()
    gateway.as_verb("notify", notify, gateway.ports, head.pause, head.gen, "a newer token")
    gateway.deliver()


def two_last_calls_close_at_once(gateway: Guarded) -> None:
    """Neither sees itself as the last; dispatch mends the index entry."""
    head = gateway.shown(REFUND, DELETE)
    decide_as(gateway, head, 1, Verdict.REJECT)
    stale = gateway.table.items[gateway.keys.head(head.pause)]
    both = {**stale, "open_calls": 0, "calls": {n: {**one, "state": "rejected"} for n, one in stale["calls"].items()}}
    gateway.table.items[gateway.keys.head(head.pause)] = both
    gateway.table.changes[:] = [(stale, both)]
    gateway.deliver()
    assert gateway.head(head.pause).wpk == gateway.keys.out(SUPPORT.name)


def a_called_agent_and_the_stuck_list(gateway: Guarded) -> None:
    head = gateway.decided(agent=BILLING)
    gateway.agents.error = Busy()
    with pytest.raises(Busy):
        gateway.as_verb("resume", resume, gateway.ports, head.pause)
    gateway.agents.error = None
    gateway.as_verb("resume", resume, gateway.ports, head.pause)
    gateway.as_verb("resume", list_stuck, gateway.ports, gateway.head(head.pause), "wait_failed")
    gateway.deliver()


def a_worker_takes_a_lease_and_keeps_it(gateway: Guarded) -> None:
    head = gateway.decided()
    (useless,) = gateway.as_verb("pick_up", take, gateway.ports, SUPPORT)
    gateway.as_verb("pick_up", release, gateway.ports, SUPPORT, head.pause, useless["fence"])
    (taken,) = gateway.as_verb("pick_up", take, gateway.ports, SUPPORT)
    gateway.as_verb("pick_up", renew, gateway.ports, SUPPORT, head.pause, taken["fence"])
    call = taken["calls"][0]
    with pytest.raises(Conflict, match="Another worker"):
        gateway.as_verb("execute", claim, gateway.ports, SUPPORT, call["call"], call["digest"], "w", 7)
    gateway.as_verb("execute", claim, gateway.ports, SUPPORT, call["call"], call["digest"], "w", taken["fence"])
    gateway.as_verb("execute", renew_claim, gateway.ports, SUPPORT, call["call"], "w")
    gateway.as_verb("execute", outcome, gateway.ports, SUPPORT, call["call"], "w", PermitState.DONE, "")
    gateway.as_verb("execute", resumed, gateway.ports, SUPPORT, head.pause, taken["fence"])
    gateway.deliver()


def the_run_asks_again_and_takes_one_back(gateway: Guarded) -> None:
    first = gateway.shown(REFUND)
    second = gateway.shown(DELETE, checkpoint="cp-2")
    closed = gateway.as_verb("capture", supersede, gateway.ports, SUPPORT, "thread-1", second.pause)
    assert closed == [first.pause]
    gateway.as_verb("capture", cancel, gateway.ports, SUPPORT, second.pause, "the customer hung up")
    gateway.deliver()


def an_approval_gets_too_old(gateway: Guarded) -> None:
    head = gateway.decided()
    gateway.clock.move(40 * 24 * 3600)
    with pytest.raises(Conflict, match="too old"):
        gateway.as_verb("execute", claim, gateway.ports, SUPPORT, call_id(head.pause, 1), head.calls[0].digest, "w")
    gateway.deliver()
    gateway.as_verb("sweep", sweep, gateway.ports)
    gateway.tell(head.pause)
    decide_as(gateway, gateway.head(head.pause), 1, Verdict.ACCEPT)
    gateway.deliver()


def a_deploy_takes_agent_and_class_away(gateway: Guarded) -> None:
    """What waits under their names is found by the remembered lists, and told to the operators."""
    for number in range(4):
        gateway.decided(checkpoint=f"cp-{number}")
    gateway.as_verb("pick_up", pick_up, gateway.ports, SUPPORT)
    gateway.shown(DELETE, checkpoint="cp-4")
    captured = gateway.as_verb("capture", gateway.capture, DELETE, checkpoint="cp-5").head
    policy, gateway.policy = gateway.policy, without_class(gateway.policy, "general")
    gateway.deliver()
    gateway.tell(captured.pause)
    gateway.as_verb("sweep", sweep, replace(gateway.ports, registry=Registry((BILLING,))))
    assert len(gateway.as_verb("operate", operate.stuck, gateway.ports)) == 6
    gateway.policy = policy


def a_group_is_emptied(gateway: Guarded) -> None:
    head = gateway.shown(REFUND)
    gone = [item for key, item in gateway.table.items.items() if key.pk == gateway.keys.group("finance")]
    for one in gone:
        del gateway.table.items[Key(one["pk"], one["sk"])]
    gateway.as_verb("sweep", sweep, gateway.ports)
    with pytest.raises(Conflict, match="finance"):
        gateway.as_verb("operate", operate.repair, gateway.ports, "ops", head.pause)
    gateway.table.items |= {Key(one["pk"], one["sk"]): one for one in gone}
    gateway.as_verb("sweep", sweep, gateway.ports)


def sweep_redoes_what_was_lost(gateway: Guarded) -> None:
    gateway.as_verb("capture", gateway.capture, REFUND)
    gateway.table.changes.clear()  # the stream lost it
    gateway.shown(DELETE, checkpoint="cp-2")
    gateway.decided(checkpoint="cp-3", agent=BILLING)
    gateway.clock.move(3 * 24 * 3600)
    gateway.policy = with_class(gateway.policy, "new-since-the-last-deploy")
    gateway.as_verb("sweep", sweep, gateway.ports)
    gateway.waits.started.clear()
    gateway.as_verb("sweep", sweep, gateway.ports)
    gateway.deliver()


def sweep_meets_what_cannot_be_read(gateway: Guarded) -> None:
    head = gateway.shown(REFUND)
    gateway.table.items[gateway.keys.head(head.pause)]["calls"] = "x"
    gateway.clock.at_ms = head.deadline_ms
    gateway.as_verb("sweep", sweep, gateway.ports)
    (stuck,) = gateway.as_verb("operate", operate.stuck, gateway.ports)
    assert stuck.reason == "damaged"


def a_mail_is_tried_again(gateway: Guarded) -> None:
    sent, gateway.mail = gateway.mail, Throttled()  # type: ignore[assignment]
    head = gateway.shown(REFUND)
    gateway.clock.move(120)
    gateway.as_verb("sweep", sweep, gateway.ports)
    assert gateway.verbs.called[-1][0] == "notify"
    gateway.mail = sent
    assert gateway.as_verb("notify", mail_again, gateway.ports, head.pause) == 0
    gateway.deliver()


class Throttled:
    """SES when it is asked too often."""

    def send(self, note: Any) -> bool:
        raise Busy


def an_agent_has_as_many_open_as_it_may(gateway: Guarded) -> None:
    gateway.shown(REFUND)
    gateway.as_verb("capture", admit, replace(gateway.ports, most_open=1), SUPPORT.name, ["money-out"])
    with pytest.raises(TooManyOpen):
        gateway.as_verb("capture", admit, replace(gateway.ports, most_open=1), SUPPORT.name, ["money-out"])


SCENARIOS: tuple[Callable[[Guarded], None], ...] = (
    a_pause_is_decided_picked_up_and_executed,
    what_rules_ask_is_counted_remembered_and_drawn,
    a_long_pause_goes_through_the_bucket,
    a_long_edit_goes_into_the_bucket,
    nobody_decides,
    nobody_decides_for_a_while,
    a_decision_comes_before_the_token,
    two_last_calls_close_at_once,
    a_called_agent_and_the_stuck_list,
    a_worker_takes_a_lease_and_keeps_it,
    the_run_asks_again_and_takes_one_back,
    an_approval_gets_too_old,
    a_deploy_takes_agent_and_class_away,
    a_group_is_emptied,
    sweep_redoes_what_was_lost,
    sweep_meets_what_cannot_be_read,
    a_mail_is_tried_again,
    an_agent_has_as_many_open_as_it_may,
)
