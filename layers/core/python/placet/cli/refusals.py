"""What the command line shows of a refusal: a sentence that leaves nothing out, or the problem document itself."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from http.client import responses
from typing import Any

from placet.client.errors import GatewayRefused
from placet.http.problems import document
from placet.model.errors import Refused

_MOMENTS = ("at", "deadline", "until")
_LEAST_MOMENT = 100_000_000_000  # ms: a number below it is a length of time


def moment(at_ms: int) -> str:
    """A moment as people read it, UTC."""
    return f"{datetime.fromtimestamp(at_ms / 1000, UTC):%Y-%m-%d %H:%M}"


def sentence(error: GatewayRefused | Refused) -> str:
    """What was refused, and in brackets its code and every member of its problem."""
    told = [
        f"{_label(name)}: {_value(name, value)}" for name, value in error.members.items() if value not in ("", None)
    ]
    return f"{error.detail} ({'; '.join([error.code, *told])})".lstrip()


def problem(error: GatewayRefused | Refused) -> dict[str, Any]:
    """The problem document, as a gateway answers it."""
    if isinstance(error, Refused):
        return document(error)
    about = {
        "type": f"urn:placet:problem:{error.code}",
        "title": responses.get(error.status, ""),
        "status": error.status,
    }
    return {**about, "detail": error.detail, "code": error.code, **error.members}


def _label(name: str) -> str:
    return name.removesuffix("_ms").replace("_", " ")


def _value(name: str, value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{_label(key)} {_value(key, one)}" for key, one in value.items() if one not in ("", None))
    if isinstance(value, list):
        return ", ".join(_value(name, one) for one in value) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and (name in _MOMENTS or name.endswith(("_ms", "_at"))):
        return f"{moment(value)} UTC" if value >= _LEAST_MOMENT else f"{value / 1000:g} s"
    return str(value)
