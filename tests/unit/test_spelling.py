"""A refused value in every spelling, as a text and as a number; and the foldings behind it."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from placet.model.canonical import Lexeme
from placet.model.folding import loose, one_case, plain
from placet.model.latin import in_latin
from placet.policy import ActionClass, Budget, Facts, Level, NotOneOf, Of, Policy, Tool, Unjudged, rule_on
from placet.policy.facts import NO_FACTS
from tests.docs.reading import ROOT

RULE = NotOneOf("x", "x", "v", frozenset({"never"}))


def refuses(refused: Any, value: Any) -> bool | str:
    try:
        return replace(RULE, values=frozenset({refused})).fires({"v": value}, NO_FACTS)
    except Unjudged as missing:
        return missing.why


NUMBER = (
    "4711",
    "4711\u200b",
    "47\u200b11",
    "\ufeff4711",
    "47\x0011",
    "4 711",
    "47-11",
    "4,711",
    "4.711",
    "4.711,00",
    "4,711.0\u200b",
    "4.711e3\u200b",
    "4'711",
    "4_711",
    "#4711",
    "0\u200b4711",
    "+4711",
    "4711.",
    "\uff14\uff17\uff11\uff11",
    "\u0664\u0667\u0661\u0661",
    "47ll",
    "4711 \u20ac",
    "\u00a54711",
)


@pytest.mark.parametrize("written", NUMBER, ids=ascii)
@pytest.mark.parametrize("refused", [4711, "4711", Decimal("4711.00")])
def test_a_refused_number_is_refused_in_every_spelling(refused: Any, written: str) -> None:
    assert refuses(refused, written) is True


@pytest.mark.parametrize("written", [text for text in NUMBER if "e" not in text], ids=ascii)
def test_a_number_is_refused_by_every_spelling_in_the_policy(written: str) -> None:
    assert refuses(written, 4711) is True
    assert refuses(written, Lexeme("4711.0")) is True


@pytest.mark.parametrize(
    ("refused", "value"),
    [
        (4711, 47110),
        (4711, -4711),
        (4711, "47110"),
        (4711, "4711 x"),
        (4711, "customer 4711"),
        (4711, Lexeme("4.711")),
        (4711, ""),
        (0, ""),
        (0, "---"),
        (1, True),
        (Decimal("2.5"), 25),
        (Decimal("2.5"), "25"),
        (Decimal("2.5"), "2"),
        ("4711", 471),
        ("C-4711", 4711),
        (10**1200, "1"),
        (7, Lexeme("1e999999999")),
        (7, "sNaN"),
        ("sNaN", "NaN"),
        ("Infinity", 7),
        ("7", Lexeme("1e-999999999")),
    ],
    ids=str,
)
def test_another_number_is_not(refused: Any, value: Any) -> None:
    assert refuses(refused, value) is False


@pytest.mark.parametrize("written", ["2.5", "2,50", "2\u200b.5", "# 2.5", "2.5 \u20ac", "\u0662.\u0665"], ids=ascii)
def test_a_refused_fraction_is_refused_in_every_spelling(written: str) -> None:
    assert refuses(Decimal("2.50"), written) is True


@pytest.mark.parametrize(
    ("refused", "written"),
    [
        ("Lodz Bank", "\u0141\u00f3d\u017a Bank"),
        ("\u0141\u00f3d\u017a Bank", "LODZ BANK"),
        ("orsted", "\u00d8rsted"),
        ("oersted", "\u00d8rsted"),
        ("dorde", "\u0110or\u0111e"),
        ("hsbc", "\u0127sbc"),
        ("tesla", "\u0167esla"),
        ("visa", "\u028bisa"),
        ("paypal", "paypa\u026b"),
        ("paypal", "\u1d18\u1d00\u028f\u1d18\u1d00\u029f"),
        ("windows", "\u20a9indows"),
        ("laeso", "l\u00e6s\u00f8"),
        ("M\u00fcller", "Mueller"),
        ("Mueller", "M\u00dcLLER"),
        ("Mueller", unicodedata.normalize("NFD", "M\u00fcller")),
        ("Muller", "M\u00fcller"),
        ("Stra\u00dfe", "STRASSE"),
        ("Thor", "\u00de\u00f3r"),
        ("Aase", "\u00c5se"),
        ("Ivanov", "\u0418\u0432\u0430\u043d\u043e\u0432"),
        ("\u0421\u0435\u0440\u0433\u0435\u0439", "SERGEY"),
        ("sergey", unicodedata.normalize("NFD", "\u0421\u0435\u0440\u0433\u0435\u0439")),
        ("\u2764", "\u2764\ufe0f"),
        ("\u2764", "\u200b \u2764"),
        ("+", "\uff0b\u200b"),
    ],
    ids=ascii,
)
def test_a_refused_name_is_refused_with_any_marks_and_in_its_other_spelling(refused: str, written: str) -> None:
    assert refuses(refused, written) is True


@pytest.mark.parametrize(
    ("refused", "written"), [("Mueller", "Muller"), ("Loretta", "Lorett"), ("\u2764", "\u2665")], ids=ascii
)
def test_another_name_is_not(refused: str, written: str) -> None:
    assert refuses(refused, written) is False


def test_of_a_text_that_is_turned_around_it_could_not_be_told() -> None:
    assert refuses("Lukasz", "\u202ezsakuL") == "v is turned around by signs that nobody sees"
    assert refuses("Lukasz", "\u202eLukasz") is True
    assert refuses("Lukasz", "\u2067Zora\u2069") is False


@pytest.mark.parametrize("value", ["\u0141\u00f3d\u017a Bank", "4711\u200b", "47-11"], ids=ascii)
def test_a_denial_denies_every_spelling(value: str) -> None:
    asks = ActionClass("asks", (Level(("finance",)),), deadline_s=10, hard_maximum_s=10, freshness_s=10)
    denial = NotOneOf("x", "x", "v", frozenset({"Lodz Bank", 4711}))
    policy = Policy.of("1", [asks], [Tool("pay", "asks", denies=(denial,))], "asks")
    assert rule_on(policy, "pay", {"v": value}).denied


@pytest.mark.parametrize(
    ("first", "second"),
    [("\u0141\u00f3d\u017a Bank", "lodz bank"), ("\u00d8rsted", "ORSTED"), ("\u2764", "\u2764\ufe0f")],
    ids=ascii,
)
def test_a_customer_has_one_budget_with_any_marks(first: str, second: str) -> None:
    rule = Budget("b", "b", 9, of=Of.ENTITY)
    assert list(rule.asks({}, Facts(agent="a", entity=first))) == list(rule.asks({}, Facts(agent="a", entity=second)))


def test_unicodes_look_alikes_with_a_mark_are_folded() -> None:
    listed = json.loads((ROOT / "tests/proofs/data/confusables_marked.json").read_text())
    different = {
        chr(int(code, 16))
        for sign, codes in listed.items()
        for code in codes.split()
        if all(fold(chr(int(code, 16))) != fold(sign) for fold in (plain, loose))
        or not refuses(f"ab{sign}cd", f"ab{chr(int(code, 16))}cd")
    }
    assert different == set()


@pytest.mark.parametrize("fold", [plain, loose, one_case, in_latin])
def test_letters_that_are_no_form_of_another_stay(fold: Any) -> None:
    assert len({fold(sign) for sign in "o\u0254\u014b\u0292\u026f\u03c9\u0436\u05d0\u4e00"}) == 9


def test_a_sign_folds_to_few() -> None:
    assert max(len(in_latin(chr(code))) for code in range(0x20000) if not 0xD800 <= code < 0xE000) <= 8
