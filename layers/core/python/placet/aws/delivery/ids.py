"""What a delivery is called, so that sending it again is sending it once."""

from __future__ import annotations

from typing import Any


def name_of(payload: dict[str, Any]) -> str:
    """`<pause>-<generation>`: the same at every attempt, another one when the pause was decided anew."""
    return f"{payload['pause']}-{payload['generation']}"
