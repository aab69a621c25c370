"""What a value may be taken for: one promise for texts and numbers, on both sides of a comparison.

Two texts are the same when one of their folded forms is. A number and a text are the same when the text may mean the number
(`1,240` and `1.240` are 1240), or has its digits and no other letters, with whatever between. Two numbers are the same when their
size is.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from placet.model.canonical import Lexeme, is_text
from placet.model.characters import is_hidden
from placet.model.folding import loose, one_case
from placet.model.latin import in_latin
from placet.policy.facts import Unjudged
from placet.policy.places import number_in
from placet.policy.spoken import ascii_digits, readings

FOLDS = (loose, one_case, in_latin)
_ZERO = loose("0")
_BARS = str.maketrans(
    dict.fromkeys("|!\u00a6\uff5c\uff01\uffe4", "l")
)  # signs that stand between words, or for a letter
_LONGEST_WRITTEN = 1_000  # digits and zeros of a number: as many as a number of a request may have
Name = tuple[str, object]


def names_of(value: Any) -> frozenset[Name]:
    """What a value of the policy is called; empty for what is no single value."""
    return frozenset(_names(value, "digits of a number", "digits of a text"))


def taken_for(value: Any) -> frozenset[Name]:
    """The names under which a value of a call is found among those of the policy; empty for what is no single value."""
    return frozenset(_names(value, "digits of a text", "digits of a number"))


def _names(value: Any, of_number: str, of_text: str) -> Iterator[Name]:
    number = number_of(value)
    if number is None and (isinstance(value, bool) or is_text(value)):
        text = str(value)
        for one in dict.fromkeys((text, text.translate(_BARS))):
            yield from _names_of_text(one, of_text)
        number = number_of(Lexeme(ascii_digits(seen(text))))
    if number is not None:
        yield ("number", number)
        yield from ((of_number, digits) for digits in _written(number))


def _names_of_text(text: str, of_text: str) -> Iterator[Name]:
    shown = ascii_digits(seen(text))
    yield from (("text", fold(text) or seen(text)) for fold in FOLDS)
    yield from (("number", one) for one in readings(shown))
    yield from ((of_text, digits) for digits in _digits(shown))


def number_of(value: Any) -> Decimal | None:
    """The number that a value is, never that of a text; None for any other."""
    try:
        number = number_in("", value)
    except Unjudged:
        return None
    return number if number.is_finite() else None


def seen(text: str) -> str:
    """What of a text is seen, in one width: for texts without letters and digits, of which no fold leaves anything."""
    if text.isascii() and text.isprintable():
        return text.replace(" ", "")
    signs = (sign for sign in text if not (sign.isspace() or is_hidden(sign)))
    return "".join(unicodedata.normalize("NFKC", sign) for sign in signs)


def _digits(shown: str) -> Iterator[str]:
    """The folded letters and digits of a text, as those of a number are written: without a point, and with the last one as it."""
    at = max(shown.rfind("."), shown.rfind(","))
    for fold in (loose, one_case):
        yield from _joined(fold(shown), "")
        if at >= 0:
            yield from _joined(fold(shown[:at]), fold(shown[at:]))


def _written(number: Decimal) -> Iterator[str]:
    """The same of a number; none for one that nobody writes out."""
    _, digits, exponent = number.as_tuple()
    if isinstance(exponent, int) and len(digits) + abs(exponent) <= _LONGEST_WRITTEN:
        whole, _, rest = f"{number:f}".partition(".")
        yield from _joined(loose(whole), loose(rest))


def _joined(whole: str, rest: str) -> Iterator[str]:
    if whole or rest:
        rest = rest.rstrip(_ZERO)
        yield (whole.lstrip(_ZERO) or _ZERO) + (f".{rest}" if rest else "")
