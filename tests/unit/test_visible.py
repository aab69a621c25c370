"""Which characters of a text have to be seen: Unicode's own list of look-alikes, padding, order; honest text stays quiet."""

from __future__ import annotations

import json
import unicodedata

import pytest

from placet.model import visible
from tests.docs.reading import ROOT

CONFUSABLES = {
    chr(int(code, 16))
    for codes in json.loads((ROOT / "tests/proofs/data/confusables.json").read_text()).values()
    for code in codes.split()
}
ADDRESS = "paypal.com/1"
NOT_MARKED = {"\u201a": (0,)}  # an opening quotation mark where a word begins; a comma anywhere else

HONEST = json.loads((ROOT / "tests/proofs/data/honest_texts.json").read_text())
FOREIGN = {
    "Armenian": ("g\u0585ogle.com", "\u0585"),
    "Hebrew": ("g\u05e1ogle.com", "\u05e1"),
    "wide": ("\uff50\uff41\uff59.com", "\uff50\uff41\uff59"),
    "mathematical": ("\U0001d429ay.com", "\U0001d429"),
    "numeral": ("paypa\u217c.com", "\u217c"),
    "script l": ("paypa\u2113.com", "\u2113"),
    "dotless": ("b\u0131ll\u0131ng@", "\u0131\u0131"),
    "script g": ("\u0261oogle.com", "\u0261"),
    "division slash": ("https://bank.com\u2215x.evil.com", "\u2215"),
    "fraction slash": ("https://bank.com\u2044x.evil.com", "\u2044"),
    "wide slash": ("https://bank.com\uff0fx.evil.com", "\uff0f"),
    "dot leader": ("evil\u2024com", "\u2024"),
    "ratio": ("https\u2236//", "\u2236"),
    "low quote": ("1\u201a000", "\u201a"),
    "Devanagari digits": ("\u0967\u0966\u0966", "\u0967\u0966\u0966"),
    "mathematical digits": ("\U0001d7ed\U0001d7ec", "\U0001d7ed\U0001d7ec"),
    "circled": ("pay \u2460", "\u2460"),
    "overlay": ("a =\u0338 b", "\u0338"),
    "minus": ("\u22125", "\u2212"),
    "en dash of numbers": ("10\u201312", "\u2013"),
    "Cyrillic": ("\u0440\u0430ypal.com", "\u0440\u0430"),
    "all of a label": ("\u0430\u0440\u0440\u04cf\u0435.com", "\u0430\u0440\u0440\u04cf\u0435"),
    "Greek in Latin": ("\u0391\u0392CD", "\u0391\u0392"),
    "one letter in a Russian word": ("\u041f\u0440\u0438b\u0435\u0442", "\u041f\u0440\u0438b\u0435\u0442"),
    "in an address": ("admin\u03bf@example.com", "\u03bf"),
    "accent in an address": ("https://m\u00fcnchen.de", "\u00fc"),
    "Cyrillic in Greek": ("\u03bb\u03bf\u0433\u03bf\u03c2", "\u0433"),
    "after a digit": ("1\u041e0", "\u041e"),
    "three marks": ("\u0431" + "\u0301" * 3, "\u0301"),
}
PADDED = {
    "alternating wide spaces": "ls -l" + "\u2003\u3000" * 240 + "; rm -rf /",
    "twenty blanks": "ls" + " " * 20 + "; rm",
    "blank and no-break space": "ls \u00a0; rm",
    "one no-break space": "rm -rf\u00a0/x",
    "one wide space": "rm -rf\u3000/x",
    "at the edge": "admin\u00a0",
    "blank lines": "ls" + "\n" * 14 + "rm -rf /",
    "blank lines with blanks": "ls" + " \n\t" * 5 + "rm -rf /",
    "tabs": "ls" + "\t" * 20 + "rm",
}


def _of(text: str, kind: str) -> str:
    return "".join(piece.text for piece in visible.pieces(text) if piece.kind == kind)


def test_every_look_alike_of_unicode_is_marked_in_an_address():
    assert len(CONFUSABLES) > 1_400
    missed = {
        (character, place)
        for character in CONFUSABLES
        for place in range(len(ADDRESS) + 1)
        for text in (ADDRESS[:place] + character + ADDRESS[place:], ADDRESS[:place] + character + ADDRESS[place + 1 :])
        if not visible.counts(text).total
    }
    assert missed == {(character, place) for character, places in NOT_MARKED.items() for place in places}


def test_everything_that_nfkc_changes_is_marked_in_an_address():
    honest = {
        "\u0587",
        "\u0e33",
        "\u0eb3",
    }  # letters of Armenian, Thai and Lao; beside ASCII they are foreign all the same
    for code in range(0x80, 0x110000):
        character = chr(code)
        if unicodedata.normalize("NFKC", character) != character and not 0xD800 <= code < 0xE000:
            assert visible.counts(f"paypal{character}com/1").total, hex(code)
            assert character in honest or visible.counts(f"x{character}y").total, hex(code)


