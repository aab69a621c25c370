"""Which characters can be seen. Pages frame the others, names are compared without them, and a text of nothing else is empty."""

from __future__ import annotations

import functools
import unicodedata

_UNSEEN_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")


@functools.lru_cache(maxsize=8192)
def is_hidden(character: str) -> bool:
    """Whether a single character has no shape of its own. The line feed counts as hidden."""
    if character in _FILLERS or unicodedata.category(character) in _UNSEEN_CATEGORIES:
        return True
    code = ord(character)
    return 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF  # variation selectors


def is_blank(text: str) -> bool:
    """Whether nobody can see anything of a text: it is empty, spaces, or characters without a shape."""
    return all(character.isspace() or is_hidden(character) for character in text)
