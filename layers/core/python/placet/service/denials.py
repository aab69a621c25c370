"""What the policy denies of a call that is on record: asked once more before it runs, and of what an edit would make of it."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

from placet.policy.evaluate import questions_of, rule_on
from placet.policy.facts import Answer, Question, Spending
from placet.records.bodies import Body
from placet.records.calls import HeadCall
from placet.records.heads import Head
from placet.service.facts import gathered, stored_facts
from placet.service.ports import Ports


def denials(
    ports: Ports, head: Head, body: Body, call: HeadCall, arguments: dict[str, Any]
) -> tuple[tuple[str, str], ...]:
    """(rule id, sentence) of what forbids these arguments today, on what was known of the call; empty when nothing does.

    A denial that cannot tell forbids too, unless the person who decided read that it could not: it would have asked somebody, and
    nobody was asked. Proposed again, the call goes to a person.
    """
    facts = stored_facts(head, body, call.number)
    asked = questions_of(ports.policy, call.tool, arguments, facts, only_denials=True)
    ruling = rule_on(ports.policy, call.tool, arguments, replace(facts, answers=_answers(ports, asked)))
    if ruling.denied:
        return ruling.fired
    told = set() if call.observed else {rule for rule, _ in body.fired.get(call.number, ())}
    return tuple(one for one in ruling.unsure if one[0] not in told)


def _answers(ports: Ports, asked: tuple[Question, ...]) -> dict[Question, Answer]:
    """A budget was counted when the call was captured, and is not counted twice: only this call is held against its limit."""
    read = gathered(ports, (one for one in asked if not isinstance(one, Spending)), ports.clock.now_ms())
    return {**read.seen, **{one: Decimal(0) for one in asked if isinstance(one, Spending)}}
