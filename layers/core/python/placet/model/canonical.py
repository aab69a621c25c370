"""Exact JSON: strict reading, exact text, canonical form and digest.

Nothing passes through a float: a number that is not a plain integer is kept as the text that was written (`Lexeme`),
integers are Python integers of any size. The canonical form is written down in docs/canonical-json.md; what RFC 8785 does with
numbers (IEEE doubles) is exactly what must not happen to money, so it is not used.
"""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any, TypeGuard

from placet.model.errors import Invalid, TooLarge

MAX_BODY_BYTES = 262_144
MAX_DEPTH = 64
# Of what is stored, written and read alike: what a request nests 64 deep stands some levels deeper in its record, with its
# arguments and schemas a second time.
STORED_BYTES = 1_048_576
STORED_DEPTH = 128
MAX_NUMBER_CHARACTERS = 1_000


class Lexeme(str):
    """A JSON number kept as it was written, because a float could not hold it exactly (`1240.00`, `1e-7`, `-0`)."""

    __slots__ = ()


def is_text(value: Any) -> TypeGuard[str]:
    """Whether a value that was read is JSON text: a number that is kept as it was written is a `str` of Python's too."""
    return isinstance(value, str) and not isinstance(value, Lexeme)


def parse(text: str | bytes, *, max_bytes: int = MAX_BODY_BYTES, max_depth: int = MAX_DEPTH) -> Any:
    """Read strict JSON: objects as dict (order kept), numbers as int or `Lexeme`.

    Raises:
        TooLarge: over `max_bytes` of UTF-8.
        Invalid: `json_invalid`, `json_duplicate_key`, `json_number` (NaN, Infinity, overflow, over-long),
            `json_surrogate` (a lone surrogate), `json_too_deep`; all `malformed`.
    """
    source = _text(text, max_bytes)
    _check_depth(source, max_depth)
    try:
        value = json.loads(
            source,
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_decimal,
            parse_constant=_constant,
        )
    except (json.JSONDecodeError, RecursionError) as error:
        raise Invalid("json_invalid", f"The text is not JSON: {error}", malformed=True) from None
    _check_surrogates(value)
    return value


def parse_stored(text: str) -> Any:
    """Read a text of our own store. Raises as `parse`, for what `check_stored` lets nobody write."""
    return parse(text, max_bytes=STORED_BYTES, max_depth=STORED_DEPTH)


def check_stored(text: str) -> None:
    """Let pass what `parse_stored` reads again, of a text that `exact_text` wrote. Raises TooLarge; Invalid `json_too_deep`,
    `json_surrogate`."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Invalid("json_surrogate", "A text holds half of a surrogate pair.", malformed=True) from None
    _check_depth(_text(text, STORED_BYTES), STORED_DEPTH)


def exact_text(value: Any) -> str:
    """The compact text of a parsed value: key order and numbers exactly as they were read."""
    return _write(value, sort=False)


def canonical(value: Any) -> str:
    """The canonical form of a parsed value: keys sorted by code point, no white space, numbers as they were read."""
    return _write(value, sort=True)


def canonical_of(arguments: dict[str, Any], name: str) -> str | None:
    """One argument in canonical form, None when it is absent: `1`, `true`, `1.0` and `"1.0"` are four values, absent is no null."""
    return canonical(arguments[name]) if name in arguments else None


def digest(value: Any) -> str:
    """SHA-256 of the canonical form's UTF-8, 64 hexadecimal digits."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def _text(text: str | bytes, max_bytes: int) -> str:
    size = len(text) if isinstance(text, bytes) else len(text.encode("utf-8", "surrogatepass"))
    if size > max_bytes:
        raise TooLarge("body_too_large", f"The text has {size} bytes; at most {max_bytes} are taken.", limit=max_bytes)
    if isinstance(text, str):
        return text
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        raise Invalid("json_invalid", "The text is not UTF-8.", malformed=True) from None


def _check_depth(source: str, most: int) -> None:
    """Count brackets outside strings before a parser recurses into them."""
    if source.count("[") + source.count("{") <= most:
        return
    depth, inside, escaped = 0, False, False
    for character in source:
        if inside:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                inside = False
        elif character == '"':
            inside = True
        elif character in "[{":
            depth += 1
            if depth > most:
                raise Invalid("json_too_deep", f"Nested deeper than {most}.", malformed=True, limit=most)
        elif character in "]}":
            depth -= 1


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise Invalid("json_duplicate_key", "An object names the same key twice.", malformed=True)
        found[key] = value
    return found


def _integer(text: str) -> int | Lexeme:
    _check_length(text)
    return Lexeme(text) if text == "-0" else int(text)


def _decimal(text: str) -> Lexeme:
    _check_length(text)
    if not math.isfinite(float(text)):
        raise Invalid("json_number", "A number is too large for any reader.", malformed=True)
    return Lexeme(text)


def _check_length(text: str) -> None:
    if len(text) > MAX_NUMBER_CHARACTERS:
        raise Invalid("json_number", f"A number has over {MAX_NUMBER_CHARACTERS} characters.", malformed=True)


def _constant(name: str) -> Any:
    raise Invalid("json_number", f"{name} is not JSON.", malformed=True)


def _check_surrogates(value: Any) -> None:
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise Invalid("json_surrogate", "A text holds half of a surrogate pair.", malformed=True) from None
    elif isinstance(value, dict):
        for key, item in value.items():
            _check_surrogates(key)
            _check_surrogates(item)
    elif isinstance(value, list):
        for item in value:
            _check_surrogates(item)


def _write(value: Any, *, sort: bool) -> str:
    if isinstance(value, Lexeme):
        return str(value)
    if value is None or isinstance(value, bool | str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, dict):
        items = sorted(value.items()) if sort else value.items()
        return "{" + ",".join(f"{_write(key, sort=sort)}:{_write(item, sort=sort)}" for key, item in items) + "}"
    if isinstance(value, list):
        return "[" + ",".join(_write(item, sort=sort) for item in value) + "]"
    raise TypeError(f"not a parsed JSON value: {type(value).__name__}")
