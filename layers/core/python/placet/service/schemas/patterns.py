"""Regular expressions of a schema, found in a text within bounds.

Two engines. Rust's, as pydantic brings it: its time grows with expression times text and with nothing else, and that is
counted before it runs. It has no look-around: where an expression looks ahead from the start of the text only, as zod's addresses
and `^(?!\\s*$)` do, each look is an expression of its own. What it does not read then (look-around elsewhere, back-references)
goes to the `regex` package, on short texts and with a time limit, because that one tries again and again.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from placet.service.schemas.ecma import as_written
from placet.service.schemas.words import why_of

MOST_WEIGHT = 20_000  # of one expression: about the states of its machine
# Weight times characters, of one check: 12 ns each at the worst that a search for it found, mostly under one.
MOST_MATCHING = 100_000_000
COMPILING = 1_000  # an expression costs to build as much as to run on so many characters
# For the engine that tries again: characters of an expression and of all texts of one check, searches, and time of each, which
# it keeps roughly: on 2,000 characters some take 75 ms before it looks at the clock.
LONGEST_RETRIED, MOST_RETRIED, RETRIED_S = 2_000, 50, 0.01
RETRIED_CHARACTERS = 10_000
RETRIED = "the linear engine does not read it (look-around, a back-reference), and the other one tries it"

_COUNT = re.compile(r"\{\s*(\d{1,9})\s*(?:(,)\s*(\d{0,9})\s*)?\}")
_OPENING = re.compile(r"\((?:\?(?:P?<[A-Za-z_]\w*>|[:=!]|<[=!]|[A-Za-z-]*:?))?")
_LOOK = re.compile(r"\(\?([=!])")
_COMMENTS = re.compile(r"\(\?[a-zA-Z-]*x")  # in which brackets need not be brackets
_LARGE, _LETTERS = 16, 32  # a class that is not of some ASCII characters; one of all letters
_ANYTHING = re.compile(r"\[(?:\\s\\S|\\S\\s|\\d\\D|\\D\\d|\\w\\W|\\W\\w)\]")
_CALL = 150  # of each search, however short: about a microsecond


class Refused(Exception):
    """A pattern that is not taken. `why` is said to whom the schema is: our words, of the pattern and of nothing else."""

    why = "neither engine reads it"

    def __init__(self, pattern: str, why: str = "") -> None:
        super().__init__(pattern)
        self.pattern = pattern
        self.why = why or self.why


class NoPattern(Refused):
    """The text is no regular expression that either engine reads."""


class TooMuch(Refused):
    """The expression, or what it is tried on, is over a bound."""

    why = f"it is over the size of {MOST_WEIGHT:,}"


class Patterns:
    """The expressions of one check, and what they may still cost."""

    def __init__(self, matching: int = MOST_MATCHING) -> None:
        self.matching = matching
        self.retried, self.retried_characters = MOST_RETRIED, RETRIED_CHARACTERS
        self._built: dict[str, tuple[int, Callable[[str], bool]]] = {}

    def build(self, pattern: str) -> tuple[int, Callable[[str], bool]]:
        """Its weight and its search. Raises NoPattern, TooMuch."""
        built = self._built.get(pattern)
        if built is None:
            read = as_written(pattern)
            weight = weight_of(read)
            self._spend(weight * COMPILING, pattern)
            built = self._built[pattern] = weight, _linear(read) or _looking(read) or self._retrying(read)
        return built

    def found(self, pattern: str, text: str) -> bool:
        """Whether the text has it anywhere. Raises NoPattern, TooMuch."""
        weight, search = self.build(pattern)
        self._spend(_CALL + weight * (len(text) + 1), pattern)
        return search(text)

    def reads(self, pattern: str) -> bool:
        """Whether it is a regular expression. Raises TooMuch."""
        return not self.why_not(pattern)

    def why_not(self, pattern: str) -> str:
        """Why it is no regular expression; empty when it is one. Raises TooMuch."""
        try:
            self.build(pattern)
        except NoPattern as refused:
            return refused.why
        return ""

    def _spend(self, amount: int, pattern: str) -> None:
        self.matching -= amount
        if self.matching < 0:
            raise TooMuch(
                pattern, f"sizes times the characters they are searched in are over {MOST_MATCHING:,} in this check"
            )

    def _retrying(self, pattern: str) -> Callable[[str], bool]:
        import regex

        if len(pattern) > LONGEST_RETRIED:
            raise TooMuch(pattern, f"{RETRIED} only up to {LONGEST_RETRIED:,} characters")
        try:
            built = regex.compile(_ending(pattern))
        except (regex.error, ValueError, IndexError, KeyError, OverflowError) as error:
            raise NoPattern(pattern, why_of(getattr(error, "msg", ""))) from None
        except RecursionError:
            raise TooMuch(pattern, "too many groups stand in one another") from None

        def search(text: str) -> bool:
            self.retried -= 1
            self.retried_characters -= len(text)
            if len(text) > LONGEST_RETRIED or self.retried < 0 or self.retried_characters < 0:
                raise TooMuch(
                    pattern,
                    f"{RETRIED} in texts of at most {LONGEST_RETRIED:,} characters, {MOST_RETRIED} times and in "
                    f"{RETRIED_CHARACTERS:,} characters in one check",
                )
            try:
                return built.search(text, timeout=RETRIED_S) is not None
            except (TimeoutError, MemoryError):
                raise TooMuch(pattern, f"{RETRIED} for {RETRIED_S * 1000:.0f} ms, and takes longer") from None

        return search


def _linear(pattern: str) -> Callable[[str], bool] | None:
    """Its search by Rust's engine; None when that does not read it, or only as too large a machine."""
    from pydantic_core import SchemaError, SchemaValidator, core_schema

    try:
        return SchemaValidator(core_schema.str_schema(pattern=pattern)).isinstance_python
    except SchemaError:  # look-around, back-references; or a machine over ten megabytes
        return None


