"""A rule that cannot tell goes to a person and says why; what it asks is bounded, and never raises."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import pytest

from placet.policy import NO_FACTS, ActionClass, Facts, Level, Of, Policy, Seen, Tool, Unjudged, questions_of, rule_on
from placet.policy.facts import MOST_QUESTIONS, Question, Spending

CLASS = ActionClass("x", (Level(("finance",)),), deadline_s=10, hard_maximum_s=10, freshness_s=10)
SPENDING = Spending("day", Decimal(5), Decimal(10), day=True)


@dataclass(frozen=True)
class Told:
    """A rule that does as it is told."""

    answer: Any = False
    asked: tuple[Any, ...] = ()
    then: Exception | None = None
    id: str = "x/told"
    sentence: str = "It was told to."
    known: list[Facts] = field(default_factory=list, compare=False)

    def fires(self, arguments: dict[str, Any], facts: Facts) -> bool:
        self.known.append(facts)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def asks(self, arguments: dict[str, Any], facts: Facts) -> Iterator[Question]:
        yield from self.asked
        if self.then is not None:
            raise self.then


def _policy(*rules: Told) -> Policy:
    return Policy.of("1", [CLASS], [Tool("pay", "x", rules=rules), Tool("never", "x", denied=True)], "x")


def _seen(number: int) -> Seen:
    return Seen(Of.AGENT, "desk", str(number))


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (True, "It was told to."),
        (Unjudged("there is no amount"), "It was told to. This could not be judged: there is no amount."),
        (ValueError("secret 4711"), "It was told to. This could not be judged: the rule failed (ValueError)."),
        (None, "It was told to. This could not be judged: the rule answered neither True nor False."),
        (0, "It was told to. This could not be judged: the rule answered neither True nor False."),
        ("no", "It was told to. This could not be judged: the rule answered neither True nor False."),
    ],
    ids=repr,
)
def test_a_rule_that_cannot_tell_goes_to_a_person_and_says_why(answer: object, says: str) -> None:
    ruling = rule_on(_policy(Told(answer)), "pay", {})
    assert ruling.review
    assert ruling.fired == (("x/told", says),)


def test_only_false_passes() -> None:
    rule = Told(False)
    assert not rule_on(_policy(rule), "pay", {}).review
    assert rule.known[0].tool == "pay"


def test_questions_are_asked_once_and_bounded() -> None:
    many = tuple(_seen(number) for number in range(MOST_QUESTIONS + 5))
    assert questions_of(_policy(Told(asked=(_seen(1), _seen(2))), Told(asked=(_seen(2), SPENDING))), "pay", {}) == (
        _seen(1),
        _seen(2),
        SPENDING,
    )
    assert questions_of(_policy(Told(asked=many[:15]), Told(asked=many)), "pay", {}) == many[:MOST_QUESTIONS]


def test_a_rule_that_fails_to_ask_keeps_nobody_from_asking() -> None:
    asked = questions_of(
        _policy(Told(asked=(_seen(1), "nonsense"), then=KeyError("x")), Told(asked=(SPENDING,))), "pay", {}
    )
    assert asked == (_seen(1), SPENDING)


@pytest.mark.parametrize("tool", ["never", "unknown"])
def test_nothing_is_asked_for_what_is_settled(tool: str) -> None:
    assert questions_of(_policy(Told(asked=(SPENDING,))), tool, {}) == ()


@pytest.mark.parametrize("answer", [None, Decimal(1), 1, "yes"])
def test_what_is_no_answer_of_yes_or_no_could_not_be_judged(answer: Any) -> None:
    with pytest.raises(Unjudged, match="what happened before could not be read"):
        Facts(answers={_seen(1): answer}).is_so(_seen(1))


@pytest.mark.parametrize("answer", [None, True, 1, "5", Decimal("NaN"), Decimal("Infinity")])
def test_what_is_no_sum_could_not_be_judged(answer: Any) -> None:
    with pytest.raises(Unjudged, match="what was spent so far could not be read"):
        Facts(answers={SPENDING: answer}).spent(SPENDING)


def test_answers_are_found_by_their_question() -> None:
    facts = Facts(answers={_seen(1): False, SPENDING: Decimal("2.50")})
    assert facts.is_so(_seen(1)) is False
    assert facts.spent(SPENDING) == Decimal("2.50")
    with pytest.raises(Unjudged):
        NO_FACTS.spent(SPENDING)
