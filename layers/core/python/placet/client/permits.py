"""execute, on the agent's side: claim the permit, run exactly its arguments, report what happened.

claim ── refused ──► raise; nothing ran
  │
  ├── act(arguments) ── returns ──► done      (meanwhile the claim is renewed, every 40 seconds)
  │                  ├─ raises ───► failed    (OutcomeUnknown, TimeoutError, ConnectionError: unknown)
  │                  └─ process dies ► nobody renews; within three minutes the gateway's sweep gives it to a person
"""

from __future__ import annotations

import logging
import os
import secrets
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from placet.client.errors import DigestDiffers, GatewayError, GatewayRefused, OutcomeUnknown
from placet.client.exact import arguments_of, digest_of
from placet.client.gateway import Gateway
from placet.client.records import Call, Permit
from placet.client.renewing import Renewing

log = logging.getLogger(__name__)

RENEW_S = 40.0  # a claim that is renewed holds two minutes
DONE, FAILED, UNKNOWN = "done", "failed", "unknown"
UNCERTAIN = (OutcomeUnknown, TimeoutError, ConnectionError)

_current: ContextVar[Permit | None] = ContextVar("placet_permit", default=None)


@dataclass(frozen=True)
class Executed:
    """What came of a permit that was claimed here: `value` is what the tool returned."""

    permit: Permit
    value: Any


def current_permit() -> Permit | None:
    """The permit under which the calling tool acts; its `idempotency_key` belongs to the request the tool sends."""
    return _current.get()


class Permits:
    """Claims, runs and reports. Holds nothing but the gateway: all knowledge of what ran is there."""

    def __init__(self, gateway: Gateway, *, every_s: float = RENEW_S) -> None:
        self._gateway = gateway
        self._every_s = every_s

    def claim(self, call: Call) -> Permit:
        """The permit of a decided call, under a worker name that no other attempt has.

        Raises:
            GatewayRefused: somebody else holds it, it is settled, or the call may not run.
            DigestDiffers: what came back is not what was decided; the permit is reported failed.
        """
        permit = self._gateway.claim(call.call, call.digest, new_worker(), call.fence, renews=True)
        if permit.call != call.call or permit.tool != call.tool or digest_of(permit.arguments) != call.digest:
            self.settle(permit, FAILED, "not run: the permit's arguments are not those that were decided")
            raise DigestDiffers(f"{call.call}: the permit does not name the decided call; nothing was run.")
        return permit

    @contextmanager
    def acting(self, permit: Permit) -> Iterator[None]:
        """Makes `permit` the current one while its tool runs, and renews its claim."""
        renewing = Renewing(f"claim of {permit.call}", lambda: self._renewed(permit), self._every_s)
        try:
            with acting(permit):
                yield
        finally:
            renewing.end()

    def _renewed(self, permit: Permit) -> bool:
        """Whether to go on renewing. The tool goes on in any case, and what it did is reported."""
        try:
            self._gateway.renew_claim(permit.call, permit.worker)
        except GatewayRefused as error:
            log.warning("the claim of %s is lost: %s", permit.call, error)
            return False
        except GatewayError as error:
            log.warning("the claim of %s was not renewed: %s", permit.call, error)
        return True

    def settle(self, permit: Permit, state: str, result: str = "") -> None:
        """Report the outcome. What the tool did stands even if the report is lost, so that is logged, not raised:
        the permit then stays claimed, and the gateway gives it to a person instead of running it again."""
        try:
            self._gateway.outcome(permit.call, permit.worker, state, result)
        except GatewayError:
            log.exception("the outcome of %s could not be reported; the gateway will list it", permit.call)

    def execute(self, call: Call, act: Callable[[dict[str, Any]], Any], *, decimals: bool = False) -> Executed:
        """Claim, run `act` on exactly the permitted arguments, report. What `act` raised is raised again."""
        permit = self.claim(call)
        try:
            with self.acting(permit):
                value = act(arguments_of(permit.arguments, decimals=decimals))
        except Exception as error:
            self.settle(permit, state_after(error), f"{type(error).__name__}: {error}")
            raise
        self.settle(permit, DONE, value if isinstance(value, str) else repr(value))
        return Executed(permit, value)


@contextmanager
def acting(permit: Permit) -> Iterator[None]:
    """Makes `permit` the current one while its tool runs."""
    token = _current.set(permit)
    try:
        yield
    finally:
        _current.reset(token)


def state_after(error: BaseException) -> str:
    """`unknown` when the tool may have acted although it raised, else `failed`."""
    return UNKNOWN if isinstance(error, UNCERTAIN) else FAILED


def new_worker() -> str:
    """A name for one attempt to run one call: host and process for people, random for the gateway."""
    return f"{socket.gethostname()[:40]}.{os.getpid()}.{secrets.token_hex(8)}"
