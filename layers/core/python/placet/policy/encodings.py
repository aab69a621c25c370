"""What a text of others may say beside what it shows: behind escapes, markup and encodings, and in signs that carry hidden text
or turn a text around.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

MOST_ROUNDS = 3  # encodings, one in the other
MOST_LABELS = 2_000  # of Punycode in one text
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2})+")
_QUOTED = re.compile(r"(?:=[0-9a-fA-F]{2})+")
_BROKEN = re.compile(r"=\s{1,3}")  # a line that goes on
_TAG = re.compile(r"<[!/?a-zA-Z][^<>]*>")
_LABEL = re.compile(r"(?<![0-9a-z-])xn--([0-9a-z-]{1,59})", re.IGNORECASE)
_FLAG = re.compile(
    "\U0001f3f4\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074|\U000e0077\U000e006c\U000e0073)\U000e007f"
)
_TAGS = re.compile("[\U000e0000-\U000e007f]")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_TURNING = re.compile(
    "[\u202d\u202e]"
)  # overrides of direction; the other signs of direction leave each letter in its place
_TWO_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2}")


def readings_of(text: str, *, whole: bool = True) -> Iterator[str]:
    """A text, and what it says where it is JSON, a web page, a link or a mail, also one in the other.

    Args:
        whole: also as a page without its tags and as a quoted-printable mail, which a text may seem to be and not be.
    """
    seen = {text}
    yield text
    for tags, quoted in ((False, False), (True, False), (False, True), (True, True)) if whole else ((False, False),):
        said = text
        for _ in range(MOST_ROUNDS):
            before, said = said, _decoded(said, tags, quoted)
            if said == before:
                break
            if said not in seen:
                seen.add(said)
                yield said
    yield from {carried for one in seen for carried in _carried(one)} - seen - {""}


def hides_text(text: str) -> bool:
    """Whether it holds signs that show nothing and can carry a text, or make it show another: tags that are no flag's, variation
    selectors in a row, overrides of direction.
    """
    if text.isascii():
        return False
    return is_turned(text) or bool(_TWO_SELECTORS.search(text) or _TAGS.search(_FLAG.sub("", text)))


def is_turned(text: str) -> bool:
    """Whether a sign makes it show letters in another order than they stand in."""
    return not text.isascii() and _TURNING.search(text) is not None


def is_overloaded(text: str) -> bool:
    """Whether it has more Punycode than is read."""
    return sum(1 for _ in _LABEL.finditer(text)) > MOST_LABELS


def _decoded(text: str, tags: bool, quoted: bool) -> str:
    if quoted and "=" in text:
        text = _QUOTED.sub(lambda run: _bytes_said(run[0], "="), _BROKEN.sub("", text))
    if "\\" in text:
        text = _ESCAPE.sub(_meant, text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if "%" in text:
        text = _PERCENT.sub(lambda run: _bytes_said(run[0], "%"), text)
    if tags and "<" in text:
        text = _TAG.sub("", text)
    if "&" in text:
        from html import unescape  # its table is large, and few texts need it

        text = unescape(text)
    return text if "--" not in text else _LABEL.sub(_letters, text)


def _bytes_said(run: str, sign: str) -> str:
    said = bytes.fromhex(run.replace(sign, ""))
    try:
        return said.decode()
    except UnicodeDecodeError:
        return said.decode("latin-1")


def _meant(escape: re.Match[str]) -> str:
    code, sign = escape.groups()
    return chr(int(code, 16)) if code else " " if sign in "bfnrt" else sign


def _letters(label: re.Match[str]) -> str:
    return _unpunycoded(label[1].lower()) or label[0]


@lru_cache(maxsize=MOST_LABELS)
def _unpunycoded(label: str) -> str:
    try:
        return label.encode("ascii").decode("punycode")
    except UnicodeError:
        return ""


def _carried(text: str) -> Iterator[str]:
    """What its tags say as ASCII, and its variation selectors as bytes."""
    if text.isascii():
        return
    if tags := _TAGS.findall(text):
        yield "".join(chr(ord(one) - 0xE0000) for one in tags if 0x20 <= ord(one) - 0xE0000 < 0x7F)
    if len(selectors := _SELECTORS.findall(text)) > 1:
        codes = map(ord, selectors)
        yield bytes(code - 0xFE00 if code < 0xE0000 else code - 0xE00F0 for code in codes).decode("utf-8", "replace")
