"""What a policy makes of its rules: samples, denials, observing, undo, and rules that are written wrongly or misbehave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from placet.model.canonical import parse
from placet.policy import (
    ActionClass,
    Always,
    Argument,
    Budget,
    ConfidenceBelow,
    Facts,
    FirstTime,
    NotOneOf,
    NumberOver,
    Of,
    OneOf,
    Outcome,
    Policy,
    Sample,
    Seen,
    Threshold,
    Tool,
    Undo,
    Unjudged,
    questions_of,
    rule_on,
)
from tests.unit.ruling import CLASS, ENDS, D, policy


def test_a_sample_marks_and_asks_nobody() -> None:
    one, some = Sample("s", "For the audit.", 1), Sample("s", "For the audit.", 4)
    ruling = rule_on(policy(one), "pay", {})
    assert not ruling.review
    assert ruling.sampled == (("s", "For the audit."),)
    marked = {number: bool(rule_on(policy(some), "pay", {"n": number}).sampled) for number in range(400)}
    assert 60 <= sum(marked.values()) <= 140
    assert marked == {number: bool(rule_on(policy(some), "pay", {"n": number}).sampled) for number in range(400)}


@dataclass(frozen=True)
class BrokenSample(Sample):
    """One that cannot tell."""

    def marks(self, arguments: dict[str, Any], facts: Facts) -> bool:
        raise KeyError("4711")


def test_a_sample_that_fails_marks_the_call() -> None:
    ruling = rule_on(policy(BrokenSample("s", "For the audit.", 4)), "pay", {})
    assert (ruling.sampled, ruling.review) == ((("s", "For the audit."),), False)


@dataclass(frozen=True)
class Broken:
    id: str = "broken"
    sentence: str = "It breaks."

    def fires(self, arguments: dict[str, Any], facts: Facts) -> bool:
        raise KeyError("4711")

    def says(self, arguments: dict[str, Any], facts: Facts) -> str:
        raise KeyError("4711")


def test_a_denial_reaches_no_person_and_a_doubt_does() -> None:
    denied = policy(Always("a", "A."), denies=(Threshold("t", "Never over 1000.", "amount", 1000),))
    ruling = rule_on(denied, "pay", {"amount": 1001})
    assert (ruling.denied, ruling.review, ruling.fired) == (True, False, (("t", "Never over 1000."),))
    ruling = rule_on(denied, "pay", {})
    assert (ruling.denied, ruling.review) == (False, True)
    assert ruling.fired == (("t", "Never over 1000. This could not be judged: there is no amount."), ("a", "A."))
    assert not rule_on(policy(denies=(Threshold("t", "t", "amount", 1000),)), "pay", {"amount": 5}).review
    assert rule_on(policy(denies=(Broken(),)), "pay", {}).review


def test_a_class_that_observes_says_what_would_have_happened() -> None:
    observing = policy(Threshold("t", "T.", "amount", 10), denies=(Threshold("d", "D.", "amount", 1000),), observe=True)
    assert rule_on(observing, "pay", {"amount": 5}).observed is False
    ruling = rule_on(observing, "pay", {"amount": 11})
    assert (ruling.review, ruling.denied, ruling.observed, ruling.fired) == (False, False, True, (("t", "T."),))
    ruling = rule_on(observing, "pay", {"amount": 1001})
    assert (ruling.review, ruling.denied, ruling.observed) == (False, True, False)
    assert rule_on(observing, "other", {}).review


@pytest.mark.parametrize("text", ['{"amount":"50000"}', '{"amount":[50000]}', "{}"])
def test_a_denial_that_cannot_tell_is_not_observed_away(text: str) -> None:
    observing = policy(Always("a", "A."), denies=(Threshold("d", "D.", "amount", 1000),), observe=True)
    ruling = rule_on(observing, "pay", parse(text))
    assert (ruling.review, ruling.denied, ruling.observed) == (True, False, False)
    assert [name for name, _ in ruling.unsure] == ["d"]


def test_the_class_of_unknown_tools_asks() -> None:
    observing = ActionClass("x", CLASS.levels, deadline_s=10, hard_maximum_s=10, freshness_s=10, observe=True)
    with pytest.raises(ValueError, match="class x: observe would let pass what the policy does not know"):
        Policy.of("1", [observing], [], "x")


def test_an_undo_is_built_from_arguments_and_outcome() -> None:
    undo = Undo(
        "cancel", {"id": Outcome("refund.id"), "order": Argument("order.id"), "all": Outcome(), "why": "undone", "n": 1}
    )
    answer = {"refund": {"id": "R-1"}}
    assert undo.call({"order": {"id": 7}}, answer) == {"id": "R-1", "order": 7, "all": answer, "why": "undone", "n": 1}
    for arguments, said in (({}, answer), ({"order": {"id": 7}}, {}), ({"order": {"id": 7}}, "Paid.")):
        with pytest.raises(Unjudged):
            undo.call(arguments, said)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Threshold(*ENDS, "a"), "above is an exact number, or below is"),
        (lambda: Threshold(*ENDS, "a", -1), "above is -1, under 0, so every number fires"),
        (lambda: Threshold(*ENDS, "a", 1, 2), "above is 1, under 2, so every number fires"),
        (lambda: NumberOver(*ENDS, "", 1), "number must be a name"),
        (lambda: NumberOver(*ENDS, "rows", 1.5), "above is an exact number"),
        (lambda: ConfidenceBelow(*ENDS, D(0)), "least is over 0 and at most 1"),
        (lambda: ConfidenceBelow(*ENDS, D("1.1")), "least is over 0 and at most 1"),
        (lambda: ConfidenceBelow(*ENDS, 0.5), "least is an exact number"),
        (lambda: OneOf(*ENDS, "a", ("EUR",)), "values is a set"),
        (lambda: OneOf(*ENDS, "a", frozenset()), "values is empty, so it always fires"),
        (lambda: NotOneOf(*ENDS, "a", frozenset()), "values is empty, so it never fires"),
        (lambda: NotOneOf(*ENDS, "a", frozenset({1.5})), "each of values is an exact number"),
        (lambda: FirstTime(*ENDS, "a", of=Of.ENTITY), "of is Of.AGENT or Of.TOOL"),
        (lambda: FirstTime(*ENDS, "a", of="agent"), "of is Of.AGENT or Of.TOOL"),
        (lambda: Budget(*ENDS, 1.5), "limit is an exact number"),
        (lambda: Budget(*ENDS, -1), "limit is -1, under zero"),
        (lambda: Budget(*ENDS, 1, of=Of.TOOL), "of is Of.AGENT, Of.ENTITY or Of.REQUESTER"),
        (lambda: Budget(*ENDS, 1, per="day"), "per is Per.DAY or Per.RUN"),
        (
            lambda: Budget(*ENDS, 1, argument="a", number="b"),
            "number is .b. and argument .a.: an amount is one of them",
        ),
        (lambda: Sample(*ENDS, 0), "one_in is at least 1"),
        (lambda: Sample(*ENDS, 2.0), "one_in must be a whole number"),
        (lambda: Undo("", {}), "tool must be a name"),
        (lambda: Undo("t", ["id"]), "arguments is a dict by name"),
        (lambda: Undo("t", {"id": 1.5}), "id is Argument"),
        (lambda: Undo("t", {"id": Argument("a[]")}), "id must be one value"),
        (lambda: Undo("t", {"id": Outcome("len(a)")}), "id must be one value"),
    ],
)
def test_a_rule_is_refused_when_it_is_written(make: Any, said: str) -> None:
    with pytest.raises(ValueError, match=rf"^(rule x|undo by t?): {said}"):
        make()


@dataclass(frozen=True)
class Old:
    id: str = "old/rule"
    sentence: str = "It is old."

    def fires(self, arguments: dict[str, Any]) -> bool:
        return False


def test_a_rule_of_the_old_form_is_refused_with_the_new_line() -> None:
    with pytest.raises(
        ValueError, match=r"^tool pay: rule old/rule: fires takes the arguments and the facts, written \"def fires\("
    ):
        Tool("pay", "x", rules=(Old(),))


@dataclass(frozen=True)
class Asking:
    id: str = "own/asking"
    sentence: str = "It asks."

    def fires(self, arguments: dict[str, Any], facts: Facts) -> bool:
        return False

    def asks(self, arguments: dict[str, Any]) -> list[Seen]:
        return []


def test_a_rule_that_asks_without_facts_is_refused_too() -> None:
    with pytest.raises(
        ValueError, match=r"rule own/asking: asks takes the arguments and the facts, written \"def asks\("
    ):
        Tool("pay", "x", rules=(Asking(),))


@dataclass(frozen=True)
class Careless:
    """A rule of a deployment's own that tidies up what it was given, wherever it is asked."""

    id: str = "x/careless"
    sentence: str = "Tidied."
    answer: bool = False

    def _tidy(self, arguments: dict[str, Any]) -> None:
        arguments["to"].sort()
        arguments["to"].pop()
        arguments["deep"][0]["a"] = 1
        del arguments["amount"]

    def fires(self, arguments: dict[str, Any], facts: Facts) -> bool:
        self._tidy(arguments)
        return self.answer

    def asks(self, arguments: dict[str, Any], facts: Facts) -> list[Any]:
        self._tidy(arguments)
        return []

    def says(self, arguments: dict[str, Any], facts: Facts) -> str:
        self._tidy(arguments)
        return "Twice."


