"""Policies with one mistake each, in tests/policies: every one is refused at synth, with the sentence at its head."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from infra.policy_file import check_policy, deployed_policy, known_arguments
from infra.registry import Agent, SettingsError
from placet.policy import Always, FromUntrusted, OneOf, Threshold
from placet.policy.covering import covers
from placet.policy.mistakes import mistakes
from tests.docs.reading import ROOT
from tests.policies import POLICIES, refused_with

BAD = "this cannot be read as Python: "
MISTAKES = [path for path in POLICIES if path.stem != "right"]


@pytest.mark.parametrize("path", MISTAKES, ids=lambda path: path.stem)
def test_a_mistake_is_refused_with_its_sentence(path: Path) -> None:
    with pytest.raises(SettingsError) as refused:
        check_policy(deployed_policy(path), [], path)
    (line,) = str(refused.value).splitlines()
    assert re.match(rf"policy: {path.name}(, line \d+)?(: | must )", line)
    assert refused_with(path) in line


def test_each_file_has_one_mistake_and_the_same_file_without_it_is_taken() -> None:
    right = ROOT / "tests/policies/right.py"
    check_policy(deployed_policy(right), [], right)
    assert len(MISTAKES) >= 85
    assert len({refused_with(path) for path in MISTAKES}) >= 80


def test_the_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "policy.py"
    path.write_text('from placet.policy import Always\n\nRULE = Always("a/b", "A.")\nOTHER = Always("", "B.")\n')
    with pytest.raises(SettingsError, match=r"^policy: policy.py, line 4: rule : id must be a name, and is ''$"):
        deployed_policy(path)
    path.write_text("POLICY = = 1\n")
    with pytest.raises(
        SettingsError,
        match=rf"^policy: policy.py, line 1: {BAD}invalid syntax, in: POLICY = = 1$",
    ):
        deployed_policy(path)
    path.write_text("POLICY = 1 / 0\n")
    with pytest.raises(
        SettingsError,
        match=r"^policy: policy.py, line 1: it cannot be run: ZeroDivisionError: division by zero, in: POLICY = 1 / 0$",
    ):
        deployed_policy(path)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "POLICY = Policy.of(\n    version=“1”,\n)\n",
            f", line 2: {BAD}invalid character '“' (U+201C), in: version=“1”,",
        ),
        (
            "import one\nif one:\nPOLICY = 1\n",
            f", line 3: {BAD}expected an indented block after 'if' statement on line 2, in: POLICY = 1",
        ),
        ("\n  import one\n", f", line 2: {BAD}unexpected indent, in: import one"),
        ("x = 'a\0'\n", f": {BAD}source code string cannot contain null bytes"),
        (
            "import placet_rules_of_ours\n",
            ", line 1: there is no module placet_rules_of_ours: put it beside the policy, or write what is needed here, "
            "in: import placet_rules_of_ours",
        ),
        (
            "from placet.policy import Policy, Treshold\n",
            ", line 1: placet.policy has no Treshold; Threshold was meant, "
            "in: from placet.policy import Policy, Treshold",
        ),
        (
            "from placet.policy import Elephant\n",
            ", line 1: placet.policy has no Elephant, in: from placet.policy import Elephant",
        ),
        (
            "limit = 1\nPOLICY = limmit\n",
            ", line 2: the name limmit is not defined; limit was meant, in: POLICY = limmit",
        ),
        (
            "import sys\nsys.exit(0)\n",
            ", line 2: it ends the program, and a policy only says what there is, in: sys.exit(0)",
        ),
        (
            "import broken_rules\n",
            f", line 1: broken_rules.py, line 2: {BAD}'(' was never closed, in: RULE = (",
        ),
        (
            f"import {'a' * 200}\n",
            f", line 1: there is no module {'a' * 200}: put it beside the policy, or write what is needed here, "
            f"in: import {'a' * 113}",
        ),
    ],
)
def test_a_file_that_cannot_be_read_is_said_with_line_and_text(
    text: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "broken_rules.py").write_text("ONE = 1\nRULE = (\n")
    path = tmp_path / "policy.py"
    path.write_text(text)
    with pytest.raises(SettingsError) as refused:
        deployed_policy(path)
    assert str(refused.value) == f"policy: policy.py{says}"


def test_a_tool_whose_name_is_nearly_an_agents_is_said() -> None:
    policy = deployed_policy(ROOT / "tests/policies/right.py")
    takes = frozenset({"amount", "order_id"})
    (found,) = mistakes(policy, {"pays": takes, "other": takes})
    assert found == "tool pay: no agent has it, and the policy does not name other, pays; pays was meant"
    assert mistakes(policy, {"pay": takes, "pays": takes}) == []
    assert mistakes(policy, {"refund": takes}) == []


def test_all_mistakes_are_said_at_once() -> None:
    path = ROOT / "tests/policies/right.py"
    policy = deployed_policy(path)
    assert len(mistakes(policy, {"pay": frozenset({"sum", "order"})})) == 3


def test_the_functions_of_an_inline_agent_are_known(tmp_path: Path) -> None:
    function = {"name": "pay", "parameters": {"sum": {"type": "string"}, "order_id": {"type": "string"}}}
    definition: dict[str, Any] = {
        "foundationModel": "m",
        "instruction": "i",
        "actionGroups": [{"actionGroupName": "Refunds", "functionSchema": {"functions": [function]}}],
    }
    (tmp_path / "desk.json").write_text(json.dumps(definition))
    target = {"kind": "bedrock_inline", "definition": "desk", "executor": "x", "session_ttl_s": 60}
    agents = [Agent("desk", "r", "o@example.com", target), Agent("other", "s", "o@example.com", {"kind": "pick_up"})]
    assert known_arguments(agents, tmp_path) == {"Refunds.pay": frozenset({"sum", "order_id"})}


@pytest.mark.parametrize(
    ("wide", "narrow", "whether"),
    [
        (Threshold("a", "", "x", 10), Threshold("b", "", "x", 10), True),
        (Threshold("a", "", "x", 10), Threshold("b", "", "x", 9), False),
        (Threshold("a", "", "x", 10), Threshold("b", "", "y", 20), False),
        (Threshold("a", "", "x", 10), Threshold("b", "", "x", below=0), True),
        (Threshold("a", "", "x", 10), Threshold("b", "", "x", below=1), False),
        (Threshold("a", "", "x", below=0), Threshold("b", "", "x", 10), False),
        (Threshold("a", "", "x", 5, -5), Threshold("b", "", "x", 10), False),
        (OneOf("a", "", "x", frozenset({"EUR"})), OneOf("b", "", "x", frozenset({"EUR", "USD"})), True),
        (OneOf("a", "", "x", frozenset({"EUR", "USD"})), OneOf("b", "", "x", frozenset({"EUR"})), False),
        (Always("a", ""), FromUntrusted("b", "", "x"), True),
        (FromUntrusted("a", "", "x"), Always("b", ""), False),
        (FromUntrusted("a", "", "x"), FromUntrusted("b", "", "y"), False),
    ],
)
def test_a_rule_covers_another_only_where_it_certainly_does(wide: Any, narrow: Any, whether: bool) -> None:
    assert covers(wide, narrow) is whether
