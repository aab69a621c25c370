"""What of a text cannot be seen, passes for something else, or is drawn in another order than it runs in.

Pure, and the one answer to that for pages, mails, the command line and the checks of reasons. Nothing is ever stripped:
a text is cut into pieces, and each piece says how it has to be shown. Sources of the rules: Trojan Source
(CVE-2021-42574), Unicode tag smuggling, UTS 39, and the fillers that lists forget.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Collection, Iterator
from itertools import groupby
from typing import NamedTuple

from placet.model import lookalikes
from placet.model.characters import code_of, is_emoji, is_hidden, is_mark, name_of

__all__ = ["code_of", "is_hidden", "is_mark", "name_of"]  # of single characters, beside what is here of texts

PLAIN, QUIET, HIDDEN, ALIKE, TURNED = "plain", "quiet", "hidden", "alike", "turned"

_ORDINARY = re.compile(r"[\n\x20-\x7e]*\Z")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_UNUSUAL = re.compile(r"[^\n\x20-\x7e]")
_BLANKS = re.compile(r"[^\S\n]+")
_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n){3,}")
_LONG_BLANKS = 20
_PADDED = re.compile(rf"[^\S\n]{{{_LONG_BLANKS}}}|{_BLANK_LINES.pattern}")
_EMOJI_FORM, _JOINER = "\ufe0f", "\u200d"
_RIGHT_TO_LEFT, _LEFT_TO_RIGHT = frozenset({"R", "AL", "AN"}), frozenset({"L", "EN"})
_JSON_PARTS = re.compile(r'"(?:[^"\\]|\\.)*"?|[^"]+', re.DOTALL)
_NAMED_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*\\[a-z]")  # `\n`, `\u05c1`: an escape with a letter in it
_JSON_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)", re.DOTALL)


class Piece(NamedTuple):
    """A stretch of text that is shown one way.

    Attributes:
        kind: PLAIN; QUIET, a line feed or tab, which need a sign and no warning; HIDDEN; ALIKE, what passes for something
            else; TURNED, letters that are drawn from right to left in a text that is not.
    """

    kind: str
    text: str


class Counts(NamedTuple):
    """How many characters of a text have to be seen by whoever accepts it."""

    hidden: int = 0
    alike: int = 0
    turned: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.hidden + self.alike + self.turned

    def plus(self, other: Counts) -> Counts:
        """Both together."""
        return Counts(self.hidden + other.hidden, self.alike + other.alike, self.turned + other.turned)


@functools.lru_cache(maxsize=64)
def pieces(text: str, *, lines: bool = True) -> tuple[Piece, ...]:
    """Cut a text into stretches that are shown one way.

    Args:
        lines: whether a line feed is plain; in a slot that holds one line it is quiet.
    """
    if not text:
        return ()
    if _ORDINARY.match(text) and not _PADDED.search(text) and (lines or "\n" not in text):
        return (Piece(PLAIN, text),)
    return tuple(_cut(text, _kinds(text, lines)))


def json_pieces(text: str) -> Iterator[tuple[bool, tuple[Piece, ...]]]:
    """The same for JSON text, with whether it is the inside of a string: each by itself, with escape sequences as what they are."""
    for part in _JSON_PARTS.findall(text):
        if not part.startswith('"'):
            yield False, pieces(part)
            continue
        shut = len(part) > 1 and part.endswith('"')
        inner = part[1:-1] if shut else part[1:]
        shadow = _JSON_ESCAPE.sub(_shadow, inner)
        yield False, (Piece(PLAIN, '"'),)
        yield True, _laid_on(inner, pieces(shadow) if not _NAMED_ESCAPE.search(inner) else _turned(shadow))
        if shut:
            yield False, (Piece(PLAIN, '"'),)


def _turned(shadow: str) -> tuple[Piece, ...]:
    """The pieces of a string that is seen with the letters of its escapes: beside them, letters from right to left are turned."""
    turning = _turning(shadow)
    kinds = [
        TURNED if kind == PLAIN and place in turning else kind for place, kind in enumerate(_kinds(shadow, lines=True))
    ]
    return tuple(_cut(shadow, kinds))


def _shadow(found: re.Match[str]) -> str:
    """As long as an escape sequence, and it parts words where what it stands for does."""
    signs = found.group()
    is_blank = chr(int(signs[2:], 16)).isspace() if len(signs) > 2 else signs[1] in "fnrt"
    return ("\n" if is_blank else '"').ljust(len(signs), '"')


def counts(text: str) -> Counts:
    """How many characters of a text are hidden, pass for others, or are drawn in another order."""
    found = {HIDDEN: 0, ALIKE: 0, TURNED: 0, PLAIN: 0, QUIET: 0}
    for piece in pieces(text):
        found[piece.kind] += len(piece.text)
    return Counts(found[HIDDEN], found[ALIKE], found[TURNED])


def one_line(text: str, *, keep: Collection[str] = ()) -> str:
    """A text in one line for titles, mails and terminals: what cannot be seen stands as `[U+200B]`. Not escaped.

    Args:
        keep: kinds of pieces that stay as they are, because whoever shows the line frames them.
    """
    return "".join(piece.text if piece.kind in keep else written(piece) for piece in pieces(text, lines=False))


def written(piece: Piece) -> str:
    """A piece in plain text. Letters from right to left stand as codes alone: plain text cannot hold their order."""
    if piece.kind == PLAIN:
        return piece.text
    shape = piece.kind == ALIKE
    return "".join(
        f"{character if shape and not is_mark(character) else ''}[{code_of(character)}]" for character in piece.text
    )


def escapes(text: str) -> str:
    """JSON text of the same meaning in which everything that is marked stands as `\\uXXXX`. Not escaped for HTML."""
    written = "".join(_escaped(piece, inside) for inside, part in json_pieces(text) for piece in part)
    return written if written == text else escapes(written)  # beside an escape stands what stood beside a letter


def is_clean(text: str) -> bool:
    """Whether it may be said that a text hides nothing: nothing is marked, and it is ASCII or in one alphabet."""
    return not counts(text).total and (text.isascii() or len(lookalikes.scripts(text)) < 2)


def runs_from_right(text: str) -> bool:
    """Whether a text holds letters from right to left and nothing that runs the other way: it has its own order."""
    return bool(_turning(text)) and not _is_mixed(text)


def _cut(text: str, kinds: list[str]) -> Iterator[Piece]:
    start = 0
    for kind, run in groupby(kinds):
        end = start + sum(1 for _ in run)
        yield Piece(kind, text[start:end])
        start = end


def _laid_on(text: str, cut: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """The pieces of a text of the same length, with this text in them."""
    found, start = [], 0
    for piece in cut:
        end = start + len(piece.text)
        found.append(Piece(piece.kind, text[start:end]))
        start = end
    return tuple(found)


def _kinds(text: str, lines: bool) -> list[str]:
    """The kind of each character; what comes later here is the stronger reason."""
    kinds = [PLAIN] * len(text)
    if not text.isascii():
        for place in lookalikes.places(text):
            kinds[place] = ALIKE
        if _is_mixed(text):
            for place in _turning(text):
                kinds[place] = TURNED
    for found in _UNUSUAL.finditer(text):
        place = found.start()
        if text[place] == "\t":
            kinds[place] = QUIET
        elif is_hidden(text[place]) and not _belongs_to_an_emoji(text, place):
            kinds[place] = HIDDEN
    if not lines:
        for found in re.finditer("\n", text):
            kinds[found.start()] = QUIET
    for start, end in _pads(text):
        kinds[start:end] = [HIDDEN] * (end - start)
    return kinds


def _pads(text: str) -> Iterator[tuple[int, int]]:
    """White space that pushes text out of sight or passes for a blank; one unusual space beside other letters is typography."""
    yield from (found.span() for found in _BLANK_LINES.finditer(text))
    for found in _BLANKS.finditer(text):
        run, (start, end) = found.group(), found.span()
        if len(run) >= _LONG_BLANKS:
            yield start, end
        elif run.strip(" \t"):
            beside = (text[start - 1 : start] if start else "", text[end : end + 1])
            if len(run) > 1 or all(character.isascii() for character in beside):
                yield start, end


def _belongs_to_an_emoji(text: str, place: int) -> bool:
    """The one selector that makes a sign an emoji, and the joiner between two of them: they are seen in its shape."""
    if not place:
        return False
    before, after = text[place - 1], text[place + 1 : place + 2]
    if text[place] == _EMOJI_FORM:
        return is_emoji(before)
    return text[place] == _JOINER and (before == _EMOJI_FORM or is_emoji(before)) and bool(after) and is_emoji(after)


@functools.lru_cache(maxsize=16)
def _turning(text: str) -> frozenset[int]:
    """Places of what is drawn from right to left, marks on it included."""
    found, last = set(), -2
    for match in _NOT_ASCII.finditer(text):
        place = match.start()
        way = _way(text[place])
        if way in _RIGHT_TO_LEFT or (way == "NSM" and last == place - 1):
            found.add(place)
            last = place
    return frozenset(found)


def _is_mixed(text: str) -> bool:
    """Whether a text holds letters from right to left, and digits or letters from left to right."""
    ways = {_way(character) for character in set(text)}
    return bool(ways & _RIGHT_TO_LEFT) and (bool(ways & _LEFT_TO_RIGHT) or "AN" in ways)


@functools.lru_cache(maxsize=8192)
def _way(character: str) -> str:
    """The bidirectional class; none for what is shown by its code."""
    return "" if is_hidden(character) else unicodedata.bidirectional(character)


def _escaped(piece: Piece, inside: bool) -> str:
    if piece.kind == PLAIN or (piece.kind == QUIET and not inside):
        return piece.text
    return "".join(
        sign if sign in " \n" or (sign == "\t" and not inside) else _json_escaped(sign) for sign in piece.text
    )


def _json_escaped(text: str) -> str:
    units = text.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[place : place + 4]}" for place in range(0, len(units), 4))
