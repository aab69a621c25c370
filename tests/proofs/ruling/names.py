"""Cases of the rules that compare: allowed and refused values, first times, orders, samples, and rules that break."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from dataclasses import dataclass
from random import Random
from typing import Any

from placet.policy import Always, Facts, FirstTime, NotOneOf, Of, OneOf, OrderSeen, Sample, Seen, UnseenOrder
from tests.docs.reading import ROOT
from tests.proofs.ruling.cases import Case, Verdict, placed

# Each value with spellings of it as JSON: exact ones, and those that only a careful reader would take for it.
SPELLED = {
    "EUR": (('"EUR"',), ('"eur"', '"E-U R"', '"\u0415UR"', '"\uff25\uff35\uff32"', '"EUR\\u200b"', '"\u0395UR"')),
    "modern": (('"modern"',), ('"MODERN"', '"rnodem"', '"mo_dern"')),
    "audit_log": (('"audit_log"',), ('"audit\u3164_log"', '"AUDIT\u1160LOG"')),
    "ledger_a": (('"ledger_a"',), ('"ledger\u02d0a"', '"led\u02c8ger_a\u02bc"', '"ledger_\u1e9a"')),
    "drop": (('"drop"',), ('"dr\ua78cop"', '"\u01c3drop"')),
    "all": (('"all"',), ('"a||"', '"al|"')),
    "\u0412\u0435\u0440\u0430": (
        ('"\u0412\u0435\u0440\u0430"',),
        ('"\u0432\u0435\u0440\u0430"', '"\u0412\u0415\u0420\u0410"', '"BEPA"'),
    ),
    "\u0432\u043d\u0442": (('"\u0432\u043d\u0442"',), ('"BHT"', '"bht"', '"\u0412-H-T"')),
    "van": (('"van"',), ('"\u03bdan"',)),
    "order": (('"order"',), ('"o\u0433de\u0433"',)),
    "Juerg Moeller": (('"Juerg Moeller"',), ('"J\u00fcrg M\u00f6ller"', '"JU\u0308RG-MO\u0308LLER"')),
    "\u0418\u0432\u0430\u043d": (('"\u0418\u0432\u0430\u043d"',), ('"Ivan"', '"I V A N"')),
    "1O1": (('"1O1"',), ('"lO1"', '"101"', '"I0I"')),
    7: (("7", "7.0", "70e-1"), ('"7"', '" 7.00"')),
    True: (("true",), ('"true"', '"TRUE"')),
}
# By letter, the same one with marks that Unicode does not part from it.
MARKED = {
    sign: [chr(int(code, 16)) for code in codes.split() if not unicodedata.decomposition(chr(int(code, 16)))]
    for sign, codes in json.loads((ROOT / "tests/proofs/data/confusables_marked.json").read_text()).items()
}
OTHERS = ('"USD"', '"EURO"', '"moder"', "8", "-7", "false", '"x"', '"7 8"')
NO_VALUES = ("null", "[7]", '{"a":7}', "[]")


BETWEEN = ("", "", "\u200b", " ", "-", "'", "_", "\u3164", "\u00ad")
BEFORE, AFTER = ("", "", "#", "+", "00", "\ufeff"), ("\u200b", " ", ".", ".0", "\u3000", " \u20ac")
WORDS = ("Lodz Bank", "hsbc", "Taxi Jakob", "Gdzie", "frey")


def choice(draw: Random, name: str) -> Case:
    """One of some values, or not."""
    value, exact, folded = draw.choice((_listed, _number, _marked))(draw)
    which = draw.choice(("exact", "folded", "folded", "other", "none"))
    text = draw.choice({"exact": exact, "folded": folded, "other": OTHERS, "none": NO_VALUES}[which])
    place, arguments, there = placed(draw, name, [text])
    allows = draw.random() < 0.5
    rule = (OneOf if allows else NotOneOf)(f"r/{name}", "S.", place, frozenset({value, "never"}))
    if not there:
        verdict = Verdict.UNJUDGED
    elif allows:
        verdict = Verdict.PASSES if which == "exact" else Verdict.FIRES
    else:
        verdict = {"exact": Verdict.FIRES, "folded": Verdict.FIRES, "other": Verdict.PASSES, "none": Verdict.UNJUDGED}[
            which
        ]
    return Case("one_of" if allows else "not_one_of", rule, verdict, arguments, edge=which)


Spellings = tuple[Any, tuple[str, ...], tuple[str, ...]]  # a value, the same as JSON, and other spellings of it


def _listed(draw: Random) -> Spellings:
    value = draw.choice(list(SPELLED))
    return value, *SPELLED[value]


def _number(draw: Random) -> Spellings:
    """A number, also as a text of the policy, in digits of any script with anything between that is no letter."""
    digits = str(draw.randrange(1_000, 10_000_000))
    zero = draw.choice((0x30, 0x30, 0x660, 0x966, 0xFF10))
    written = "".join(chr(zero + int(digit)) + draw.choice(BETWEEN) for digit in digits)
    text = json.dumps(draw.choice(BEFORE) + written + draw.choice(AFTER))
    if draw.random() < 0.5:
        return int(digits), (digits, f"{digits}.0"), (json.dumps(digits), text)
    return digits, (json.dumps(digits),), (digits, f"{digits}.00", text)


def _marked(draw: Random) -> Spellings:
    """A name with a stroke, a hook or another mark on some of its letters."""
    value = draw.choice(WORDS)
    first = draw.choice([at for at, letter in enumerate(value) if letter in MARKED])
    letters = [
        draw.choice(MARKED[one]) if one in MARKED and (at == first or draw.random() < 0.5) else one
        for at, one in enumerate(value)
    ]
    return value, (json.dumps(value),), (json.dumps("".join(letters)),)


def first_time(draw: Random, name: str) -> Case:
    """Accounts of which some were touched before, and look-alikes of those, which were not."""
    known = {'"acc-1"', '"acc-2"', "7"}
    texts = draw.choices(
        ['"acc-1"', '"acc-2"', "7", '"Acc-1"', '"acc-1 "', '"\u0430cc-1"', '"7"', "7.0", "null", '""'],
        k=draw.randrange(1, 4),
    )
    place, arguments, there = placed(draw, name, texts)
    seen = texts if "[" in place else texts[:1]
    of = draw.choice((Of.AGENT, Of.TOOL))
    rule = FirstTime(f"r/{name}", "S.", place, of=of, kind=draw.choice(("", f"account {name}")))
    lost = draw.random() < 0.1
    if not there or any(text in ("null", '""') for text in seen) or lost:
        verdict = Verdict.UNJUDGED
    else:
        verdict = Verdict.PASSES if known.issuperset(seen) else Verdict.FIRES

    named = json.dumps(rule.kind) if rule.kind else f'"pay",{json.dumps(place)}'
    begins, who = f"[{named},", "desk" if of is Of.AGENT else "pay"

    def touched(question: object) -> Any:
        if not isinstance(question, Seen) or question.of is not of or question.name != who or lost:
            return None
        return question.key[len(begins) : -1] in known if question.key.startswith(begins) else None

    return Case(
        "first_time",
        rule,
        verdict,
        arguments,
        {"agent": "desk"},
        answer=touched,
        edge="known" if known.issuperset(seen) else "new",
    )


def order(draw: Random, name: str) -> Case:
    """Two tools in a row."""
    before = draw.choice(("search", "", None))
    answer: Any = draw.choice((True, False, None, "yes"))
    verdict = (
        Verdict.UNJUDGED
        if before is None or not isinstance(answer, bool)
        else Verdict.PASSES
        if answer
        else Verdict.FIRES
    )

    def seen(question: object) -> Any:
        return answer if question == OrderSeen("desk", "pay", before or "") else None

    return Case(
        "unseen_order", UnseenOrder(f"r/{name}", "S."), verdict, known={"agent": "desk", "before": before}, answer=seen
    )


def always(draw: Random, name: str) -> Case:
    """Everything."""
    return Case("always", Always(f"r/{name}", "S."), Verdict.FIRES)


def sample(draw: Random, name: str) -> Case:
    """Nothing: the mark is looked at by itself."""
    return Case("sample", Sample(f"r/{name}", "S.", draw.choice((1, 2, 5))), Verdict.PASSES)


@dataclass(frozen=True)
class Broken:
    """A rule of a customer's own that fails in some way."""

    id: str
    how: str
    sentence: str = "S."

    def fires(self, arguments: dict[str, Any], facts: Facts) -> bool:
        if self.how == "raises":
            raise RuntimeError("secret 4711")
        if self.how == "recurses":
            return self.fires(arguments, facts)
        if self.how == "tidies":
            arguments.clear()
            arguments["tidied"] = True
            return False
        return {"none": None, "zero": 0, "text": "no", "yes": True, "no": False}[self.how]  # type: ignore[return-value]


def broken(draw: Random, name: str) -> Case:
    """A rule that raises, or answers with anything but True and False."""
    how = draw.choice(("raises", "recurses", "none", "zero", "text", "yes", "no", "tidies"))
    verdict = {"yes": Verdict.FIRES, "no": Verdict.PASSES, "tidies": Verdict.PASSES}.get(how, Verdict.UNJUDGED)
    return Case("own", Broken(f"r/{name}", how), verdict, edge=how)


def in_sample(rule: Sample, run: str, sorted_arguments: str) -> bool:
    """Whether a call is in a sample, from the text of what it is made of."""
    text = f'["{rule.id}","desk","{run}","pay",{sorted_arguments}]'
    return int(hashlib.sha256(text.encode()).hexdigest(), 16) % rule.one_in == 0
