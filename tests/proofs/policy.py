"""Policies of every kind of rule, and calls at their limits, held against answers that are known without asking the policy.

A case is a tool with some rules and a call; what each rule has to say is counted with fractions, or known from how its part of
the call was made. Nothing that needs a person may pass; the same call is ruled on in the same way, however often and in
whatever order its arguments stand; hostile values are ruled on soon. Beside them: policies with one mistake each, which the
synth has to refuse.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import cycle
from random import Random
from typing import Any

from infra.policy_file import check_policy, deployed_policy
from infra.registry import SettingsError
from placet.model.canonical import canonical, parse
from placet.policy import Budget, Facts, Policy, Ruling, Sample, Tool, questions_of, rule_on
from tests.policies import POLICIES, refused_with
from tests.proofs import Proof, Size
from tests.proofs.ruling import hostile, names, provenance
from tests.proofs.ruling.calls import ASKING, KINDS, Played, Said, drawn
from tests.proofs.ruling.cases import Verdict

FULL, QUICK = 20_000, 3_000
SLOW_S = 4.0  # of the processor, for one call under thirty rules
LEAST_TYPES, LEAST_MISTAKES = 8, 30
BOTH = (Verdict.FIRES, Verdict.PASSES, Verdict.UNJUDGED)
SAYS = {"always": (Verdict.FIRES,), "sample": (Verdict.PASSES,)}  # of the kinds that say only that
EDGES = {kind: ("at", "over", "under") for kind in ("threshold", "number_over", "confidence", "budget")}


@dataclass
class Tally:
    """What was seen: `wrong` by figure, with an example each; `met` (kind, verdict), `edges` (kind, edge)."""

    cases: int = 0
    wrong: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    met: Counter[tuple[str, str]] = field(default_factory=Counter)
    edges: Counter[tuple[str, str]] = field(default_factory=Counter)
    whole: Counter[str] = field(default_factory=Counter)
    mistakes: int = 0

    def add(self, figure: str, example: object) -> None:
        self.wrong[figure] += 1
        self.examples.setdefault(figure, str(example)[:600])


def prove(say: Callable[[str], None], size: Size) -> Proof:
    """Draw policies and calls, then the hostile ones and the mistakes."""
    return play(say, QUICK if size.quick else FULL, size.seed)


def play(
    say: Callable[[str], None],
    count: int,
    seed: int,
    kinds: tuple[str, ...] = tuple(KINDS),
    beside: Collection[str] = ("hostile", "mistakes"),
) -> Proof:
    """The proof over `count` cases of these kinds; `beside` of hostile values and mistakes."""
    draw, tally, turn = Random(seed), Tally(), cycle(kinds)  # noqa: S311 - a seed has to repeat
    for name in beside:
        {"hostile": _hostile, "mistakes": _mistakes}[name](tally)
    while tally.cases < count:
        if "budget" in kinds and tally.cases % 20 == 0:
            _spend(draw, tally)
        _one(drawn(draw, next(turn), kinds), tally)
        if tally.cases % 5_000 == 0:
            say(f"policy: {tally.cases} of {count} cases, {sum(tally.wrong.values())} wrong")
    return _judged(tally, kinds, beside)


def _said(ruling: Ruling) -> Said:
    fired = tuple((name, "This could not be judged: " in sentence) for name, sentence in ruling.fired)
    return (ruling.review, ruling.denied, ruling.observed, fired)


def _one(played: Played, tally: Tally) -> None:
    tally.cases += 1
    for case in played.cases:
        tally.met[case.kind, case.verdict.value] += 1
        tally.edges[case.kind, case.edge] += 1
    tally.whole[
        "denied" if played.right[1] else "observed" if played.right[2] else "asked" if played.right[0] else "passed"
    ] += 1
    arguments = parse(played.text)
    facts = played.facts_for(arguments)
    ruling = rule_on(played.policy, "pay", arguments, facts)
    said, right = _said(ruling), played.right
    if any(right[:3]) and not any(said[:3]):
        tally.add("fail_open", (played.text, [case.rule for case in played.cases], right))
    if said != right or not _marked(played, ruling, facts, arguments):
        tally.add(
            "oracle_differs",
            (said, right, played.text, [(case.rule, case.edge) for case in played.cases], played.facts.passages),
        )
    if not _is_pure(played, ruling, facts, arguments):
        tally.add("impure", (played.text, [case.rule for case in played.cases]))


def _marked(played: Played, ruling: Ruling, facts: Facts, arguments: dict[str, Any]) -> bool:
    """Whether the samples are those that they have to be."""
    samples = [] if ruling.denied else [case.rule for case in played.cases if isinstance(case.rule, Sample)]
    right = [one.id for one in samples if names.in_sample(one, facts.run, canonical(arguments))]
    return [name for name, _ in ruling.sampled] == right


def _is_pure(played: Played, ruling: Ruling, facts: Facts, arguments: dict[str, Any]) -> bool:
    """Whether the same is said again, of the same members in another order, and nothing was changed."""
    turned = dict(reversed(parse(played.text).items()))
    again = [rule_on(played.policy, "pay", one, facts) for one in (arguments, turned)]
    return all(one == ruling for one in again) and canonical(arguments) == canonical(parse(played.text))


def _spend(draw: Random, tally: Tally) -> None:
    """A run of calls against one budget: what passes adds up, and the sum never passes the limit."""
    limit = draw.randrange(1, 1_000)
    rule = Budget("r/sum", "S.", limit, argument="a")
    policy = Policy.of("1", [ASKING], [Tool("pay", "asks", (rule,))], "asks")
    spent, left = Decimal(0), Decimal(limit)
    for _ in range(draw.randrange(2, 12)):
        tally.cases += 1
        amount = Decimal(draw.randrange(1, 40_000)) / 100
        arguments = parse(f'{{"a":{amount}}}')
        facts = Facts(agent="desk", run="run-1")
        answers = {question: spent for question in questions_of(policy, "pay", arguments, facts)}
        passes = not rule_on(policy, "pay", arguments, replace(facts, answers=answers)).review
        if passes is not (amount <= left):
            tally.add("fail_open" if passes else "oracle_differs", (limit, spent, amount))
        if passes:
            spent, left = spent + amount, left - amount


def _hostile(tally: Tally) -> None:
    """Every hostile value under every rule: answered, and soon."""
    policy = Policy.of("1", [ASKING], [Tool("pay", "asks", tuple(hostile.rules()))], "asks")
    given, known = dict(hostile.arguments()), dict(hostile.facts())
    calls = [(name, one, Facts(agent="desk", run="r")) for name, one in given.items()]
    calls += [(f"read: {name}", {"a": "a.b@c 1,2"}, facts) for name, facts in known.items()]
    calls += [(f"both: {name}", given[f"short: {name}"], known[name]) for name in hostile.TEXTS]
    for name, arguments, facts in calls:
        tally.cases += 1
        began = time.process_time()
        try:
            questions_of(policy, "pay", arguments, facts)
            if not rule_on(policy, "pay", arguments, facts).review:
                tally.add("fail_open", name)
        except Exception as error:
            tally.add("raised", (name, repr(error)[:200]))
        if (took := time.process_time() - began) > SLOW_S:
            tally.add("slow", (name, took))


def _mistakes(tally: Tally) -> None:
    """Every policy with a mistake: refused with its sentence."""
    for path in POLICIES:
        try:
            check_policy(deployed_policy(path), [], path)
        except SettingsError as error:
            tally.mistakes += 1
            if path.stem == "right":
                tally.add("oracle_differs", (path.name, error))
            elif refused_with(path) not in str(error):
                tally.add("mistakes_passed", (path.name, error))
        else:
            if path.stem != "right":
                tally.mistakes += 1
                tally.add("mistakes_passed", path.name)


def _judged(tally: Tally, kinds: tuple[str, ...], beside: Collection[str]) -> Proof:
    types = {kind for kind, _ in tally.met}
    violations = [f"{name} {count} times, first {tally.examples[name]}" for name, count in tally.wrong.items()]
    violations += [f"coverage: {one}" for one in _missing(tally, types, kinds, beside)]
    rows = [f"{kind:<16} {verdict:<12} {count:>6}" for (kind, verdict), count in sorted(tally.met.items())]
    rows += [f"{'the call':<16} {verdict:<12} {count:>6}" for verdict, count in sorted(tally.whole.items())]
    figures: dict[str, float] = {"cases": tally.cases, "rule_types": len(types)}
    figures |= {name: tally.wrong[name] for name in ("fail_open", "impure", "oracle_differs")}
    figures |= {"mistakes": tally.mistakes, "mistakes_passed": tally.wrong["mistakes_passed"]}
    return Proof("policy", "\n".join(rows), figures, violations)


def _missing(tally: Tally, types: set[str], kinds: tuple[str, ...], beside: Collection[str]) -> list[str]:
    """What never occurred."""
    found = [
        f"no {kind} that {says.value}"
        for kind in sorted(types)
        for says in SAYS.get(kind, BOTH)
        if not tally.met[kind, says.value]
    ]
    found += [
        f"no {kind} {edge} its limit"
        for kind, edges in EDGES.items()
        if kind in types
        for edge in edges
        if not tally.edges[kind, edge]
    ]
    if kinds == tuple(KINDS):
        found += [f"only {len(types)} kinds of rules"] if len(types) < LEAST_TYPES else []
        found += [
            f"no call that is {what}" for what in ("passed", "asked", "denied", "observed") if not tally.whole[what]
        ]
        found += [f"no {how}" for how in _ways() if not tally.edges["from_untrusted", how]]
    if "mistakes" in beside and tally.mistakes < LEAST_MISTAKES:
        found.append(f"only {tally.mistakes} mistakes")
    return found


def _ways() -> list[str]:
    """Every way in which the provenance cases spell a value."""
    ways = [*(f"foreign {how}" for how in provenance.FOREIGN), *(f"own {how}" for how in provenance.OWN)]
    return [
        *ways,
        *(f"part {how}" for how in provenance.PARTS),
        "foreign number",
        "own number",
        "unheard",
        "no passages",
    ]
