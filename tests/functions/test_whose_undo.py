"""Who has a say in the taking back of what ran: not its agent, not who asked for either call, under none of their names."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from placet.model.errors import Invalid, NotAllowed
from placet.model.pauses import Reviewer, call_id
from placet.model.states import CallState, PermitState, Verdict
from placet.policy import Tool
from placet.records.conditions import failing
from placet.records.heads import Head
from placet.records.writes.deciding import apart
from placet.service import badges, operate
from placet.service.cancel import supersede
from placet.service.execute import claim, outcome
from placet.service.origin import check_run
from placet.service.resume import resume
from placet.service.sessions import LIFE_MS
from placet.service.undo_calls import MOST_ATTEMPTS, MOST_LOOKED_AT, run_of
from placet.service.went_on import resumed
from tests.functions.conftest import ACCOUNT, Api
from tests.functions.test_reviewers import token
from tests.gateway import REFUND, native
from tests.undoing import TAKEN_BACK, Desk

PROPOSE, DECIDE = "POST /v1/reviews/{id}/propose-undo", "POST /v1/reviews/{id}/decision"
OPERATORS, REVIEW = "POST /v1/operations/calls/{id}/undo", "GET /v1/reviews/{id}"


def told(api: Api, call: str, sub: str = "maria") -> dict[str, Any]:
    """The answer to a proposal."""
    answer: dict[str, Any] = api.agent("decide", PROPOSE, {}, pathParameters={"id": call}, authorizer=token(sub))[1]
    return answer


def proposed(api: Api, desk: Desk, call: str, sub: str = "maria") -> Head:
    """A proposal before its people."""
    return desk.show(desk.head(told(api, call, sub)["undo"]))


def decided(api: Api, head: Head, sub: str, what: str = "accept") -> dict[str, Any]:
    """The answer to a decision."""
    call = head.calls[0]
    body = {"decision": what, "revision": call.rev, "digest": call.digest, "reason": "r"}
    path = {"id": call_id(head.pause, 1)}
    answer: dict[str, Any] = api.agent("decide", DECIDE, body, pathParameters=path, authorizer=token(sub))[1]
    return answer


def captured(api: Api, run: str, checkpoint: str, **more: Any) -> tuple[int, dict[str, Any]]:
    """The agent's own capture."""
    body = {"framework": "langchain", "run": run, "native": native(REFUND, checkpoint=checkpoint), **more}
    status, answer = api.agent("capture", "POST /v1/pauses", body)
    return status, answer


def ran(api: Api, desk: Desk, head: Head) -> str:
    """A shown call that Maria accepted, and that is reported done; its id."""
    decided(api, head, "maria")
    at = call_id(head.pause, 1)
    claim(desk.ports, desk.agent, at, head.calls[0].digest, "w1")
    outcome(desk.ports, desk.agent, at, "w1", PermitState.DONE, '{"id": "rf-1"}')
    resumed(desk.ports, desk.agent, head.pause)
    desk.table.changes.clear()
    return at


def test_no_agent_takes_the_name_of_a_run_of_the_gateways_own(api: Api, desk: Desk) -> None:
    call = desk.ran()
    head = proposed(api, desk, call)
    desk.clock.at_ms += 1
    status, answer = captured(api, run_of(call), "x", supersedes=True)
    assert (status, answer["code"]) == (422, "run_reserved")
    assert desk.head(head.pause).calls[0].state is CallState.PENDING
    assert captured(api, "undo-the-last-order", "y")[0] == 201
    with pytest.raises(Invalid):
        check_run(run_of(call))


