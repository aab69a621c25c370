"""A whole call: a tool with some rules of the drawn kinds, what the store answers, and what has to be said of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from placet.model.canonical import canonical
from placet.policy import ActionClass, Facts, Level, Policy, Tool, questions_of
from placet.policy.facts import Answer, Question
from tests.proofs.ruling import names, numbers, provenance
from tests.proofs.ruling.cases import Case, Draw, Verdict

KINDS: Mapping[str, Draw] = {
    "threshold": numbers.threshold,
    "counted": numbers.counted,
    "number_over": numbers.number_over,
    "confidence": numbers.confidence,
    "budget": numbers.budget,
    "choice": names.choice,
    "first_time": names.first_time,
    "order": names.order,
    "always": names.always,
    "sample": names.sample,
    "own": names.broken,
    "untrusted": provenance.untrusted,
}
ALONE = ("from_untrusted", "unseen_order", "confidence")  # kinds of which a call has one: two would ask the same
ASKING = ActionClass("asks", (Level(("finance",)),), deadline_s=10, hard_maximum_s=10, freshness_s=10)
OBSERVING = replace(ASKING, name="observes", observe=True)
Said = tuple[bool, bool, bool, tuple[tuple[str, bool], ...]]


@dataclass(frozen=True)
class Played:
    """One call under a drawn policy, and what has to be said of it."""

    policy: Policy
    text: str
    facts: Facts
    cases: tuple[Case, ...]
    right: Said

    def facts_for(self, arguments: dict[str, Any]) -> Facts:
        """The facts with what the store answers to the questions that are asked."""
        asked = questions_of(self.policy, "pay", arguments, self.facts)
        known = {question: answer for question in asked if (answer := self._answer(question)) is not None}
        return replace(self.facts, answers=known)

    def _answer(self, question: Question) -> Answer | None:
        return next((found for case in self.cases if (found := case.answer(question)) is not None), None)


def drawn(draw: Random, first: str, kinds: tuple[str, ...]) -> Played:
    """A tool with one to four rules of which the first is of this kind, some of them denying, and a call."""
    cases = [KINDS[first](draw, "a0")]
    for number in range(1, draw.choice((1, 1, 2, 3, 4))):
        case = KINDS[draw.choice(kinds)](draw, f"a{number}")
        if _fits(case, cases):
            cases.append(case)
    denying = [case for case in cases if case.kind != "sample" and draw.random() < 0.25]
    stopping = [case for case in cases if case not in denying]
    observe = draw.random() < 0.15
    tool = Tool(
        "pay", "observes" if observe else "asks", tuple(c.rule for c in stopping), denies=tuple(c.rule for c in denying)
    )
    known: dict[str, Any] = {"agent": "desk", "run": "run-1"}
    for case in cases:
        said = dict(case.known)
        known["numbers"] = {**known.get("numbers", {}), **said.pop("numbers", {})}
        known |= said
    passages = tuple(one for case in cases for one in case.passages)
    members = {name: text for case in cases for name, text in case.arguments.items()}
    text = "{" + ",".join(f"{canonical(name)}:{value}" for name, value in members.items()) + "}"
    policy = Policy.of("1", [ASKING, OBSERVING], [tool], "asks")
    return Played(policy, text, Facts(passages=passages, **known), tuple(cases), _right(denying, stopping, observe))


def _fits(case: Case, others: list[Case]) -> bool:
    """Whether a rule's part of the call leaves that of the others alone."""
    if case.passages and any(one.passages for one in others):
        return False
    if case.kind in ALONE and any(one.kind == case.kind for one in others):
        return False
    return all(
        one.known.get(name, value) == value for one in others for name, value in case.known.items() if name != "numbers"
    )


def _right(denying: list[Case], stopping: list[Case], observe: bool) -> Said:
    """What has to be said: (review, denied, observed, ((rule, whether it could not tell), …))."""
    certain = tuple((case.rule.id, False) for case in denying if case.verdict is Verdict.FIRES)
    if certain:
        return (False, True, False, certain)
    doubtful = [case for case in denying if case.verdict is Verdict.UNJUDGED]
    asked = [*doubtful]
    asked += [case for case in stopping if case.verdict is not Verdict.PASSES]
    fired = tuple((case.rule.id, case.verdict is Verdict.UNJUDGED) for case in asked)
    observes = observe and not doubtful
    return (bool(fired) and not observes, False, bool(fired) and observes, fired)
