"""Whose words a run of Bedrock had before it: the caller's text is the user's, and what the executor returned is a tool's."""

from __future__ import annotations

import pytest

from local.bedrock import Mode
from placet.frameworks.bedrock.answers import Outcome
from placet.model.limits import LONGEST_TEXT, MOST_EVIDENCE
from placet.model.pauses import Evidence
from placet.model.states import CallState, PermitState
from placet.policy import FromUntrusted
from placet.policy.facts import Unjudged
from placet.service.bedrock.told import asked_by_user, with_results
from placet.service.facts import stored_facts
from placet.service.loading import body_of
from tests.bedrock.desk import ONE, desk


def outcome(number: int, result: str = "paid", permit: PermitState = PermitState.DONE) -> Outcome:
    return Outcome(number, "Refunds.issueRefund", CallState.ACCEPTED, permit, "{}", "{}", "", result)


def test_the_text_of_a_turn_is_the_users_own_words() -> None:
    with desk(Mode.RESULT) as one:
        head = one.asks()
        said, unseen = body_of(one.ports, head).evidence
        assert (said.origin, said.text, said.trusted, said.cut) == ("user", ONE, False, 0)
        assert (unseen.origin, unseen.text, unseen.cut) == ("retrieved", "", 1)
        assert body_of(one.ports, head).before == ""


def test_a_text_that_is_too_long_says_what_is_missing() -> None:
    said = asked_by_user("x" * (LONGEST_TEXT + 7))
    assert (len(said.text), said.cut) == (LONGEST_TEXT, 7)


def test_results_stand_behind_the_users_words_and_only_of_what_ran() -> None:
    user, page = asked_by_user("refund it"), Evidence("t", "wiki", False, "all", "retrieved")
    ended = [outcome(1), outcome(2, permit=PermitState.FREE), outcome(3, "refused", PermitState.FAILED), outcome(4, "")]
    found = with_results([page, user], ended)
    assert [(one.origin, one.text) for one in found] == [
        ("user", "refund it"),
        ("retrieved", "all"),
        ("tool", "paid"),
        ("tool", "refused"),
    ]


def test_a_long_chain_keeps_the_users_words_and_the_latest_results_and_counts_the_rest() -> None:
    evidence: tuple[Evidence, ...] = (asked_by_user("refund it"),)
    for number in range(40):
        evidence = with_results(evidence, [outcome(1, f"result {number:02}")])
        assert len(evidence) <= MOST_EVIDENCE
    assert (evidence[0].origin, evidence[0].text) == ("user", "refund it")
    assert evidence[-1].text == "result 39"
    counted = sum(len(one.text) + one.cut for one in evidence if one.origin == "tool")
    assert counted >= 40 * len("result 00")
    assert any(not one.text and one.cut for one in evidence)


@pytest.mark.parametrize(("order", "reviewed"), [("ORD-9999", True), ("ORD-7", False)])
def test_a_value_that_nobody_here_saw_cannot_be_judged_and_the_users_own_passes(order: str, *, reviewed: bool) -> None:
    rule = FromUntrusted("test/from", "Not the user's words.", "orderId")
    with desk(Mode.RESULT) as one:
        head = one.asks()
        facts = stored_facts(head, body_of(one.ports, head), 1)
        try:
            fires = rule.fires({"orderId": order}, facts)
        except Unjudged as missing:
            fires = missing.why == "not all of what the run read was handed in"
        assert fires is reviewed
