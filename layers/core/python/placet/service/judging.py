"""Judging the calls of a pause: each by the policy, on what is known when it is judged, and on what passes before it in the pause.

Budgets are exact because of the write, not of the reading: what a call that passes adds is a clause of its capture. Who lost that
race judges again; who loses it every time, or meets too much going on at one counter, is sent to a person.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from placet.model.pauses import Agent, Capture, ProposedCall
from placet.model.states import CallState
from placet.policy.evaluate import Ruling, questions_of, rule_on
from placet.policy.facts import Facts, Question, Spending
from placet.records.counters import Charge
from placet.records.keys import Key
from placet.service.facts import Gathered, facts_of, gathered, known_of
from placet.service.ports import Ports

MOST_CHARGES = 50  # counters of one pause: a transaction takes 100 items
UNREADABLE = ("placet/unreadable", "A value of this call has no certain reading, so it can only be rejected.")
CROWDED = (
    "placet/too-many-open",
    "As many calls of this agent wait for people as may. Nobody was asked, and the call does not run.",
)
UNCOUNTED = ("placet/uncounted", "What this call spends could not be counted, so a person has to look.")


@dataclass(frozen=True)
class Precedent:
    """Why nobody is asked about a call: an earlier call of its run.

    Attributes:
        state: PASSED, once, for what a reviewer approved before; REPEATED when the earlier call's outcome answers it.
        by: id of the earlier call.
    """

    state: CallState
    by: str


NO_PRECEDENTS: Mapping[int, Precedent] = {}


@dataclass(frozen=True)
class Judgement:
    """What the policy said of the calls of a pause, by number.

    Attributes:
        known: what was known of the past, in sentences.
        asking: calls whose execution is an answer to what later calls ask.
        charges: what the calls that pass without a person add to budgets.
    """

    rulings: Mapping[int, Ruling]
    known: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    asking: frozenset[int] = frozenset()
    charges: tuple[Charge, ...] = ()

    @property
    def fired(self) -> dict[int, tuple[tuple[str, str], ...]]:
        """(rule id, sentence) of what fired."""
        return {number: ruling.fired for number, ruling in self.rulings.items()}


def judge(
    ports: Ports,
    agent: Agent,
    captured: Capture,
    precedents: Mapping[int, Precedent],
    now_ms: int,
    *,
    counted: bool = True,
) -> Judgement:
    """The rulings on all calls of a capture, in their order.

    Args:
        counted: whether budgets are asked; if not, they could not be, and whatever needs one goes to a person.
    """
    facts = {call.number: facts_of(agent.name, captured, call.number) for call in captured.native.calls}
    asked = {call.number: _questions(ports, call, facts[call.number]) for call in captured.native.calls}
    found = gathered(ports, (one for questions in asked.values() for one in questions), now_ms)
    rulings: dict[int, Ruling] = {}
    known: dict[int, tuple[str, ...]] = {}
    taken: dict[Key, Charge] = {}
    for call in captured.native.calls:
        number, questions = call.number, asked[call.number]
        answers = found.answers((one for one in questions if counted or not isinstance(one, Spending)), taken)
        ruling = _ruling(ports, call, replace(facts[number], answers=answers), precedents.get(number))
        if _spends(ruling, precedents.get(number)):
            after = _with_charges(found, questions, taken) if counted else _unless_asked(questions, taken)
            if after is None:
                answers = {one: answer for one, answer in answers.items() if not isinstance(one, Spending)}
                ruling = _ruling(ports, call, replace(facts[number], answers=answers), precedents.get(number))
                ruling = _also_fired(ruling, UNCOUNTED) if _spends(ruling, precedents.get(number)) else ruling
            else:
                taken = after
        rulings[number] = ruling
        if answers:
            known[number] = tuple(known_of(one, answer) for one, answer in answers.items())
    asking = {number for number, questions in asked.items() if any(not isinstance(one, Spending) for one in questions)}
    return Judgement(rulings, known, frozenset(asking), tuple(taken.values()))


def not_asked(judged: Judgement) -> Judgement:
    """The same without anybody to be asked: what would wait for a person is denied, and says that there is no room. What passes
    passes, and what was forbidden stays so for its own reason.
    """
    rulings = {
        number: replace(ruling, review=False, denied=True, fired=(*ruling.fired, CROWDED)) if ruling.review else ruling
        for number, ruling in judged.rulings.items()
    }
    return replace(judged, rulings=rulings)


def _questions(ports: Ports, call: ProposedCall, facts: Facts) -> tuple[Question, ...]:
    return questions_of(ports.policy, call.tool, call.arguments, facts)


def _ruling(ports: Ports, call: ProposedCall, facts: Facts, precedent: Precedent | None) -> Ruling:
    """The policy's word; what has no certain reading never passes, and what has a precedent is not asked for again."""
    ruling = rule_on(ports.policy, call.tool, call.arguments, facts)
    if call.unreadable and not ruling.denied:  # also where the class only observes: nobody can tell what would run
        return replace(ruling, review=True, observed=False, fired=(*ruling.fired, UNREADABLE))
    return ruling if precedent is None or ruling.denied else replace(ruling, review=False, observed=False)


def _also_fired(ruling: Ruling, fired: tuple[str, str]) -> Ruling:
    """As if a rule of the policy had fired."""
    observes = ruling.action_class.observe
    return replace(ruling, review=not observes, observed=observes, fired=(*ruling.fired, fired))


def _spends(ruling: Ruling, precedent: Precedent | None) -> bool:
    """Whether the call passes by the policy alone. What a person approved before does not, nor what would have been asked about in
    a class that only observes: else its budget would be another than the one that it will have."""
    return precedent is None and not ruling.review and not ruling.observed and not ruling.denied


def is_sampled(ruling: Ruling, precedent: Precedent | None) -> bool:
    """Whether somebody is to look at the call afterwards: of what nobody looked at before."""
    return bool(ruling.sampled) and precedent is None and not ruling.review and not ruling.denied


def _unless_asked(questions: tuple[Question, ...], taken: dict[Key, Charge]) -> dict[Key, Charge] | None:
    return None if any(isinstance(one, Spending) for one in questions) else taken


def _with_charges(
    found: Gathered, questions: tuple[Question, ...], taken: Mapping[Key, Charge]
) -> dict[Key, Charge] | None:
    """What is taken once this call passes too; None when that cannot be counted in one write."""
    after = dict(taken)
    for one in questions:
        if not isinstance(one, Spending):
            continue
        charge = found.charge(one)
        if charge is None:
            return None
        after[charge.key] = after[charge.key].beside(charge) if charge.key in after else charge
        if after[charge.key].amount > after[charge.key].limit:
            return None
    return after if len(after) <= MOST_CHARGES else None
