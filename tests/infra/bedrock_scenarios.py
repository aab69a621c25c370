"""What happens to runs of Bedrock agents, each verb under its own role."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from placet.model.errors import Busy, Conflict, TooManyOpen
from placet.model.pauses import call_id
from placet.model.states import PermitState, Verdict
from placet.service.bedrock.continuing import About
from placet.service.bedrock.following import Following, follow
from placet.service.bedrock.invoking import Invocation, invoke
from placet.service.bounds import COUNT_AGAIN_MS, admit
from placet.service.execute import claim, outcome
from placet.service.ports import Turn, TurnFailed
from placet.service.resume import resume
from tests.asking import asking as rules_that_ask
from tests.gateway import with_class
from tests.infra.guarded_gateway import DESK, Guarded

LONG = "I refunded it. " * 1_000  # more than the table keeps


def asking(number: int, *, cents: int = 50_000, mode: str = "RESULT") -> Turn:
    """A turn that returns control for one refund."""
    parameters = [
        {"name": "orderId", "type": "string", "value": f"ORD-{number}"},
        {"name": "amountCents", "type": "integer", "value": str(cents)},
    ]
    call = {"actionGroup": "Refunds", "function": "issueRefund", "actionInvocationType": mode, "parameters": parameters}
    return Turn("", {"invocationId": f"i-{number}", "invocationInputs": [{"functionInvocationInput": call}]})


def say(gateway: Guarded, text: str, run: str = "run-1", key: str = "") -> Following:
    asked_for = Invocation(run, text, key, About("order:ORD-1"))
    found: Following = gateway.as_verb("invoke_agent", invoke, gateway.ports, DESK, asked_for)
    return found


def where(gateway: Guarded, run: str = "run-1") -> Following:
    found: Following = gateway.as_verb("pick_up", follow, gateway.ports, DESK, run, with_pauses=True)
    return found


def asked(gateway: Guarded, *turns: Turn | TurnFailed) -> Any:
    """A run whose first turn is the first of these; its pause, in the reviewers' queue."""
    gateway.runtime.turns = list(turns)
    found = say(gateway, "refund ORD-1", key="turn-1")
    gateway.deliver()
    gateway.tell(found.pause)
    return gateway.head(found.pause)


def accepted(gateway: Guarded, head: Any) -> None:
    gateway.as_verb("decide", gateway.decide, head, 1, Verdict.ACCEPT)
    gateway.deliver()


def a_run_is_answered_in_time(gateway: Guarded) -> None:
    head = asked(gateway, asking(1), Turn(LONG))
    assert where(gateway).pauses == (head.pause,)
    accepted(gateway, head)
    assert gateway.as_verb("resume", resume, gateway.ports, head.pause) == "delivered"
    assert where(gateway).completion == LONG
    assert say(gateway, "refund ORD-1", key="turn-1").completion == LONG, "the same turn is not sent again"
    assert len(gateway.executors.effects) == 1


def a_run_asks_again_and_is_told_late(gateway: Guarded) -> None:
    head = asked(gateway, asking(1), asking(2), Turn("Refunded."))
    accepted(gateway, head)
    gateway.policy = with_class(gateway.policy, "new-since-the-last-deploy")
    assert gateway.as_verb("resume", resume, gateway.ports, head.pause) == "delivered"
    gateway.deliver()
    second = where(gateway).pause
    gateway.tell(second)
    gateway.clock.move(DESK.bedrock.session_ttl_s if DESK.bedrock else 0)
    accepted(gateway, gateway.head(second))
    assert gateway.as_verb("resume", resume, gateway.ports, second) == "delivered"
    assert gateway.runtime.sessions == ["run-1", "run-1", "run-1-r1"]
    assert len(gateway.executors.effects) == 2


def a_run_says_much_at_once(gateway: Guarded) -> None:
    gateway.runtime.turns = [Turn(LONG)]
    assert say(gateway, "tell me everything").completion == LONG


def small_calls_pass_and_are_answered_at_once(gateway: Guarded) -> None:
    gateway.runtime.turns = [asking(1, cents=500), Turn("Refunded.")]
    assert say(gateway, "refund a little").status == "finished"
    assert len(gateway.executors.effects) == 1


def an_answer_is_lost_and_a_person_looks(gateway: Guarded) -> None:
    lost = TurnFailed("response_lost", nothing_done=False)
    head = asked(gateway, asking(1, mode="USER_CONFIRMATION"), lost)
    accepted(gateway, head)
    with pytest.raises(Busy):
        gateway.as_verb("resume", resume, gateway.ports, head.pause)
    assert gateway.as_verb("resume", resume, gateway.ports, head.pause) == "listed"
    gateway.deliver()


def an_action_claims_its_own_permit(gateway: Guarded) -> None:
    """The action-group Lambda's routes lead to execute, under its own role."""
    head = asked(gateway, asking(1, mode="USER_CONFIRMATION"))
    accepted(gateway, head)
    call, digest = call_id(head.pause, 1), head.calls[0].digest
    gateway.as_verb("execute", claim, gateway.ports, DESK, call, digest, "lambda-1")
    with pytest.raises(Conflict):
        gateway.as_verb("execute", claim, gateway.ports, DESK, call, digest, "lambda-2")
    gateway.as_verb("execute", outcome, gateway.ports, DESK, call, "lambda-1", PermitState.DONE, "paid")


def what_rules_ask_is_counted_remembered_and_drawn_of_bedrock(gateway: Guarded) -> None:
    gateway.policy = rules_that_ask("amountCents", "amountCents", tool="Refunds.issueRefund")
    head = asked(gateway, asking(1), asking(2), Turn("Refunded."), asking(3), Turn("Refunded again."))
    accepted(gateway, head)
    assert gateway.as_verb("resume", resume, gateway.ports, head.pause) == "delivered"
    assert say(gateway, "and another", run="run-2").status == "finished"
    assert len(gateway.executors.effects) == 3


def an_agent_of_bedrock_has_as_many_open_as_it_may(gateway: Guarded) -> None:
    """At the bound each verb that captures for Bedrock counts what is really open."""
    for verb in ("invoke_agent", "resume"):
        gateway.clock.move(COUNT_AGAIN_MS / 1000)
        ports = replace(gateway.ports, most_open=1)
        with suppress(TooManyOpen):
            gateway.as_verb(verb, admit, ports, DESK.name, ["money-out"])
        with suppress(TooManyOpen):
            gateway.as_verb(verb, admit, ports, DESK.name, ["money-out"])


BEDROCK_SCENARIOS = (
    an_agent_of_bedrock_has_as_many_open_as_it_may,
    what_rules_ask_is_counted_remembered_and_drawn_of_bedrock,
    a_run_is_answered_in_time,
    a_run_asks_again_and_is_told_late,
    a_run_says_much_at_once,
    small_calls_pass_and_are_answered_at_once,
    an_answer_is_lost_and_a_person_looks,
    an_action_claims_its_own_permit,
)
