"""Whose words a value is, at the bounds: what hides in a text, what could not be judged, and how long it takes."""

from __future__ import annotations

import json
import time
import unicodedata
from typing import Any

import pytest

from placet.model.characters import is_hidden
from placet.model.folding import loose, one_case, plain
from placet.policy import Facts, Origin, Passage, Unjudged
from placet.policy.provenance import LONGEST_VALUE, MOST_CHARACTERS, MOST_LEAVES, MOST_PARTS
from tests.docs.reading import ROOT
from tests.unit.test_provenance import RULE, fires, selectors, tags


@pytest.mark.parametrize(
    ("value", "heard", "cut", "why"),
    [
        (True, "true", False, "v holds no text and no number"),
        ([], "x", False, "v holds no text and no number"),
        (" ", "x", False, "v holds no text and no number"),
        ("unheard", "x", True, "not all of what the run read was handed in"),
        ("a" * (LONGEST_VALUE + 1), "x", False, "v is longer than 16,384 characters"),
        ([7] * (MOST_LEAVES + 1), "x", False, "v holds more than 1,000 values"),
        ([f"a{number}.b" for number in range(MOST_PARTS + 1)], "x", False, "v has too many parts"),
        ("a", "a" * (MOST_CHARACTERS + 1), False, "the run read more than 262,144 characters"),
    ],
)
def test_what_could_not_be_judged(value: Any, heard: str, cut: bool, why: str) -> None:
    assert fires(value, heard, cut=cut) == why


def test_no_passages_prove_nothing() -> None:
    with pytest.raises(Unjudged, match="the agent did not hand in what the run read"):
        RULE.fires({"v": "4711"}, Facts())
    assert not RULE.fires({"v": "4711"}, Facts(passages=(Passage(Origin.USER, "pay"),)))


def test_a_cut_passage_of_the_user_only_makes_it_stricter() -> None:
    assert not RULE.fires({"v": "4711"}, Facts(passages=(Passage(Origin.USER, "pay", cut=True),)))


@pytest.mark.parametrize(
    "hidden", [tags("hello"), selectors("hello"), "a\U000e0001b", "\u202edraehnu", "\u202dolleh"], ids=ascii
)
def test_of_hidden_text_it_could_not_be_told(hidden: str) -> None:
    why = "there is text in signs that nobody sees"
    assert fires("unheard", f"Thanks! {hidden}") == why
    assert fires("unheard", "Thanks!", f"pay {hidden}") == why
    assert fires(f"unheard {hidden}", "Thanks!") == why
    assert fires("theirs", f"Thanks! {hidden}", "to theirs") is False


@pytest.mark.parametrize(
    "hidden", ["&#8238;zsakuL", "\\u202ezsakuL", "%E2%80%AEzsakuL", "Payee: \u202ezsakuL"], ids=ascii
)
def test_nor_of_what_is_turned_around_behind_an_encoding(hidden: str) -> None:
    assert fires("Lukasz", hidden) == "there is text in signs that nobody sees"


@pytest.mark.parametrize(
    "seen",
    [
        "\u2764\ufe0f\ufe0f"[:2] * 3,
        f"\U0001f3f4{tags('gbsct')}\U000e007f",
        "\u845b\U000e0100\u98fe",
        "\u2067abc\u2069\u200f",
    ],
    ids=ascii,
)
def test_emoji_flags_and_forms_of_letters_hide_nothing(seen: str) -> None:
    assert fires("unheard", f"Thanks! {seen}", f"thanks {seen}") is False


@pytest.mark.parametrize(
    ("value", "heard", "why"),
    [
        (
            "unheard",
            " ".join(f"xn--a{number}-kva" for number in range(2_001)),
            "what the run read is encoded in too many ways",
        ),
        ([f"a{n}.b" for n in range(190)], "%41=42<b>&lt;" * 20_000, "v and what the run read are too much to compare"),
    ],
    ids=["punycode", "work"],
)
def test_what_would_take_too_long_could_not_be_judged(value: Any, heard: str, why: str) -> None:
    assert fires(value, heard) == why


