"""Looking for a value in texts: strictly in what the user said, generously in everything else."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from decimal import Decimal, InvalidOperation
from itertools import chain

from placet.model.canonical import Lexeme
from placet.model.characters import is_hidden, is_mark
from placet.model.folding import Folded, loose, plain
from placet.model.latin import in_latin
from placet.policy.encodings import hides_text, is_overloaded, readings_of

MOST_READ = 2_097_152  # characters of everything that texts may say
MOST_TRIES = 200  # places of one text that begin like the value; after that it is taken for absent
SHORT = 4  # a folded text below this is looked for as a word, not within words
WINDOW = 6  # digits of a longer number that are looked for by themselves
FOLDS = (plain, loose, in_latin)  # of what came from elsewhere
_LONGEST_NUMBER = 80  # characters
_BLANK = " '\u00a0\u2009\u202f"  # between groups of digits
_BETWEEN = frozenset({"Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sc", "Zs"})  # what may stand between words
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[.,](?=\d)")
_LONE_DOT = re.compile(r"(?<!\d)\.|\.(?!\d)")
_ADDRESS = re.compile(r"@|/|[^\W\d_]\.\w|\w\.[^\W\d_]")
_BEFORE, _AFTER = re.compile(r"[\w.+-]"), re.compile(r"[\w@-]|\.\w")  # an address goes on there
_DIGITS = re.compile(rf"\d(?:[.,/{_BLANK}-]?\d)*")
_NUMBER = re.compile(r"(?<![\w.,])[-+\u2212]?\d+(?:[.,]\d+)*(?:[eE][-+]?\d{1,3})?|\d+(?:[.,]\d+)*(?:[eE][-+]?\d{1,3})?")
_SPACED = re.compile(rf"(?<!\d)\d{{1,3}}(?:[{_BLANK}]\d{{3}})+(?:[.,]\d+)?(?!\d)")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3})+(?:,\d+)?")


class Said:
    """What the user said. A value is theirs as whole words, an address to the letter, or a number of the same size.

    Only case, width, how a letter with a mark is stored and what stands between words is folded: a letter with another accent is
    another letter, and a value with signs that nobody sees is theirs only with the same signs. Digits that they wrote in another
    script are theirs in ASCII too, but in an address.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        whole = list(texts)
        texts = [_seen(text) for text in whole]
        self._whole = [_folded(text) for text in whole]
        self._texts = [_folded(text) for text in texts]
        spoken = dict.fromkeys(chain(self._texts, map(ascii_digits, self._texts)))
        self._spoken = [_Spoken(_worded(text)) for text in spoken]
        self._numbers = _numbers(texts)
        self.hides = any(map(hides_text, whole))
        self.size = sum(map(len, whole))

    def holds(self, value: str) -> bool:
        """Whether these are the user's own words."""
        if (number := _value_of(value)) is not None:
            return not self._numbers.isdisjoint(number)
        folded = _folded(value).strip()
        if _is_odd(value):
            return any(_has_address(text, folded) for text in self._whole)
        if _ADDRESS.search(folded.translate(_UNMARKED)):
            return any(_has_address(text, folded) for text in self._texts)
        wanted = _worded(folded).replace(" ", "")
        return bool(wanted) and any(text.holds(wanted) for text in self._spoken)


class _Spoken:
    """One text without its gaps, and where its words begin."""

    def __init__(self, worded: str) -> None:
        self._text = worded.replace(" ", "")
        self._starts = bytearray(len(self._text) + 1)
        at = 0
        for word in worded.split(" "):
            self._starts[at] = 1
            at += len(word)
        self._starts[at] = 1

    def holds(self, wanted: str) -> bool:
        """Whether it is some of the words, whole and in a row."""
        at = 0
        for _ in range(MOST_TRIES):
            at = self._text.find(wanted, at)
            if at < 0:
                return False
            if self._starts[at] and self._starts[at + len(wanted)]:
                return True
            at = self._starts.find(1, at + 1)
            if at < 0:
                return False
        return False


