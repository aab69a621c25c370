"""The form of a pause id: HMAC of agent, run and natural key under the tenant's key. Who holds the key is a port."""

from __future__ import annotations

import base64


def name_text(agent: str, run: str, natural_key: str) -> bytes:
    """What the HMAC of a pause id is taken of; the lengths keep the parts apart."""
    return "|".join(f"{len(part)}:{part}" for part in (agent, run, natural_key)).encode()


def short_name(mac: bytes) -> str:
    """26 characters of lower-case base32: the first 130 bits."""
    return base64.b32encode(mac)[:26].decode().lower()
