"""Cases of the rules that count: thresholds, lengths, sums, the agent's numbers and confidence, budgets."""

from __future__ import annotations

from decimal import Decimal
from random import Random
from typing import Any

from placet.policy import Budget, ConfidenceBelow, NumberOver, Of, Per, Spending, Threshold
from tests.proofs.ruling.cases import NO_NUMBERS, Case, Verdict, exact, near, placed, written

LIMITS = ("0", "1", "20", "99.99", "100", "100.00", "12345678901234567890.01", "0.1", "0.3")
AGENT, ENTITY, REQUESTER, RUN = "desk", "Zeta Nova", "zora@nova.org", "run-1"
# Spellings of these, and names that may be read in two ways. A key has one sign for `n`, `v` and `h`, for which Greek nu is taken.
ENTITIES = (ENTITY, "\u01b5e\u0167a Nova", "Zeta No\u03bda", "Zeta\u02d0\u039dOVA", "Zet\u1e9a Nova\u02bc")
REQUESTERS = (REQUESTER, "zora@no\u03bda.org", "zor\u1e9a@nova.org", "Zora <ZORA@\u039dova.org>")
DOUBTFUL = ("Zeta Nova1\u0665", "Zeta N\u229dva")
KEYS = {Of.AGENT: '"desk"', Of.ENTITY: '"zetahoha"', Of.REQUESTER: '"zorahohaorg"'}


def threshold(draw: Random, name: str) -> Case:
    """A number over, under or outside."""
    which, limit = draw.choice(("above", "below", "both")), draw.choice(LIMITS)
    low = "-" + limit if which == "both" else limit
    at = low if which == "both" and draw.random() < 0.5 else limit
    text, edge = near(draw, at)
    others = ["0"] * draw.randrange(3) if which != "below" else []
    if draw.random() < 0.2:
        text, edge = draw.choice(NO_NUMBERS), ""
    place, arguments, there = placed(draw, name, [text, *others])
    limits: dict[str, Any] = {}
    if which in ("above", "both"):
        limits["above"] = Decimal(limit)
    if which in ("below", "both"):
        limits["below"] = Decimal(low)
    rule = Threshold(f"r/{name}", "S.", place, **limits)
    values = [text] if '"price"' not in str(arguments) and "rows" not in str(arguments) else [text, *others]
    return Case("threshold", rule, _outside(values, there, which, limit, low), arguments, edge=edge)


def _outside(values: list[str], there: bool, which: str, limit: str, low: str) -> Verdict:
    if not there or any(value in NO_NUMBERS for value in values):
        return Verdict.UNJUDGED
    numbers = [exact(value) for value in values]
    over = which != "below" and any(number > exact(limit) for number in numbers)
    under = any(number < (exact("0") if which == "above" else exact(low)) for number in numbers)
    return Verdict.FIRES if over or under else Verdict.PASSES


def counted(draw: Random, name: str) -> Case:
    """How many there are, or how much together."""
    most = draw.randrange(1, 6)
    count = most + draw.choice((-1, 0, 1))
    if draw.random() < 0.5:
        rule = Threshold(f"r/{name}", "S.", f"len({name})", most)
        if draw.random() < 0.2:
            return Case("threshold", rule, Verdict.UNJUDGED, {name: draw.choice(('"a,b"', "3", "null", "true"))})
        value = "[" + ",".join('"x"' for _ in range(count)) + "]"
        verdict = Verdict.FIRES if count > most else Verdict.PASSES
        return Case("threshold", rule, verdict, {name: value}, edge=("under", "at", "over")[count - most + 1])
    parts = [draw.choice(("0.1", "0.2", "33.33", "1", "100")) for _ in range(draw.randrange(1, 12))]
    total = sum(map(exact, parts))
    limit = written(draw, total + draw.choice((-1, 0, 1)) * exact(draw.choice(("0.01", "1e-20"))))
    if exact(limit) < 0:
        limit = "0"
    rule = Threshold(f"r/{name}", "S.", f"sum({name}[])", Decimal(limit))
    edge = "at" if total == exact(limit) else "over" if total > exact(limit) else "under"
    verdict = Verdict.FIRES if total > exact(limit) else Verdict.PASSES
    return Case("threshold", rule, verdict, {name: f"[{','.join(parts)}]"}, edge=edge)


