"""Evidence as the gateway takes it: so many pieces, so many bytes. What is left out is counted, and said.

The limits are the gateway's (`placet.model.limits`), written a second time because the SDK ships alone; a test compares them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

MOST_PIECES = 20
LONGEST_TITLE = 200
LONGEST_NAME = 256
LONGEST_TEXT = 20_000
EVIDENCE_BYTES = 98_304  # of JSON: the calls have to fit beside it
BODY_BYTES = 262_144
MARGIN_BYTES = 1_024  # of a body, for names of fields
WORTH_BYTES = 512  # of room; with less a piece is left out whole
MARK_BYTES = 256  # of the piece that says how much was left out

Piece = dict[str, Any]


def fitted(pieces: Sequence[Mapping[str, Any]], room: int = EVIDENCE_BYTES) -> list[Piece]:
    """The pieces, most important first, as far as they fit.

    A text that is too long is cut and its `cut` counts the characters; pieces that are left out whole are counted by a piece
    without text, one for each origin.

    Args:
        room: bytes of JSON.
    """
    whole = [_within(piece) for piece in pieces]
    if len(whole) <= MOST_PIECES and sum(map(_bytes, whole)) <= room:
        return whole
    origins = list(dict.fromkeys(str(piece.get("origin", "")) for piece in whole))
    left, most = room - MARK_BYTES * len(origins), MOST_PIECES - len(origins)
    kept: list[Piece] = []
    gone: dict[str, list[Piece]] = {}
    for piece in whole:
        shorter = _shortened(piece, left) if len(kept) < most and left >= WORTH_BYTES else None
        if shorter is None:
            gone.setdefault(str(piece.get("origin", "")), []).append(piece)
            continue
        kept.append(shorter)
        left -= _bytes(shorter)
    marks = [left_out(origin, found) for origin, found in gone.items()]
    return [*kept, *marks] if room >= MARK_BYTES * len(origins) else []


def left_out(origin: str, pieces: Sequence[Mapping[str, Any]]) -> Piece:
    """The piece that stands for pieces of one origin that are not sent."""
    missing = sum(max(1, len(str(piece.get("text", ""))) + int(piece.get("cut", 0))) for piece in pieces)
    named = {"origin": origin} if origin else {}
    title = f"{len(pieces)} {'piece' if len(pieces) == 1 else 'pieces'} left out"
    return {"title": title, "source": "", "trusted": False, "text": "", **named, "cut": missing}


def shortened_words(text: str) -> str:
    """What the model said, as long as the gateway takes it; what is missing is said at its end."""
    text = readable(text)
    if len(text) <= LONGEST_TEXT:
        return text
    kept = text[: LONGEST_TEXT - 64]
    return f"{kept}\n[{len(text) - len(kept)} more characters were left out]"


def readable(text: str) -> str:
    """A text that JSON can hold: half of a surrogate pair becomes a question mark, and stops no call that it stands beside."""
    return text.encode("utf-8", "replace").decode()


def _within(piece: Mapping[str, Any]) -> Piece:
    found = {**piece, **{name: readable(str(piece.get(name, ""))) for name in ("title", "source", "text")}}
    found["title"], found["source"] = found["title"][:LONGEST_TITLE] or "Untitled", found["source"][:LONGEST_NAME]
    return _cut(found, LONGEST_TEXT)


def _shortened(piece: Piece, room: int) -> Piece | None:
    """The piece in so many bytes; None when only a mark of it would be left."""
    while _bytes(piece) > room:
        if len(piece["text"]) < WORTH_BYTES:
            return None
        piece = _cut(piece, len(piece["text"]) * 3 // 4)
    return piece


def _cut(piece: Piece, most: int) -> Piece:
    text = piece["text"]
    if len(text) <= most:
        return piece
    return {**piece, "text": text[:most], "cut": int(piece.get("cut", 0)) + len(text) - most}


def _bytes(piece: Mapping[str, Any]) -> int:
    return len(json.dumps(piece, ensure_ascii=False).encode()) + 1
