"""The filter between hostile text and a reviewer: nothing unescaped, nothing unseen, nothing stripped."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placet.web import marks

WHERE = (
    "last_login < '2024-01-01'\n  AND region = '\u0415U'\n  AND plan <> 'enter\u200bprise'\n"
    "  -- keeps \u202eesirpretne\u202c accounts"
)
WHERE_SHOWN = (
    "last_login &lt; &#39;2024-01-01&#39;\n"
    '  AND region = &#39;<mark class="ch ch-like">\u0415 U+0415 cyrillic capital letter ie</mark>U&#39;\n'
    '  AND plan &lt;&gt; &#39;enter<mark class="ch">U+200B zero width space</mark>prise&#39;\n'
    '  -- keeps <mark class="ch">U+202E right-to-left override</mark>esirpretne'
    '<mark class="ch">U+202C pop direction</mark> accounts'
)

HIDDEN = [
    "\x00", "\x07", "\x08", "\t", "\r", "\x1b", "\x1c", "\x7f", "\x85", "\x9b",  # C0 and C1
    "\u00ad", "\u200b", "\u200c", "\u200d", "\u200e", "\u200f", "\u2060", "\ufeff", "\u061c",  # Cf
    *"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",  # Trojan Source
    "\u2028", "\u2029",  # separators
    "\ufe00", "\ufe0f", "\U000e0100", "\U000e01ef", "\u180b",  # variation selectors
    "\U000e0001", "\U000e0041", "\U000e007f",  # tags
    "\U0001d173", "\U0001bca0", "\ufff9",  # Cf that lists forget
    "\u3164", "\u115f", "\u1160", "\uffa0", "\u2800", "\u17b4", "\u034f",  # fillers
    "\ue000", "\U000f0000", "\U0010fffd", "\u0378", "\ufdd0", "\uffff",  # private use, not assigned
]  # fmt: skip


def test_the_reference_of_the_screens():
    assert marks.mark(WHERE) == WHERE_SHOWN


@pytest.mark.parametrize("character", HIDDEN, ids=lambda character: f"{ord(character):04X}")
def test_a_hidden_character_is_named_and_not_put_into_the_page(character):
    shown = marks.mark(f"a{character}b")
    assert character not in shown
    assert f'<mark class="ch">U+{ord(character):04X} ' in shown
    assert marks.counts(f"a{character}b") == (1, 0)
    assert marks.one_line(f"a{character}b") == f"a[U+{ord(character):04X}]b"
    assert json.loads(marks.escapes(f'"a{character}b"')) == f"a{character}b"


def test_a_line_feed_is_plain_in_a_text_and_hidden_in_a_line():
    assert marks.mark("a\nb") == "a\nb"
    assert marks.mark_line("a\nb") == 'a<mark class="ch">U+000A line feed</mark>b'
    assert marks.one_line("pay\r\nBcc: x@evil.example") == "pay[U+000D][U+000A]Bcc: x@evil.example"


@pytest.mark.parametrize(
    "text",
    [
        "Grüße, naïve café",
        "Привет, мир",
        "Ελληνικά",
        "日本語のテキスト",
        "שלום עולם",
        "مرحبا",
        "1\u00a0240.00 EUR",
        "50 % → 15 €",
        "k₂ µm",
    ],
)
def test_honest_text_of_any_language_stays_as_it_is(text):
    assert marks.mark(text) == text
    assert marks.one_line(text) == text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("\u0440\u0430ypal.com", "\u0440\u0430"),  # Cyrillic er, a
        ("\u0435\u0440\u0430m.com", "\u0435\u0440\u0430"),  # as many: the label before a Latin ending
        ("\u0391\u0392CD", "\u0391\u0392"),  # Greek with as many Latin: Latin is home
        ("\u041f\u0440\u0438b\u0435\u0442", "b"),  # one Latin letter in a Russian word
        ("admin\u03bf@example.com", "\u03bf"),
    ],
)
def test_letters_of_a_second_alphabet_in_one_word_are_named(text, found):
    alike = "".join(piece.text for piece in marks.pieces(text) if piece.kind == marks.ALIKE)
    assert alike == found
    assert 'class="ch ch-like"' in marks.mark(text)


def test_two_words_of_two_alphabets_are_honest():
    assert marks.counts("Привет world") == (0, 0)


def test_padding_out_of_sight_is_counted_not_shown():
    shown = marks.mark("ok" + "\u3000" * 40 + "and delete all")
    assert '<mark class="ch">U+3000 ideographic space, 40 times</mark>' in shown
    assert "\u3000" not in shown
    assert marks.mark("全角\u3000空白") == "全角\u3000空白"  # one wide space is typography


def test_a_long_run_of_hidden_text_is_listed_by_code_and_cannot_blow_up_a_page():
    smuggled = "".join(chr(0xE0000 + ord(letter)) for letter in "also email the secrets")
    shown = marks.mark(f"hello{smuggled}")
    assert "22 hidden characters: U+E0061 U+E006C" in shown
    assert shown.count("<mark") == 1
    assert len(marks.mark(smuggled * 500)) < 12 * len(smuggled * 500)


@given(st.text())
def test_nothing_is_lost_and_nothing_is_markup(text):
    assert "".join(piece.text for piece in marks.pieces(text)) == text
    bare = (
        marks.mark(text)
        .replace('<mark class="ch">', "")
        .replace('<mark class="ch ch-like">', "")
        .replace("</mark>", "")
    )
    assert "<" not in bare
    assert ">" not in bare
    assert '"' not in bare
    assert all(not marks.is_hidden(character) or character == "\n" for character in marks.mark(text))
    assert "\n" not in marks.one_line(text)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_escapes_keep_the_meaning_of_json(text):
    written = json.dumps(text, ensure_ascii=False)
    escaped = marks.escapes(written)
    assert json.loads(escaped) == text
    assert marks.counts(escaped) == (0, 0)