def _looking(pattern: str) -> Callable[[str], bool] | None:
    """The search of `^(?=A)(?!B)C` by Rust's engine: `^A` and `^C` are found, `^B` is not. None for any other. Raises TooMuch."""
    parts, at = [], 1
    while (look := _LOOK.match(pattern, at)) is not None:
        end = _group_end(pattern, at)
        parts.append((look[1] == "=", f"^(?:{pattern[look.end() : end - 1]})"))
        at = end
    if not parts or not pattern.startswith("^") or pattern[at : at + 1] in tuple("*+?{") or _has_branches(pattern, at):
        return None
    searches = [(wanted, _linear(one)) for wanted, one in [*parts, (True, f"^{pattern[at:]}")]]
    if any(search is None for _, search in searches):
        return None
    return lambda text: all(search is not None and search(text) == wanted for wanted, search in searches)


def _group_end(pattern: str, at: int) -> int:
    """Where the group that opens here ends."""
    depth = 0
    while at < len(pattern):
        depth += {"(": 1, ")": -1}.get(pattern[at], 0)
        at = _atom(pattern, at)[1]
        if depth == 0:
            return at
    return at


def _has_branches(pattern: str, at: int) -> bool:
    """Whether it is an expression or another, outside of every group."""
    while at < len(pattern):
        if pattern[at] == "|":
            return True
        at = _group_end(pattern, at) if pattern[at] == "(" else _atom(pattern, at)[1]
    return False


def weight_of(pattern: str) -> int:
    """At most how many states its machine has, about; counts multiply what they stand behind. Raises NoPattern, TooMuch."""
    sums, last, at = [0], 0, 0
    while at < len(pattern):
        character = pattern[at]
        if character == "(":
            opening = _OPENING.match(pattern, at)
            if opening is None or _COMMENTS.match(opening[0]):
                raise NoPattern(pattern, "it opens a group in a way that is not taken (docs/schemas.md)")
            sums, last, at = [*sums, 0], 0, opening.end()
            continue
        if character == ")" and len(sums) > 1:
            last, at = sums.pop(), at + 1
            sums[-1] += last
        elif (count := _COUNT.match(pattern, at)) is not None:
            low, comma, high = count.groups()
            factor = max(int(low), int(high or 0), 1) + (comma is not None and not high)
            sums[-1] += last * (factor - 1)
            last, at = last * factor, count.end()
        elif character in "*+?|^$":
            sums[-1], at = sums[-1] + 1, at + 1
        else:
            last, at = _atom(pattern, at)
            sums[-1] += last
        if sums[-1] > MOST_WEIGHT or len(sums) > 100:
            raise TooMuch(pattern)
    total = sum(sums)
    if total > MOST_WEIGHT:
        raise TooMuch(pattern)
    return total + 1


def _atom(pattern: str, at: int) -> tuple[int, int]:
    """The weight of a character or class, and where it ends."""
    if pattern[at] == "\\":
        end = at + 2
        if pattern[at + 1 : at + 2] in ("p", "P", "x", "u", "U") and pattern[end : end + 1] == "{":
            end = pattern.find("}", end) + 1 or len(pattern)
        return _weight_of_class(pattern[at:end]), end
    if pattern[at] == "[":
        end = _class_end(pattern, at)
        return _weight_of_class(pattern[at:end]), end
    return (1 if pattern[at].isascii() else 4), at + 1


def _weight_of_class(text: str) -> int:
    if _ANYTHING.fullmatch(text):
        return 4
    letters = len(re.findall(r"\\[wWpPbB]", text))
    if letters or not text.isascii() or re.search(r"\[\^|\\[dDsSxuU]|\[:", text):
        return _LARGE + _LETTERS * letters + len(text) // 8
    return 1


def _class_end(pattern: str, at: int) -> int:
    """Where a class ends, as Rust reads it: classes nest, and a closing bracket that comes first is a character."""
    depth = 0
    while at < len(pattern):
        if pattern[at] == "[":
            depth, at = depth + 1, at + 1
            at += pattern[at : at + 1] == "^"
            while pattern[at : at + 1] == "-":
                at += 1
            at += pattern[at : at + 1] == "]"
            continue
        at, closes = at + (2 if pattern[at] == "\\" else 1), pattern[at] == "]"
        depth -= closes
        if depth == 0:
            return at
    return len(pattern)


def _ending(pattern: str) -> str:
    """The same with `$` at the very end of the text, as the specification has it; Python's stands before a last line feed too."""
    found, at = [], 0
    while at < len(pattern):
        end = _atom(pattern, at)[1]
        found.append(r"\Z" if pattern[at] == "$" else pattern[at:end])
        at = end
    return "".join(found)