@pytest.mark.parametrize("answer", [True, False])
def test_a_rule_that_changes_its_arguments_changes_nothing_for_others(answer: bool) -> None:
    text = '{"amount":7,"deep":[{"a":2}],"to":["c","a","b"]}'
    arguments = parse(text)
    rules = (
        Careless(answer=answer),
        Careless("x/again", answer=answer),
        Threshold("x/to", "Many.", "len(to)", above=2),
    )
    questions_of(policy(*rules), "pay", arguments)
    fired = rule_on(policy(*rules), "pay", arguments).fired
    careless = [("x/careless", "Tidied. Twice."), ("x/again", "Tidied. Twice.")] if answer else []
    assert list(fired[:-1]) == careless
    assert fired[-1][0] == "x/to"
    assert arguments == parse(text)


@dataclass(frozen=True)
class Forger:
    """A rule that writes what it was told."""

    id: str = "x/forger"
    sentence: str = "Forged."

    def fires(self, arguments: dict[str, Any], facts: Facts) -> bool:
        facts.numbers["rows"] = D(0)  # type: ignore[index]
        return False


def test_a_rule_cannot_change_the_facts() -> None:
    facts = Facts(numbers={"rows": D(9)})
    fired = rule_on(policy(Forger(), NumberOver("x/rows", "Many.", "rows", above=5)), "pay", {}, facts).fired
    assert [name for name, _ in fired] == ["x/forger", "x/rows"]
    assert facts.numbers == {"rows": D(9)}
