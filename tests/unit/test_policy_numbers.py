"""Places in arguments, thresholds, the numbers and the confidence of an agent: what fires and what could not be judged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from placet.model.canonical import parse
from placet.policy import (
    Always,
    ConfidenceBelow,
    Facts,
    NumberOver,
    Threshold,
    Unjudged,
    rule_on,
)
from placet.policy.places import MOST_VALUES, numbers_at, values_at
from tests.unit.ruling import ENDS, D, outcome, policy


@pytest.mark.parametrize(
    ("place", "text", "found"),
    [
        ("a", '{"a":1}', (1,)),
        ("a.b", '{"a":{"b":2}}', (2,)),
        ("a[]", '{"a":[1,2]}', (1, 2)),
        ("a[].b", '{"a":[{"b":1},{"b":2}]}', (1, 2)),
        ("a[][]", '{"a":[[1],[2,3]]}', (1, 2, 3)),
        ('"a.b"', '{"a.b":1,"a":{"b":2}}', (1,)),
        ('a."b c".d', '{"a":{"b c":{"d":3}}}', (3,)),
        ("len(a)", '{"a":[1,2,3]}', (3,)),
        ("len(a)", '{"a":[]}', (0,)),
        ("len(a[].b)", '{"a":[{"b":[1]},{"b":[]}]}', (1, 0)),
        ("len(a)", '{"a":{"b":1}}', (1,)),
        ("sum(a[].b)", '{"a":[{"b":0.10},{"b":0.20}]}', (D("0.30"),)),
        ("order-id", '{"order-id":1}', (1,)),
    ],
)
def test_a_place_is_found(place: str, text: str, found: tuple[Any, ...]) -> None:
    assert values_at(place, parse(text)) == found


@pytest.mark.parametrize(
    ("place", "text", "why"),
    [
        ("a", "{}", "there is no a"),
        ("a.b", '{"a.b":1}', "there is no a.b"),
        ("a.b", '{"a":[{"b":1}]}', "there is no a.b"),
        ("a.b", '{"a":null}', "there is no a.b"),
        ("a[].b", '{"a":[{"b":1},{}]}', "there is no a[].b"),
        ("a[]", '{"a":{}}', "a[]: there is no list"),
        ("a[]", '{"a":"text"}', "a[]: there is no list"),
        ("a[]", '{"a":[]}', "a[] is empty"),
        ("len(a)", '{"a":"text"}', "len(a): there is no list"),
        ("sum(a[])", '{"a":[1,"2"]}', "sum(a[]) is no number"),
        ("sum(a[])", '{"a":[1e300]}', "sum(a[]) has too many digits to be added up"),
    ],
)
def test_a_place_that_is_not_there_could_not_be_judged(place: str, text: str, why: str) -> None:
    with pytest.raises(Unjudged) as missing:
        values_at(place, parse(text))
    assert missing.value.why == why


def test_a_place_with_too_many_values_could_not_be_judged() -> None:
    assert len(values_at("a[]", {"a": [1] * MOST_VALUES})) == MOST_VALUES
    with pytest.raises(Unjudged, match="more than 10,000 values"):
        values_at("a[]", {"a": [1] * (MOST_VALUES + 1)})


@pytest.mark.parametrize(
    "place", ["a[0]", "a..b", ".a", "a.", "a b", "len(a", "max(a)", '"a', "a[", "[]", "len(len(a))"]
)
def test_what_is_no_place_is_refused(place: str) -> None:
    with pytest.raises(
        ValueError, match=r"rule x: argument must be a place, and is none: .* write amount, order.total"
    ):
        Threshold("x", "x", place, 1)


@pytest.mark.parametrize("value", [True, None, "5", [5], {"b": 5}, 5.0, D("NaN"), D("Infinity"), 1 << 3_401])
def test_what_is_no_number_could_not_be_judged(value: Any) -> None:
    with pytest.raises(Unjudged):
        numbers_at("a", {"a": value})


@pytest.mark.parametrize(
    ("limits", "fires", "passes"),
    [
        (
            {"above": 100},
            ("-1", "100.01", "100.0000000000000000000000000000000001", "1e300"),
            ("0", "-0", "100", "1e2", "1e-300"),
        ),
        ({"below": 10}, ("9.99", "-1"), ("10", "1e300")),
        ({"above": 10, "below": -10}, ("10.1", "-10.1"), ("10", "-10", "0")),
        ({"above": 5, "below": 5}, ("4.999", "5.001"), ("5", "5.0")),
    ],
    ids=repr,
)
def test_a_threshold_at_its_limits(limits: Mapping[str, int], fires: tuple[str, ...], passes: tuple[str, ...]) -> None:
    rule = Threshold(*ENDS, "a", **limits)
    assert {number: outcome(rule, f'{{"a":{number}}}') for number in fires + passes} == {
        number: number in fires for number in fires + passes
    }


def test_a_threshold_looks_at_every_item() -> None:
    rule = Threshold(*ENDS, "items[].price", 100)
    assert outcome(rule, '{"items":[{"price":1},{"price":100}]}') is False
    assert outcome(rule, '{"items":[{"price":1},{"price":101}]}') is True
    assert outcome(rule, '{"items":[{"price":1},{"cost":1}]}') == "there is no items[].price"
    assert outcome(Threshold(*ENDS, "len(recipients)", 2), '{"recipients":["a","b","c"]}') is True


@pytest.mark.parametrize(
    ("said", "fires"),
    [
        ("20", False),
        ("0", False),
        ("20.1", True),
        ("-1", True),
        (None, "the agent did not say rows"),
        ("NaN", "the agent did not say rows"),
    ],
)
def test_a_number_is_the_agents_word(said: str | None, fires: bool | str) -> None:
    rule = NumberOver(*ENDS, "rows", 20)
    facts = Facts(numbers={} if said is None else {"rows": D(said)})
    assert outcome(rule, "{}", facts) == fires
    if fires is True:
        assert rule_on(policy(rule), "pay", {}, facts).fired == (("x", f"x The agent says rows: {said}."),)


@pytest.mark.parametrize(
    ("said", "fires"),
    [
        (D("0.8"), False),
        (D(1), False),
        (D("0.7999"), True),
        (D(0), True),
        *[
            (one, "the agent did not say how sure it is, between 0 and 1")
            for one in (None, D("1.01"), D("-0.1"), 1, "0.9", True)
        ],
    ],
)
def test_confidence_asks_more_and_never_less(said: Any, fires: bool | str) -> None:
    rule = ConfidenceBelow(*ENDS, D("0.8"))
    assert outcome(rule, "{}", Facts(confidence=said)) == fires
    assert rule_on(policy(rule, Always("y", "y")), "pay", {}, Facts(confidence=said)).review
