"""docs/policy.md: every example runs, every kind of rule has one, and what the page says of them happens."""

from __future__ import annotations

import ast
import inspect
from decimal import Decimal
from typing import Any

import pytest

import placet.policy
from placet.model.canonical import parse
from placet.policy import Facts, Of, Origin, Passage, Policy, Tool, questions_of, rule_on
from placet.policy.checks import check_rules
from placet.policy.mistakes import mistakes
from placet.policy.places import values_at
from tests.docs.reading import ROOT, blocks, rows

PAGE = ROOT / "docs/policy.md"


def shown() -> tuple[dict[str, Any], list[Any]]:
    """The names that the page defines, and the values of what stands there by itself."""
    names: dict[str, Any] = {"__name__": "shown"}
    values = []
    for text in blocks(PAGE, "python"):
        for one in ast.parse(text).body:
            code = compile(ast.Module([one], []), "policy.md", "exec", dont_inherit=True)
            if isinstance(one, ast.Expr):
                values.append(eval(ast.unparse(one), names))  # noqa: S307 - our own documentation
            else:
                exec(code, names)  # noqa: S102 - our own documentation
    return names, values


NAMES, VALUES = shown()
RULES = {one.id: one for one in [*(one for one in VALUES if not isinstance(one, Tool)), NAMES["OnBehalf"]()]}
TOOLS = {one.name: one for one in VALUES if isinstance(one, Tool)}


def test_the_policy_of_the_page_is_taken() -> None:
    assert mistakes(NAMES["POLICY"]) == []


def test_every_kind_of_rule_has_its_example() -> None:
    kinds = {one for one in vars(placet.policy).values() if inspect.isclass(one) and hasattr(one, "fires")}
    assert kinds <= {type(rule) for rule in RULES.values()}
    check_rules("the page", "rules", tuple(RULES.values()))


@pytest.mark.parametrize(
    ("rule", "text", "facts", "stops"),
    [
        ("general/delete", "{}", {}, True),
        ("mail/many", '{"recipients":["a"]}', {}, False),
        ("orders/price", '{"items":[{"price":1},{"price":100.01}]}', {}, True),
        ("heating/range", '{"celsius":4.9}', {}, True),
        ("heating/range", '{"celsius":5}', {}, False),
        ("money-out/currency", '{"currency":"eur"}', {}, True),
        ("crm/blocked", '{"customer":"ACME-LTD"}', {}, True),
        ("crm/blocked", '{"customer":"Zeta"}', {}, False),
        ("money-out/foreign-account", '{"account_id":"DE-1234"}', {}, True),
        (
            "money-out/foreign-account",
            '{"account_id":"DE-1234"}',
            {"passages": (Passage(Origin.USER, "to de 1234"),)},
            False,
        ),
        (
            "money-out/foreign-account",
            '{"account_id":"DE-1234"}',
            {"passages": (Passage(Origin.TOOL, "use de1234"),)},
            True,
        ),
        ("crm/unsure", "{}", {"confidence": Decimal("0.79")}, True),
        ("crm/unsure", "{}", {"confidence": Decimal("0.8")}, False),
        ("crm/rows", "{}", {"numbers": {"rows": Decimal(50)}}, False),
        ("crm/on-behalf", '{"customer":"Acme"}', {"entity": "Acme"}, False),
        ("crm/on-behalf", "{}", {"entity": "Acme"}, True),
        ("money-out/audit", "{}", {}, False),
        ("money-out/new-account", '{"account_id":"DE-1234"}', {"agent": "desk"}, True),
        ("any/steps", "{}", {"agent": "desk", "run": "r"}, True),
    ],
)
def test_an_example_stops_what_the_page_says(rule: str, text: str, facts: dict[str, Any], stops: bool) -> None:
    tool = Tool("any", "money-out", rules=(RULES[rule],))
    policy = Policy.of("1", [NAMES["MONEY_OUT"]], [tool], "money-out")
    assert rule_on(policy, "any", parse(text), Facts(**facts)).review is stops


def test_nine_times_99_meets_the_budget() -> None:
    policy = Policy.of(
        "1", [NAMES["MONEY_OUT"]], [Tool("pay", "money-out", rules=(RULES["money-out/day"],))], "money-out"
    )
    facts, spent = Facts(agent="desk", entity="Acme"), Decimal(0)
    for _ in range(9):
        asked = questions_of(policy, "pay", {"amount": 99}, facts)
        if not rule_on(
            policy, "pay", {"amount": 99}, Facts(agent="desk", entity="Acme", answers=dict.fromkeys(asked, spent))
        ).review:
            spent += 99
    assert spent == 495
    assert RULES["money-out/day"].of is Of.ENTITY


def test_a_denial_and_an_undo_do_what_the_page_says() -> None:
    policy = Policy.of("1", [NAMES["MONEY_OUT"]], list(TOOLS.values()), "money-out")
    assert rule_on(policy, "issue_refund", {"amount": 10_001}).denied
    assert rule_on(policy, "issue_refund", {"amount": 10_000}).review
    assert rule_on(policy, "issue_refund", {}).review
    undo = TOOLS["book_room"].undo
    assert undo is not None
    assert undo.call({"room": "12"}, {"booking": {"id": "B-1"}}) == {"booking_id": "B-1", "room": "12"}


def test_the_places_on_the_page_are_found() -> None:
    arguments = {
        "amount": 1,
        "order": {"total": 2},
        "items": [{"price": 3}, {"price": 4}],
        "recipients": ["a", "b"],
        "parameters.amount": 5,
    }
    found = [values_at(cells[0].split("`")[1], arguments) for cells in rows(PAGE, "written", "means")]
    assert found == [(1,), (2,), (3, 4), (2,), (Decimal(7),), (5,)]
