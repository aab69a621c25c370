"""The one filter between what agents and people wrote and what a reviewer sees: it escapes, and it makes visible.

What has to be made visible is said by `placet.model.visible`; here it gets its markup. Nothing is ever stripped, and the order
on screen is the order in which a text runs: letters from right to left stand in a frame that is read from left to right, and
a text that is written in such letters only keeps its own order, in a frame of its own that turns nothing around it.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from markupsafe import Markup, escape

from placet.model import visible
from placet.model.visible import ALIKE, HIDDEN, PLAIN, QUIET, TURNED, Counts, Piece
from placet.model.visible import counts as counts
from placet.model.visible import escapes as escapes
from placet.model.visible import is_clean as is_clean
from placet.model.visible import is_hidden as is_hidden
from placet.model.visible import one_line as one_line
from placet.model.visible import pieces as pieces

__all__ = ["ALIKE", "HIDDEN", "PLAIN", "QUIET", "TURNED", "Counts", "Piece", "counts", "escapes", "is_clean"]
__all__ += ["is_hidden", "mark", "mark_for_mail", "mark_json", "mark_line", "one_line", "pieces"]

_NAMED_RUN = 8  # a run of more characters is listed by code only
_FRAMED = 500  # frames in one value; what is marked beyond stands as `[U+200B]`, or a page could outgrow its answer
_QUIET = {"\n": "\u23ce", "\t": "\u21e5"}
_TURNED_LABEL = "right to left"  # the page says below that they stand in the order in which they run


def mark(text: str, *, lines: bool = True) -> Markup:
    """Escaped markup of a text with every character in a frame that is hidden, passes for another or is turned."""
    return _own_order(text, _Value().shown(pieces(text, lines=lines)))


def mark_line(text: str) -> Markup:
    """`mark` for a slot that holds one line: a line feed gets a sign."""
    return mark(text, lines=False)


def mark_for_mail(text: str) -> Markup:
    """`mark_line` for programs that may drop our styles: frames for letters that can be seen, codes for what cannot."""
    cut = pieces(text, lines=False)
    seen = (piece if piece.kind in (ALIKE, TURNED) else Piece(PLAIN, visible.written(piece)) for piece in cut)
    return _own_order(text, _Value().shown(seen))


def mark_json(text: str) -> Markup:
    """`mark` of JSON text: each string is looked at by itself, as the text that it stands for."""
    value = _Value()
    return Markup("").join(
        _own_order("".join(piece.text for piece in part), value.shown(part)) for _, part in visible.json_pieces(text)
    )


def _own_order(text: str, shown: Markup) -> Markup:
    return Markup('<bdo dir="rtl">{}</bdo>').format(shown) if visible.runs_from_right(text) else shown


class _Value:
    """The markup of one value: each code point is named where it comes first."""

    def __init__(self) -> None:
        self._named: set[str] = set()
        self._frames = 0

    def shown(self, cut: Iterable[Piece]) -> Markup:
        """The pieces, one after the other."""
        return Markup("").join(map(self._shown, cut))

    def _shown(self, piece: Piece) -> Markup:
        if piece.kind == PLAIN:
            return escape(piece.text)
        if piece.kind == QUIET:
            signs = "".join(_QUIET[character] for character in piece.text)
            return Markup('<span class="quiet">{}</span>').format(signs)
        self._frames += 1
        if self._frames > _FRAMED:
            return escape(visible.written(piece))
        if piece.kind == TURNED:
            return self._turned(piece.text)
        return self._alike(piece.text) if piece.kind == ALIKE else self._hidden(piece.text)

    def _turned(self, text: str) -> Markup:
        label = "" if _TURNED_LABEL in self._named else f" {_TURNED_LABEL}"
        self._named.add(_TURNED_LABEL)
        return Markup('<mark class="ch ch-turned"><bdo dir="ltr">{}</bdo>{}</mark>').format(text, label)

    def _alike(self, text: str) -> Markup:
        """The letters as they are, then what they are; marks that would be drawn on others by their code alone."""
        letters = "".join(character for character in text if not visible.is_mark(character))
        labels = self._labels(text, again=not letters)
        parts = [letters, ", ".join(labels)]
        return Markup('<mark class="ch ch-like">{}</mark>').format(" ".join(part for part in parts if part))

    def _hidden(self, text: str) -> Markup:
        runs = sum(1 for _ in groupby(text))
        labels = self._labels(text, again=True)
        if runs <= _NAMED_RUN:
            return Markup("").join(Markup('<mark class="ch">{}</mark>').format(label) for label in labels)
        total = f"{len(text)} hidden characters: "
        return Markup('<mark class="ch">{}{}</mark>').format(total, " ".join(labels))

    def _labels(self, text: str, *, again: bool) -> list[str]:
        """Codes of a run, with names where they come first; `again`: also of what was named before."""
        runs = [(character, sum(1 for _ in run)) for character, run in groupby(text)]
        found = []
        for character, times in runs:
            first = character not in self._named
            if not first and not again:
                continue
            label = visible.code_of(character)
            if first and len(runs) <= _NAMED_RUN:
                self._named.add(character)
                label = f"{label} {visible.name_of(character)}"
            seen = not again and not visible.is_mark(character)
            found.append(label if times == 1 or seen else f"{label}, {times} times")
        return found
