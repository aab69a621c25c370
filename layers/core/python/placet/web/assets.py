"""The stylesheet and the icon. Pages link them under a name that holds their digest, so a browser may keep them."""

from __future__ import annotations

import hashlib
from pathlib import Path

_STATIC = Path(__file__).parent / "static"
_TYPES = {".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}

_BODIES = {path.name: path.read_bytes() for path in sorted(_STATIC.iterdir()) if path.suffix in _TYPES}


def _lasting(name: str) -> str:
    stem, dot, ending = name.rpartition(".")
    return f"{stem}.{hashlib.sha256(_BODIES[name]).hexdigest()[:12]}{dot}{ending}"


_LASTING = {_lasting(name): name for name in _BODIES}
_URLS = {name: f"/static/{lasting}" for lasting, name in _LASTING.items()}


def url(name: str) -> str:
    """Where pages link an asset. Raises KeyError for one that does not exist."""
    return _URLS[name]


def find(name: str) -> tuple[bytes, str] | None:
    """Body and content type by plain or lasting name; None when there is no such asset."""
    plain = _LASTING.get(name, name)
    if plain not in _BODIES:
        return None
    return _BODIES[plain], _TYPES[plain[plain.rindex(".") :]]


def cache_control(name: str) -> str:
    """For good under a lasting name, five minutes under a plain one."""
    return "public, max-age=31536000, immutable" if name in _LASTING else "public, max-age=300"
