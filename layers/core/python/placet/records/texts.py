"""The exact text of an immutable record: in its item, packed there where that is smaller, or in a bucket under its digest."""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass
from typing import Any

from placet.model.canonical import STORED_BYTES, check_stored, parse_stored
from placet.model.errors import Lost
from placet.records.keys import SCHEMA_VERSION
from placet.records.ops import Item

INLINE_BYTES = 4_096  # larger texts go to the bucket: each KB in the table is a write unit
PLAIN_BYTES = 800  # a text up to this fits into one unit with its keys, and stays what anybody can read
_PLACES = frozenset({"content", "packed", "place"})
PACKED_VERSION = (
    2  # of an item whose text is packed: a release that cannot read it sets it aside, and does not think it lost
)
VERSIONS = (SCHEMA_VERSION, PACKED_VERSION)


@dataclass(frozen=True)
class Stored:
    """An item, and the text that has to be in the bucket before it is written; empty when the item holds it."""

    item: Item
    name: str = ""
    text: str = ""


def stored(item: Item, name: str, text: str) -> Stored:
    """The text in the item, or under `name` in the bucket: then the item has its place and its digest.

    Raises TooLarge, Invalid: nobody could read it again, so nothing of it is stored.
    """
    check_stored(text)
    content = text.encode()
    item = {**item, "schema_version": SCHEMA_VERSION}
    if len(content) > INLINE_BYTES:
        return Stored({**item, "place": name, "sha256": hashlib.sha256(content).hexdigest()}, name, text)
    if len(content) > PLAIN_BYTES:
        return Stored({**item, "schema_version": PACKED_VERSION, "packed": _packed(content)})
    return Stored({**item, "content": text})


def content_of(item: Item, fetched: str | None) -> Any:
    """The parsed text of an item, from itself or from the bucket.

    Raises:
        Lost: `body_lost`, the bucket has no text, or gives none away.
        ValueError: the text is not the one that the item was written with; Invalid, TooLarge: it is none that is stored.
    """
    if ("packed" in item) != (item["schema_version"] == PACKED_VERSION) or len(item.keys() & _PLACES) > 1:
        raise ValueError("a text in more than one place, or packed by a release that did not")
    text = _unpacked(item["packed"]) if "packed" in item else item.get("content", fetched)
    if text is None:
        raise Lost("body_lost", "text of this record")
    if "place" in item and hashlib.sha256(text.encode()).hexdigest() != item["sha256"]:
        raise ValueError("not the text that was stored")
    return parse_stored(text)


def _packed(content: bytes) -> bytes:
    """Raw deflate (RFC 1951): whoever reads it compares the digest that names it, so it needs no sum of its own."""
    packer = zlib.compressobj(zlib.Z_BEST_COMPRESSION, wbits=-zlib.MAX_WBITS)
    return packer.compress(content) + packer.flush()


def _unpacked(packed: Any) -> str:
    """The text, of at most STORED_BYTES however little is stored. Raises ValueError, TypeError for what `_packed` never made."""
    unpacker = zlib.decompressobj(wbits=-zlib.MAX_WBITS)
    try:
        content = unpacker.decompress(packed, STORED_BYTES)
    except zlib.error as error:
        raise ValueError("not what was packed") from error
    if not unpacker.eof or unpacker.unused_data:
        raise ValueError("not all of what was packed, or more")
    return content.decode()