def number_over(draw: Random, name: str) -> Case:
    """The agent's own number."""
    limit = draw.choice(LIMITS)
    rule = NumberOver(f"r/{name}", "S.", name, Decimal(limit))
    text, edge = near(draw, limit)
    if draw.random() < 0.2:
        said = draw.choice(
            ({}, {name: None}, {name: Decimal("NaN")}, {name: Decimal("Infinity")}, {name: "5"}, {name: True})
        )
        return Case("number_over", rule, Verdict.UNJUDGED, known={"numbers": said})
    outside = not 0 <= exact(text) <= exact(limit)
    return Case(
        "number_over",
        rule,
        Verdict.FIRES if outside else Verdict.PASSES,
        known={"numbers": {name: Decimal(text)}},
        edge=edge,
    )


def confidence(draw: Random, name: str) -> Case:
    """How sure the agent is."""
    least = draw.choice(("1", "0.5", "0.80", "0.000000000001"))
    rule = ConfidenceBelow(f"r/{name}", "S.", Decimal(least))
    text, edge = near(draw, least)
    if draw.random() < 0.2:
        odd = draw.choice((None, 1, "0.9", True, Decimal("NaN"), 0.9))
        return Case("confidence", rule, Verdict.UNJUDGED, known={"confidence": odd})
    value = exact(text)
    verdict = Verdict.UNJUDGED if not 0 <= value <= 1 else Verdict.FIRES if value < exact(least) else Verdict.PASSES
    return Case("confidence", rule, verdict, known={"confidence": Decimal(text)}, edge=edge)


def budget(draw: Random, name: str) -> Case:
    """A sum over calls: what is spent so far is drawn around what this call leaves room for."""
    limit, amount = (
        exact(draw.choice(("100", "0.3", "20", "891", "1e20"))),
        draw.choice(("99", "0.1", "1", "0", "1e-20", "-1")),
    )
    of, per, kind = (
        draw.choice((Of.AGENT, Of.ENTITY, Of.REQUESTER)),
        draw.choice(tuple(Per)),
        draw.choice(("argument", "number", "step")),
    )
    fields: dict[str, Any] = {"of": of, "per": per}
    known: dict[str, Any] = {"agent": AGENT, "run": RUN}
    known |= {"entity": draw.choice(ENTITIES), "requester": draw.choice(REQUESTERS)}
    arguments = {}
    if kind == "argument":
        fields["argument"], arguments[name] = name, amount
    elif kind == "number":
        fields["number"], known["numbers"] = name, {name: Decimal(amount)}
    else:
        amount = "1"
    rule = Budget(f"r/{name}", "S.", Decimal(written(draw, limit)), **fields)
    step = exact(draw.choice(("1e-20", "0.01", "1")))
    edge = draw.choice(("at", "over", "under"))
    spent = max(limit - exact(amount) + {"at": 0, "over": step, "under": -step}[edge], exact("0"))
    answer: Any = Decimal(written(draw, spent))
    verdict = Verdict.FIRES if spent + exact(amount) > limit else Verdict.PASSES
    gone = draw.random()
    if exact(amount) < 0:
        verdict = Verdict.UNJUDGED
    elif gone < 0.1:
        answer, verdict = draw.choice((None, True, "5", 5, Decimal("NaN"))), Verdict.UNJUDGED
    elif gone < 0.2 and of is not Of.AGENT:
        known[of.value], verdict = draw.choice(("", *DOUBTFUL)), Verdict.UNJUDGED

    doubtful = known.get(of.value) in DOUBTFUL  # answered too: only the name may keep it from being judged

    def spending(question: object) -> Any:
        right = (
            isinstance(question, Spending)
            and question.day is (per is Per.DAY)
            and (doubtful or KEYS[of] in question.key)
        )
        right = (
            right
            and rule.id in question.key
            and (per is Per.DAY or RUN in question.key)
            and question.limit == Decimal(str(rule.limit))
        )
        return answer if right else None

    return Case("budget", rule, verdict, arguments, known, answer=spending, edge=edge)
