"""What is deployed at a moment: each change is there or not, and the books say once more who may decide then."""

from __future__ import annotations

from dataclasses import dataclass, replace

from placet.model.registry import Registry
from placet.policy.rules import Policy
from tests.gateway import BILLING, SUPPORT

RENAMED, AGENT, LEVELS, VERSION, LEASE = (
    "class renamed",
    "agent gone",
    "levels shortened",
    "version",
    "claim_s shortened",
)
CHANGES = (RENAMED, AGENT, LEVELS, VERSION, LEASE)
GROUPS = {"money-out": {"finance": 0}, "payroll": {"finance": 0}, "general": {"approvers": 0, "board": 1}}


@dataclass(frozen=True)
class Deployed:
    """Which of the changes are deployed."""

    changes: frozenset[str] = frozenset()

    def toggled(self, change: str) -> Deployed:
        """With one change more, or taken back."""
        return Deployed(self.changes ^ {change})

    @property
    def agents(self) -> Registry:
        """The registry."""
        return Registry((BILLING,) if AGENT in self.changes else (SUPPORT, BILLING))

    def policy(self, was: Policy) -> Policy:
        """The policy with these changes."""
        classes, tools = dict(was.classes), dict(was.tools)
        if RENAMED in self.changes:
            classes = {"cash" if name == "money-out" else name: one for name, one in classes.items()}
            classes["cash"] = replace(classes["cash"], name="cash")
            refund = tools["issue_refund"]
            tools["issue_refund"] = replace(refund, action_class="cash")
        if LEVELS in self.changes:
            classes["general"] = replace(classes["general"], levels=classes["general"].levels[:1])
        if LEASE in self.changes:
            classes = {name: replace(one, claim_s=60) for name, one in classes.items()}
        version = "before" if VERSION in self.changes else was.version
        return replace(was, version=version, classes=classes, tools=tools)

    @property
    def groups(self) -> dict[str, dict[str, int]]:
        """Who may decide, by class: each group and the level at which it may. The books' own, not asked of the policy."""
        found = {
            ("cash" if name == "money-out" and RENAMED in self.changes else name): one for name, one in GROUPS.items()
        }
        if LEVELS in self.changes:
            found["general"] = {"approvers": 0}
        return found
