"""What people do beside deciding, reviewers and operators, and what reaches them; each verb under its own role."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from placet.model.errors import Conflict, Frozen, Refused
from placet.model.pauses import Evidence, Reviewer, call_id
from placet.model.sinks import Sink
from placet.model.states import PermitState, Verdict
from placet.policy import Level
from placet.service import badges, members, operate, people, review, sessions
from placet.service.answer import answer
from placet.service.ask import ask
from placet.service.asking_undo import ask_undo_as_operator
from placet.service.away import away
from placet.service.bounces import bounce
from placet.service.digests import send_digest
from placet.service.escalate import escalate
from placet.service.find import find
from placet.service.inbox import inbox
from placet.service.notify import mail_again
from placet.service.questions import open_questions
from placet.service.reassign import candidates, reassign
from placet.service.status import status
from placet.service.sweep import sweep
from placet.service.tell import tell
from tests.gateway import DELETE, REFUND, SUPPORT
from tests.infra.guarded_gateway import Guarded
from tests.infra.scenarios import decide_as


def a_question_is_asked_and_answered_with_a_long_piece(gateway: Guarded) -> None:
    gateway.with_policy(quorum=2)
    head = gateway.shown(REFUND)
    me = gateway.as_verb("review", members.reviewer, gateway.ports, "maria")
    at = call_id(head.pause, 1)
    gateway.as_verb("decide", ask, gateway.ports, me, at, "Which order?", 1)
    gateway.as_verb("decide", ask, gateway.ports, me, at, "Since when?", 1)
    gateway.as_verb("pick_up", status, gateway.ports, SUPPORT, head.pause)
    assert len(gateway.as_verb("pick_up", open_questions, gateway.ports, gateway.head(head.pause))) == 2
    long = (Evidence("Order", "get_order", False, "x" * 9_000, "tool"),)
    for question in (1, 2, 2):
        gateway.as_verb("capture", answer, gateway.ports, SUPPORT, at, question, "Order 1182.", long)
    for verb in ("review", "decide"):
        gateway.as_verb(verb, review.detail, gateway.ports, me, head.pause)
    gateway.as_verb("notify", mail_again, gateway.ports, head.pause)
    for who in (gateway.maria, gateway.jonas):
        decide_as(gateway, gateway.head(head.pause), 1, Verdict.ACCEPT, who)
    gateway.as_verb("pick_up", status, gateway.ports, SUPPORT, head.pause)


def a_person_signs_in_and_out(gateway: Guarded) -> None:
    cookie = gateway.as_verb("sign_in", sessions.begin, gateway.ports, "maria")
    for verb in ("review", "decide", "sign_in"):
        assert gateway.as_verb(verb, sessions.find, gateway.ports, cookie)
        assert gateway.as_verb(verb, members.reviewer, gateway.ports, "maria").sub == "maria"
    gateway.as_verb("sign_in", sessions.end, gateway.ports, cookie)


def somebody_opens_the_people_page(gateway: Guarded) -> None:
    for verb in ("review", "decide"):
        found = gateway.as_verb(verb, people.people, gateway.ports)
        assert [one.name for one in found.groups] == ["approvers", "finance"]


def somebody_hands_a_call_on(gateway: Guarded) -> None:
    gateway.with_policy(levels=(Level(("finance",)), Level(("leads",), 3_600)))
    lea = gateway.person("lea", "Lea Lang", "leads")
    head = gateway.shown(REFUND)
    gateway.as_verb("decide", reassign, gateway.ports, gateway.maria, call_id(head.pause, 1), to="lea")
    gateway.deliver()
    gateway.as_verb("sweep", sweep, gateway.ports)
    gateway.as_verb("notify", mail_again, gateway.ports, head.pause)
    for verb in ("review", "decide"):
        asked = gateway.head(head.pause)
        gateway.as_verb(verb, candidates, gateway.ports, gateway.maria, asked, asked.calls[0])
    assert gateway.as_verb("review", inbox, gateway.ports, lea).rows
    decide_as(gateway, gateway.head(head.pause), 1, Verdict.ACCEPT, lea)


def somebody_is_a_member_by_their_sign_in(gateway: Guarded) -> None:
    gateway.policy = replace(gateway.policy, sign_in_groups={"finance": ("Finance-EU",)})
    clara = Reviewer("clara", "Clara Clark", "clara@example.com")
    until = gateway.clock.now_ms() + sessions.LIFE_MS
    for said in ([], ["Finance-EU"]):
        gateway.as_verb("sign_in", badges.signed_in, gateway.ports, clara, said, until, "another")
    head = gateway.shown(REFUND)
    for verb in ("review", "decide"):
        clara = gateway.as_verb(verb, members.reviewer, gateway.ports, "clara")
        gateway.as_verb(verb, people.people, gateway.ports)
    assert gateway.as_verb("bounce", bounce, gateway.ports, came_back("clara", "clara@example.com")) == "complained"
    gateway.as_verb("sweep", sweep, gateway.ports)
    gateway.as_verb("escalate", escalate, gateway.ports, head.pause)
    decide_as(gateway, head, 1, Verdict.ACCEPT, clara)
    gateway.as_verb("sign_in", badges.signed_out, gateway.ports, "clara", "this")
    assert not members.reviewer(gateway.ports, "clara").groups


def a_sink_refuses_and_a_mail_comes_back(gateway: Guarded) -> None:
    head = gateway.shown(REFUND)
    refusing = replace(gateway.ports, outlets=Refusing())
    told = {"version": 1, "event": "visible", "pause": head.pause, "id": "x"}
    for _ in range(2):
        assert gateway.as_verb("tell", tell, refusing, [Sink("a", "slack", headline=True)], "a", told) == "refused"
    assert gateway.as_verb("bounce", bounce, gateway.ports, came_back("maria", "maria@example.com")) == "complained"


def came_back(sub: str, address: str) -> dict[str, Any]:
    return {"eventType": "Complaint", "mail": {"destination": [address], "tags": {"placet-person": [sub]}}}


def somebody_is_owed_a_mail(gateway: Guarded) -> None:
    for name in ("cp-1", "cp-2"):
        gateway.shown(REFUND, checkpoint=name)
    gateway.clock.move(300)
    gateway.as_verb("sweep", sweep, gateway.ports)
    assert gateway.as_verb("notify", send_digest, gateway.ports, "maria")


def somebody_is_away(gateway: Guarded) -> None:
    gateway.policy = replace(gateway.policy, sign_in_groups={"finance": ("Finance-EU",)})
    gateway.person("ingrid", "Ingrid Solberg", "gardeners")
    now = gateway.clock.now_ms()
    gateway.as_verb("decide", away, gateway.ports, gateway.jonas, now, now + 7_200_000, "ingrid", "jonas")
    head = gateway.shown(REFUND)
    for verb in ("review", "decide"):
        me = gateway.as_verb(verb, members.reviewer, gateway.ports, "ingrid")
        gateway.as_verb(verb, review.detail, gateway.ports, me, head.pause)
    gateway.as_verb("review", inbox, gateway.ports, me)
    gateway.as_verb("sweep", sweep, gateway.ports)
    decide_as(gateway, head, 1, Verdict.ACCEPT, me)
    gateway.with_policy(remind_after_s=(1800,))
    head = gateway.shown(REFUND, checkpoint="cp-2")
    gateway.clock.move(1800)
    assert gateway.as_verb("escalate", escalate, gateway.ports, head.pause) == "reminded"
    gateway.deliver()


class Refusing:
    """Sinks that take nothing."""

    def tell(self, sink: Any, detail: Any, headline: str) -> None:
        raise Refused("delivery_refused", "no")


def nobody_reports_and_a_person_settles_it(gateway: Guarded) -> None:
    head = gateway.claimed()
    gateway.clock.move(24 * 3600)
    gateway.as_verb("sweep", sweep, gateway.ports)
    (stuck,) = gateway.as_verb("operate", operate.stuck, gateway.ports)
    assert (stuck.reason, stuck.unknown) == ("permit_unknown", (call_id(head.pause, 1),))
    with pytest.raises(Conflict):
        gateway.as_verb("operate", operate.repair, gateway.ports, "olga", head.pause)
    gateway.as_verb(
        "operate", operate.reconcile, gateway.ports, "olga", stuck.unknown[0], PermitState.DONE, "refund r-1"
    )
    did = gateway.as_verb("operate", operate.repair, gateway.ports, "olga", head.pause)
    assert gateway.as_verb("operate", operate.repair, gateway.ports, "olga", head.pause) == did
    assert gateway.as_verb("operate", find, gateway.ports, "order:1182")
    assert gateway.as_verb("operate", find, gateway.ports, "thread-1")
    gateway.as_verb("sweep", sweep, gateway.ports)
    gateway.deliver()


def the_table_was_restored(gateway: Guarded) -> None:
    """What lay free may have run since, and what was open waits again; both under the new epoch."""
    head = gateway.decided()
    gateway.shown(DELETE, checkpoint="cp-2")
    gateway.as_verb("operate", operate.freeze, gateway.ports, "olga", "restore")
    gateway.epoch = 2
    gateway.as_verb("operate", operate.thaw, gateway.ports, "olga")
    assert gateway.head(head.pause).stuck == "restored_permits"
    gateway.as_verb("sweep", sweep, gateway.ports)
    gateway.deliver()


def an_operator_has_what_ran_taken_back(gateway: Guarded) -> None:
    """Which nobody may while everything is held; `resume` proposes it."""
    head = gateway.claimed()
    told = {"pause": head.pause, "tool": "cancel_refund", "state": "open", "replayed": False}
    gateway.verbs.do = lambda verb, payload: told
    who, at = "placet-operator/olga@example.com", call_id(head.pause, 1)
    assert gateway.as_verb("operate", ask_undo_as_operator, gateway.ports, who, at).pause == head.pause
    gateway.as_verb("operate", operate.freeze, gateway.ports, "me", "because")
    with pytest.raises(Frozen):
        gateway.as_verb("operate", ask_undo_as_operator, gateway.ports, who, at)


PEOPLE_SCENARIOS: tuple[Callable[[Guarded], None], ...] = (
    a_question_is_asked_and_answered_with_a_long_piece,
    a_person_signs_in_and_out,
    a_sink_refuses_and_a_mail_comes_back,
    somebody_is_owed_a_mail,
    somebody_is_away,
    somebody_is_a_member_by_their_sign_in,
    somebody_hands_a_call_on,
    somebody_opens_the_people_page,
    nobody_reports_and_a_person_settles_it,
    an_operator_has_what_ran_taken_back,
    the_table_was_restored,
)
