"""What rules may know of a call: from its capture or its record, and from the table, in one request for all calls of a pause."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal

from placet.model.errors import Unreadable
from placet.model.pauses import Capture, Evidence, Number, ProposedCall
from placet.policy.facts import Answer, Facts, Of, OrderSeen, Origin, Passage, Question, Seen, Spending
from placet.records.bodies import Body
from placet.records.counters import (
    KEPT_DAY_S,
    KEPT_RUN_S,
    Charge,
    amount_in_units,
    budget_key,
    has_run_out,
    in_words,
    limit_in_units,
    read_seen,
    read_spent,
    seen_key,
)
from placet.records.heads import Head
from placet.records.keys import Key, Keys
from placet.records.ops import Item
from placet.service.ports import Ports

_TOOL = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:/{}-]{0,127}")


def facts_of(agent: str, captured: Capture, number: int) -> Facts:
    """What a captured call is judged by before anything is read."""
    said = _Said(captured.evidence, captured.confidence, captured.numbers, captured.before)
    facts = Facts(agent=agent, requester=captured.requester, entity=captured.entity, run=captured.run)
    return said.beside(facts, captured.native.calls, number)


def stored_facts(head: Head, body: Body, number: int) -> Facts:
    """The same of a pause that is on record, for an edit and for what was executed."""
    said = _Said(body.evidence, body.confidence, body.numbers, body.before)
    facts = Facts(agent=head.agent, requester=head.requester, entity=body.entity, run=head.run)
    return said.beside(facts, body.calls, number)


def _named_by(schema: object) -> frozenset[str]:
    """The keys that a tool's schema names, wherever in it; none without one."""
    found: set[str] = set()
    left = [schema]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            properties = one.get("properties")
            found.update(properties if isinstance(properties, dict) else ())
            left.extend(one.values())
        elif isinstance(one, list):
            left.extend(one)
    return frozenset(found)


@dataclass(frozen=True)
class _Said:
    """The agent's word."""

    evidence: Sequence[Evidence]
    confidence: Number | None
    numbers: Mapping[str, Number]
    before: str | None

    def beside(self, facts: Facts, calls: Sequence[ProposedCall], number: int) -> Facts:
        return Facts(
            agent=facts.agent,
            requester=facts.requester,
            entity=facts.entity,
            run=facts.run,
            before=_named(self.before if number == 1 else calls[number - 2].tool),
            passages=passages_in(self.evidence),
            named=_named_by(calls[number - 1].schema),
            confidence=None if self.confidence is None else Decimal(str(self.confidence)),
            numbers={name: Decimal(str(value)) for name, value in self.numbers.items()},
        )


def _named(before: str | None) -> str | None:
    """The tool that the agent says it called before; None for what is no tool's name: it could be a sentence, and is shown."""
    return before if before is None or before == "" or _TOOL.fullmatch(before) else None


def passages_in(evidence: Sequence[Evidence]) -> tuple[Passage, ...]:
    """Evidence as rules read it. Where no piece says whose words it is, an earlier SDK sent no more than the user's last message:
    what the run read was not handed in."""
    if not any(one.origin for one in evidence):
        return ()
    return tuple(Passage(_origin(one), one.text, one.source, one.cut > 0) for one in evidence)


def _origin(one: Evidence) -> Origin:
    """A piece that does not say whose words it is may be anybody's."""
    return Origin(one.origin) if one.origin else Origin.TOOL if one.trusted else Origin.RETRIEVED


@dataclass(frozen=True)
class Gathered:
    """The answers of the table, read at one moment.

    Attributes:
        spent: units of each counter, by its key.
    """

    keys: Keys
    now_ms: int
    seen: Mapping[Question, bool] = field(default_factory=dict)
    spent: Mapping[Key, int] = field(default_factory=dict)

    def answers(self, questions: Iterable[Question], taken: Mapping[Key, Charge]) -> dict[Question, Answer]:
        """Answers to these questions; one that could not be read has none.

        Args:
            taken: what earlier calls of the same pause spend.
        """
        found: dict[Question, Answer] = {}
        for one in questions:
            if not isinstance(one, Spending):
                if one in self.seen:
                    found[one] = self.seen[one]
                continue
            charge = self.charge(one)
            if charge is not None:
                before = taken[charge.key].amount if charge.key in taken else 0
                found[one] = in_words(self.spent[charge.key] + before)
        return found

    def charge(self, asked: Spending) -> Charge | None:
        """What a call that passes adds to a counter; None where that cannot be counted."""
        amount, limit = amount_in_units(asked.amount), limit_in_units(asked.limit)
        key = _budget(self.keys, asked, self.now_ms)
        if amount is None or limit is None or key not in self.spent:
            return None
        return Charge(key, amount, limit, self.now_ms // 1000 + (KEPT_DAY_S if asked.day else KEPT_RUN_S))


def gathered(ports: Ports, questions: Iterable[Question], now_ms: int) -> Gathered:
    """Answer what rules ask: one request, and none when they ask nothing. What cannot be read is left out."""
    asked = list(dict.fromkeys(questions))
    if not asked:
        return Gathered(ports.keys, now_ms)
    keys = {one: key_of(ports.keys, one, now_ms) for one in asked}
    items = ports.table.get_many(list(dict.fromkeys(keys.values())))
    seen: dict[Question, bool] = {}
    spent: dict[Key, int] = {}
    for one, key in keys.items():
        try:
            if isinstance(one, Spending):
                spent[key] = read_spent(items[key]) if key in items else 0
            else:
                seen[one] = _is_seen(items.get(key), now_ms)
        except Unreadable as error:
            ports.log("unreadable", {"code": error.code, "what": error.what, "pause": ""})
    return Gathered(ports.keys, now_ms, seen, spent)


def key_of(keys: Keys, question: Question, now_ms: int) -> Key:
    """Where the answer to a question lies."""
    if isinstance(question, Spending):
        return _budget(keys, question, now_ms)
    if isinstance(question, Seen):
        return seen_key(keys, question.of.value, question.name, question.key)
    return seen_key(keys, "order", question.agent, question.before, question.tool)


def known_of(question: Question, answer: Answer) -> str:
    """What was known, as a reviewer reads it. What the agent named stands between backticks, and pages set it apart."""
    if isinstance(question, Spending):
        window = "today" if question.day else "in this run"
        return f"{answer:f} of {question.limit:f} were let pass without a person {window} before this call."
    if isinstance(question, OrderSeen):
        place = f"right after {_apart(question.before)}" if question.before else "at the start of a run"
        return f"This agent {'has' if answer else 'has never'} called {_apart(question.tool)} {place} before."
    who = "This agent" if question.of is Of.AGENT else "This tool"
    return f"{who} {'has' if answer else 'has never'} touched this before."


def _apart(name: str) -> str:
    """A name that is the agent's word, or an own rule's; what looks like no tool's name is not repeated in our sentence."""
    return f"`{name}`" if _TOOL.fullmatch(name) else "a tool whose name is no name"


def _budget(keys: Keys, asked: Spending, now_ms: int) -> Key:
    day = datetime.fromtimestamp(now_ms / 1000, UTC).date().isoformat() if asked.day else ""
    return budget_key(keys, asked.key, day)


def _is_seen(item: Item | None, now_ms: int) -> bool:
    return item is not None and read_seen(item) and not has_run_out(item, now_ms)
