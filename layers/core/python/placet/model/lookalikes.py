"""Which characters of a text pass for another: letters of a second alphabet, other digits, other separators.

A whole word in one alphabet is typography, and so are the letters of Latin with their marks (`é`, `ł`): neither is
looked for. Everything that stands among ASCII letters and digits without belonging there is. `tests/unit/test_confusables.py`
holds Unicode's own list of look-alikes against this, with the exceptions by name.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

_CHUNK = re.compile(r"\S+")
_HOST = re.compile(r"\w\.[^\W\d]|@|://")
_ADDRESS = re.compile(r"@|://")
_ASCII_SIGN = re.compile(r"[A-Za-z0-9]")
_MARKS_ON_A_BASE, _MARKS_AT_ALL = 2, 4  # that pile up; with the vowel signs of Indic scripts, which do not
_MARKS_ON_HEBREW = 3  # a dot that tells letters apart, one that doubles, a vowel

# Letters of Latin that are no other letter with a mark, in everyday use, and like no letter of ASCII.
_LATIN_OF_ITS_OWN = frozenset("ßẞæÆœŒøØåÅłŁđĐðÐþÞħĦŧŦŋŊəƏ")
_CJK = frozenset(
    {"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HANGUL", "IDEOGRAPHIC", "BOPOMOFO", "VERTICAL", "DOUBLE"}
)
_OF_NO_SCRIPT = frozenset({"MODIFIER", "COMBINING", "KATAKANA-HIRAGANA", "IDEOGRAPHIC", "VERTICAL", "DOUBLE", ""})

# What NFKC takes apart, and every text of its language holds: Armenian `and`, the vowel `am` of Thai and Lao.
_WRITTEN_SO = frozenset("\u0587\u0e33\u0eb3")
_ELLIPSIS = "\u2026"
_WIDE_SEPARATORS = frozenset("\uff0e\uff0f\uff20\uff0d")  # . / @ -
_WIDE = frozenset(  # punctuation of Chinese and Japanese lines
    chr(code) for code in range(0xFF01, 0xFF66) if not chr(code).isalnum() and chr(code) not in _WIDE_SEPARATORS
)
# Signs that NFKC leaves alone and that resemble ASCII: `-`, `.`, `,`, `:`, `/`, letters. Beside ASCII they are taken for it;
# between blanks they are a dash or a sign.
_RESEMBLING = frozenset(
    "\u2010\u2012\u2013\u2043\u02d7\u2212\u2796\u2cba\u06d4"
    "\ua60e\ua4f8\U0001d16d\u0701\u0702\u06f0\u0660\U00010a50"
    "\u201a\ua4f9\u060d\u066b"
    "\u0903\u0a83\u0589\u05c3\u0703\u0704\u16ec\u1803\u1809\u205a\u02f8\ua789\u2236\u02d0\ua4fd"
    "\u1735\u2041\u2215\u2044\u2571\u27cb\u29f8\U0001d23a\u31d3\u3033\u2cc6\u30ce\u4e3f\u3007"
    "\u00d7\u292b\u292c\u2a2f\u2573\u166d\u166e\U0001f74c\u22ff\U0001d213\U0001d22a\U0001d216\u22a4\u27d9\U0001f768"
    "\u222a\u22c3\U0001d20d\u237a\u212e\u2373\u05c0\u2223\u23fd\u2374\u2228\u22c1\U0001d206\U0001d212"
)
_OPENING_QUOTE = "\u201a"  # „he said ‚yes‘“: at the start of a word it is no comma
_SEPARATORS = frozenset("/.:,@-")


def places(text: str) -> Iterator[int]:
    """Places of the characters that pass for others, in no order, some twice."""
    yield from _stacked(text)
    for chunk in _CHUNK.finditer(text):
        if not chunk.group().isascii():
            yield from _of_chunk(text, chunk.start(), chunk.end())


def scripts(text: str) -> frozenset[str]:
    """The alphabets that a text is written in, ASCII letters as LATIN; Chinese, Japanese and Korean count as one."""
    found = {_script(letter) for letter in set(text) if letter.isalpha()}
    if _ASCII_SIGN.search(text):
        found.discard("")
    return frozenset(found - {""})


def _of_chunk(text: str, start: int, end: int) -> Iterator[int]:
    """The look-alikes between two white spaces."""
    yield from (place for place in range(start, end) if text[place] > "\x7f" and _always(text, place))
    chunk = text[start:end]
    yield from _resembling(text, start, end)
    if _HOST.search(chunk) and _ASCII_SIGN.search(chunk):
        yield from _foreign(text, start, end, strict=_ADDRESS.search(chunk) is not None)
    for first, last in _words(chunk):
        yield from _of_word(text, start + first, start + last)


def _always(text: str, place: int) -> bool:
    """Other digits, and what NFKC turns into something else, wherever it stands."""
    character = text[place]
    if not _changes(character):
        return False
    before, after = text[place - 1 : place], text[place + 1 : place + 2]
    if character == _ELLIPSIS:
        return bool(_ASCII_SIGN.match(after))
    if character in _WIDE:
        return not (_is_cjk(before) or _is_cjk(after))
    if character in _WIDE_SEPARATORS:
        return not (_is_cjk(before) and _is_cjk(after))
    return True


@functools.lru_cache(maxsize=8192)
def _changes(character: str) -> bool:
    if unicodedata.category(character) == "Nd":
        return True
    folded = unicodedata.normalize("NFKC", character)
    if folded == character or character in _WRITTEN_SO:
        return False
    # Some letters of Indic scripts have no form of their own in NFC: they stay what they are, in two characters.
    return (
        folded != unicodedata.normalize("NFC", character)
        or len(folded) == 1
        or not folded.isalpha()
        or folded.isascii()
    )


def _resembling(text: str, start: int, end: int) -> Iterator[int]:
    """Runs of signs like `- . , : /` that touch ASCII."""
    place = start
    while place < end:
        if text[place] not in _RESEMBLING:
            place += 1
            continue
        first = place
        while place < end and text[place] in _RESEMBLING:
            place += 1
        before, after = text[first - 1 : first] if first else "", text[place : place + 1]
        opens = text[first] == _OPENING_QUOTE and (not before.strip() or before in "\u201e\u201c(")
        if not opens and (_is_ascii_sign(before) or _is_ascii_sign(after)):
            yield from range(first, place)


def _words(chunk: str) -> Iterator[tuple[int, int]]:
    """(start, end) of each run of letters, digits and marks that is not all ASCII."""
    start = None
    for place, character in enumerate(chunk):
        inside = character.isalnum() or character == "_" or _is_mark(character)
        if inside and start is None:
            start = place
        if not inside and start is not None:
            if not chunk[start:place].isascii():
                yield start, place
            start = None
    if start is not None and not chunk[start:].isascii():
        yield start, len(chunk)


def _of_word(text: str, start: int, end: int) -> Iterator[int]:
    """What does not belong into a word: beside ASCII all that is foreign, else the fewer letters of two alphabets."""
    word = text[start:end]
    latin = any((letter.isascii() and letter.isalnum()) or _is_honest_latin(letter) for letter in word)
    if latin:
        foreign = list(_foreign(text, start, end, strict=False))
        yield from foreign
        own = [place for place in range(start, end) if text[place].isascii() and text[place].isalpha()]
        if len(own) < sum(unicodedata.bidirectional(text[place]) == "L" for place in foreign):
            yield from own  # one `b` in a Russian word
        return
    tally = Counter(script for script in map(_script, word) if script)
    if len(tally) > 1:
        home = max(tally, key=lambda script: (tally[script], script))
        yield from (start + at for at, letter in enumerate(word) if _script(letter) not in ("", home))


def _foreign(text: str, start: int, end: int, strict: bool) -> Iterator[int]:
    """Letters, numbers and marks that are not of ASCII; Latin with marks only where `strict`, as in an address."""
    for place in range(start, end):
        character = text[place]
        if character <= "\x7f" or unicodedata.category(character)[0] not in "LNM":
            continue
        if (not strict and _is_honest_latin(character)) or (_is_cjk(character) and not _is_mark(character)):
            continue
        if _is_mark(character) and not _on_ascii(text, place):
            continue
        yield place


def _stacked(text: str) -> Iterator[int]:
    """Marks on ASCII, on nothing or on a sign between words, and those that pile up on any other base."""
    base, piled, marks = "", 0, 0
    for place, character in enumerate(text):
        if character <= "\x7f" or not _is_mark(character):
            base, piled, marks = character, 0, 0
            continue
        marks += 1
        piled += _piles_up(character)
        most = _MARKS_ON_HEBREW if "\u05d0" <= base <= "\u05ea" else _MARKS_ON_A_BASE
        if base.isascii() or piled > most or marks > _MARKS_AT_ALL or (piled and _is_between_words(base)):
            yield place


def _on_ascii(text: str, place: int) -> bool:
    while place and _is_mark(text[place]):
        place -= 1
    return text[place].isascii()


@functools.lru_cache(maxsize=8192)
def _is_mark(character: str) -> bool:
    return character > "\x7f" and unicodedata.category(character)[0] == "M"


def _is_between_words(base: str) -> bool:
    """Whether a sign is a quotation mark, a dash or a blank: what is drawn on it belongs to no letter."""
    return unicodedata.category(base)[0] in "PZ"


@functools.lru_cache(maxsize=1024)
def _piles_up(mark: str) -> bool:
    return unicodedata.combining(mark) != 0 or unicodedata.category(mark) == "Me"


@functools.lru_cache(maxsize=8192)
def _is_honest_latin(letter: str) -> bool:
    """`é`, `ł`: Latin as it is written, and no letter that passes for one of ASCII."""
    if letter in _LATIN_OF_ITS_OWN:
        return True
    apart = unicodedata.normalize("NFD", letter)
    return len(apart) > 1 and apart[0].isascii() and apart[0].isalpha() and all(map(_is_mark, apart[1:]))


@functools.lru_cache(maxsize=8192)
def _is_cjk(character: str) -> bool:
    return character > "\x7f" and (
        unicodedata.name(character, "").split(" ", 1)[0] in _CJK or character in "。、「」『』【】《》〈〉"
    )


def _is_ascii_sign(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character in _SEPARATORS) and character != ""


@functools.lru_cache(maxsize=8192)
def _script(letter: str) -> str:
    """The alphabet of a letter by the first word of its name; empty for digits and for what belongs to none."""
    if letter.isascii():
        return "LATIN" if letter.isalpha() else ""
    first = unicodedata.name(letter, "").split(" ", 1)[0]
    if not letter.isalpha() or first in _OF_NO_SCRIPT:
        return ""
    return "CJK" if first in _CJK else first
