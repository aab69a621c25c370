"""Which addresses a webhook may have: global unicast ones, whatever notation a private one hides in.

The networks are those of IANA's special-purpose registries (iana-ipv4-special-registry, iana-ipv6-special-registry). They are
written down here because what `ipaddress` calls global has changed between patch releases of Python.
"""

from __future__ import annotations

import ipaddress
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

Address = IPv4Address | IPv6Address

_NOT_V4 = tuple(
    IPv4Network(one)
    for one in (
        "0.0.0.0/8",  # this host, this network
        "10.0.0.0/8",
        "100.64.0.0/10",  # carrier-grade NAT, also inside VPCs
        "127.0.0.0/8",  # the Lambda runtime's own API
        "169.254.0.0/16",  # instance metadata, task credentials, DNS and time of AWS
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
)
_GLOBAL_V6 = IPv6Network(
    "2000::/3"
)  # all that is handed out; unique local, link-local, multicast and mapped ones lie outside
_NOT_V6 = tuple(
    IPv6Network(one)
    for one in (
        "2001::/23",  # Teredo, ORCHID, benchmarks
        "2001:db8::/32",
        "2002::/16",  # 6to4: a private IPv4 address may be inside
        "3fff::/20",
    )
)
_NAT64 = IPv6Network("64:ff9b::/96")  # what DNS64 makes of a name without an IPv6 address


def reachable(address: Address) -> bool:
    """Whether it is somebody's on the public internet, and nothing of this machine, network or cloud."""
    v4 = _inside(address)
    if v4 is not None:
        return v4.is_global and not any(v4 in one for one in _NOT_V4)
    assert isinstance(address, IPv6Address)  # noqa: S101 - for the type: an IPv4 address is its own inside
    in_use = address in _GLOBAL_V6 and address.is_global
    return in_use and not any(address in one for one in _NOT_V6)


def _inside(address: Address) -> IPv4Address | None:
    """The IPv4 address that is reached through it; None for a plain IPv6 one."""
    if isinstance(address, IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return IPv4Address(int(address) & 0xFFFFFFFF) if address in _NAT64 else None


def read(text: str) -> Address:
    """An address as a resolver gives it. Raises ValueError."""
    return ipaddress.ip_address(text)
