"""Expressions as JavaScript writes them, for engines that read a few of these signs in another way.

JSON Schema's expressions are ECMA 262's. Both engines agree with it on nearly everything; here are the differences that schemas
really hold: letters beyond 16 bits in two halves, as Java and JavaScript write them, `\\<` for a plain `<`, classes whose signs
Rust takes for sets, the class of nothing `[]`, and `\\k<name>` for what a group has found.
"""

from __future__ import annotations

import re

_HIGH, _LOW = r"\\u([dD][89abAB][0-9a-fA-F]{2})", r"\\u([dD][c-fC-F][0-9a-fA-F]{2})"
_PAIR = re.compile(_HIGH + _LOW)
_ROWS = re.compile(rf"(?:{_HIGH}|\[{_HIGH}-{_HIGH}\])\[{_LOW}-{_LOW}\]")
_WHOLE_ROW = ("dc00", "dfff")
_SIGN = re.compile(r"\\c[A-Za-z]|\\k<[A-Za-z_]\w*>|\\.|\[:\^?[a-z]+:\]|\[\^?\]?|&&|~~|--|.", re.DOTALL)
_NAMED = re.compile(r"\(\?P?<[A-Za-z_]")
_NOTHING = r"[^\s\S]"
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
    signs = _SIGN.findall(pattern)
    for at, sign in enumerate(signs):
        if len(sign) == 3 and sign.startswith("\\c"):
            found.append(f"\\x{ord(sign[2]) % 32:02x}")
        elif sign in (r"\<", r"\>"):
            found.append(sign[1])
        elif sign.startswith("\\k"):
            found.append(_found_again(sign, pattern, inside))
        elif sign == "[]" and not inside and not any(map(_closes, signs[at + 1 :])):
            found.append(_NOTHING)  # where a bracket comes later it is Python's way to write one in a class
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


def _closes(sign: str) -> bool:
    return sign.endswith("]") and not sign.startswith("\\")


def _found_again(sign: str, pattern: str, inside: bool) -> str:
    """`\\k<name>`: what the group of this name has found; a plain `k` in a class, and where no group has a name."""
    return sign[1:] if inside or not _NAMED.search(pattern) else f"(?P={sign[3:-1]})"
