"""Expressions as JavaScript writes them, for engines that read a few of these signs in another way.

JSON Schema's expressions are ECMA 262's. Both engines agree with it on nearly everything; here are the differences that schemas
really hold: letters beyond 16 bits in two halves, as Java and JavaScript write them, `\\<` for a plain `<`, and classes whose signs
Rust takes for sets.
"""

from __future__ import annotations

import re

_HIGH, _LOW = r"\\u([dD][89abAB][0-9a-fA-F]{2})", r"\\u([dD][c-fC-F][0-9a-fA-F]{2})"
_PAIR = re.compile(_HIGH + _LOW)
_ROWS = re.compile(rf"(?:{_HIGH}|\[{_HIGH}-{_HIGH}\])\[{_LOW}-{_LOW}\]")
_WHOLE_ROW = ("dc00", "dfff")
_SIGN = re.compile(r"\\c[A-Za-z]|\\.|\[:\^?[a-z]+:\]|\[\^?\]?|&&|~~|--|.", re.DOTALL)
_SETS = {"&&": r"\&\&", "~~": r"\~\~", "--": r"-\-"}  # in a class Rust takes them for sets


def as_written(pattern: str) -> str:
    """The same expression for engines that are not JavaScript's."""
    if "\\u" in pattern:
        pattern = _PAIR.sub(lambda pair: _letter(*pair.groups()), _ROWS.sub(_rows, pattern))
    return _plain(pattern)


def _letter(high: str, low: str) -> str:
    return f"\\U{0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00:08X}"


def _rows(found: re.Match[str]) -> str:
    """Halves that may stand before all, or some, of the second ones, as one class."""
    one, first, last, low, high = found.groups()
    first, last = first or one, last or one
    if first != last and (low.lower(), high.lower()) != _WHOLE_ROW:
        return found[0]
    return f"[{_letter(first, low)}-{_letter(last, high)}]"


def _plain(pattern: str) -> str:
    found: list[str] = []
    inside = False  # of a class
    for sign in _SIGN.findall(pattern):
        if len(sign) == 3 and sign.startswith("\\c"):
            found.append(f"\\x{ord(sign[2]) % 32:02x}")
        elif sign in (r"\<", r"\>"):
            found.append(sign[1])
        elif not inside:
            found.append(sign)
            inside = sign.startswith("[") and sign != "[^]"
        elif sign.startswith("[") and not sign.startswith("[:"):  # a class in a class, for Rust
            found.append("\\" + sign)
            inside = not sign.endswith("]")
        else:
            found.append(_SETS.get(sign, sign))
            inside = sign != "]"
    return "".join(r"[\s\S]" if sign == "[^]" else sign for sign in found)