class Heard:
    """What came from elsewhere. A value is found however it is spelled, inside of words, and in pieces of a number."""

    def __init__(self, texts: Iterable[str]) -> None:
        texts, self.is_too_much = _read(list(texts))
        self.hides = any(map(hides_text, texts))
        self._whole = {fold: "\0".join(map(fold, texts)) for fold in FOLDS}
        texts = list(
            dict.fromkeys(chain(texts, map(_seen, texts)))
        )  # a sign that nobody sees may stand in a number or a word
        self._raw = "\0".join(texts)
        self.size = len(self._raw) + sum(map(len, set(self._whole.values())))  # what one search goes through
        self._words = _short_words(self._raw)
        numbers = _numbers(texts)
        self._numbers = numbers | {-number for number in numbers}  # whether it is a minus or a dash nobody knows
        self._windows = _windows({run for text in texts for run in _runs(text)})

    def any_of(self, parts: Iterable[str]) -> bool:
        """Whether one of these stands in it."""
        return bool(self._raw) and any(self._has(part) for part in parts)

    def _has(self, part: str) -> bool:
        number = _value_of(part)
        if number is not None and not self._numbers.isdisjoint(number):
            return True
        if not plain(part):
            return any(one in self._raw for one in (part, _seen(part)) if one)
        for text, whole in {
            (fold(part), whole) for fold, whole in self._whole.items()
        }:  # often two of them are the same
            if text in (self._words if len(text) < SHORT and text.isascii() else whole):
                return True
        return any(self._has_piece(run) for run in _runs(part))

    def _has_piece(self, digits: str) -> bool:
        """Whether both have some digits in a row."""
        if len(digits) <= WINDOW:
            return False
        return any(map(self._windows.__contains__, _windows_of(digits)))


def _read(texts: list[str]) -> tuple[list[str], bool]:
    """Everything that texts may say, and whether it is more than is read."""
    found, left = list[str](), MOST_READ
    if any(map(is_overloaded, texts)):
        return texts, True
    for reading in chain.from_iterable(map(readings_of, texts)):
        left -= len(reading)
        if left < 0:
            return found, True
        found.append(reading)
    return found, False


def _windows(runs: Iterable[str]) -> frozenset[int]:
    """Each `WINDOW` digits in a row, as a number: at most a million, however many digits there are."""
    return frozenset(chain.from_iterable(map(_windows_of, runs)))


def _windows_of(digits: str) -> Iterator[int]:
    return (int(digits[at : at + WINDOW]) for at in range(len(digits) - WINDOW + 1))


def readings(text: str) -> frozenset[Decimal]:
    """The numbers that a text may mean: `1.240` is 1240 and 1.24, for nobody says where it was written."""
    if len(text) > _LONGEST_NUMBER:
        return frozenset()
    bare = "".join(sign for sign in text.replace("\u2212", "-") if sign not in _BLANK)
    found = {bare.replace(",", ".")} if bare.count(",") + bare.count(".") <= 1 else set()
    if _GROUPED.fullmatch(bare.lstrip("+-")):
        first = next(sign for sign in bare if sign in ".,")
        found.add(bare.replace(first, "").replace(",", "."))
    return frozenset(number for one in found if (number := _decimal(one)) is not None)


def _numbers(texts: Iterable[str]) -> set[Decimal]:
    """Every number that texts may mean."""
    found: set[str] = set()
    for text in map(ascii_digits, texts):
        found.update(_NUMBER.findall(text))
        found.update(_SPACED.findall(text))
    return {number for one in found for number in readings(one)}