def test_no_pause_of_an_agent_takes_the_place_of_what_a_person_proposed(
    api: Api, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of runs that an earlier release took in under such a name."""
    call = desk.ran()
    head = proposed(api, desk, call)
    desk.clock.at_ms += 1
    monkeypatch.setattr("placet.service.capture.check_run", lambda run: None)
    status, answer = captured(api, run_of(call), "x", supersedes=True)
    assert status == 201
    assert supersede(desk.ports, desk.agent, run_of(call), answer["pause"]) == []
    assert desk.head(head.pause).calls[0].state is CallState.PENDING


def test_who_asked_for_the_first_call_has_no_say_in_its_undo(api: Api, desk: Desk) -> None:
    at = ran(api, desk, desk.shown(REFUND, requester="Jonas@Example.com"))
    assert told(api, at, "jonas")["code"] == "requester_may_not_decide"
    head = proposed(api, desk, at)
    for what in ("reject", "accept"):
        assert decided(api, head, "jonas", what)["code"] == "requester_may_not_decide"
    seen = api.agent("review", REVIEW, pathParameters={"id": head.pause}, authorizer=token("jonas"))[1]["calls"][0]
    assert not seen["may_decide"]
    desk.person("clara", "Clara", "finance")
    assert decided(api, head, "clara")["state"] == "accepted"


def test_the_owner_of_the_first_call_has_no_say_after_the_agent_has_another(api: Api, desk: Desk) -> None:
    desk.agent = replace(desk.agent, owner="jonas@example.com")
    pause = captured(api, "t1", "c1")[1]["pause"]
    call = ran(api, desk, desk.show(desk.head(pause)))
    desk.agent = replace(desk.agent, owner="")
    assert decided(api, proposed(api, desk, call), "jonas")["code"] == "requester_may_not_decide"


def test_the_write_itself_compares_who_is_kept_out(api: Api, desk: Desk) -> None:
    """Name by name, whatever the head looked like to whoever made the write."""
    at = ran(api, desk, desk.shown(REFUND, requester="jonas@example.com"))
    head = proposed(api, desk, at)
    stored = desk.table.get(desk.keys.head(head.pause))
    assert stored is not None
    for names, failed in (({"jonas@example.com"}, True), ({"maria"}, True), ({"clara", "clara@example.com"}, False)):
        assert bool({"not_requester", "not_kept_out"} & {*failing(apart(head, frozenset(names)), stored)}) is failed
    for person in (desk.maria, desk.jonas):
        with pytest.raises(NotAllowed) as refused:
            desk.decide(head, 1, Verdict.ACCEPT, person)
        assert refused.value.code == "requester_may_not_decide"


def test_who_proposed_it_does_not_decide_under_another_address(api: Api, desk: Desk) -> None:
    desk.policy = replace(desk.policy, sign_in_groups={"finance": ("Finance-EU",)})

    def signs_in(email: str) -> None:
        until = desk.clock.now_ms() + LIFE_MS
        badges.signed_in(desk.ports, Reviewer("clara", "Clara", email), ["Finance-EU"], until)

    signs_in("clara@example.com")
    head = proposed(api, desk, desk.ran(), "clara")
    signs_in("clara.married@example.com")
    assert decided(api, head, "clara")["code"] == "requester_may_not_decide"
    assert head.requester == "clara@example.com"
    assert decided(api, head, "jonas")["state"] == "accepted"


def test_who_had_no_say_in_an_undo_has_none_in_its_own_undo(api: Api, desk: Desk) -> None:
    at = ran(api, desk, desk.shown(REFUND, requester="jonas@example.com"))
    head = proposed(api, desk, at)
    assert {"jonas@example.com", "maria", "maria@example.com"} <= set(head.kept_out)


def operator(name: str) -> dict[str, Any]:
    """A request of an operator whose session has this name."""
    arn = f"arn:aws:sts::{ACCOUNT}:assumed-role/placet-operator/{name}"
    return {"iam": {"userArn": arn, "accountId": ACCOUNT}}


@pytest.mark.parametrize(
    "name", ["maria@example.com,jonas@example.com", "maria@example.com=jonas@example.com", "olga", "i-0123456789"]
)
def test_a_session_that_names_nobody_or_several_proposes_nothing(api: Api, desk: Desk, name: str) -> None:
    path: dict[str, Any] = {"pathParameters": {"id": desk.ran()}, "authorizer": operator(name)}
    status, answer = api.agent("operate", OPERATORS, {}, **path)
    assert (status, answer["code"]) == (403, "operator_unnamed")


def test_an_operator_does_not_decide_as_a_reviewer_what_they_proposed(api: Api, desk: Desk) -> None:
    path: dict[str, Any] = {"pathParameters": {"id": desk.ran()}, "authorizer": operator("Maria@example.com")}
    head = desk.show(desk.head(api.agent("operate", OPERATORS, {}, **path)[1]["undo"]))
    assert head.requester == "placet-operator/Maria@example.com"
    assert decided(api, head, "maria")["code"] == "requester_may_not_decide"
    assert decided(api, head, "jonas")["state"] == "accepted"


def test_what_people_propose_is_not_counted_against_the_agents_bound(
    api: Api, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    call, real = desk.ran(), Desk.ports.fget  # type: ignore[attr-defined]
    monkeypatch.setattr(Desk, "ports", property(lambda self: replace(real(self), most_open=3)))
    for number in range(3):
        assert captured(api, f"flood-{number}", f"f{number}")[0] == 201
    assert captured(api, "flood-4", "f4")[1]["code"] == "too_many_open"
    answer = told(api, call)
    assert answer["state"] == "pending"
    assert desk.head(answer["undo"]).calls[0].state is CallState.PENDING


def test_an_undo_that_waits_takes_no_room_of_the_agents(api: Api, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    proposed(api, desk, desk.ran())
    real = Desk.ports.fget  # type: ignore[attr-defined]
    monkeypatch.setattr(Desk, "ports", property(lambda self: replace(real(self), most_open=1)))
    desk.clock.move(60)
    assert captured(api, "one", "c1")[0] == 201


def test_what_nobody_was_asked_about_is_no_try_and_the_answer_says_so(api: Api, desk: Desk) -> None:
    call = desk.ran()
    desk.tools(TAKEN_BACK, Tool("cancel_refund", "money-out", denied=True))
    for _ in range(MOST_ATTEMPTS + 1):
        answer = told(api, call)
        assert answer["state"] == "denied"
        resume(desk.ports, answer["undo"])
    desk.tools(TAKEN_BACK, Tool("cancel_refund", "money-out", free=True))
    assert told(api, call)["state"] == "passed"


def test_even_what_nobody_is_asked_about_has_an_end(api: Api, desk: Desk) -> None:
    call = desk.ran()
    desk.tools(TAKEN_BACK, Tool("cancel_refund", "money-out", denied=True))
    for _ in range(MOST_LOOKED_AT):
        resume(desk.ports, told(api, call)["undo"])
    assert told(api, call)["code"] == "undo_tried_out"


def test_the_agents_schema_has_no_say(api: Api, desk: Desk) -> None:
    said = native(REFUND, checkpoint="s1")
    said["tools"]["cancel_refund"] = {"schema": {"not": {}}}
    body = {"framework": "langchain", "run": "t9", "native": said}
    pause = api.agent("capture", "POST /v1/pauses", body)[1]["pause"]
    assert told(api, ran(api, desk, desk.show(desk.head(pause))))["state"] == "pending"


@pytest.mark.parametrize("answered", ['{"id": null}', "null"])
def test_a_null_in_the_answer_is_no_value(api: Api, desk: Desk, answered: str) -> None:
    answer = told(api, desk.ran(answered))
    assert answer["code"] == "undo_not_made"


def test_a_decision_is_taken_back_while_everything_is_held(api: Api) -> None:
    gateway = api.gateway
    gateway.with_policy(undo_s=60)
    head = gateway.shown(REFUND)
    decided(api, head, "maria")
    operate.freeze(gateway.ports, "op", "r")
    path: dict[str, Any] = {"pathParameters": {"id": call_id(head.pause, 1)}, "authorizer": token("jonas")}
    status, answer = api.agent("decide", "POST /v1/reviews/{id}/undo", {"revision": 1}, **path)
    assert (status, answer["state"]) == (200, "pending")
