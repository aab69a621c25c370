"""Each kind of rule at its limits: what passes, what fires, what cannot be judged, and what is refused when it is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest

from placet.model.canonical import parse
from placet.policy import (
    NO_FACTS,
    ActionClass,
    Always,
    Argument,
    Budget,
    ConfidenceBelow,
    Facts,
    FirstTime,
    Level,
    NotOneOf,
    NumberOver,
    Of,
    OneOf,
    OrderSeen,
    Outcome,
    Per,
    Policy,
    Sample,
    Seen,
    Spending,
    Threshold,
    Tool,
    Undo,
    Unjudged,
    UnseenOrder,
    questions_of,
    rule_on,
)
from placet.policy.places import MOST_VALUES, numbers_at, values_at
from placet.policy.rules import Rule

CLASS = ActionClass("x", (Level(("finance",)),), deadline_s=10, hard_maximum_s=10, freshness_s=10)
ENDS = ("x", "x")
D = Decimal


def policy(*rules: Rule, denies: tuple[Rule, ...] = (), observe: bool = False) -> Policy:
    action_class = ActionClass("y", CLASS.levels, deadline_s=10, hard_maximum_s=10, freshness_s=10, observe=observe)
    return Policy.of("1", [CLASS, action_class], [Tool("pay", "y", rules=rules, denies=denies)], "x")


def outcome(rule: Rule, text: str, facts: Facts = NO_FACTS) -> bool | str:
    """True, False, or why it could not be judged."""
    ruling = rule_on(policy(rule), "pay", parse(text), facts)
    if not ruling.review:
        return False
    ((_, sentence),) = ruling.fired
    _, unsure, why = sentence.partition("This could not be judged: ")
    return why.removesuffix(".") if unsure else True


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
        (Budget("b", "", 9, of=Of.ENTITY), {}, Spending('["b","entity","acrneltd"]', D(1), D(9), True)),
        (Budget("b", "", 9, of=Of.REQUESTER), {}, Spending('["b","requester","rnarla"]', D(1), D(9), True)),
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


def test_a_sample_marks_and_asks_nobody() -> None:
    one, some = Sample("s", "For the audit.", 1), Sample("s", "For the audit.", 4)
    ruling = rule_on(policy(one), "pay", {})
    assert not ruling.review
    assert ruling.sampled == (("s", "For the audit."),)
    marked = {number: bool(rule_on(policy(some), "pay", {"n": number}).sampled) for number in range(400)}
    assert 60 <= sum(marked.values()) <= 140
    assert marked == {number: bool(rule_on(policy(some), "pay", {"n": number}).sampled) for number in range(400)}


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
