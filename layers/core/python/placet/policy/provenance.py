"""Whose words an argument is: the user's own, or those of a tool, a document or the model itself."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from typing import Any

from placet.model.canonical import Lexeme, is_text
from placet.model.folding import loose, plain
from placet.policy.checks import check_texts
from placet.policy.encodings import hides_text, readings_of
from placet.policy.facts import Facts, Origin, Passage, Unjudged
from placet.policy.places import place_of, values_at
from placet.policy.spoken import SHORT, Heard, Said

MOST_CHARACTERS = 262_144  # of all passages together
LONGEST_VALUE = 16_384  # characters of one value
MOST_LEAVES = 1_000  # texts and numbers inside the argument
MOST_PARTS = 200  # that are looked for, of all values of a call
MOST_STEPS = 134_217_728  # characters that are gone through for one call: parts, times what each is looked for in
LONG_LINE = 8  # a folded line or list entry from this on is looked for by itself
_WITHIN = ("a tool's result", "a document", "what the model wrote")
_WHOSE = dict(zip((Origin.TOOL, Origin.RETRIEVED, Origin.AGENT), _WITHIN, strict=True))
_LINE = re.compile(r"[,;|\n\r\t]+")
_WORD = re.compile(r"""[^\s,;|<>()"'\[\]{}]+""")
_PIECE = re.compile(r"[@/?&=#:]+")


@dataclass(frozen=True)
class FromUntrusted:
    """Calls in which a value of `argument` stands in something that the run read, and not in the user's own words.

    Untrusted is every passage that is not the user's. There a value is found with other case, spaces, separators and letters that
    look alike, and in parts: the domain of an address, a line of several, a piece of a number. In the user's words it has to
    stand as whole words in any case, with any spaces and separators between; an address to the letter; a number in its size.
    Values inside objects and lists count each, and so do keys that the tool's schema does not name. It is looked for behind the
    usual encodings too (`encodings`). What is written otherwise (digits spelled out, Base64) is not found.

    Without passages, with one that was cut and might have held it, with signs that carry hidden text, or with values that are too
    many, too long or too much work, it cannot tell.
    """

    id: str
    sentence: str
    argument: str

    def __post_init__(self) -> None:
        check_texts(f"rule {self.id}", self, ("id", "argument"), ("sentence",))
        if place_of(self.argument).of:
            raise ValueError(f"rule {self.id}: argument must be a place of values, and is {self.argument!r}")

    def fires(self, arguments: dict[str, Any], facts: Facts) -> bool:
        """Whether a value comes from elsewhere. Raises Unjudged."""
        return bool(self._found(arguments, facts))

    def says(self, arguments: dict[str, Any], facts: Facts) -> str:
        """Where it was found, in our words: never the value, and never the passage's name."""
        found = self._found(arguments, facts)
        where = [_WHOSE[origin] for origin in _WHOSE if origin in found]
        return f"{self.argument} stands in {' and in '.join(where)}, and not in the user's own words."

    def _found(self, arguments: dict[str, Any], facts: Facts) -> set[Origin]:
        _check_passages(facts.passages)
        values = list(islice(_leaves(values_at(self.argument, arguments), facts.named), MOST_LEAVES + 1))
        if not values:
            raise Unjudged(f"{self.argument} holds no text and no number")
        if len(values) > MOST_LEAVES:
            raise Unjudged(f"{self.argument} holds more than {MOST_LEAVES:,} values")
        said = _said(facts.passages)
        self._check_work(len(values) * said.size)
        left = [value for value in values if not said.holds(value)]
        heard = {origin: _heard(facts.passages, origin) for origin in _WHOSE} if left else {}
        parts = self._parts(left)
        self._check_work(len(parts) * (said.size + sum(one.size for one in heard.values())))
        parts = [part for part in parts if not said.holds(part)]
        found = {origin for origin, one in heard.items() if one.any_of(parts)}
        if left and not found:
            self._check_all_was_read(left, said, heard.values(), facts.passages)
        return found

    def _check_work(self, steps: int) -> None:
        if steps > MOST_STEPS:
            raise Unjudged(f"{self.argument} and what the run read are too much to compare")

    def _check_all_was_read(
        self, left: list[str], said: Said, heard: Iterable[Heard], passages: tuple[Passage, ...]
    ) -> None:
        heard = list(heard)
        if any(one.cut and one.origin is not Origin.USER for one in passages):
            raise Unjudged("not all of what the run read was handed in")
        if any(one.is_too_much for one in heard):
            raise Unjudged("what the run read is encoded in too many ways")
        if said.hides or any(one.hides for one in heard) or any(map(hides_text, left)):
            raise Unjudged("there is text in signs that nobody sees")

    def _parts(self, values: list[str]) -> list[str]:
        if any(len(value) > LONGEST_VALUE for value in values):
            raise Unjudged(f"{self.argument} is longer than {LONGEST_VALUE:,} characters")
        parts = list(islice(dict.fromkeys(chain.from_iterable(map(_parts, _said_by(values)))), MOST_PARTS + 1))
        if len(parts) > MOST_PARTS:
            raise Unjudged(f"{self.argument} has too many parts")
        return parts


