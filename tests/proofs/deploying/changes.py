"""What a deploy, or somebody who administers people, changes while pauses wait."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from placet.policy import Level
from tests.proofs.deploying.cast import DESK, FINANCE, LEADS, OTHERS, REFUNDS, Deployed
from tests.proofs.world.cast import BILLING, HOUR, MINUTE, SUPPORT

To = Callable[[Deployed], Deployed]


@dataclass(frozen=True)
class Change:
    """One change.

    Attributes:
        to: what is deployed then, from what was.
        back: the round in which what was is deployed again; 0: never.
    """

    name: str
    to: To
    back: int = 0


def _push(was: Deployed) -> Deployed:
    return was.agent(SUPPORT.name, target="sqs", queue="decided.fifo")


def _levels(was: Deployed) -> Deployed:
    return was.action_class("ladder", levels=was.policy.classes["ladder"].levels[:1])


def _more_levels(was: Deployed) -> Deployed:
    levels = tuple(Level((group,), 60 * number) for number, group in enumerate((FINANCE, LEADS, OTHERS)))
    return was.action_class("ladder", levels=levels).action_class("one", levels=levels[:2])


def _level_before(was: Deployed) -> Deployed:
    return was.every_class(levels=(Level((LEADS,)), Level((FINANCE,), 1)))


def _all_renamed(was: Deployed) -> Deployed:
    for name in tuple(was.policy.classes):
        was = was.renamed(name, f"new-{name}")
    return was


CHANGES = (
    Change("agent removed", lambda was: was.without_agent(SUPPORT.name)),
    Change("agent removed and back", lambda was: was.without_agent(SUPPORT.name), back=4),
    Change("agent renamed", lambda was: was.agent(SUPPORT.name, name="helpdesk-agent")),
    Change("every agent removed", lambda was: was.without_agent(*(agent.name for agent in was.agents))),
    Change("framework of an agent", lambda was: was.agent(SUPPORT.name, target="bedrock", bedrock=REFUNDS.bedrock)),
    Change("framework of a Bedrock agent", lambda was: was.agent(REFUNDS.name, target="pick_up", bedrock=None)),
    Change("pick-up to push", _push),
    Change("pick-up to push and back", _push, back=3),
    Change("push to pick-up", lambda was: was.agent(DESK.name, target="pick_up", queue="")),
    Change("Lambda to pick-up", lambda was: was.agent(BILLING.name, target="pick_up", function="")),
    Change("pick-up to Lambda", lambda was: was.agent(SUPPORT.name, target="lambda", function="a-function")),
    Change("delivery queue removed", lambda was: replace(was, queues=frozenset())),
    Change("executor removed", lambda was: replace(was, executors=frozenset())),
    Change("Bedrock alias", lambda was: was.agent(REFUNDS.name, bedrock=replace(REFUNDS.bedrock, alias_id="OTHER"))),
    Change("owner of the agents", lambda was: was.agent(SUPPORT.name, owner="maria@example.com")),
    Change("class renamed", lambda was: was.renamed("one", "money")),
    Change("class renamed and back", lambda was: was.renamed("one", "money"), back=4),
    Change("every class renamed", _all_renamed),
    Change("class removed", lambda was: was.without_class("one", "other")),
    Change("class of several removed", lambda was: was.without_class("other", "one")),
    Change("groups of a class", lambda was: was.action_class("one", levels=(Level((OTHERS,)),))),
    Change("groups of every class", lambda was: was.every_class(levels=(Level((LEADS,)),))),
    Change("groups that nobody is in", lambda was: was.action_class("one", levels=(Level(("nobody",)),))),
    Change("group emptied", lambda was: was.empty(FINANCE)),
    Change("group emptied and filled", lambda was: was.empty(FINANCE), back=4),
    Change("every group emptied", lambda was: replace(was, people={})),
    Change("one member left", lambda was: replace(was, people={**was.people, "maria": ()})),
    Change("levels shortened", _levels),
    Change("levels added", _more_levels),
    Change("level put before", _level_before),
    Change("policy version lowered", lambda was: replace(was, policy=replace(was.policy, version="2025-01-01"))),
    Change("deadlines shortened", lambda was: was.every_class(deadline_s=MINUTE, hard_maximum_s=2 * MINUTE)),
    Change("deadlines lengthened", lambda was: was.every_class(deadline_s=4 * HOUR, hard_maximum_s=24 * HOUR)),
    Change("claim_s shortened", lambda was: was.every_class(claim_s=10)),
    Change("freshness shortened", lambda was: was.every_class(freshness_s=10)),
    Change("quorum raised", lambda was: was.action_class("one", quorum=2)),
    Change("quorum lowered", lambda was: was.action_class("two", quorum=1)),
    Change("class of a tool", lambda was: was.tool("refund", action_class="other")),
    Change("tool removed", lambda was: was.without_tool("refund")),
    Change("tool denied", lambda was: was.tool("refund", rules=(), denied=True)),
    Change("tool free", lambda was: was.tool("refund", rules=(), free=True)),
    Change("unknown class", lambda was: replace(was, policy=replace(was.policy, unknown_class="two"))),
    Change("epoch raised", lambda was: replace(was, epoch=was.epoch + 1)),
)
