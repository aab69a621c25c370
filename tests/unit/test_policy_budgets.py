"""Budgets: what adds up, whose it is, and what cannot be counted."""

from __future__ import annotations

from typing import Any

import pytest

from placet.model.canonical import parse
from placet.policy import (
    NO_FACTS,
    Budget,
    Facts,
    Of,
    Per,
    Spending,
    questions_of,
    rule_on,
)
from tests.unit.ruling import ENDS, D, outcome, policy


def budgeted(rule: Budget, text: str, spent: str, **facts: Any) -> bool | str:
    known = Facts(agent="desk", entity="Acme", requester="maria", run="r1", **facts)
    questions = questions_of(policy(rule), "pay", parse(text), known)
    return outcome(rule, text, Facts(**{**vars(known), "answers": {one: D(spent) for one in questions}}))


@pytest.mark.parametrize(
    ("spent", "amount", "fires"),
    [
        ("0", "100", False),
        ("0.01", "99.99", False),
        ("0.01", "100", True),
        ("100", "0", False),
        ("100.01", "0", True),
        ("0", "-1", "amount is under zero"),
    ],
)
def test_a_budget_adds_exactly(spent: str, amount: str, fires: bool | str) -> None:
    assert budgeted(Budget(*ENDS, 100, argument="amount"), f'{{"amount":{amount}}}', spent) == fires


def test_a_budget_adds_what_a_float_would_lose() -> None:
    rule = Budget(*ENDS, D("0.3"), argument="amounts[]")
    assert budgeted(rule, '{"amounts":[0.1,0.1]}', "0.1") is False
    assert budgeted(rule, '{"amounts":[0.1,0.1]}', "0.1000000000000000000000000000001") is True


def test_a_budget_says_what_is_spent() -> None:
    rule = Budget("b", "Over the day's budget.", 1000, argument="amount", of=Of.ENTITY)
    facts = Facts(agent="desk", entity="acme")
    (question,) = questions_of(policy(rule), "pay", {"amount": 99}, facts)
    ruling = rule_on(
        policy(rule), "pay", {"amount": 99}, Facts(agent="desk", entity="acme", answers={question: D(990)})
    )
    assert ruling.fired == (
        ("b", "Over the day's budget. Of 1000 for this entity, today, 990 is spent; this call adds 99."),
    )


@pytest.mark.parametrize(
    ("rule", "facts", "question"),
    [
        (Budget("b", "", 9, argument="a"), {}, Spending('["b","agent","desk"]', D(5), D(9), True)),
        (Budget("b", "", 9, of=Of.ENTITY), {}, Spending('["b","entity","acrheltd"]', D(1), D(9), True)),
        (Budget("b", "", 9, of=Of.REQUESTER), {}, Spending('["b","requester","rharla"]', D(1), D(9), True)),
        (Budget("b", "", 9, per=Per.RUN), {}, Spending('["b","agent","desk","desk","r1"]', D(1), D(9), False)),
        (
            Budget("b", "", 9, number="cost"),
            {"numbers": {"cost": D("0.25")}},
            Spending('["b","agent","desk"]', D("0.25"), D(9), True),
        ),
    ],
)
def test_the_counter_of_a_budget(rule: Budget, facts: dict[str, Any], question: Spending) -> None:
    known = Facts(agent="desk", entity=" ACME-Ltd", requester="M\u0430ria", run="r1", **facts)
    assert questions_of(policy(rule), "pay", {"a": 5}, known) == (question,)


@pytest.mark.parametrize("name", ["\u0412\u0435\u0440\u0430", "\u039d\u03af\u03ba\u03bf\u03c2", "order:1182", "Acme"])
def test_a_customer_has_one_budget_in_capitals_and_with_signs_that_nobody_sees(name: str) -> None:
    rule = Budget(*ENDS, 5, of=Of.ENTITY)
    spelled = (name, name.upper(), name.lower(), f"{name}\u3164", f"\u1160{name}", "\uffa0".join(name))
    asked = [questions_of(policy(rule), "pay", {}, Facts(agent="a", entity=one)) for one in spelled]
    assert set(asked) == {asked[0]} != {()}


@pytest.mark.parametrize(
    "spelled", ["Maria <maria@example.com>", "MARIA@example.com", "mailto:maria@example.com", "role/maria@example.com"]
)
def test_a_person_has_one_budget_in_every_spelling(spelled: str) -> None:
    asked = [
        questions_of(policy(Budget(*ENDS, 9, of=Of.REQUESTER)), "pay", {}, Facts(agent="desk", requester=one))
        for one in (spelled, "maria@example.com", "jonas@example.com")
    ]
    assert asked[0] == asked[1] != asked[2]


@pytest.mark.parametrize(
    ("rule", "facts", "why"),
    [
        (Budget(*ENDS, 9, of=Of.ENTITY), Facts(agent="desk"), "nobody said which entity it is"),
        (Budget(*ENDS, 9, per=Per.RUN), Facts(agent="desk"), "nobody said which run it is"),
        (Budget(*ENDS, 9), NO_FACTS, "nobody said which agent it is"),
        (Budget(*ENDS, 9, number="cost"), Facts(agent="desk"), "the agent did not say cost"),
        (Budget(*ENDS, 9, argument="a"), Facts(agent="desk"), "there is no a"),
        (Budget(*ENDS, 9, argument="b"), Facts(agent="desk"), "b has too many digits to be added up"),
        (Budget(*ENDS, 9), Facts(agent="desk"), "what was spent so far could not be read"),
    ],
)
def test_a_budget_that_cannot_be_counted_could_not_be_judged(rule: Budget, facts: Facts, why: str) -> None:
    assert outcome(rule, '{"b":1e99}', facts) == why
