"""Addresses in the settings: the inbox's as browsers say it, and those of webhooks by the judge of whatever is posted."""

from __future__ import annotations

import re
from ipaddress import IPv4Address
from typing import Any
from urllib.parse import urlsplit

from placet.aws.delivery.addresses import reachable, read
from placet.aws.delivery.https import place_of
from placet.model.errors import Refused

_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_NUMBER = re.compile(
    r"[0-9]+|0x[0-9a-f]*"
)  # as a host's last label: then all of it is an IPv4 address, in whatever notation
# Host and path only: a user, a query or a fragment is where secrets end up, and a URL is logged and shown.
_WEBHOOK = re.compile(
    r"https://([A-Za-z0-9.-]{1,254})(?::[1-9][0-9]{0,4})?(?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)?"
)
# Names that no public resolver knows.
_AT_HOME = (
    "localhost",
    "localdomain",
    "local",
    "internal",
    "lan",
    "home",
    "corp",
    "private",
    "home.arpa",
    "invalid",
    "onion",
)


def is_host(host: str) -> bool:
    """Whether this is a host in small letters as DNS has it, or an IPv4 address in its one plain notation."""
    labels = host.split(".")
    if len(host) > 253 or not all(_LABEL.fullmatch(one) for one in labels):
        return False
    if not _NUMBER.fullmatch(labels[-1]):
        return True
    try:
        return str(IPv4Address(host)) == host
    except ValueError:
        return False


def is_public(value: Any) -> bool:
    """Whether a function may post there at all (`placet.aws.delivery.https`): an address is judged now, a name then."""
    found = _WEBHOOK.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return False
    host = found[1].lower().removesuffix(".")
    try:
        place_of(value)
    except Refused:
        return False
    if not is_host(host):
        return False
    if _NUMBER.fullmatch(host.rpartition(".")[2]):
        return reachable(read(host))
    return "." in host and not any(host == one or host.endswith(f".{one}") for one in _AT_HOME)


def origin_amiss(value: str) -> str:
    """What is wrong with the address of the inbox; empty when it is an origin as browsers send it (RFC 6454, 6.2)."""
    right = _origin(value)
    if right == value:
        return ""
    way = f"write {right}" if right else "https://host, or https://host:port"
    return f"must be https://host without a path, as a browser says it: {way}, not {value!r}"


def _origin(value: str) -> str:
    """The origin that an address means; empty when it means none."""
    try:
        parts = urlsplit(value if value == "".join(value.split()) else "")
        if parts.scheme != "https" or "@" in parts.netloc or "\\" in value or not parts.hostname:
            return ""
        host = parts.hostname.encode("idna").decode().lower()
        port = parts.port
    except ValueError:
        return ""
    if not is_host(host) or port == 0:
        return ""
    return f"https://{host}" + ("" if port in (None, 443) else f":{port}")
