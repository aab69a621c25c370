"""One key for every spelling of a name, and letters that people see as signs between letters."""

from __future__ import annotations

import json
import unicodedata

import pytest

from placet.model.folding import key, loose, one_case, plain, two_ways
from placet.policy import Budget, Facts, NotOneOf, Of, questions_of
from placet.policy.facts import NO_FACTS
from tests.docs.reading import ROOT
from tests.unit.ruling import ENDS, policy

# Without ideographs and syllables, which no table folds.
_RANGES = ((0, 0x3400), (0xA4D0, 0xAC00), (0xF900, 0x12000), (0x16800, 0x17000), (0x1D000, 0x20000))
SIGNS = [chr(code) for begin, end in _RANGES for code in range(begin, end) if unicodedata.category(chr(code))[0] != "C"]


def counter(of: Of, name: str) -> str | None:
    """Under what a call is counted; None for one that could not be judged."""
    facts = Facts(agent="a", entity=name, requester=name)
    asked = questions_of(policy(Budget(*ENDS, 100, of=of)), "pay", {}, facts)
    return asked[0].key if asked else None


@pytest.mark.parametrize(
    "name",
    ["\u03bdendor:7", "ve\u039ddor:7", "vendor:7\u02bc", "vendor\u02d0:7", "\u01b2ENDOR:7", "vendor\ua789\u02b97"],
    ids=ascii,
)  # fmt: skip
def test_a_customer_has_one_sum_in_every_spelling(name: str) -> None:
    assert counter(Of.ENTITY, name) == counter(Of.ENTITY, "vendor:7") != counter(Of.ENTITY, "vendor:8")


@pytest.mark.parametrize(
    "name", ["\u03bdera@example.com", "ver\u1e9a@example.com", "Vera <VERA@example.com>"], ids=ascii
)
def test_a_requester_has_one_sum_in_every_spelling(name: str) -> None:
    assert counter(Of.REQUESTER, name) == counter(Of.REQUESTER, "vera@example.com")
    assert counter(Of.REQUESTER, name) != counter(Of.REQUESTER, "maria@example.com")


@pytest.mark.parametrize("name", ["order:1\u0665", "c\u03f2me", "a\u00a2me", "1\u200b\u0665", "3\u00d74"], ids=ascii)
def test_a_name_that_may_be_two_is_asked_about(name: str) -> None:
    assert two_ways(name)
    assert counter(Of.ENTITY, name) is None


@pytest.mark.parametrize(
    "name", ["order:\u0661\u0665", "\u03bd\u03af\u03ba\u03b7", "\u0411\u0430\u0431", "M\u00fcller \u00d7 Co"], ids=ascii
)
def test_a_name_of_another_script_is_one_name(name: str) -> None:
    assert not two_ways(name)
    assert counter(Of.ENTITY, name) == counter(Of.ENTITY, name.upper()) is not None


def test_what_a_comparison_calls_the_same_has_one_key_or_is_asked_about() -> None:
    """Every sign; and no two digits, and few letters, of ASCII are one."""
    for fold in (loose, one_case):
        keys: dict[str, str] = {}
        for sign in SIGNS:
            if not two_ways(f"a{sign}"):
                folded = fold(sign)
                assert keys.setdefault(folded, key(sign)) == key(sign), (fold, sign, folded)
    assert len({key(sign) for sign in "023456789" + "1"}) == 10
    assert len({key(sign) for sign in "abcdefghijklmnopqrstuvwxyz"}) == 22


@pytest.mark.parametrize(
    "value",
    ["audit\u02d0log", "audit_log\u02bc", "\u1e9audit_log", "audit_|og", "audit\ua78clog", "audit\ua78blog",
     "au\u02c8dit_log", "aud!t_log",
     "audit\u01c3log", "audit\u30fclog", "audit\u07falog", "audit_\uff5cog", "audit|log"],
    ids=ascii,
)  # fmt: skip
def test_a_refused_value_is_found_with_letters_that_look_like_signs(value: str) -> None:
    assert NotOneOf("x", "x", "v", frozenset({"audit_log"})).fires({"v": value}, NO_FACTS)
    assert NotOneOf("x", "x", "v", frozenset({value})).fires({"v": "audit_log"}, NO_FACTS)


@pytest.mark.parametrize("value", ["\u4f50\u3005\u6728", "\u05d3\u05d9\u05df", "\u30ce\u30fc\u30c8"], ids=ascii)
def test_letters_of_words_stay(value: str) -> None:
    shorter = value[0] + value[2]
    assert ("\u30fc" in value) is (plain(value) == plain(shorter))


def test_every_letter_that_unicode_gives_for_a_sign_is_one_or_known() -> None:
    listed = json.loads((ROOT / "tests/proofs/data/confusables.json").read_text())
    kept = {
        sign
        for shown, codes in listed.items()
        if len(shown) == 1 and not shown.isalnum()
        for sign in (chr(int(code, 16)) for code in codes.split())
        if plain(sign) and unicodedata.category(sign)[0] == "L"
    }
    assert kept == {"\u30ce"}