def _value_of(value: str) -> frozenset[Decimal] | None:
    """The readings of an amount: a number has one, a text of digits with a comma or a dot may have two; other texts are names."""
    if isinstance(value, Lexeme):
        number = _decimal(value)
        return frozenset() if number is None else frozenset({number})
    bare = ascii_digits(value.strip())
    if any(sign in bare for sign in ".,") and (_NUMBER.fullmatch(bare) or _SPACED.fullmatch(bare)):
        return readings(bare) or None
    return None


def _decimal(text: str) -> Decimal | None:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _short_words(text: str) -> set[str]:
    """The short words of ASCII that a text holds in either folding, also beside letters of other scripts."""
    words = set(re.findall(r"\w+", text))
    return {
        short
        for word in words
        for fold in FOLDS
        for short in re.findall(r"[a-z0-9]+", fold(word))
        if len(short) < SHORT
    }


def _runs(text: str) -> list[str]:
    """The digits of each number of a text, however they are set apart."""
    return ["".join(filter(str.isdigit, run)) for run in _DIGITS.findall(ascii_digits(text))]


def ascii_digits(text: str) -> str:
    """The text with the digits of all scripts as those of ASCII."""
    return text if text.isascii() else text.translate(_DIGIT)


def _seen(text: str) -> str:
    """Without the signs that nobody sees."""
    return text if text.isascii() and text.isprintable() else text.translate(_SEEN)


def _is_odd(value: str) -> bool:
    """Whether it holds signs that are neither seen as letters nor known to stand between words."""
    return any(map(_is_odd_sign, set(value)))


def _is_odd_sign(sign: str) -> bool:
    if sign.isspace():
        return False
    if sign.isascii() or is_hidden(sign):
        return is_hidden(sign)
    return not (sign.isalnum() or unicodedata.category(sign) in _BETWEEN or is_mark(sign))


def _folded(text: str) -> str:
    """One case and width, each letter apart from its marks; nothing else is folded in what the user has to have said."""
    return text.lower() if text.isascii() else text.translate(_CASE)


def _worded(folded: str) -> str:
    """The words, one space between two; a dot or comma between digits belongs to its word."""
    return " ".join(_LONE_DOT.sub(" ", _BETWEEN_DIGITS.sub(".", folded).translate(_WORDS)).split())


def _has_address(text: str, wanted: str) -> bool:
    """Whether an address stands in a text and goes on neither before nor behind."""
    at = -1
    for _ in range(MOST_TRIES):
        at = text.find(wanted, at + 1)
        if at < 0:
            return False
        if not _comes_before(text, at) and not _goes_on(text, at + len(wanted)):
            return True
    return False


def _comes_before(text: str, at: int) -> bool:
    return at > 0 and (is_mark(text[at - 1]) or _BEFORE.match(text, at - 1) is not None)


def _goes_on(text: str, at: int) -> bool:
    return at < len(text) and (is_mark(text[at]) or _AFTER.match(text, at) is not None)


def _one_case(sign: str) -> str:
    """A letter as the small one of the same width, where the two are a pair and nothing else is written so in capitals."""
    if unicodedata.decomposition(sign).startswith(("<wide>", "<narrow>")):
        sign = unicodedata.normalize("NFKC", sign)
    small = sign.lower()
    return _apart(small if len(small) == 1 and small.upper() == sign else sign)


def _apart(sign: str) -> str:
    """A letter and its marks one by one. A sign that Unicode lists twice, like that of kelvin, stays: it is no letter's form."""
    whole = unicodedata.normalize("NFC", sign)
    return sign if whole != sign and len(whole) == 1 else unicodedata.normalize("NFD", sign)


def _word_sign(sign: str) -> str:
    return sign if sign.isalnum() or sign == "." or is_mark(sign) else " "


_DIGIT = Folded(lambda sign: str(unicodedata.decimal(sign, sign)))
_CASE, _WORDS = Folded(_one_case), Folded(_word_sign)
_SEEN = Folded(lambda sign: sign if sign.isspace() or not is_hidden(sign) else "")
_UNMARKED = Folded(lambda sign: "" if is_mark(sign) else sign)
