"""Single characters: what they are called, and which can be seen. Pages frame the others, names are compared without them, and a
text of nothing else is empty.
"""

from __future__ import annotations

import functools
import unicodedata

_UNSEEN_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")

_CONTROL_NAMES = {
    0x00: "null", 0x07: "bell", 0x08: "backspace", 0x09: "tab", 0x0A: "line feed", 0x0B: "line tabulation",
    0x0C: "form feed", 0x0D: "carriage return", 0x1B: "escape", 0x7F: "delete", 0x85: "next line",
    0x9B: "control sequence introducer",
}  # fmt: skip
_CATEGORY_NAMES = {"Cc": "control", "Cn": "not assigned", "Co": "private use", "Cs": "half of a pair"}


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


def unbroken(text: str) -> str:
    """A text in one line: blanks and breaks of every kind between two words are one space."""
    return " ".join(text.split())


@functools.lru_cache(maxsize=8192)
def is_hidden(character: str) -> bool:
    """Whether a single character has no shape of its own. The line feed counts as hidden."""
    if character in _FILLERS or unicodedata.category(character) in _UNSEEN_CATEGORIES:
        return True
    code = ord(character)
    return 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF  # variation selectors


def is_mark(character: str) -> bool:
    """Whether a character is drawn on the one before it."""
    return unicodedata.category(character)[0] == "M"


def is_emoji(character: str) -> bool:
    """Whether a character is drawn as an emoji, or may be."""
    code = ord(character)
    drawn = 0x2190 <= code <= 0x2BFF and not 0x2460 <= code <= 0x24FF
    return (drawn or 0x1F000 <= code <= 0x1FAFF) and unicodedata.category(character) in ("So", "Sm", "Sk")


def is_blank(text: str) -> bool:
    """Whether nobody can see anything of a text: it is empty, spaces, or characters without a shape."""
    return all(character.isspace() or is_hidden(character) for character in text)
