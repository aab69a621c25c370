"""Rules about values: which are allowed, which are refused, and which are new."""

from __future__ import annotations

from typing import Any

import pytest

from placet.model.canonical import parse
from placet.policy import (
    NO_FACTS,
    Facts,
    FirstTime,
    NotOneOf,
    Of,
    OneOf,
    OrderSeen,
    Seen,
    UnseenOrder,
    questions_of,
)
from tests.unit.ruling import ENDS, D, outcome, policy

VALUES = frozenset({"EUR", "Acme Ltd", 5, D("2.50"), True})


@pytest.mark.parametrize(
    ("value", "allowed", "refused"),
    [
        ('"EUR"', True, True),
        ('"eur"', False, True),
        ('"E U-R"', False, True),
        ('"\u0415UR"', False, True),
        ('"Acme Ltd"', True, True),
        ('"ACMELTD"', False, True),
        ('"acrne ltd"', False, True),
        ('"USD"', False, False),
        ('"EUROPE"', False, False),
        ('""', False, False),
        ("5", True, True),
        ("5.00", True, True),
        ('"5"', False, True),
        ('" 5.0 "', False, True),
        ("2.5", True, True),
        ("true", True, True),
        ('"true"', False, True),
        ("1", False, False),
        ("false", False, False),
    ],
)
def test_an_allowed_value_is_exact_and_a_refused_one_is_not(value: str, allowed: bool, refused: bool) -> None:
    assert outcome(OneOf(*ENDS, "a", VALUES), f'{{"a":{value}}}') is not allowed
    assert outcome(NotOneOf(*ENDS, "a", VALUES), f'{{"a":{value}}}') is refused


@pytest.mark.parametrize("value", ["null", '["EUR"]', '{"EUR":1}'])
def test_what_is_no_single_value_is_never_allowed(value: str) -> None:
    assert outcome(OneOf(*ENDS, "a", VALUES), f'{{"a":{value}}}') is True
    assert outcome(NotOneOf(*ENDS, "a", VALUES), f'{{"a":{value}}}') == "a is no text, number, true or false"


def test_the_first_time_asks_for_each_value_to_the_letter() -> None:
    rule = FirstTime(*ENDS, "to[].iban", kind="account")
    text = '{"to":[{"iban":"DE1"},{"iban":"de1"},{"iban":"DE1"}]}'
    first, second = questions_of(policy(rule), "pay", parse(text), Facts(agent="desk"))
    assert first == Seen(Of.AGENT, "desk", '["account","DE1"]')
    assert second == Seen(Of.AGENT, "desk", '["account","de1"]')
    assert outcome(rule, text, Facts(agent="desk", answers={first: True, second: True})) is False
    assert outcome(rule, text, Facts(agent="desk", answers={first: True, second: False})) is True
    assert outcome(rule, text, Facts(agent="desk", answers={first: True})) == "what happened before could not be read"
    assert outcome(rule, text) == "nobody said which agent it is"


def test_what_one_tool_touched_is_new_to_another_unless_both_name_its_kind() -> None:
    def asked(tool: str, kind: str) -> tuple[Any, ...]:
        rule = FirstTime(*ENDS, "id", kind=kind)
        return tuple(rule.asks({"id": "A"}, Facts(agent="desk", tool=tool)))

    assert asked("pay", "") != asked("look_up", "")
    assert asked("pay", "account") == asked("look_up", "account")


def test_the_first_time_of_a_tool_is_told_from_that_of_an_agent() -> None:
    rule = FirstTime(*ENDS, "id", of=Of.TOOL)
    assert questions_of(policy(rule), "pay", {"id": 7}, Facts(agent="desk")) == (
        Seen(Of.TOOL, "pay", '["pay","id",7]'),
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"id":null}', "id is no name and no number"),
        ('{"id":""}', "id is no name and no number"),
        ('{"id":["a"]}', "id is no name and no number"),
        ("{}", "there is no id"),
        ('{"id":"%s"}' % ("a" * 600), "id is longer than 512 characters"),
    ],
)
def test_what_names_nothing_could_not_be_judged(text: str, why: str) -> None:
    assert outcome(FirstTime(*ENDS, "id"), text, Facts(agent="desk")) == why


def test_more_than_can_be_asked_for_could_not_be_judged() -> None:
    rule = FirstTime(*ENDS, "ids[]")
    assert (
        outcome(rule, str({"ids": list(range(11))}).replace("'", '"'), Facts(agent="a"))
        == "ids[] names more than 10 at once"
    )


def test_an_order_that_was_never_seen() -> None:
    rule = UnseenOrder(*ENDS)
    facts = Facts(agent="desk", before="search")
    (question,) = questions_of(policy(rule), "pay", {}, facts)
    assert question == OrderSeen("desk", "pay", "search")
    assert outcome(rule, "{}", Facts(agent="desk", before="search", answers={question: True})) is False
    assert outcome(rule, "{}", Facts(agent="desk", before="search", answers={question: False})) is True
    assert outcome(rule, "{}", facts) == "what happened before could not be read"
    assert outcome(rule, "{}", Facts(agent="desk")) == "nobody said which tool was called before"


@pytest.mark.parametrize(
    ("refused", "written"),
    [
        ("\u0412\u0435\u0440\u0430", "\u0432\u0435\u0440\u0430"),
        ("\u0412\u0435\u0440\u0430", "BEPA"),
        ("\u0432\u0435\u0440\u0430", "\u0412\u0415\u0420\u0410"),
        ("\u039d\u03af\u03ba\u03bf\u03c2", "\u039d\u038a\u039a\u039f\u03a3"),
        ("\u039d\u03af\u03ba\u03bf\u03c2", "\u03bd\u03af\u03ba\u03bf\u03c3"),
        ("audit_log", "audit\u3164_log"),
        ("audit_log", "\u115faudit\u1160_log\uffa0"),
        ("audit_log", "\U0001f170udit_log"),
        ("van", "\u03bdan"),
        ("Nina", "\u039dina"),
    ],
    ids=ascii,
)
def test_a_refused_name_is_refused_in_every_alphabet_and_spelling(refused: str, written: str) -> None:
    assert NotOneOf(*ENDS, "a", frozenset({refused})).fires({"a": written}, NO_FACTS)
