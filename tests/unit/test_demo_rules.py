"""The rules that the demo deploys stand on the shipped policy: whatever is changed there, they are still a policy."""

from __future__ import annotations

import sys

import pytest

import placet_policy


def test_the_demos_rules_are_a_policy_on_the_shipped_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "placet_shipped_policy", placet_policy)
    monkeypatch.delitem(sys.modules, "local.agents.rules", raising=False)
    from local.agents import rules

    added = set(rules.POLICY.classes) - set(placet_policy.POLICY.classes)
    assert added == {"two-people", "urgent", "night"}
    asked = {group for name in added for level in rules.POLICY.classes[name].levels for group in level.groups}
    assert asked <= rules.POLICY.groups