@lru_cache(maxsize=4)
def _said(passages: tuple[Passage, ...]) -> Said:
    return Said(one.text for one in passages if one.origin is Origin.USER)


@lru_cache(maxsize=12)
def _heard(passages: tuple[Passage, ...], origin: Origin) -> Heard:
    return Heard(one.text for one in passages if one.origin is origin)


def _check_passages(passages: tuple[Passage, ...]) -> None:
    if not passages:
        raise Unjudged("the agent did not hand in what the run read")
    if sum(len(one.text) for one in passages) > MOST_CHARACTERS:
        raise Unjudged(f"the run read more than {MOST_CHARACTERS:,} characters")
    if any(not isinstance(one.origin, Origin) for one in passages):
        raise Unjudged("a passage does not say whose words it is")


def _leaves(values: Iterable[Any], named: Collection[str]) -> Iterator[str]:
    """Every text and number inside, a number as `Lexeme`, and keys but `named` ones. True, false and null are nobody's."""
    for value in values:
        if isinstance(value, dict):
            yield from (key for key in value if key not in named and key.strip())
            yield from _leaves(value.values(), named)
        elif isinstance(value, list):
            yield from _leaves(value, named)
        elif isinstance(value, Lexeme):
            yield value
        elif isinstance(value, int) and not isinstance(value, bool):
            yield Lexeme(str(value))
        elif is_text(value) and value.strip():
            yield value


def _said_by(values: Iterable[str]) -> Iterator[str]:
    """The values, and what they say behind an encoding."""
    for value in values:
        yield value
        if not isinstance(value, Lexeme):
            yield from (one for one in readings_of(value, whole=False) if one != value and plain(one))


def _parts(value: str) -> Iterator[str]:
    """The value, and what of it is worth looking for by itself: lines, addresses with their pieces, words with digits."""
    yield value
    if isinstance(value, Lexeme):
        return
    lines = _LINE.split(value)
    if len(lines) > 1:
        yield from (line.strip() for line in lines if len(plain(line)) >= LONG_LINE)
    for word in _WORD.findall(value):
        bare = word.strip(".!?*_~`-")
        pieces = [piece for piece in _PIECE.split(bare) if piece]
        if len(pieces) > 1 or "." in bare or any(map(str.isdigit, bare)):
            yield from (piece for piece in (bare, *pieces, *_hosts(pieces)) if len(loose(piece)) >= SHORT)


def _hosts(pieces: list[str]) -> Iterator[str]:
    """`evil.example` of `pay.evil.example`: whoever has a domain has all below it."""
    for piece in pieces:
        labels = piece.split(".")
        yield from (".".join(labels[at:]) for at in range(1, min(len(labels) - 1, 8)))
