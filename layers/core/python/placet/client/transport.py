"""Signed HTTP to the gateway: SigV4 over urllib3, the same body again when there was no usable answer."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import urllib3
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest

from placet.client.errors import GatewayRefused, GatewayUnavailable

AGAIN = frozenset({429, 500, 502, 503, 504})
TRIES = 6
FIRST_WAIT_S, LONGEST_WAIT_S = 0.2, 10.0
TIMEOUT = urllib3.Timeout(connect=5.0, read=35.0)


@dataclass(frozen=True)
class Answer:
    """A successful answer: its JSON body and, in seconds, what Retry-After says (0 when it says nothing)."""

    body: dict[str, Any]
    retry_after_s: float


class Transport:
    """Sends one request until there is an answer worth keeping.

    Every request of the gateway is idempotent by contract, so a lost answer is repeated with the same bytes.

    Args:
        url: base address of the API.
        credentials: gives fresh AWS credentials at each call (they may rotate while a run waits).
        sleep, chance: the clock and the dice, so that tests need neither.
    """

    def __init__(
        self,
        url: str,
        region: str,
        credentials: Callable[[], Any],
        *,
        sleep: Callable[[float], None] = time.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._url = url.rstrip("/")
        self._region = region
        self._credentials = credentials
        self._sleep = sleep
        self._chance = chance
        self._pool = _pool(self._url)

    def send(self, method: str, path: str, body: str | None = None) -> Answer:
        """One request. Raises GatewayRefused (4xx) or GatewayUnavailable (no usable answer after all tries)."""
        last = GatewayUnavailable("never tried")
        for attempt in range(TRIES):
            if attempt:
                self._sleep(self._pause(attempt, last.retry_after_s))
            try:
                response = self._once(method, path, body)
            except urllib3.exceptions.HTTPError as error:
                last = GatewayUnavailable(f"{method} {path}: {self._nobody(error)}")
                continue
            if response.status not in AGAIN:
                return _answer(response, self._url, self._stranger(response.status))
            last = _unavailable(method, path, response)
        raise last

    def _nobody(self, error: urllib3.exceptions.HTTPError) -> str:
        """Why there was no answer, and what to look at."""
        if isinstance(error, urllib3.exceptions.NameResolutionError):
            return f"the host of {self._url} is not known. Is that the gateway's address?"
        if isinstance(error, urllib3.exceptions.NewConnectionError):
            return f"nobody listens at {self._url}. Is that the gateway's address, and is it up?"
        if isinstance(error, urllib3.exceptions.SSLError):
            return (
                f"{self._url} does not speak TLS as it should ({type(error).__name__}). Is it http:// and not https://?"
            )
        return f"{type(error).__name__} at {self._url}"

    def _stranger(self, _status: int) -> str:
        """What to look at when a refusal has no code: it is API Gateway's, which asks for a signature, or somebody else's."""
        return f"Not the gateway itself answered at {self._url}: look at that address, and at the role that signs."

    def _pause(self, attempt: int, asked_s: float) -> float:
        """Full jitter, but never sooner than the gateway asked for."""
        span = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0**attempt)
        return max(span * self._chance(), min(asked_s, LONGEST_WAIT_S * 3))

    def _once(self, method: str, path: str, body: str | None) -> urllib3.BaseHTTPResponse:
        url = f"{self._url}{path}"
        headers = {"Host": urlsplit(url).netloc, "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        request = AWSRequest(method=method, url=url, data=body.encode() if body is not None else b"", headers=headers)
        SigV4Auth(self._credentials(), "execute-api", self._region).add_auth(request)
        target = urlsplit(url)
        return self._pool.urlopen(
            method,
            f"{target.path}?{target.query}" if target.query else target.path,
            body=request.data or None,
            headers=dict(request.headers.items()),
            retries=False,
            timeout=TIMEOUT,
            redirect=False,
        )


def _pool(url: str) -> urllib3.HTTPConnectionPool:
    """A pool to the host; names under .localhost are this machine, whatever the resolver thinks (RFC 6761)."""
    target = urlsplit(url)
    host = target.hostname or ""
    if target.scheme == "https":
        return urllib3.HTTPSConnectionPool(host, target.port or 443, maxsize=4)
    address = "127.0.0.1" if host == "localhost" or host.endswith(".localhost") else host
    return urllib3.HTTPConnectionPool(address, target.port or 80, maxsize=4)


def _answer(response: urllib3.BaseHTTPResponse, url: str, stranger: str) -> Answer:
    body = _json(response)
    if 200 <= response.status < 300:
        if body is None:
            raise GatewayUnavailable(
                f"{url} answers, and not as the gateway does. Is that its address?", response.status
            )
        return Answer(body, _retry_after(response.headers))
    found = body or {}
    known = ("type", "title", "status", "detail", "code")
    members = {name: value for name, value in found.items() if name not in known}
    detail = str(found.get("detail") or found.get("message") or "")
    if not found.get("code"):
        stop = "." if detail and detail[-1] not in ".!?" else ""
        detail = f"{detail}{stop} {stranger}".lstrip()
    raise GatewayRefused(response.status, str(found.get("code") or f"http_{response.status}"), detail, members)


def _unavailable(method: str, path: str, response: urllib3.BaseHTTPResponse) -> GatewayUnavailable:
    """What is kept of an answer that is none; a gateway that cannot do its work says why, with a code."""
    found = _json(response) or {}
    said = {"status": response.status, **found} if isinstance(found.get("code"), str) and found["code"] else {}
    why = f", {said['code']}: {said.get('detail', '')}" if said else ""
    detail = f"{method} {path}: status {response.status}{why}"
    return GatewayUnavailable(detail, response.status, _retry_after(response.headers), said)


def _retry_after(headers: Mapping[str, str]) -> float:
    value = headers.get("Retry-After", "")
    return float(value) if value.isascii() and value.isdigit() else 0.0


def _json(response: urllib3.BaseHTTPResponse) -> dict[str, Any] | None:
    """The JSON object of an answer, empty when there is no text; None when it is something else."""
    try:
        body = json.loads(response.data or b"{}")
    except ValueError:
        return None
    return body if isinstance(body, dict) else None
