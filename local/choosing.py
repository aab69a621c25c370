"""Which ports a start may have: four different ones that a browser opens and nobody listens on."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Mapping

from local.errors import LocalError

# Browsers refuse these whatever listens there: "bad ports" of the Fetch standard, https://fetch.spec.whatwg.org/#port-blocking.
BLOCKED = frozenset({
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111,
    113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548,
    554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665,
    6666, 6667, 6668, 6669, 6679, 6697, 10080,
})  # fmt: skip
LOCALHOST = ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"))
STEP = 100


def refuse_unusable(ports: Mapping[str, int]) -> None:
    """Raise LocalError for a port that browsers do not open, or that stands there twice; ``ports`` by their variables."""
    for name, port in ports.items():
        if port in BLOCKED:
            raise LocalError(
                f"{name} is {port}, which browsers refuse to open.", f"Choose another: {name}={_beside(port)}"
            )
    seen: dict[int, str] = {}
    for name, port in ports.items():
        if port in seen:
            raise LocalError(
                f"{seen[port]} and {name} are both {port}, and each needs a port of its own.",
                f"Choose another: {name}={_beside(port, lambda one: one in ports.values())}",
            )
        seen[port] = name


def others(ports: Mapping[str, int]) -> str:
    """What to write before a command for another start: the same ports farther on, all of them free."""
    step = next(step for step in range(STEP, 60_000, STEP) if all(_free(port + step) for port in ports.values()))
    return " ".join(f"{name}={port + step}" for name, port in ports.items())


def another(port: int, ports: Mapping[str, int]) -> int:
    """A free port instead of this one that none of the others has."""
    return _beside(port, lambda one: one in ports.values() or not _free(one))


def listens(port: int) -> bool:
    """Whether somebody takes connections there, on either address of `localhost`: browsers may ask either first."""
    return any(_connects(family, host, port) for family, host in LOCALHOST)


def _connects(family: socket.AddressFamily, host: str, port: int) -> bool:
    try:
        with socket.socket(family) as probe:
            probe.settimeout(1)
            return probe.connect_ex((host, port)) == 0
    except OSError:  # this machine does not have such addresses
        return False


def _free(port: int) -> bool:
    return port < 65536 and port not in BLOCKED and not listens(port)


def _beside(port: int, taken: Callable[[int], bool] = lambda _port: False) -> int:
    def candidates() -> Iterator[int]:
        yield from range(port + STEP, 65536, STEP)
        yield from range(1025, 65536)

    return next(one for one in candidates() if one not in BLOCKED and not taken(one))
