"""`format`: whether a text is a date, an address, an identifier, read as widely as pydantic reads it.

A value is refused when no tool could take it: when neither pydantic, with which tools of Python read, nor the RFC behind the format
would. A format that is not named here says nothing.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from functools import cache
from typing import Any

LONGEST = 2_000  # characters: no date, mail address or identifier is longer
OF_ANY_LENGTH = frozenset({"uri", "json-pointer"})  # a picture may stand in a `data:` address; both are read in one go

_LEAP = re.compile(r"(\d\d:\d\d):60")  # RFC 3339 has the second that Python does not
_YEARS = re.compile(r"P(?=\d|T\d)(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+S)?)?")
_MAIL = re.compile(
    r"[^@\s]+@[^@\s]+|\"[^\"]+\"@[^@\s]+|[^@<>]*<[^@\s<>]+@[^@\s<>]+>"
)  # pydantic takes `Name <address>`
_HOST = re.compile(r"(?=.{1,254}$)[^\W_]([\w-]*[^\W_])?(\.[^\W_]([\w-]*[^\W_])?)*\.?", re.ASCII)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]*")
_POINTER = re.compile(r"(/([^~/]|~[01])*)*")


def fits(name: str, text: str) -> bool:
    """Whether a text has the format, as far as that is looked at."""
    judge = _JUDGES.get(name)
    return judge is None or ((name in OF_ANY_LENGTH or len(text) <= LONGEST) and judge(text))


def _read_by(kind: str, other: Callable[[str], Any] = lambda text: False) -> Callable[[str], bool]:
    """Read by pydantic's schema of that kind, or by the other rule."""
    return lambda text: _reader(kind).isinstance_python(text) or bool(other(text))


@cache
def _reader(kind: str) -> Any:
    from pydantic_core import SchemaValidator, core_schema

    return SchemaValidator(getattr(core_schema, f"{kind}_schema")())


def _address(read: Callable[[str], Any]) -> Callable[[str], bool]:
    def judge(text: str) -> bool:
        try:
            read(text)
        except ValueError:
            return False
        return True

    return judge


def _leaping(kind: str) -> Callable[[str], bool]:
    return lambda text: _reader(kind).isinstance_python(_LEAP.sub(r"\1:59", text, count=1))


_UUID = _read_by("uuid")
_ANY_URL = _read_by("url", _SCHEME.fullmatch)
_JUDGES: dict[str, Callable[[str], bool]] = {
    "date-time": _leaping("datetime"),
    "date": _read_by("date"),
    "time": _leaping("time"),
    "duration": _read_by("timedelta", _YEARS.fullmatch),
    "time-delta": _read_by("timedelta", _YEARS.fullmatch),
    **dict.fromkeys(("uuid", "uuid1", "uuid3", "uuid4", "uuid5", "uuid6", "uuid7", "uuid8"), _UUID),
    **dict.fromkeys(("email", "idn-email", "name-email"), lambda text: bool(_MAIL.fullmatch(text))),
    "ipv4": _address(ipaddress.IPv4Address),
    "ipv6": _address(ipaddress.IPv6Address),
    "ipv4network": _address(ipaddress.IPv4Network),
    "ipv6network": _address(ipaddress.IPv6Network),
    "ipv4interface": _address(ipaddress.IPv4Interface),
    "ipv6interface": _address(ipaddress.IPv6Interface),
    "ipvanyaddress": _address(ipaddress.ip_address),
    "ipvanynetwork": _address(ipaddress.ip_network),
    "ipvanyinterface": _address(ipaddress.ip_interface),
    "hostname": lambda text: bool(_HOST.fullmatch(text)),
    "uri": _ANY_URL,
    "multi-host-uri": _read_by("multi_host_url", _SCHEME.fullmatch),
    "json-pointer": lambda text: bool(_POINTER.fullmatch(text)),
}