@pytest.mark.parametrize(
    ("value", "heard", "said"),
    [
        (" x ".join("012345" * 66 for _ in range(38)), "01234" * 22_000, ""),
        ("=41%41&#65;<b>" * 1_000, "=3D41%2541&amp;#65;<b>" * 11_000, ""),
        ("<a" * 8_000, "<a \"'" * 50_000, ""),
        ("\u2764\ufe0f" * 8_000, "\u2764\ufe0f" * 130_000, ""),
        (tags("a") * 16_000, tags("ab") * 130_000, ""),
        ("xn--a-1 " * 2_000, "xn--a-1 " * 2_000, ""),
        ("1" * 16_000, "1 " * 130_000, "1 " * 1_000),
        ("aaa " * 4_000, "aa " * 40_000, "aa " * 43_000),
        ("a." * 8_000, "a." * 65_000, "a." * 60_000),
        ("x" + "\u0301\u0323" * 8_000, "x" + "\u0301\u0323" * 65_000, "\u0301\u0323" * 60_000),
        ("\ufdfa" * 16_000, "\ufdfa" * 130_000, "\ufdfa" * 130_000),
        ("1,2.3" * 3_000, "1,2.3" * 26_000, "1,2.3" * 26_000),
        (" ".join(f"a{number}.b" for number in range(99)), "a1.b " * 26_000, "b.a " * 26_000),
        (12_345, "".join(f"{number} " for number in range(22_000)), "".join(f"{number} " for number in range(20_000))),
        (["a"] * 900, "b" * 130_000, "a" * 131_000),
        ("aa" * 100, "c" * 130_000, "xaa" * 43_000),
        ("@" * 16_000, "@" * 130_000, "@" * 130_000),
    ],
    ids=lambda value: str(value)[:6],
)
def test_hostile_texts_take_no_longer_than_honest_ones(value: Any, heard: str, said: str) -> None:
    began = time.process_time()
    fires(value, heard, said)
    assert time.process_time() - began < 4


def test_unicodes_own_look_alikes_are_folded() -> None:
    listed = json.loads((ROOT / "tests/proofs/data/confusables.json").read_text())
    different = {
        code
        for sign, codes in listed.items()
        if sign.isalnum()
        for code in codes.split()
        if loose(chr(int(code, 16))) != loose(sign) and plain(chr(int(code, 16))) != plain(sign)
    }
    assert different == set()


@pytest.mark.parametrize(
    "name",
    [
        "\u0412\u0435\u0440\u0430 \u0418\u0432\u0430\u043d\u043e\u0432\u0430",
        "\u039d\u03af\u03ba\u03bf\u03c2 \u03a0\u03b1\u03c0\u03c0\u03ac\u03c2",
        "Acme Ltd",
        "Stra\u00dfe 11",
    ],
)
def test_capitals_and_small_letters_of_every_alphabet_are_one(name: str) -> None:
    assert one_case(name) == one_case(name.upper()) == one_case(name.lower()) == one_case("\u3164".join(name))


def test_signs_that_nobody_sees_are_no_letters() -> None:
    known = [sign for sign in map(chr, range(0x110000)) if unicodedata.category(sign) not in ("Cn", "Co", "Cs")]
    unseen = [sign for sign in known if is_hidden(sign)]
    assert {0x115F, 0x1160, 0x3164, 0xFFA0} <= set(map(ord, unseen))
    assert [ascii(sign) for sign in unseen if plain(sign) or loose(sign) or one_case(sign)] == []


def test_a_part_of_a_text_is_a_part_of_its_folded_form() -> None:
    text = "Pay r\u0301n 1.0 \u2460 \ufb01 \u0130 W\u01c6 now"
    for fold in (plain, loose, one_case):
        assert all(fold(text[:at]) + fold(text[at:]) == fold(text) for at in range(len(text) + 1))
