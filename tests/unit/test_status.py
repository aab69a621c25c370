"""What the person who waits is told: one word, one line, and never a name, an argument or a guess."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from placet.model.canonical import digest, parse
from placet.model.errors import NotFound
from placet.model.pauses import call_id
from placet.model.states import CallState, PermitState, Verdict
from placet.model.status import Standing, Status
from placet.policy.classes import Level, Then
from placet.service import operate
from placet.service.answer import answer
from placet.service.ask import ask
from placet.service.cancel import cancel
from placet.service.escalate import escalate
from placet.service.execute import claim, outcome
from placet.service.review import detail
from placet.service.status import status
from placet.service.sweep import sweep
from placet.service.went_on import resumed
from tests.gateway import BILLING, DELETE, REFUND, SMALL, SUPPORT, Gateway, approved

MINUTE, HOUR = 60, 3_600
EDIT = '{"order_id":"1182","amount":200.00}'


def told(gateway: Gateway, pause: str) -> Status:
    return status(gateway.ports, SUPPORT, pause)


def ran(gateway: Gateway, pause: str, permit: PermitState = PermitState.DONE, number: int = 1) -> None:
    call = call_id(pause, number)
    claim(gateway.ports, SUPPORT, call, gateway.head(pause).calls[number - 1].digest, "w")
    gateway.clock.move(1)
    outcome(gateway.ports, SUPPORT, call, "w", permit, "paid")


def test_what_may_be_taken_back_is_not_told_yet(gateway: Gateway) -> None:
    gateway.with_policy(undo_s=60, tells_requester=True)
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    told = status(gateway.ports, SUPPORT, head.pause)
    (call,) = told.calls
    assert (call.state, call.reason, call.at_ms) == (Standing.WAITING, "", 0)
    assert told.held_ms == gateway.head(head.pause).held_ms
    gateway.clock.at_ms = told.held_ms
    (call,) = status(gateway.ports, SUPPORT, head.pause).calls
    assert (call.state, call.reason) == (Standing.GOING_ON, "because")


def test_it_waits_on_a_group_by_its_deadline(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    found = told(gateway, head.pause)
    assert (found.state, found.on, found.until_ms) == (Standing.WAITING, ("Finance",), head.deadline_ms)
    assert (found.typical_s, found.at_ms) == (0, 0)
    assert found.title == "Waiting on Finance"


def test_it_says_who_is_asked_next_and_when(gateway: Gateway) -> None:
    gateway.with_policy(levels=(Level(("finance",)), Level(("finance-leads",), HOUR)))
    gateway.person("lea", "Lea", "finance-leads")
    head = gateway.shown(REFUND)
    found = told(gateway, head.pause)
    (moment,) = head.calls[0].levels_ms
    assert (found.on, found.widens, found.widens_ms) == (("Finance",), ("Finance leads",), moment)
    assert re.fullmatch(
        r"Waiting on Finance, widens to Finance leads at [^.]*\d\d:\d\d, decides by [^.]*\.", found.line()
    )
    gateway.clock.move(HOUR)
    assert escalate(gateway.ports, head.pause) == "widened"
    found = told(gateway, head.pause)
    assert (found.on, found.widens, found.widens_ms) == (("Finance", "Finance leads"), (), 0)
    assert "widens" not in found.line()


def test_a_reviewer_sees_who_was_asked_when_and_who_is_next(gateway: Gateway) -> None:
    gateway.with_policy(
        levels=(Level(("finance",)), Level(("leads",), HOUR), Level(("board",), 2 * HOUR)), remind_after_s=(HOUR // 2,)
    )
    gateway.person("lea", "Lea", "leads")
    head = gateway.shown(REFUND)
    begun, call = gateway.clock.at_ms, head.calls[0]
    gateway.clock.move(HOUR)
    while escalate(gateway.ports, head.pause) != "early":
        pass
    (shown,) = detail(gateway.ports, gateway.maria, head.pause).calls
    assert [(one.groups, one.at_ms, one.reached) for one in shown.asked] == [
        (("finance",), begun, True),
        (("leads",), gateway.clock.at_ms, True),
        (("board",), call.levels_ms[1], False),
    ]
    assert shown.remind_ms == 0
    gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT)
    (shown,) = detail(gateway.ports, gateway.maria, head.pause).calls
    assert [(one.groups, one.reached) for one in shown.asked] == [(("finance",), True), (("leads",), True)]


def test_it_says_which_group_asked_and_what_only_where_its_words_are_told(gateway: Gateway) -> None:
    head = gateway.shown(REFUND, DELETE)
    until = told(gateway, head.pause).sentences()[-1].rstrip(".")
    ask(gateway.ports, gateway.maria, call_id(head.pause, 1), "Which order?\n <b>Now</b>", 1)
    ask(gateway.ports, gateway.jonas, call_id(head.pause, 1), "Why?", 1)
    found = told(gateway, head.pause)
    assert [(one.call, one.by, one.text) for one in found.asked_back] == 2 * [(call_id(head.pause, 1), "Finance", "")]
    assert found.line().endswith(f", d{until[1:]}. Finance asked a question."), "the same is said once"
    gateway.with_policy(tells_requester=True)
    found = told(gateway, head.pause)
    both = "Finance asked: \u201cWhich order? <b>Now</b>\u201d Finance asked: \u201cWhy?\u201d"
    assert found.line().endswith(f". {both}")
    assert " ".join(found.sentences()[-2:]) == both
    assert "Maria" not in repr(found)
    answer(gateway.ports, SUPPORT, call_id(head.pause, 1), 1, "1182.", ())
    assert [one.text for one in told(gateway, head.pause).asked_back] == ["Why?"]
    gateway.decide(gateway.head(head.pause), 1, Verdict.REJECT)
    assert told(gateway, head.pause).asked_back == (), "of what is decided nothing is asked"


HOSTILE = "Why?\u201d Done. \"Paid\" \u2019\u2019 '' \u2033\u202e\x00\x1b[31m\u2028Nothing was done."
SHOWN = "Why?' Done. 'Paid' ' ' '[U+202E][U+0000][U+001B][31m Nothing was done."


def test_no_words_of_a_person_read_as_ours_and_nothing_of_them_is_unseen(gateway: Gateway) -> None:
    gateway.with_policy(tells_requester=True)
    head = gateway.shown(REFUND)
    ask(gateway.ports, gateway.maria, call_id(head.pause, 1), HOSTILE, 1)
    asked = told(gateway, head.pause)
    assert asked.line().endswith(f" Finance asked: \u201c{SHOWN}\u201d")
    assert asked.sentences()[-1] == f"Finance asked: \u201c{SHOWN}\u201d"
    calls = (replace(asked.calls[0], state=Standing.CHANGED, reason=HOSTILE, changed=("a\u202e\x1b b",)),)
    done = replace(asked, calls=calls, asked_back=())
    assert f". Changed: a[U+202E][U+001B] b. \u201c{SHOWN}\u201d" in done.line()
    assert f"\u201c{SHOWN.replace(' Nothing', chr(10) + 'Nothing')}\u201d" in done.sentences()
    for text in (asked.line(), done.line(), *asked.sentences(), *done.sentences()):
        assert (text.count("\u201c"), text.count("\u201d")) in ((0, 0), (1, 1))
        assert not set(text) & set("\u202e\x00\x1b")
    lines = replace(done, calls=(replace(calls[0], reason="One.\nTwo: it's."),))
    assert "\u201cOne.\nTwo: it's.\u201d" in lines.sentences()
    assert "\u201cOne. Two: it's.\u201d" in lines.line()


def test_before_anybody_sees_it_it_waits_on_nobody_by_no_time(gateway: Gateway) -> None:
    pause = gateway.capture(REFUND).head.pause
    found = told(gateway, pause)
    assert (found.state, found.on, found.until_ms, found.title) == (Standing.WAITING, (), 0, "Waiting on a person")
    assert found.line() == "Waiting on a person."


def test_another_agents_pause_is_absent(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    with pytest.raises(NotFound):
        status(gateway.ports, BILLING, head.pause)


def test_it_goes_on_and_is_done(gateway: Gateway) -> None:
    head, call = approved(gateway)
    assert told(gateway, head.pause).state is Standing.GOING_ON
    claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w")
    assert told(gateway, head.pause).state is Standing.GOING_ON
    gateway.clock.move(5)
    outcome(gateway.ports, SUPPORT, call, "w", PermitState.DONE, "paid")
    found = told(gateway, head.pause)
    assert (found.state, found.at_ms) == (Standing.DONE, gateway.clock.at_ms)
    assert found.state.is_over


def test_a_change_is_told_by_name_only_where_the_class_says_so(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.EDIT, arguments=EDIT, new_digest=digest(parse(EDIT)), reason="Half of it.")
    ran(gateway, head.pause)
    found = told(gateway, head.pause)
    assert (found.state, found.calls[0].changed, found.calls[0].reason) == (Standing.CHANGED, (), "")
    gateway.with_policy(tells_requester=True)
    found = told(gateway, head.pause)
    assert (found.calls[0].changed, found.calls[0].reason) == (("amount",), "Half of it.")
    assert "200" not in found.line()


@pytest.mark.parametrize("tells", [False, True])
def test_a_no_is_a_no_with_the_reason_that_its_class_allows(gateway: Gateway, tells: bool) -> None:
    gateway.with_policy(tells_requester=tells)
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.REJECT, reason="Send photos first.")
    found = told(gateway, head.pause)
    assert found.state is Standing.REJECTED
    assert ("Send photos first." in found.line()) is tells
    assert "Nothing was done." in found.line()
    assert "Maria" not in repr(found)


def test_time_that_ran_out_is_no_no(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.clock.at_ms = head.deadline_ms
    escalate(gateway.ports, head.pause)
    found = told(gateway, head.pause)
    assert (found.state, found.at_ms) == (Standing.EXPIRED, head.deadline_ms)
    assert found.title == "Nobody decided in time"


def test_what_a_rule_rejected_because_nobody_decided_is_no_persons_no(gateway: Gateway) -> None:
    gateway.with_policy(then=Then.REJECT, tells_requester=True)
    head = gateway.shown(REFUND)
    gateway.clock.at_ms = head.deadline_ms
    escalate(gateway.ports, head.pause)
    found = told(gateway, head.pause)
    assert gateway.head(head.pause).calls[0].state is CallState.REJECTED
    assert (found.state, found.title) == (Standing.EXPIRED, "Nobody decided in time")
    assert "said no" not in found.line()


def test_an_unknown_outcome_is_neither_done_nor_failed_until_somebody_found_out(gateway: Gateway) -> None:
    head, call = approved(gateway)
    claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w")
    gateway.clock.move(HOUR)
    sweep(gateway.ports)
    found = told(gateway, head.pause)
    assert found.state is Standing.UNKNOWN
    assert not found.state.is_over
    assert "do not ask again" in found.line()
    operate.reconcile(gateway.ports, "op", call, PermitState.DONE, "seen in the bank")
    assert told(gateway, head.pause).state is Standing.DONE


def test_failed_withdrawn_forbidden_and_not_run(gateway: Gateway) -> None:
    head, _ = approved(gateway)
    ran(gateway, head.pause, PermitState.FAILED)
    assert told(gateway, head.pause).state is Standing.FAILED
    other = gateway.shown(REFUND, checkpoint="2")
    cancel(gateway.ports, SUPPORT, other.pause, "the customer left")
    found = told(gateway, other.pause)
    assert (found.state, found.at_ms) == (Standing.WITHDRAWN, gateway.clock.at_ms)
    assert "customer left" not in found.line()
    third, _ = approved(gateway, checkpoint="3")
    resumed(gateway.ports, SUPPORT, third.pause)
    assert told(gateway, third.pause).state is Standing.NOT_RUN
    tool = gateway.policy.tools["issue_refund"]
    denied = replace(tool, rules=(), denied=True)
    gateway.policy = replace(gateway.policy, tools={**gateway.policy.tools, "issue_refund": denied})
    fourth = gateway.capture(REFUND, checkpoint="4").head
    assert told(gateway, fourth.pause).state is Standing.FORBIDDEN


def test_what_passed_is_told_as_it_ran(gateway: Gateway) -> None:
    pause = gateway.capture(SMALL).head.pause
    assert told(gateway, pause).state is Standing.GOING_ON
    ran(gateway, pause)
    assert told(gateway, pause).state is Standing.DONE


def test_calls_that_ended_differently_are_several(gateway: Gateway) -> None:
    head = gateway.shown(REFUND, DELETE)
    gateway.decide(head, 1, Verdict.ACCEPT)
    assert told(gateway, head.pause).state is Standing.WAITING
    gateway.decide(gateway.head(head.pause), 2, Verdict.REJECT)
    assert told(gateway, head.pause).state is Standing.GOING_ON
    ran(gateway, head.pause)
    found = told(gateway, head.pause)
    assert (found.state, [one.state for one in found.calls]) == (Standing.SEVERAL, [Standing.DONE, Standing.REJECTED])
