"""The policy: absence is never yes, unknown tools pause, and nonsense is refused when it is written, not when it bites."""

from decimal import Decimal

import pytest

import placet_policy
from placet.model.canonical import parse
from placet.policy import ActionClass, Always, Level, Policy, Threshold, Tool, gates, rule_on

LEVEL = (Level(("finance",)),)


@pytest.mark.parametrize(
    ("arguments", "fires"),
    [
        ('{"amount":100}', False),
        ('{"amount":100.00}', False),
        ('{"amount":100.01}', True),
        ('{"amount":101}', True),
        ('{"amount":-1}', True),
        ('{"amount":"5"}', True),
        ('{"amount":true}', True),
        ('{"amount":null}', True),
        ("{}", True),
        ('{"amount":[5]}', True),
        ('{"amount":1e2}', False),
        ('{"amount":1e300}', True),
    ],
)
def test_a_threshold_fires_when_it_cannot_tell(arguments: str, fires: bool) -> None:
    assert Threshold("x", "x", "amount", Decimal(100)).fires(parse(arguments)) is fires


def test_an_unknown_tool_is_reviewed_and_pauses() -> None:
    ruling = rule_on(placet_policy.POLICY, "send_email", {})
    assert ruling.review
    assert ruling.fired[0][0] == "policy/unknown-tool"
    assert "send_email" not in gates(placet_policy.POLICY)


def test_the_gate_list_comes_from_the_policy() -> None:
    assert gates(placet_policy.POLICY) == {
        "Refunds.issueRefund": "pause",
        "delete_records": "pause",
        "get_order": "free",
        "issue_refund": "pause",
    }


@pytest.mark.parametrize(
    "wrong",
    [
        {"quorum": 0},
        {"deadline_s": 0},
        {"deadline_s": 10, "hard_maximum_s": 9},
        {"hard_maximum_s": 400 * 86_400},
        {"freshness_s": 0},
        {"levels": ()},
        {"levels": (Level(()),)},
        {"name": "a.b"},
    ],
)
def test_a_class_that_could_approve_by_itself_or_never_end_is_refused(wrong: dict) -> None:
    right = {"name": "x", "levels": LEVEL, "deadline_s": 10, "hard_maximum_s": 10, "freshness_s": 10}
    ActionClass(**right)
    with pytest.raises(ValueError, match=r"class"):
        ActionClass(**{**right, **wrong})


HOUR = 3_600


@pytest.mark.parametrize("field", ["deadline_s", "hard_maximum_s", "freshness_s", "quorum", "lease_s"])
@pytest.mark.parametrize("value", [1.5, 10.0, True, None, "1", Decimal(10)], ids=repr)
def test_a_number_of_a_class_is_whole(field: str, value: object) -> None:
    right = {"name": "x", "levels": LEVEL, "deadline_s": 10, "hard_maximum_s": 10, "freshness_s": 10}
    with pytest.raises(ValueError, match=rf"^class x: {field} must be a whole number"):
        ActionClass(**{**right, field: value})


@pytest.mark.parametrize(
    ("levels", "said"),
    [
        ((Level(("finance")),), "level 0: groups is a tuple of names"),
        ((Level(["finance"]),), "level 0: groups is a tuple of names"),
        ((Level(None),), "level 0: groups is a tuple of names"),
        ((Level((7,)),), "level 0: groups is a tuple of names"),
        ((Level(("",)),), "every level needs a group"),
        ((Level(("a",)), Level(("b",), 0.5 * HOUR)), "level 1: after_s must be a whole number"),
        ((Level(("a",)), Level(("b",), True)), "level 1: after_s must be a whole number"),
        ((Level(("a",)), Level(("b",), -1)), "level 1: after_s must not be negative"),
        (Level(("finance",)), "levels is a tuple of Level"),
        ("finance", "levels is a tuple of Level"),
        (("finance",), "levels is a tuple of Level"),
        (None, "levels is a tuple of Level"),
    ],
    ids=repr,
)
def test_the_levels_of_a_class_are_said_in_its_words(levels: object, said: str) -> None:
    with pytest.raises(ValueError, match=rf"^class x: {said}"):
        ActionClass("x", levels, deadline_s=10, hard_maximum_s=10, freshness_s=10)


def test_a_name_stands_once() -> None:
    general = ActionClass("general", LEVEL, deadline_s=10, hard_maximum_s=10, freshness_s=10)
    tool = Tool("pay", "general", rules=(Always("a", "a"),))
    Policy.of("1", [general], [tool], "general")
    with pytest.raises(ValueError, match="defines the class 'general' twice"):
        Policy.of("1", [general, general], [], "general")
    with pytest.raises(ValueError, match="defines the tool 'pay' twice"):
        Policy.of("1", [general], [tool, Tool("pay", "general", free=True)], "general")


def test_a_tool_is_free_or_has_a_rule() -> None:
    with pytest.raises(ValueError, match="either free"):
        Tool("t", "x")
    with pytest.raises(ValueError, match="either free"):
        Tool("t", "x", rules=(Always("a", "a"),), free=True)


def test_a_policy_that_names_an_undefined_class_is_refused() -> None:
    with pytest.raises(ValueError, match="does not define"):
        Policy.of("1", [], [], "general")
