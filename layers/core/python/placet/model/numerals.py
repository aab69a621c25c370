"""Numbers as people write them in one country and another, beside the one way in which JSON writes them."""

from __future__ import annotations

import re
from decimal import Context, Decimal, InvalidOperation

_CURRENCY = "$\u00a3\u00a5\u20ac"
_GROUPS = "'\u2019_ \u00a0\u202f"
_SIGNS = {"+": "", "-": "-", "\u2212": "-"}
_DECIMAL = re.compile(r"(-?)(\d+)(\.\d+)?\Z", re.ASCII)
_PLAIN = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?", re.ASCII)
_JSON = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?", re.ASCII)
_THOUSANDS = re.compile(r"[1-9]\d{0,2},\d{3}", re.ASCII)
NUMERAL = re.compile(
    rf"[-+\u2212]?(?:[{_CURRENCY}] ?)?"
    rf"(?:\d{{1,3}}(?:[{_GROUPS}]\d{{3}})+(?:[.,]\d+)?|[.,]?\d+(?:[.,'\u2019_]\d+)*(?:,-|\.(?!\d))?)"
    rf"(?: ?(?:[{_CURRENCY}]|[A-Za-z]{{1,4}}))?(?!\w)",
    re.ASCII,
)

MOST_PLACES = 40  # before and behind the point; a number beyond is not written out
_EXACT = Context(prec=4 * MOST_PLACES)


def is_json_number(text: str) -> bool:
    """Whether JSON takes the text for a number."""
    return _JSON.fullmatch(text) is not None


def meant_by(written: str) -> tuple[str, ...]:
    """What somebody may mean who wrote this: numbers as JSON writes them, the likelier first; none when it is none.

    `620,25` is 620.25, `1.240,50` and `1'240.5` are what they are at home, and `1,240` may be 1240 or 1.240.
    """
    bare = written.strip(f" \u00a0{_CURRENCY}").rstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    bare = re.sub(f"[{_CURRENCY}{_GROUPS}]", "", bare).removesuffix(",-")
    sign, digits = (_SIGNS[bare[0]], bare[1:]) if bare[:1] in _SIGNS else ("", bare)
    if digits.count(",") == 1 and _THOUSANDS.fullmatch(digits):
        return f"{sign}{digits.replace(',', '')}", f"{sign}{digits.replace(',', '.')}"
    found = _with_point(digits)
    whole, point, decimals = found.partition(".")
    plain = f"{sign}{whole.lstrip('0') or '0'}{point if decimals else ''}{decimals}"
    return (plain,) if digits and _PLAIN.fullmatch(plain) else ()


def _with_point(digits: str) -> str:
    """The digits with one point before the decimals: the last sign is that point, unless it stands several times."""
    last = max(digits.rfind(","), digits.rfind("."))
    if last < 0 or digits.count(digits[last]) > 1:
        return re.sub("[.,]", "", digits)
    return f"{re.sub('[.,]', '', digits[:last])}.{digits[last + 1 :]}"


def value_of(written: str) -> Decimal | None:
    """The exact value of a JSON number; None for another text, and for one of more than MOST_PLACES places."""
    if not is_json_number(written) or len(written) > 4 * MOST_PLACES:
        return None
    try:
        value = Decimal(written)
    except InvalidOperation:
        return None
    low = value.as_tuple().exponent
    return value if isinstance(low, int) and low >= -MOST_PLACES and value.adjusted() <= MOST_PLACES else None


def difference(before: Decimal, after: Decimal) -> Decimal:
    """`after` less `before`, exactly, of two values of `value_of`."""
    return _EXACT.subtract(after, before)


def written_out(value: Decimal) -> str:
    """A value in plain decimal: no exponent, and of more than two decimals none that is a zero at the end."""
    text = f"{value:f}"
    whole, point, decimals = text.partition(".")
    kept = decimals[:2] + decimals[2:].rstrip("0")
    return f"{whole}{point}{kept}"


def grouped(text: str) -> str:
    """A plain decimal with its thousands set apart, `1,240.00` for `1240.00`; anything else as it is."""
    found = _DECIMAL.match(text)
    if not found:
        return text
    sign, whole, fraction = found.groups()
    if len(whole) > 1 and whole.startswith("0"):
        return text
    groups = f"{'0' * (-len(whole) % 3)}{whole}"
    parts = [groups[place : place + 3] for place in range(0, len(groups), 3)]
    return f"{sign}{','.join(parts).lstrip('0,') or '0'}{fraction or ''}"


def reading(written: str) -> str:
    """A JSON number as it is read, in plain decimal: `1.24` for `1.240`, `6,202.50` for `620.25e1`; another text as it is."""
    value = value_of(written)
    return written if value is None else grouped(written_out(value))


def reading_exactly(written: str) -> str:
    """The same for where nothing else shows how it is written: `1,240`, and `6,202.50 (written 620.25e1)`."""
    read = reading(written)
    return read if read.replace(",", "") == written else f"{read} (written {written})"
