"""Texts as they are compared when somebody may have spelled them otherwise: `plain`, `loose`, `one_case` and `key`.

Each sign is folded by itself, so that a part of a text is a part of its folded form too, and folding takes as long as the text.
`plain` folds case, width, accents, strokes, hooks and tails, two letters in one and digits of other scripts, and leaves out what is
no letter, no digit or never seen; a letter that people see as a sign between letters (a colon, a quote, a dash) is none. `loose`
also folds what looks alike: the letters of other scripts as Unicode lists them, with a mark or without, `0` and `o`, `1`, `l` and
`i`, `m` and `rn`, `w` and `vv`. A letter may look like one thing and its capital like another (Greek nu like v, its capital N):
`loose` takes it as it is written, `one_case` as the capital, so that capitals and small letters are one. Who wants to miss nothing
compares both, and `placet.model.latin`. What is kept under a name takes `key`: texts that one of the two calls the same have one
key, or are `two_ways`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from itertools import pairwise

from placet.model.characters import is_hidden, is_mark

# Letters and digits that Unicode's `security/confusables.txt` gives for one of ASCII, beside those that lose their form in NFKD.
_ALIKE = {
    "2": "01A7 03E8 14BF A644 A6EF A75A 01BB",
    "3": "01B7 021C 0417 04E0 2CCC A76A A7AB 118CA 16F3B 1D206 0498",
    "4": "13CE 118AF",
    "5": "01BC 118BB",
    "6": "0431 13EE 2CD2 118D5",
    "7": "104D2 118C6 1D212",
    "8": "0222 0223 09EA 0A6A 0B03 1031A 1E8CB",
    "9": "09ED 0A67 0B68 0D6D 2CCA A76E 118AC 118CC 118D6",
    "a": (
        "0391 0410 13AA 15C5 A4EE 102A0 16F40 1D6A8 1D6E2 1D71C 1D756 1D790 0251 03B1 0430 237A 1D6C2 1D6FC 1D736 "
        "1D770 1D7AA 2376"
    ),
    "b": (
        "0392 0412 13F4 15F7 A4D0 A7B4 10282 102A1 10301 1D6A9 1D6E3 1D71D 1D757 1D791 0184 042C 13CF 1472 15AF "
        "1473 0411 048D 048C 0463 0462"
    ),
    "c": (
        "03F9 0421 13DF 2CA4 A4DA 102A2 10302 10415 1051C 118E9 118F2 1F74C 03F2 0441 1D04 2CA5 ABAF 1043D 00A2 "
        "20A1 1F16E"
    ),
    "d": "13A0 15DE 15EA A4D3 0501 13E7 146F A4D2 20AB",
    "e": "0395 0415 13AC 22FF 2D39 A4F0 10286 118A6 118AE 1D6AC 1D6E6 1D720 1D75A 1D794 0435 04BD 212E AB32",
    "f": "03DC 15B4 A4DD A798 10287 102A5 10525 118A2 118C2 1D213 1D7CA 017F 0584 1E9D A799 AB35",
    "g": "050C 13C0 13F3 A4D6 018D 0261 0581 1D83",
    "h": (
        "0397 041D 13BB 157C 2C8E A4E7 102CF 1D6AE 1D6E8 1D722 1D75C 1D796 04BB 0570 13C2 A695 13F2 04A2 045B 04C9 04C7"
    ),
    "j": "037F 0408 13AB 148D A4D9 A7B2 03F3 0458",
    "k": "039A 041A 13E6 16D5 2C94 A4D7 10518 1D6B1 1D6EB 1D725 1D75F 1D799 049A 20AD 049E",
    "l": (
        "13DE 14AA 2CD0 A4E1 1041B 10526 118A3 118B2 16F16 1D22A 0131 0269 026A 02DB 037A 03B9 0456 04CF 13A5 1FBE "
        "2373 A647 AB75 118C3 1D6A4 1D6CA 1D704 1D73E 1D778 1D7B2 0196 01C0 0399 0406 04C0 05C0 05D5 05DF 0627 "
        "07CA 16C1 2223 23FD 2C92 2D4F A4F2 FE8D FE8E FFE8 1028A 10309 10320 16F28 1D6B0 1D6EA 1D724 1D75E 1D798 "
        "1E8C7 1EE00 1EE80 2378 0673"
    ),
    "m": "039C 03FA 041C 13B7 15F0 16D6 2C98 A4DF 102B0 10311 1D6B3 1D6ED 1D727 1D761 1D79B 11700 118E3 04CD",
    "n": "039D 2C9A A4E0 10513 1D6B4 1D6EE 1D728 1D762 1D79C 0578 057C 1018E 03B7",
    "o": (
        "039F 041E 0555 0B20 12D0 2C9E 2D54 3007 A4F3 10292 102AB 10404 104C2 10516 118B5 1D6B6 1D6F0 1D72A 1D764 "
        "1D79E 03BF 03C3 043E 0585 05E1 0647 0665 06BE 06C1 06D5 06F5 0C02 0C82 0D02 0D20 0D82 101D 10FF 1D0F 1D11 "
        "2C9F AB3D FBA6 FBA7 FBA8 FBA9 FBAA FBAB FBAC FBAD FEE9 FEEA FEEB FEEC 1042C 104EA 118C8 118D7 1D6D0 1D6D4 "
        "1D70A 1D70E 1D744 1D748 1D77E 1D782 1D7B8 1D7BC 1EE24 1EE64 1EE84 06FF 2D41 04E9 0473 AB8E ABBB 2296 229D "
        "236C 1D21A 1F714 03B8 0398 04E8 0472 2D31 13BE 13EB AB74 1010"
    ),
    "p": (
        "03A1 0420 13E2 146D 2CA2 A4D1 10295 1D6B8 1D6F2 1D72C 1D766 1D7A0 03C1 03F1 0440 2374 2CA3 1D6D2 1D6E0 "
        "1D70C 1D71A 1D746 1D754 1D780 1D78E 1D7BA 1D7C8"
    ),
    "q": "2D55 051B 0563 0566",
    "r": "01A6 13A1 13D2 1587 A4E3 104B4 16F35 1D216 0433 1D26 2C85 AB47 AB48 AB81",
    "s": "0405 054F 13D5 13DA A4E2 10296 10420 16F3A 01BD 0455 A731 ABAA 10448 118C1",
    "t": (
        "03A4 0422 13A2 22A4 27D9 2CA6 A4D4 10297 102B1 10315 118BC 16F0A 1D6BB 1D6F5 1D72F 1D769 1D7A3 1F768 2361 "
        "04AC 20AE"
    ),
    "u": (
        "054D 1200 144C 222A 22C3 A4F4 104CE 118B8 16F42 028B 03C5 057D 1D1C A79F AB4E AB52 104F6 118D8 1D6D6 "
        "1D710 1D74A 1D784 1D7BE AB9C 13CC"
    ),
    "v": (
        "0474 0667 06F7 13D9 142F 2D38 A4E6 A6DF 1051D 118A0 16F08 1D20D 03BD 0475 05D8 1D20 2228 22C1 ABA9 11706 "
        "118C0 1D6CE 1D708 1D742 1D77C 1D7B6 10197 1F708"
    ),
    "w": "051C 13B3 13D4 A4EA 118E6 118EF 026F 0461 051D 0561 1D21 AB83 1170A 1170E 1170F 114C5 20A9 A761",
    "x": (
        "03A7 0425 166D 16B7 2573 2CAC 2D5D A4EB A7B3 10290 102B4 10317 10322 10527 118EC 1D6BE 1D6F8 1D732 1D76C "
        "1D7A6 00D7 0445 1541 157D 166E 292B 292C 2A2F 2A30 10196"
    ),
    "y": (
        "03A5 03D2 0423 04AE 13A9 13BD 2CA8 A4EC 102B2 118A4 16F43 1D6BC 1D6F6 1D730 1D76A 1D7A4 0263 028F 03B3 "
        "0443 04AF 10E7 1D8C 1EFF 213D AB5A 118DC 1D6C4 1D6FE 1D738 1D772 1D7AC 00A5"
    ),
    "z": "0396 13C3 A4DC 102F5 118A9 118E5 1D6AD 1D6E7 1D721 1D75B 1D795 1D22 AB93 118C4",
}
_TWO_SIGNS = {"m": "rn", "w": "vv", "0": "o", "1": "l", "i": "l"}
_LOOKS = {chr(int(code, 16)): sign for sign, codes in _ALIKE.items() for code in codes.split()}
# Two letters in one, and letters whose name does not say of which they are a form.
_ONE_OF = {
    "\u00e6": "ae", "\u0153": "oe", "\ua733": "aa", "\ua735": "ao", "\ua737": "au", "\ua739": "av", "\ua73b": "av",
    "\ua73d": "ay", "\ua74f": "oo", "\u1d6b": "ue", "\uab63": "uo", "\u02a3": "dz", "\u02a6": "ts", "\u02aa": "ls",
    "\u02ab": "lz", "\u00f0": "d", "\u04d5": "ae", "\ua699": "oo",
}  # fmt: skip
# `LATIN SMALL LETTER L WITH STROKE`, `CYRILLIC SMALL LETTER KA WITH DESCENDER`: a letter, and what is drawn on it.
_MARKED = re.compile(r"((?:LATIN|CYRILLIC|GREEK) .+?) (?:WITH .+|BAR)$")
# Forms of a letter of ASCII that are drawn otherwise, and upright: an open or a turned one is another letter.
_FORM = re.compile(
    r"LATIN (?:(?:SMALL|CAPITAL|LETTER|DOTLESS|BARRED|AFRICAN|BLACKLETTER|INSULAR|SCRIPT|BROKEN) )+([A-Z])$"
)
_DRAWN = re.compile(r"(?:LATIN CAPITAL|LATIN SMALL|SYMBOL) LETTER ([A-Z])$")  # in a circle, a square or a flag
# Letters that people see as `!`, `'`, `?`, `/`, `-` or a dot. Not those that words of today are written with (Hebrew yod, the
# Katakana for no): without them other words would be the same.
_BETWEEN = frozenset(
    "\u01c1\u01c2\u01c3\u0242\u0294\u02a1\u097d\u1427\u144a\u16cc"
    "\u2cbb\u2cc7\u2d51\u4e36\u4e3f\ua6eb\ua78c\ua78f\U00016f3f"
)
# Of a key: letters of ASCII that a Greek or Cyrillic letter looks like in one case and its pair in the other (Greek nu, eta and
# upsilon, Cyrillic be). With every such sign of Unicode most digits would be one.
_JOINED = str.maketrans({"n": "h", "v": "h", "u": "y", "6": "b"})
_MOST_KEPT = 20_000  # folded signs that are remembered
_MOST_SIGNS = 4  # of a sign that stands for a phrase: nobody spells it out


class Folded(dict[int, str]):
    """A table for `str.translate`: the folded form of each sign, made when it is met."""

    def __init__(self, fold: Callable[[str], str]) -> None:
        super().__init__()
        self._fold = fold

    def __missing__(self, code: int) -> str:
        if len(self) > _MOST_KEPT:
            self.clear()
        self[code] = self._fold(chr(code))
        return self[code]


def plain(text: str) -> str:
    """The letters and digits of a text in one case and width, without accents; empty when it has none."""
    return text.translate(_PLAIN)


def loose(text: str) -> str:
    """The same, and what looks alike is one sign."""
    return text.translate(_LOOSE)


def one_case(text: str) -> str:
    """The same, whatever of it is in capitals: of each letter it is the capital that looks like another."""
    return plain(text).translate(_ONE_CASE)


def key(text: str) -> str:
    """One name for every spelling of a text, for what is kept under it; ask `two_ways` before.

    It is coarser than `loose` and `one_case`: in rare cases different names have one key (`van` and `nan`).
    """
    return one_case(text).translate(_JOINED)


def two_ways(text: str) -> bool:
    """Whether a text holds a sign that may be read in two ways which cannot be one, beside what looks like ASCII.

    Such are an Arabic five, which looks like `o`, and the sign of multiplication, which looks like `x`.
    """
    if text.isascii():
        return False
    signs = [sign for sign in text if _TWICE[ord(sign)] or not (is_hidden(sign) or is_mark(sign))]
    return any(_TWICE[ord(one)] and _is_latin(other) for pair in pairwise(signs) for one, other in (pair, pair[::-1]))


def _is_latin(sign: str) -> bool:
    """Whether a sign is a letter or digit of ASCII or looks so; a digit of another script is read by its value."""
    if sign.isascii():
        return sign.isalnum()
    shown = loose(sign)
    return bool(shown) and shown.isascii() and not _TWICE[ord(sign)] and unicodedata.digit(sign, None) is None


def _twice_sign(sign: str) -> str:
    shown = loose(sign).translate(_JOINED)
    return "twice" if shown.isascii() and shown != key(sign) else ""


def _plain_sign(sign: str) -> str:
    digit = unicodedata.digit(sign, None)
    if digit is not None:
        return str(digit)
    if unicodedata.category(sign) == "So" and (drawn := _DRAWN.search(unicodedata.name(sign, ""))):
        return drawn[1].lower()
    parts = unicodedata.normalize("NFKD", sign).casefold()
    return "".join(_unmarked(one) for one in parts if _is_letter(one))[:_MOST_SIGNS]


def _is_letter(sign: str) -> bool:
    """Whether people see a letter or a digit. A modifier that Unicode does not derive from a letter is seen as a sign beside one; a
    mark of iteration stands for a letter."""
    if not sign.isalnum() or is_hidden(sign) or sign in _BETWEEN:
        return False
    return unicodedata.category(sign) != "Lm" or "ITERATION" in unicodedata.name(sign, "")


def _unmarked(letter: str) -> str:
    """A small letter without what NFKD leaves on it: `l` of `\u0142`."""
    if letter.isascii() or letter in _ONE_OF:
        return _ONE_OF.get(letter, letter)
    name = unicodedata.name(letter, "")
    if marked := _MARKED.match(name):
        name = marked[1]
    if form := _FORM.match(name):
        return form[1].lower()
    if marked is None:
        return letter
    try:
        return _unmarked(unicodedata.lookup(name).casefold())
    except KeyError:  # there is no such letter without its mark
        return letter


def _loose_sign(sign: str) -> str:
    shown = _LOOKS.get(sign) or _plain_sign(sign)
    return "".join(_TWO_SIGNS.get(one, one) for one in (_LOOKS.get(part, part) for part in shown))


def _one_case_sign(sign: str) -> str:
    shown = _LOOKS.get(sign.upper()) or _LOOKS.get(sign) or sign
    return _TWO_SIGNS.get(shown, shown)


_PLAIN, _LOOSE, _ONE_CASE = Folded(_plain_sign), Folded(_loose_sign), Folded(_one_case_sign)
_TWICE = Folded(_twice_sign)
