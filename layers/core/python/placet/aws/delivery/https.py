"""One POST to an https address that nobody can bend elsewhere.

The name is resolved once. Every address that it has is judged, and the connection goes to one of those very addresses, with the
name in SNI, Host and the check of the certificate: a name server that says something else a moment later changes nothing. No
proxy of the environment is asked, no redirection followed, and of the answer only the status is read.
"""

from __future__ import annotations

import contextlib
import http.client
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from placet.aws.delivery.addresses import Address, reachable, read
from placet.model.errors import Busy, Refused

CONNECT_S = 5.0
TOTAL_S = 20.0
Resolve = Callable[[str, int], list[str]]


@dataclass(frozen=True)
class Place:
    """Where a URL points to. `target` is its path and query."""

    host: str
    port: int
    target: str

    @property
    def named(self) -> str:
        """For the Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == 443 else f"{host}:{self.port}"


def resolved(host: str, port: int) -> list[str]:
    """Every address of a name, as the machine's resolver gives them. Raises OSError."""
    return list(dict.fromkeys(str(one[4][0]) for one in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)))


class Posting:
    """The way to webhooks.

    Args:
        resolve: the addresses of a name.
        allowed: whether an address may be called.
        context: TLS; by default the authorities of the operating system, certificate and name checked.
        total_s: from the connection to the status.
    """

    def __init__(
        self,
        resolve: Resolve = resolved,
        allowed: Callable[[Address], bool] = reachable,
        context: ssl.SSLContext | None = None,
        total_s: float = TOTAL_S,
    ) -> None:
        self._resolve = resolve
        self._allowed = allowed
        self._context = context or ssl.create_default_context()
        self._total_s = total_s

    def post(self, url: str, body: bytes, headers: dict[str, str]) -> int:
        """The status of the answer.

        Raises:
            Busy: the name has no address now, or nobody answered in time under a certificate of that name.
            Refused: `delivery_refused`: not https, or an address of the name is not a public one.
        """
        place = place_of(url)
        sent = {"Host": place.named, "Content-Type": "application/json", "User-Agent": "placet", "Connection": "close"}
        with self._connected(place) as connection:
            try:
                connection.request("POST", place.target, body, sent | headers)
                return connection.getresponse().status
            except (OSError, http.client.HTTPException) as error:
                raise Busy(f"{place.host} did not answer: {type(error).__name__}") from None

    @contextmanager
    def _connected(self, place: Place) -> Iterator[http.client.HTTPConnection]:
        """A connection under TLS, which is cut off when the time for everything is over, however slowly it is answered."""
        until = time.monotonic() + self._total_s
        bare = self._reached(place, self._addresses(place), until)
        with bare.dup() as guard, bare:
            over = threading.Timer(max(0.0, until - time.monotonic()), _cut, [guard])
            over.start()
            try:
                with contextlib.closing(self._secured(place, bare)) as connection:
                    yield connection
            finally:
                over.cancel()

    def _secured(self, place: Place, bare: socket.socket) -> http.client.HTTPConnection:
        connection = http.client.HTTPConnection(place.host, place.port)
        try:
            connection.sock = self._context.wrap_socket(bare, server_hostname=place.host)
        except OSError as error:
            raise Busy(f"{place.host} did not prove who it is: {type(error).__name__}") from None
        return connection

    def _addresses(self, place: Place) -> list[str]:
        """All of them or none: a name that points to a private address among others is not to be trusted with any."""
        try:
            found = self._resolve(place.host, place.port)
        except (OSError, UnicodeError):
            raise Busy(f"{place.host} has no address now.") from None
        for one in found:
            try:
                allowed = self._allowed(read(one))
            except ValueError:
                allowed = False
            if not allowed:
                raise Refused("delivery_refused", f"{place.host} has an address that is not a public one.")
        return found

    def _reached(self, place: Place, addresses: list[str], until: float) -> socket.socket:
        for one in addresses:
            left = until - time.monotonic()
            with contextlib.suppress(OSError):
                bare = socket.create_connection((one, place.port), timeout=min(CONNECT_S, max(left, 0.01)))
                bare.settimeout(self._total_s)
                return bare
        raise Busy(f"{place.host} cannot be reached.")


def place_of(url: str) -> Place:
    """Raises Refused `delivery_refused` for anything but a plain https address."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or 443
    except ValueError:
        host = None
    if not host or parts.scheme != "https" or "@" in parts.netloc or not re.fullmatch("[!-~]+", url):
        raise Refused("delivery_refused", "The webhook's address is not a plain https URL.")
    return Place(host, port, (parts.path or "/") + (f"?{parts.query}" if parts.query else ""))


def _cut(guard: socket.socket) -> None:
    """Whoever reads or writes on the connection gets its end at once."""
    with contextlib.suppress(OSError):
        guard.shutdown(socket.SHUT_RDWR)