@pytest.mark.parametrize("language", HONEST)
def test_honest_text_of_any_language_stays_quiet(language):
    text = HONEST[language]
    assert [piece for piece in visible.pieces(text) if piece.kind not in (visible.PLAIN, visible.QUIET)] == []
    assert visible.counts(text).total == 0


@pytest.mark.parametrize("kind", FOREIGN)
def test_what_passes_for_something_else_is_marked(kind):
    text, marked = FOREIGN[kind]
    assert _of(text, visible.ALIKE) + _of(text, visible.TURNED) == marked
    assert not visible.is_clean(text)


@pytest.mark.parametrize("kind", PADDED)
def test_padding_is_hidden_text(kind):
    assert _of(PADDED[kind], visible.HIDDEN).isspace()
    assert not visible.is_clean(PADDED[kind])


def test_only_what_surely_hides_nothing_is_said_to_hide_nothing():
    for text in ("", "ls -l", "Grüße", "Привет, мир 5", "日本語のテキスト", "שלום", "one\ntwo"):
        assert visible.is_clean(text), text
    for text in ("Привет world", "שלום 1182", "a\u200bb", "日本語 text"):
        assert not visible.is_clean(text), text


@pytest.mark.parametrize("letter", ["\u05d0", "\u0627", "\u0661"], ids=["R", "AL", "AN"])
def test_letters_from_right_to_left_are_marked_beside_digits_and_latin(letter):
    for beside in ("1", "a", "é", "д", "漢"):
        text = f"{letter}{letter} / {beside}"
        assert visible.counts(text).turned == 2
        assert not visible.runs_from_right(text)
    assert visible.counts(f"\u05d0 {letter}").turned == (2 if letter == "\u0661" else 0)


@pytest.mark.parametrize("sign", ["\n", "\t", "\u200b"])
def test_hebrew_is_marked_beside_the_letters_of_an_escape_too(sign):
    text = json.dumps({"a": f"\u05d0\u05d1{sign}\u05d2", "b": "\u05d0 \u05d1"}, ensure_ascii=False)
    turned = [piece.text for _, part in visible.json_pieces(text) for piece in part if piece.kind == visible.TURNED]
    assert "".join(turned) == ("" if sign == "\u200b" else "\u05d0\u05d1\u05d2")
    written = visible.escapes(text)
    assert json.loads(written) == json.loads(text)
    assert "\u05d0\u05d1" not in written.partition('"b"')[0]


def test_hebrew_with_its_points_is_honest_and_piled_marks_are_not():
    assert visible.is_clean("\u05d4\u05b7\u05e9\u05c1\u05bc\u05b8\u05de\u05b7\u05d9\u05b4\u05dd")
    assert visible.counts("\u05e9\u05c1\u05bc\u05b8\u05b8").alike == 1


def test_selectors_and_joiners_are_seen_in_an_emoji_only():
    assert visible.counts("x\ufe0f \u0627\u200d").hidden == 2
    assert visible.counts("❤\ufe0f\ufe0f 👩\u200d").hidden == 2
    assert visible.counts("👩" + "".join(chr(0xE0100 + byte) for byte in b"pay")).hidden == 3


def test_json_is_looked_at_string_by_string():
    text = '{"a": "Hello\\n\u041f\u0440\u0438\u0432\u0435\u0442", "b": "\u05d0\u05d1", "c": "x\u05d0"}'
    marked = [piece for _, part in visible.json_pieces(text) for piece in part if piece.kind != visible.PLAIN]
    assert marked == [visible.Piece(visible.TURNED, "\u05d0")]
    assert visible.escapes(text) == text.replace("x\u05d0", "x\\u05d0")
    assert json.loads(visible.escapes(text)) == json.loads(text)
    assert "".join(piece.text for _, part in visible.json_pieces('{"a": "b\\') for piece in part) == '{"a": "b\\'


@pytest.mark.parametrize(
    "unit", [" \n", "\n ", " ", "\\", '"', "\\\u0430", "a.\u0430", "\u0301", "\n" + " " * 19, "@\u0430"]
)
def test_the_largest_text_is_cut_in_a_moment(unit):
    text = unit * (262_144 // len(unit.encode()))
    assert "".join(piece.text for piece in visible.pieces(text)) == text
    assert "".join(piece.text for _, part in visible.json_pieces(text) for piece in part) == text


def test_a_mark_on_our_own_quotation_mark_is_marked_and_an_emoji_is_not():
    assert visible.counts("wrote: \u201c\u20dd\u20dey\u201d").alike == 2
    assert visible.counts("\u00bb\u0338x").alike == 1
    assert visible.counts("stop \u2764\ufe0f").total == 0
