"""The encoder of `application/vnd.amazon.eventstream`; botocore ships only the decoder.

A frame is ``u32 length | u32 length of headers | u32 CRC of these eight bytes | headers | payload | u32 CRC of all before``.
"""

from __future__ import annotations

import base64
import json
import struct
import zlib
from typing import Any

STRING = 7  # the type of every header here
CUT = 6  # bytes that a truncated frame lacks


def frame(headers: dict[str, str], payload: bytes) -> bytes:
    """One frame with these headers."""
    head = b"".join(_header(name, value) for name, value in headers.items())
    prelude = struct.pack("!II", 12 + len(head) + len(payload) + 4, len(head))
    body = prelude + struct.pack("!I", zlib.crc32(prelude)) + head + payload
    return body + struct.pack("!I", zlib.crc32(body))


def _header(name: str, value: str) -> bytes:
    key, text = name.encode(), value.encode()
    return bytes([len(key)]) + key + bytes([STRING]) + struct.pack("!H", len(text)) + text


def event(kind: str, body: dict[str, Any]) -> bytes:
    """An event; blobs in `body` are base64 text already."""
    headers = {":event-type": kind, ":content-type": "application/json", ":message-type": "event"}
    return frame(headers, json.dumps(body).encode())


def exception(kind: str, text: str) -> bytes:
    """An error inside the stream, whose HTTP status was 200. `kind` starts with a small letter there."""
    headers = {":exception-type": kind, ":content-type": "application/json", ":message-type": "exception"}
    return frame(headers, json.dumps({"message": text}).encode())


def truncated(whole: bytes) -> bytes:
    """A frame whose end is missing. No client says anything: its events just end before this one."""
    return whole[:-CUT]


def blob(text: str) -> str:
    """How bytes travel inside JSON."""
    return base64.b64encode(text.encode()).decode()
