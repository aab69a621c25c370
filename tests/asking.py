"""Rules that ask the table, and a policy of them, for tests of the service that answers: small, and of every kind of question."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import placet_policy
from placet.policy import Budget, Facts, FirstTime, Of, OrderSeen, Policy, Sample, Seen, Spending, Tool

SPENT = "test/budget"


@dataclass(frozen=True)
class Within:
    """What passes of `amount` adds up to at most `limit`."""

    limit: Decimal
    day: bool = True
    id: str = SPENT
    sentence: str = "The budget is used up."

    def asks(self, arguments: dict[str, Any], facts: Facts) -> Iterable[Spending]:
        amount = Decimal(str(arguments["amount"]))
        whose = [self.id, facts.entity] if self.day else [self.id, facts.agent, facts.run]
        return [Spending(json.dumps(whose), amount, self.limit, self.day)]

    def fires(self, arguments: dict[str, Any], facts: Facts) -> bool:
        (asked,) = self.asks(arguments, facts)
        return facts.spent(asked) + asked.amount > asked.limit


@dataclass(frozen=True)
class Known:
    """A first refund of an order by this agent is looked at."""

    id: str = "test/novelty"
    sentence: str = "This agent never refunded this order."

    def asks(self, arguments: dict[str, Any], facts: Facts) -> Iterable[Seen]:
        return [Seen(Of.AGENT, facts.agent, json.dumps(["order", arguments["order_id"]]))]

    def fires(self, arguments: dict[str, Any], facts: Facts) -> bool:
        return not all(facts.is_so(one) for one in self.asks(arguments, facts))


@dataclass(frozen=True)
class InOrder:
    """An order of tools that never was is looked at."""

    id: str = "test/order"
    sentence: str = "This agent never did this after that."

    def asks(self, arguments: dict[str, Any], facts: Facts) -> Iterable[OrderSeen]:
        return [] if facts.before is None else [OrderSeen(facts.agent, facts.tool, facts.before)]

    def fires(self, arguments: dict[str, Any], facts: Facts) -> bool:
        asked = list(self.asks(arguments, facts))
        return not asked or not facts.is_so(asked[0])


@dataclass(frozen=True)
class Careless:
    """A rule that asks for a budget and does not look at the answer."""

    limit: Decimal = Decimal(100)
    id: str = "test/careless"
    sentence: str = "Never."

    def asks(self, arguments: dict[str, Any], facts: Facts) -> Iterable[Spending]:
        return [Spending("careless", Decimal(str(arguments["amount"])), self.limit, True)]

    def fires(self, arguments: dict[str, Any], facts: Facts) -> bool:
        return False


def policy_of(*rules: Any, tool: str = "issue_refund", **changes: Any) -> Policy:
    """The example policy with these rules alone for a tool; `changes` of its class."""
    example = replace(placet_policy.POLICY, groups=frozenset())
    made = Tool(tool, "money-out", rules)
    changed = replace(example.classes["money-out"], **changes)
    return replace(example, tools={**example.tools, tool: made}, classes={**example.classes, "money-out": changed})


def asking(amount: str, touched: str, tool: str = "issue_refund") -> Policy:
    """The example policy with a budget, a first time and a sample of every call for a tool: all that asks the table."""
    rules = (
        Budget("test/budget", "The budget is used up.", Decimal(10**6), argument=amount),
        FirstTime("test/first", "It is new.", touched),
        Sample("test/sample", "Looked at afterwards.", 1),
    )
    return policy_of(*rules, tool=tool)
