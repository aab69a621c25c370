"""The proof of the policy at its quick size, and the bugs that it has to see."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from itertools import count
from typing import Any
from unittest import mock

import pytest

from placet.model import folding, latin
from placet.model.folding import Folded, loose, one_case, plain
from placet.model.latin import in_latin
from placet.policy import (
    Facts,
    Unjudged,
    budgets,
    choices,
    evaluate,
    novelty,
    places,
    provenance,
    sampling,
    spelling,
    spoken,
    thresholds,
)
from placet.policy.novelty import FirstTime
from placet.policy.provenance import FromUntrusted
from tests.proofs import Size, policy
from tests.proofs.ruling.calls import KINDS

numbers_at, is_so, said_holds = places.numbers_at, Facts.is_so, spoken.Said.holds
leaves = provenance._leaves


def say(line: str) -> None:
    print(line, flush=True)


def test_nothing_that_needs_a_person_passes() -> None:
    proof = policy.prove(say, Size(quick=True))
    assert proof.violations == [], proof.table
    assert re.fullmatch(
        r"policy: cases=3[01]\d\d rule_types=12 fail_open=0 impure=0 oracle_differs=0 mistakes=1[01]\d mistakes_passed=0",
        proof.line,
    )


def absent_passes(text: str, arguments: dict[str, Any]) -> tuple[Decimal, ...]:
    try:
        return numbers_at(text, arguments)
    except Unjudged:
        return ()


def as_floats(text: str, arguments: dict[str, Any]) -> tuple[Decimal, ...]:
    return tuple(Decimal(float(number)) for number in numbers_at(text, arguments))


def first_only(text: str, arguments: dict[str, Any]) -> tuple[Decimal, ...]:
    return numbers_at(text, arguments)[:1]


def raising_passes(rule: Any, arguments: dict[str, Any], facts: Facts) -> Any:
    try:
        fires = rule.fires(arguments, facts)
    except Exception:
        return None
    return evaluate._Fired((rule.id, rule.sentence), True) if fires else None


def truthy(rule: Any, arguments: dict[str, Any], facts: Facts) -> Any:
    try:
        fires = rule.fires(arguments, facts)
    except Exception as error:
        return evaluate._unjudged(rule, str(error))
    return evaluate._Fired((rule.id, rule.sentence), True) if fires else None


def unanswered_is_known(facts: Facts, question: Any) -> bool:
    try:
        return is_so(facts, question)
    except Unjudged:
        return True


def without_this_call(first: Decimal, second: Decimal) -> Decimal:
    return first


def rounded(first: Decimal, second: Decimal) -> Decimal:
    return Decimal(float(first) + float(second))


def any_spelling(said: spoken.Said, value: str) -> bool:
    return loose(value) in loose(" ".join(said._texts))


def without_marks(sign: str) -> str:
    parts = unicodedata.normalize("NFKD", sign).casefold()
    return "".join(part for part in parts if unicodedata.category(part)[0] != "M")


def by_category(sign: str) -> bool:
    return sign.isalnum() and not folding.is_hidden(sign)


def at_random() -> Callable[..., bool]:
    numbers = count()
    return lambda sample, arguments, facts: next(numbers) % 2 == 0


def no_parts(rule: FromUntrusted, values: list[str]) -> list[str]:
    return values


def without_keys(values: Any, named: Any) -> Any:
    for value in values:
        yield from leaves([value], _keys(value))


def _keys(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [*value, *(key for one in value.values() for key in _keys(one))]
    return [key for one in value for key in _keys(one)] if isinstance(value, list) else []


def folded_key(rule: FirstTime, value: Any, tool: str) -> str:
    named = f'"{rule.kind}"' if rule.kind else f'"{tool}","{rule.argument}"'
    return f'[{named},"{plain(str(value))[:3]}-{plain(str(value))[3:]}"]'


def denials_ask(policy_: Any, tool: str, arguments: dict[str, Any], facts: Facts = evaluate.NO_FACTS) -> Any:
    known = policy_.tools[tool]
    asking = replace(known, rules=(*known.rules, *known.denies), denies=())
    return rule_on(replace(policy_, tools={tool: asking}), tool, arguments, facts)


def observing_forgotten(policy_: Any, tool: str, arguments: dict[str, Any], facts: Facts = evaluate.NO_FACTS) -> Any:
    return replace(rule_on(policy_, tool, arguments, facts), observed=False, review=False)


def doubts_observed(policy_: Any, tool: str, arguments: dict[str, Any], facts: Facts = evaluate.NO_FACTS) -> Any:
    ruling = rule_on(policy_, tool, arguments, facts)
    observes = ruling.review and ruling.action_class.observe
    return replace(ruling, review=ruling.review and not observes, observed=ruling.observed or observes)


rule_on = evaluate.rule_on


def forget() -> None:
    """What was folded and read before."""
    provenance._said.cache_clear()
    provenance._heard.cache_clear()
    for table in (folding._PLAIN, folding._LOOSE, folding._ONE_CASE, folding._TWICE, latin._LATIN, spoken._CASE):
        table.clear()


@pytest.mark.parametrize(
    ("place", "name", "bug", "kind", "figure"),
    [
        (thresholds, "numbers_at", absent_passes, "threshold", "fail_open"),
        (thresholds, "numbers_at", as_floats, "threshold", "fail_open"),
        (thresholds, "numbers_at", first_only, "threshold", "fail_open"),
        (evaluate, "_judged", raising_passes, "own", "fail_open"),
        (evaluate, "_judged", truthy, "own", "fail_open"),
        (Facts, "is_so", unanswered_is_known, "order", "fail_open"),
        (Facts, "is_so", unanswered_is_known, "first_time", "fail_open"),
        (FirstTime, "_key", folded_key, "first_time", "fail_open"),
        (novelty, "MOST_TOUCHED", 0, "first_time", "oracle_differs"),
        (budgets, "added", without_this_call, "budget", "fail_open"),
        (budgets, "added", rounded, "budget", "fail_open"),
        (spoken, "FOLDS", (plain, in_latin), "untrusted", "fail_open"),
        (spoken, "FOLDS", (plain, loose), "untrusted", "fail_open"),
        (spoken, "FOLDS", (str,), "untrusted", "fail_open"),
        (folding, "_unmarked", str, "untrusted", "fail_open"),
        (folding, "_unmarked", str, "choice", "fail_open"),
        (folding, "_unmarked", str, "budget", "oracle_differs"),
        (folding, "_is_letter", by_category, "budget", "oracle_differs"),
        (folding, "_is_letter", by_category, "choice", "oracle_differs"),
        (folding, "_BETWEEN", frozenset(), "choice", "oracle_differs"),
        (folding, "_JOINED", {}, "budget", "oracle_differs"),
        (budgets, "key", one_case, "budget", "oracle_differs"),
        (budgets, "two_ways", lambda text: False, "budget", "fail_open"),
        (spelling, "_BARS", {}, "choice", "oracle_differs"),
        (spelling, "_written", lambda number: (), "choice", "oracle_differs"),
        (spelling, "_digits", lambda text: (), "choice", "oracle_differs"),
        (spoken, "_apart", str, "untrusted", "oracle_differs"),
        (spoken.Said, "holds", lambda said, value: False, "untrusted", "oracle_differs"),
        (spoken, "_CASE", Folded(without_marks), "untrusted", "fail_open"),
        (folding, "is_hidden", lambda sign: False, "untrusted", "fail_open"),
        (folding, "is_hidden", lambda sign: False, "choice", "fail_open"),
        (spelling, "FOLDS", (loose, in_latin), "choice", "oracle_differs"),
        (spelling, "FOLDS", (one_case, in_latin), "choice", "oracle_differs"),
        (spelling, "FOLDS", (loose, one_case), "choice", "fail_open"),
        (spoken.Said, "holds", any_spelling, "untrusted", "fail_open"),
        (provenance, "_leaves", without_keys, "untrusted", "fail_open"),
        (FromUntrusted, "_parts", no_parts, "untrusted", "fail_open"),
        (spoken, "readings_of", lambda text: [text], "untrusted", "fail_open"),
        (evaluate, "_copy", lambda arguments: arguments, "own", "impure"),
        (spoken, "WINDOW", 400, "untrusted", "fail_open"),
        (choices, "_exactly", lambda value: plain(str(value)), "choice", "fail_open"),
        (sampling.Sample, "marks", at_random(), "sample", "impure"),
        (policy, "rule_on", denials_ask, "always", "oracle_differs"),
        (policy, "rule_on", observing_forgotten, "always", "fail_open"),
        (policy, "rule_on", doubts_observed, "threshold", "oracle_differs"),
    ],
)
def test_a_planted_bug_is_seen(place: Any, name: str, bug: Any, kind: str, figure: str) -> None:
    forget()
    with mock.patch.object(place, name, bug):
        proof = policy.play(lambda line: None, 1_200 if kind == "choice" else 600, 1, (kind,), beside=())
    forget()
    assert proof.figures[figure] > 0, proof.violations
    assert proof.violations


def test_a_rule_that_takes_its_time_is_seen() -> None:
    with mock.patch.object(policy, "SLOW_S", 0.0001):
        proof = policy.play(lambda line: None, 1, 1, ("always",), beside=("hostile",))
    assert any(one.startswith("slow ") for one in proof.violations)


def test_a_mistake_that_the_synth_takes_is_seen() -> None:
    with mock.patch("infra.policy_file.mistakes", return_value=[]):
        proof = policy.play(lambda line: None, 1, 1, ("always",), beside=("mistakes",))
    assert proof.figures["mistakes_passed"] >= 15
    assert proof.figures["mistakes"] >= 60


@pytest.mark.parametrize("kind", ["threshold", "budget", "untrusted"])
def test_what_never_occurred_is_said(kind: str) -> None:
    proof = policy.play(lambda line: None, 1, 1, (kind,), beside=())
    assert any(one.startswith("coverage: no ") for one in proof.violations)


def test_every_kind_alone_is_covered() -> None:
    for kind in KINDS:
        assert policy.play(lambda line: None, 400, 3, (kind,), beside=()).violations == []
