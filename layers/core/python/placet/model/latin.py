"""Texts as somebody writes them who has only the letters of ASCII: `in_latin`.

`u` with two dots becomes `ue` and not `u`, Cyrillic letters become those of Latin that they sound like. It is the usual one of
several ways to write them; beside that it folds like `loose`. Who only wants to ask more compares this too.
"""

from __future__ import annotations

import re
import unicodedata

from placet.model.folding import Folded, loose

# German, Nordic and Icelandic letters.
_SPELLED = {
    "\u00e4": "ae", "\u00f6": "oe", "\u00fc": "ue", "\u00f8": "oe", "\u00e5": "aa", "\u00fe": "th", "\u00f0": "dh",
}  # fmt: skip
# Cyrillic letters of Russian, Ukrainian, Bulgarian and Serbian, as the press prints names; hard and soft signs are left out.
_PRINTED = {
    "a": "0430", "b": "0431", "v": "0432", "g": "0433 0491", "d": "0434", "e": "0435 0451 044D", "zh": "0436",
    "z": "0437", "i": "0438 0456", "y": "0439 044B", "k": "043A", "l": "043B", "m": "043C", "n": "043D",
    "o": "043E", "p": "043F", "r": "0440", "s": "0441", "t": "0442", "u": "0443", "f": "0444", "kh": "0445",
    "ts": "0446", "ch": "0447", "sh": "0448", "shch": "0449", "": "044A 044C", "yu": "044E", "ya": "044F",
    "yi": "0457", "ye": "0454", "dj": "0452", "j": "0458", "lj": "0459", "nj": "045A", "c": "045B", "dz": "045F",
}  # fmt: skip
_CYRILLIC = {chr(int(code, 16)): written for written, codes in _PRINTED.items() for code in codes.split()}
_WRITTEN = {**_SPELLED, **_CYRILLIC}
_STORED_APART = re.compile(r"\w[\u0306\u0308\u030a]")  # a letter and the mark of one that is written otherwise


def in_latin(text: str) -> str:
    """A text in letters of ASCII where there is a usual way to write it so, and what looks alike is one sign."""
    return (text if text.isascii() else _STORED_APART.sub(_together, text)).translate(_LATIN)


def _together(pair: re.Match[str]) -> str:
    return unicodedata.normalize("NFC", pair[0])


def _latin_sign(sign: str) -> str:
    small = sign.lower()
    base = unicodedata.normalize("NFKD", small)[:1]  # of a Cyrillic letter with another mark
    written = _WRITTEN.get(small, _CYRILLIC.get(base))
    return loose(sign if written is None else written)


_LATIN = Folded(_latin_sign)
