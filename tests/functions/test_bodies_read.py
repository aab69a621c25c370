"""The bodies of the API, field by field: what each takes at its bounds, what it refuses beyond them, and what it becomes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from placet.http.bodies import Body, EmptyBody, agents, checked, operators, reviewers
from placet.model.canonical import Lexeme, parse
from placet.model.errors import Invalid
from placet.model.limits import (
    LONGEST_NAME,
    LONGEST_NUMBER,
    LONGEST_TEXT,
    LONGEST_TITLE,
    MAX_REASON,
    MOST,
    MOST_EVIDENCE,
    MOST_NUMBERS,
)
from placet.model.pauses import Evidence
from placet.model.states import PermitState, Verdict
from placet.service.decide import Decision
from tests.gateway import REFUND, SUPPORT, native

ROOMS = (agents, reviewers, operators)
DIGEST = "a" * 64
CAPTURE = {"framework": "langchain", "run": "r", "native": parse(json.dumps(native(REFUND)))}
PIECE = {"title": "t", "text": "x"}
CLAIM = {"digest": DIGEST, "worker": "w"}
DECISION = {"decision": "accept", "revision": 1, "digest": DIGEST}
# Kind of body, what it takes, a field of it, the last value that it takes, and the first that it does not.
BOUNDS: list[tuple[type[Body], dict[str, Any], str, Any, Any]] = [
    (agents.CaptureBody, CAPTURE, "framework", "x" * LONGEST_NAME, "x" * (LONGEST_NAME + 1)),
    (agents.CaptureBody, CAPTURE, "run", "x" * LONGEST_NAME, "x" * (LONGEST_NAME + 1)),
    (agents.CaptureBody, CAPTURE, "run", "x", ""),
    (agents.CaptureBody, CAPTURE, "entity", "x" * LONGEST_NAME, "x" * (LONGEST_NAME + 1)),
    (agents.CaptureBody, CAPTURE, "requester", "x" * LONGEST_NAME, "x" * (LONGEST_NAME + 1)),
    (agents.CaptureBody, CAPTURE, "requester", "one@example.com", "one@example.com, two@example.com"),
    (agents.CaptureBody, CAPTURE, "evidence", [PIECE] * MOST_EVIDENCE, [PIECE] * (MOST_EVIDENCE + 1)),
    (agents.CaptureBody, CAPTURE, "says", "x" * LONGEST_TEXT, "x" * (LONGEST_TEXT + 1)),
    (agents.CaptureBody, CAPTURE, "confidence", 0, -1),
    (agents.CaptureBody, CAPTURE, "confidence", 1, 2),
    (agents.CaptureBody, CAPTURE, "confidence", Lexeme("1.000"), Lexeme("1.0001")),
    (agents.CaptureBody, CAPTURE, "confidence", Lexeme("0.0"), Lexeme("-0.1")),
    (agents.CaptureBody, CAPTURE, "confidence", None, True),
    (agents.CaptureBody, CAPTURE, "confidence", Lexeme("0.5"), "0.5"),
    (agents.CaptureBody, CAPTURE, "numbers", {"n": 10 ** (LONGEST_NUMBER - 1)}, {"n": 10**LONGEST_NUMBER}),
    (agents.CaptureBody, CAPTURE, "numbers", {"n": Lexeme("1.5")}, {"n": "1.5"}),
    (agents.CaptureBody, CAPTURE, "numbers", {"n": 1}, {"n": True}),
    (agents.CaptureBody, CAPTURE, "numbers", {"n": 1}, {"": 1}),
    (agents.CaptureBody, CAPTURE, "numbers", {"n" * LONGEST_NAME: 1}, {"n" * (LONGEST_NAME + 1): 1}),
    (
        agents.CaptureBody,
        CAPTURE,
        "numbers",
        {str(n): n for n in range(MOST_NUMBERS)},
        {str(n): n for n in range(MOST_NUMBERS + 1)},
    ),
    (agents.CaptureBody, CAPTURE, "before", "x" * LONGEST_NAME, "x" * (LONGEST_NAME + 1)),
    (agents.CaptureBody, CAPTURE, "parent", f"{'a' * 26}-99", f"{'a' * 26}-100"),
    (agents.CaptureBody, CAPTURE, "parent", "", "x"),
    (agents.CaptureBody, CAPTURE, "parent", f"{'a' * 26}-1", "a" * 26),
    (agents.CaptureBody, CAPTURE, "parent", f"{'7' * 26}-1", f"{'8' * 26}-1"),
    (agents.CaptureBody, CAPTURE, "parent", f"{'a' * 26}-9", f"{'a' * 26}-9\n"),
    (agents.CaptureBody, CAPTURE, "wait_at_most_s", 1, 0),
    (agents.CaptureBody, CAPTURE, "wait_at_most_s", MOST, MOST + 1),
    (agents.CaptureBody, CAPTURE, "facts", {"model": "x" * LONGEST_NAME}, {"model": "x" * (LONGEST_NAME + 1)}),
    (agents.EvidenceBody, PIECE, "title", "x" * LONGEST_TITLE, "x" * (LONGEST_TITLE + 1)),
    (agents.EvidenceBody, PIECE, "title", "x", ""),
    (agents.EvidenceBody, PIECE, "source", "x" * LONGEST_NAME, "x" * (LONGEST_NAME + 1)),
    (agents.EvidenceBody, PIECE, "text", "x" * LONGEST_TEXT, "x" * (LONGEST_TEXT + 1)),
    (agents.EvidenceBody, PIECE, "cut", 0, -1),
    (agents.EvidenceBody, PIECE, "cut", MOST, MOST + 1),
    *((agents.EvidenceBody, PIECE, "origin", one, "person") for one in ("user", "tool", "retrieved", "agent", "")),
    (agents.ClaimBody, CLAIM, "digest", "0123456789abcdef" * 4, "A" * 64),
    (agents.ClaimBody, CLAIM, "digest", DIGEST, DIGEST[1:]),
    (agents.ClaimBody, CLAIM, "digest", DIGEST, f"{DIGEST}a"),
    (agents.ClaimBody, CLAIM, "worker", "w" * 128, "w" * 129),
    (agents.ClaimBody, CLAIM, "worker", "w", ""),
    (agents.ClaimBody, CLAIM, "fence", 1, 0),
    (agents.RenewClaimBody, {"worker": "w"}, "worker", "w" * 128, "w" * 129),
    (agents.TakeBody, {}, "limit", 1, 0),
    (agents.TakeBody, {}, "limit", agents.MOST_RESUMES, agents.MOST_RESUMES + 1),
    (agents.TakeBody, {}, "skip", ["p"] * 100, ["p"] * 101),
    (agents.TakeBody, {}, "skip", ["p" * LONGEST_NAME], ["p" * (LONGEST_NAME + 1)]),
    (agents.TakeBody, {}, "request", "r" * 32, "r" * 33),
    (agents.LeaseBody, {}, "fence", 1, 0),
    (agents.CancelBody, {"reason": "r"}, "reason", "r" * 500, "r" * 501),
    (agents.CancelBody, {"reason": "r"}, "reason", "r", ""),
    (agents.CancelBody, {"reason": "r"}, "reason", "r", " \u200b "),
    (operators.ReconcileBody, {"permit": "done", "evidence": ""}, "permit", "failed", "unknown"),
    (operators.ReconcileBody, {"permit": "done", "evidence": ""}, "evidence", "e" * 10_000, "e" * 10_001),
    (operators.FreezeBody, {"reason": "r"}, "reason", "r" * 500, "r" * 501),
    *((agents.OutcomeBody, {"worker": "w"}, "permit", one, "free") for one in ("done", "failed", "unknown")),
    (agents.ResumedBody, {"state": "resumed"}, "state", "resumed", "done"),
    (agents.ResumedBody, {"state": "resumed"}, "fence", 1, 0),
    *((reviewers.DecisionBody, DECISION, "decision", one, "respond") for one in ("accept", "edit", "reject")),
    (reviewers.DecisionBody, DECISION, "revision", 1, 0),
    (reviewers.DecisionBody, DECISION, "reason", "r" * (4 * MAX_REASON), "r" * (4 * MAX_REASON + 1)),
    (reviewers.DecisionBody, DECISION, "new_digest", "", "x"),
    (reviewers.DecisionBody, DECISION, "shown_at", 0, -1),
]


def named(given: Any) -> str:
    kind, _, field, taken, refused = given
    return f"{kind.__name__}.{field}-{str(taken)[:12]}-{str(refused)[:12]}"


@pytest.mark.parametrize(("kind", "rest", "field", "taken", "refused"), BOUNDS, ids=map(named, BOUNDS))
def test_a_field_takes_what_is_within_its_bounds_and_no_more(
    kind: type[Body], rest: dict[str, Any], field: str, taken: Any, refused: Any
) -> None:
    checked(kind, {**rest, field: taken})
    with pytest.raises(Invalid) as wrong:
        checked(kind, {**rest, field: refused})
    assert wrong.value.code == "field_invalid"
    assert {one["at"].partition("/")[0] for one in wrong.value.members["problems"]} == {field}


@pytest.mark.parametrize(
    "kind", [EmptyBody, *(one for room in ROOMS for one in vars(room).values() if one in Body.__subclasses__())]
)
def test_a_field_that_no_body_has_is_refused(kind: type[Body]) -> None:
    with pytest.raises(Invalid) as wrong:
        checked(kind, {"of_tomorrow": 1})
    assert wrong.value.code == "unknown_field"
    assert {"at": "of_tomorrow", "problem": "Extra inputs are not permitted"} in wrong.value.members["problems"]


@pytest.mark.parametrize("value", [Lexeme("1.5"), [Lexeme("1.5")]])
def test_a_fraction_is_no_text(value: Any) -> None:
    for kind, rest, field in ((agents.CancelBody, {}, "reason"), (agents.TakeBody, {}, "skip")):
        with pytest.raises(Invalid) as wrong:
            checked(kind, {**rest, field: value})
        assert wrong.value.members["problems"] == [
            {"at": field, "problem": "A number with a fraction or an exponent is not what this field takes"}
        ]


def test_what_is_no_object_is_told_without_a_name_of_ours() -> None:
    with pytest.raises(Invalid) as wrong:
        checked(agents.AnswerBody, {"call": "a-1", "question": 1, "text": "x", "evidence": ["x"]})
    assert wrong.value.members["problems"] == [{"at": "evidence/0", "problem": "An object is wanted here"}]


def test_at_most_twenty_problems_are_told() -> None:
    with pytest.raises(Invalid) as wrong:
        checked(EmptyBody, {str(number): 1 for number in range(30)})
    assert len(wrong.value.members["problems"]) == 20


def test_a_body_becomes_its_value() -> None:
    piece = checked(
        agents.EvidenceBody,
        {"title": "t", "source": "s", "trusted": True, "text": "x", "origin": "tool", "cut": 3},
    )
    assert piece.value() == Evidence("t", "s", True, "x", "tool", 3)
    assert checked(agents.EvidenceBody, PIECE).value() == Evidence("t", "", False, "x", "", 0)
    assert checked(agents.OutcomeBody, {"worker": "w", "permit": "failed"}).state is PermitState.FAILED
    decision = {**DECISION, "decision": "edit", "reason": "r", "arguments": "{}", "new_digest": DIGEST, "shown_at": 9}
    assert checked(reviewers.DecisionBody, decision).value() == Decision(
        verdict=Verdict.EDIT,
        revision=1,
        digest=DIGEST,
        reason="r",
        arguments="{}",
        new_digest=DIGEST,
        shown_at_ms=9,
    )


PARENT = f"{'a' * 26}-1"


def test_a_capture_is_what_was_handed_in_and_nothing_of_it_is_made_up() -> None:
    least = checked(agents.CaptureBody, CAPTURE).capture(SUPPORT)
    assert (least.agent, least.framework, least.run, least.entity) == ("support-agent", "langchain", "r", "")
    assert (least.requester, least.evidence, least.says, least.parent, least.by) == ("", (), "", "", "")
    assert (least.wait_at_most_s, least.confidence, dict(least.numbers), least.before) == (None, None, {}, None)
    assert least.facts == {"model": "", "agent_version": "", "framework_version": ""}
    said = {
        "entity": "order:1", "requester": "elif@example.com", "evidence": [PIECE], "says": "please", "parent": PARENT,
        "wait_at_most_s": 60, "confidence": Lexeme("0.5"), "numbers": {"rows": 3}, "before": "get_order",
        "facts": {"model": "m", "agent_version": "1", "framework_version": "2"},
    }  # fmt: skip
    most = checked(agents.CaptureBody, {**CAPTURE, **said}).capture(SUPPORT)
    assert (most.entity, most.requester, most.says, most.parent) == ("order:1", "elif@example.com", "please", PARENT)
    assert most.evidence == (Evidence("t", "", False, "x", "", 0),)
    assert (most.wait_at_most_s, most.confidence, dict(most.numbers), most.before) == (
        60,
        "0.5",
        {"rows": 3},
        "get_order",
    )
    assert most.facts == said["facts"]
    assert most.native.calls[0].tool == REFUND[0]
    assert '"type":"tool_approval"' in most.native_text


@pytest.mark.parametrize("wrong", [{"trusted": 1}, {"cut": "1"}, {"title": 7}, {"text": None}])
def test_nothing_is_coerced(wrong: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        checked(agents.EvidenceBody, {**PIECE, **wrong})
