"""The policy: absence is never yes, unknown tools pause, and nonsense is refused when it is written, not when it bites."""

from dataclasses import fields, replace
from decimal import Decimal
from typing import Any

import pytest

import placet_policy
from placet.model.canonical import parse
from placet.policy import NO_FACTS, ActionClass, Always, Level, Policy, Then, Threshold, Tool, Undo, gates, rule_on

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
    rule = Threshold("x", "x", "amount", Decimal(100))
    policy = Policy.of("1", [CLASS], [Tool("pay", "x", rules=(rule,))], "x")
    assert rule_on(policy, "pay", parse(arguments)).review is fires


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
WHOLE = ("deadline_s", "hard_maximum_s", "freshness_s", "quorum", "claim_s", "undo_s")


@pytest.mark.parametrize("field", WHOLE)
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


RULES = (Always("a", "a"),)
CLASS = ActionClass("x", LEVEL, deadline_s=10, hard_maximum_s=10, freshness_s=10)
TOOL = Tool("pay", "x", rules=RULES)
POLICY = Policy.of("1", [CLASS], [TOOL], "x")
FLAGS = ("may_edit", "observe", "tells_requester", "mail")
CARELESS = [
    *[(TOOL, "fixed", value) for value in ("order_id", ("order_id",), {7}, {""}, None, {"order_id": 1})],
    *[(TOOL, "takes", value) for value in ("order_id", ("order_id",), {7}, {""}, None)],
    *[(TOOL, "denies", value) for value in ([], None, RULES[0], ("a/b",), (Always,))],
    *[(TOOL, "undo", value) for value in ("refund", {"id": 1}, Undo)],
    *[(TOOL, "effect", value) for value in ("never", None, 0)],
    *[(TOOL, "rules", value) for value in ([], None, RULES[0], ("a/b",), (Always,), [RULES[0]])],
    *[(TOOL, field, value) for field in ("free", "denied") for value in ("no", "", 0, 1, None)],
    *[(TOOL, field, None) for field in ("name", "action_class", "sentence", "consequence", "type_to_accept")],
    *[(TOOL, "type_to_accept", value) for value in (True, ("order_id",))],
    *[(TOOL, field, "") for field in ("name", "action_class")],
    *[(CLASS, field, value) for field in FLAGS for value in ("no", 0, None)],
    *[(CLASS, field, value) for field, value in (("name", ""), ("name", None), ("say", None), ("say", ("x",)))],
    *[(CLASS, "remind_after_s", value) for value in (5, [5], None, (0.5,), (True,), ("5",))],
    *[(CLASS, "then", value) for value in ("expire", "accept", None, True)],
    *[(CLASS, "hours", value) for value in ("Europe/Berlin", True, 8)],
    *[(RULES[0], field, None) for field in ("id", "sentence")],
    *[(Threshold("a/b", "", "x", Decimal(1)), field, None) for field in ("id", "sentence", "argument", "above")],
    *[
        (Threshold("a/b", "", "x", Decimal(1), below=Decimal(0)), field, value)
        for field in ("above", "below")
        for value in ("100", 99.5, True, Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"))
    ],
    *[(POLICY, field, value) for field in ("version", "unknown_class") for value in ("", 1, None)],
    *[(POLICY, "groups", value) for value in ("finance", ("finance",), [], {""}, None)],
    *[(POLICY, "sign_in_groups", value) for value in ("finance", ("finance",), [], {"finance": "EU"}, None)],
    *[(POLICY, "classes", value) for value in ([CLASS], None, {"y": CLASS}, {"x": TOOL})],
    *[(POLICY, "tools", value) for value in ([TOOL], None, {"y": TOOL}, {"pay": CLASS})],
]


@pytest.mark.parametrize(("right", "field", "value"), CARELESS, ids=repr)
def test_what_is_written_carelessly_is_refused_when_it_is_written(right: Any, field: str, value: object) -> None:
    with pytest.raises(ValueError, match=rf"{field}\b.* (must be|is) "):
        replace(right, **{field: value})


def test_every_field_of_a_policy_is_written_carelessly_once() -> None:
    tried = {(type(right), field) for right, field, _ in CARELESS}
    tried |= {(ActionClass, field) for field in ("levels", *WHOLE)}
    made = (Always, Threshold, ActionClass, Tool, Policy)
    assert {(kind, field.name) for kind in made for field in fields(kind)} == tried


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"levels": (Level(("a",), 1),)}, "level 0: after_s must be 0"),
        ({"levels": (*LEVEL, Level(("b",)))}, "after_s of the levels: 0 is not after the beginning"),
        ({"levels": (*LEVEL, Level(("b",), 3), Level(("c",), 3))}, "after_s of the levels: 3 does not come after 3"),
        ({"levels": (*LEVEL, Level(("b",), 10))}, "after_s of the levels: 10 is never reached"),
        ({"remind_after_s": (0,)}, "remind_after_s: 0 is not after the beginning"),
        ({"remind_after_s": (4, 2)}, "remind_after_s: 2 does not come after 4"),
        ({"remind_after_s": (4, 11)}, "remind_after_s: 11 is never reached"),
        ({"remind_after_s": tuple(range(1, 30)), "deadline_s": 60, "hard_maximum_s": 60}, "at most 10 levels and 20"),
    ],
)
def test_a_moment_that_never_comes_is_refused(wrong: dict, said: str) -> None:
    with pytest.raises(ValueError, match=rf"^class x: {said}"):
        replace(CLASS, **wrong)


def test_nothing_that_approves_can_be_written() -> None:
    assert {then.value for then in Then} == {"expire", "reject"}


@pytest.mark.parametrize("listed", [([None], []), ([CLASS], ["pay"]), ([TOOL], []), ([CLASS], [CLASS])])
def test_a_list_of_something_else_is_refused(listed: Any) -> None:
    with pytest.raises(ValueError, match=r"which is no (class|tool)"):
        Policy.of("1", *listed, "x")


def test_a_whole_limit_and_a_plain_set_are_taken() -> None:
    assert not Threshold("a/b", "", "x", 100).fires({"x": 100}, NO_FACTS)
    assert replace(TOOL, fixed={"order_id"}).fixed == {"order_id"}


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
