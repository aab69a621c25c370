"""Refusals: the code that clients know, limits of texts, and what is as absent as nothing."""

import dataclasses
from collections.abc import Callable

import pytest

from placet.model.canonical import digest, parse
from placet.model.errors import Conflict, Invalid, NotFound, PlacetError
from placet.model.limits import MAX_REASON
from placet.model.pauses import call_id
from placet.model.states import PermitState, Verdict
from placet.service import decide as deciding
from placet.service import execute
from placet.service.cancel import cancel
from placet.service.escalate import escalate
from placet.service.went_on import resumed
from tests.gateway import BILLING, REFUND, SMALL, SUPPORT, Gateway

EDIT = '{"order_id":"1182","amount":200.00}'


def _edit(gateway: Gateway, text: str, confirmed: str = "") -> None:
    told = confirmed or digest(parse(text))
    gateway.decide(gateway.shown(REFUND), 1, Verdict.EDIT, arguments=text, new_digest=told)


def _no_edits(gateway: Gateway) -> None:
    gateway.with_policy(may_edit=False)
    _edit(gateway, EDIT)


def _edit_into_another_class(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    tools = dict(gateway.policy.tools)
    tools["issue_refund"] = dataclasses.replace(tools["issue_refund"], action_class="general")
    gateway.policy = dataclasses.replace(gateway.policy, tools=tools)
    gateway.decide(head, 1, Verdict.EDIT, arguments=EDIT, new_digest=digest(parse(EDIT)))


def _not_shown_yet(gateway: Gateway) -> None:
    gateway.decide(gateway.capture(REFUND).head, 1, Verdict.ACCEPT)


def _at_the_deadline(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.clock.at_ms = head.deadline_ms
    gateway.decide(head, 1, Verdict.ACCEPT)


def _after_it_expired(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.clock.at_ms = head.deadline_ms
    escalate(gateway.ports, head.pause)
    gateway.decide(head, 1, Verdict.ACCEPT)


def _other_arguments_than_shown(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    decision = deciding.Decision(Verdict.ACCEPT, 1, "0" * 64)
    deciding.decide(gateway.ports, gateway.maria, call_id(head.pause, 1), decision)


def _anothers_permit(gateway: Gateway) -> None:
    head = gateway.capture(SMALL).head
    execute.claim(gateway.ports, SUPPORT, call_id(head.pause, 1), head.calls[0].digest, "w")
    execute.outcome(gateway.ports, SUPPORT, call_id(head.pause, 1), "w2", PermitState.DONE, "")


def _went_on(gateway: Gateway) -> str:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.REJECT)
    resumed(gateway.ports, SUPPORT, head.pause)
    return head.pause


@pytest.mark.parametrize(
    ("code", "refused"),
    [
        ("reason_missing", lambda gateway: gateway.decide(gateway.shown(REFUND), 1, Verdict.REJECT, reason=" ")),
        ("edit_not_allowed", _no_edits),
        ("edit_changes_class", _edit_into_another_class),
        ("not_shown_yet", _not_shown_yet),
        ("deadline_passed", _at_the_deadline),
        ("deadline_passed", _after_it_expired),
        ("revision_differs", _other_arguments_than_shown),
        ("digest_differs", lambda gateway: _edit(gateway, EDIT, "0" * 64)),
        ("not_your_permit", _anothers_permit),
        ("still_waiting", lambda gateway: resumed(gateway.ports, SUPPORT, gateway.shown(REFUND).pause)),
        ("already_resumed", lambda gateway: cancel(gateway.ports, SUPPORT, _went_on(gateway), "too late")),
    ],
)
def test_a_refusal_has_the_code_that_clients_know(
    gateway: Gateway, code: str, refused: Callable[[Gateway], object]
) -> None:
    with pytest.raises(PlacetError) as caught:
        refused(gateway)
    assert caught.value.code == code


def test_texts_have_a_longest_length(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    longest = "r" * MAX_REASON
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
