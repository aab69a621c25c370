"""The one filter between what agents and people wrote and what a reviewer sees: it escapes, and it makes visible.

Nothing is ever stripped: the text that is shown is the text that runs. Characters without a shape of their own are
replaced by their code point and name; letters of a second alphabet inside one word keep their shape and get a name.
Sources of the rules: Trojan Source (CVE-2021-42574), Unicode tag smuggling, and the fillers that lists forget.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from markupsafe import Markup, escape

from placet.model.characters import is_hidden

PLAIN, HIDDEN, ALIKE = "plain", "hidden", "alike"

_ORDINARY = re.compile(r"[\n\x20-\x7e]*\Z")
_WORD = re.compile(r"\w+(?:[.@]\w+)*")
_SCRIPTS = ("LATIN", "CYRILLIC", "GREEK")
_NAMED_RUN = 8  # a longer run of hidden characters is listed by code point only, or a page could outgrow its answer

_CONTROL_NAMES = {
    0x00: "null", 0x07: "bell", 0x08: "backspace", 0x09: "tab", 0x0A: "line feed", 0x0B: "line tabulation",
    0x0C: "form feed", 0x0D: "carriage return", 0x1B: "escape", 0x7F: "delete", 0x85: "next line",
    0x9B: "control sequence introducer",
}  # fmt: skip
_CATEGORY_NAMES = {"Cc": "control", "Cn": "not assigned", "Co": "private use", "Cs": "half of a pair"}


@dataclass(frozen=True)
class Piece:
    """A stretch of text that is shown one way: `kind` is plain, hidden or alike."""

    kind: str
    text: str


def pieces(text: str, *, lines: bool = True) -> Iterator[Piece]:
    """Cut a text into plain stretches, runs of hidden characters and look-alike letters.

    Args:
        lines: whether a line feed is plain; in a slot that holds one line it is hidden.
    """
    if _ORDINARY.match(text) and (lines or "\n" not in text):
        if text:
            yield Piece(PLAIN, text)
        return
    alike = _alike_places(text)
    kinds = [ALIKE if place in alike else _kind(text, place, lines) for place in range(len(text))]
    start = 0
    for kind, run in groupby(kinds):
        end = start + sum(1 for _ in run)
        yield Piece(kind, text[start:end])
        start = end


def mark(text: str, *, lines: bool = True) -> Markup:
    """Escaped markup of a text with every hidden and look-alike character named in a frame."""
    return Markup("").join(_shown(piece) for piece in pieces(text, lines=lines))


def mark_line(text: str) -> Markup:
    """`mark` for a slot that holds one line: a line feed is named too."""
    return mark(text, lines=False)


def one_line(text: str) -> str:
    """Plain text in one line for page titles and mails: what cannot be seen stands as `[U+200B]`. Not escaped."""
    return "".join(_written(piece) for piece in pieces(text, lines=False))


def escapes(text: str) -> str:
    """JSON text of the same meaning with hidden and look-alike characters as `\\uXXXX`. Not escaped for HTML."""
    return "".join(piece.text if piece.kind == PLAIN else _json_escaped(piece.text) for piece in pieces(text))


def counts(text: str) -> tuple[int, int]:
    """How many hidden and how many look-alike characters a text holds."""
    found = Counter({HIDDEN: 0, ALIKE: 0})
    for piece in pieces(text):
        found[piece.kind] += len(piece.text)
    return found[HIDDEN], found[ALIKE]


def name_of(character: str) -> str:
    """The name of a character in small letters, also for those that Unicode gives none."""
    code = ord(character)
    if code in _CONTROL_NAMES:
        return _CONTROL_NAMES[code]
    name = unicodedata.name(character, _CATEGORY_NAMES.get(unicodedata.category(character), "without a name"))
    return name.lower().replace(" directional formatting", " direction")


def code_of(character: str) -> str:
    """`U+200B`."""
    return f"U+{ord(character):04X}"


def _kind(text: str, place: int, lines: bool) -> str:
    character = text[place]
    if "\x20" <= character <= "\x7e" or (character == "\n" and lines):
        return PLAIN
    if is_hidden(character) or _pads(text, place):
        return HIDDEN
    return PLAIN


def _pads(text: str, place: int) -> bool:
    """A run of wide or unusual spaces pushes text out of sight; a single one is typography."""
    character = text[place]
    if not character.isspace():
        return False
    before = text[place - 1] if place else ""
    return character in (before, text[place + 1 : place + 2])


def _alike_places(text: str) -> frozenset[int]:
    """Places of the letters that are the fewer ones in a word of more than one alphabet."""
    found: set[int] = set()
    for word in _WORD.finditer(text):
        if word.group().isascii():
            continue
        scripts = {word.start() + index: _script(letter) for index, letter in enumerate(word.group())}
        found.update(_strangers(scripts))
    return frozenset(found)


def _strangers(scripts: dict[int, str]) -> Iterator[int]:
    tally = Counter(script for script in scripts.values() if script)
    if len(tally) < 2:
        return
    # With as many of each, Latin is taken for the word's own alphabet: identifiers are written in it.
    home = max(tally, key=lambda script: (tally[script], script == "LATIN", script))
    yield from (place for place, script in scripts.items() if script and script != home)


@functools.lru_cache(maxsize=8192)
def _script(letter: str) -> str:
    if letter.isascii():
        return "LATIN" if letter.isalpha() else ""
    first = unicodedata.name(letter, "").split(" ", 1)[0]
    return first if first in _SCRIPTS else ""


def _shown(piece: Piece) -> Markup:
    if piece.kind == PLAIN:
        return escape(piece.text)
    if piece.kind == ALIKE:
        return Markup("").join(
            Markup('<mark class="ch ch-like">{} {} {}</mark>').format(letter, code_of(letter), name_of(letter))
            for letter in piece.text
        )
    runs = [(character, sum(1 for _ in run)) for character, run in groupby(piece.text)]
    named = len(runs) <= _NAMED_RUN
    labels = [_label(character, times, named) for character, times in runs]
    if named:
        return Markup("").join(Markup('<mark class="ch">{}</mark>').format(label) for label in labels)
    total = f"{len(piece.text)} hidden characters: "
    return Markup('<mark class="ch">{}{}</mark>').format(total, " ".join(labels))


def _label(character: str, times: int, named: bool) -> str:
    label = f"{code_of(character)} {name_of(character)}" if named else code_of(character)
    return label if times == 1 else f"{label}, {times} times"


def _written(piece: Piece) -> str:
    if piece.kind == PLAIN:
        return piece.text
    shape = piece.kind == ALIKE
    return "".join(f"{character if shape else ''}[{code_of(character)}]" for character in piece.text)


def _json_escaped(text: str) -> str:
    units = text.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[place : place + 4]}" for place in range(0, len(units), 4))
