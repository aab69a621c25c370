"""The form of a pause id: HMAC of agent, run and natural key under the tenant's key. Who holds the key is a port."""

from __future__ import annotations

import base64
import json
import re

_PAUSE = re.compile(r"[a-z2-7]{26}")
_NUMBER = re.compile(r"[1-9][0-9]?")  # of a call in its pause; no framework hands in more (`placet.model.frameworks`)


def name_text(agent: str, run: str, natural_key: str) -> bytes:
    """What the HMAC of a pause id is taken of; the lengths keep the parts apart."""
    return "|".join(f"{len(part)}:{part}" for part in (agent, run, natural_key)).encode()


def joined(*parts: str) -> str:
    """Parts of a natural key as one text that no other parts can make: by `|`, where none but the last holds one, else as JSON
    without that sign."""
    if not any("|" in part for part in parts[:-1]):
        return "|".join(parts)
    return json.dumps(parts, separators=(",", ":")).replace("|", "\\u007c")


def joined_before(*parts: str) -> str:
    """The same parts as releases joined them that did not look into them; empty where that is the same text."""
    plain = "|".join(parts)
    return plain if plain != joined(*parts) else ""


def is_pause_id(text: str) -> bool:
    """Whether a text has the form of a pause id; anything else names nothing, and nothing is read for it."""
    return _PAUSE.fullmatch(text) is not None


def is_call_number(text: str) -> bool:
    """Whether a text is the number of a call as a call id carries it."""
    return _NUMBER.fullmatch(text) is not None


def short_name(mac: bytes) -> str:
    """26 characters of lower-case base32: the first 130 bits."""
    return base64.b32encode(mac)[:26].decode().lower()
