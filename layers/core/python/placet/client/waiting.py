"""Waiting for people: minutes in this process, or weeks by the pick-up list that any process can work on."""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from placet.client.errors import ClientError, GatewayRefused, GatewayUnavailable
from placet.client.gateway import Gateway
from placet.client.records import Pause

log = logging.getLogger(__name__)

SOON_S, LONGEST_S = 2.0, 300.0
CONFLICT = 409  # a record in the way: others may come, unlike after a refusal of the request itself
RENEW_S = 40.0  # a lease holds two minutes


class Stop(Protocol):
    """What `pick_up` looks at between two rounds; a `threading.Event` is one."""

    def wait(self, timeout: float | None = None) -> bool:
        """Sleep at most `timeout` seconds; True when the loop has to end."""


class Pace:
    """How long to wait before asking again: doubles from 2 s to 5 min, with jitter; starts over after work."""

    def __init__(
        self, *, soon_s: float = SOON_S, longest_s: float = LONGEST_S, chance: Callable[[], float] = random.random
    ) -> None:
        self._soon_s = soon_s
        self._longest_s = longest_s
        self._chance = chance
        self._span_s = soon_s

    def worked(self) -> None:
        """There was work: ask again soon."""
        self._span_s = self._soon_s

    def next_s(self, asked_s: float = 0.0) -> float:
        """Seconds to wait now, never less than `asked_s` (Retry-After). Half of the span is jitter."""
        wait = self._span_s * (0.5 + 0.5 * self._chance())
        self._span_s = min(self._span_s * 2, self._longest_s)
        return max(wait, min(asked_s, self._longest_s))


def wait_for(gateway: Gateway, pause: str, patience_s: float, *, pace: Pace | None = None) -> Pause:
    """The pause once it no longer waits for a person, or as it stands when patience is over. Approves nothing."""
    pace = pace or Pace(soon_s=0.5, longest_s=30.0)
    until = time.monotonic() + patience_s
    while True:
        standing = gateway.pause(pause)
        left = until - time.monotonic()
        if standing.state != "waiting" or left <= 0:
            return standing
        time.sleep(min(pace.next_s(), left))


def pick_up(gateway: Gateway, handler: Callable[[Pause], None], stop: Stop, *, pace: Pace | None = None) -> None:
    """Take decided pauses one by one and hand each to `handler`, until `stop`.

    Each is taken under a lease that is renewed while the handler works, so that other processes leave it alone. It stays on the
    list until `gateway.resumed` was called for it: a handler that dies loses nothing; one that raises leaves it until its
    lease is over, does not hold up the others, and does not count as work.
    """
    pace = pace or Pace()
    while True:
        asked_s = 0.0
        try:
            taken = gateway.take()
            asked_s = taken.retry_after_s
            if any([_handled(gateway, handler, pause) for pause in taken.pauses]):
                pace.worked()
            if taken.pauses and not stop.wait(0):
                continue  # there may be more
        except GatewayUnavailable as error:
            log.warning("the gateway did not answer, asking again later: %s", error)
        except GatewayRefused as error:
            if error.status != CONFLICT:
                raise
            log.warning("the gateway gives out no pause now, asking again later: %s", error)
        if stop.wait(pace.next_s(asked_s)):
            return


@contextmanager
def kept(gateway: Gateway, pause: Pause, every_s: float = RENEW_S) -> Iterator[None]:
    """Renews the lease of a taken pause until the block ends. A lost lease is logged: the permits stop what must not run."""
    over = threading.Event()

    def renew() -> None:
        while not over.wait(every_s):
            try:
                gateway.renew(pause.pause, pause.fence)
            except GatewayRefused as error:
                log.warning("the lease of pause %s is lost: %s", pause.pause, error)
                return
            except GatewayUnavailable as error:
                log.warning("the lease of pause %s was not renewed: %s", pause.pause, error)

    worker = threading.Thread(target=renew, name=f"lease of {pause.pause}", daemon=True)
    if pause.fence:
        worker.start()
    try:
        yield
    finally:
        over.set()


def _handled(gateway: Gateway, handler: Callable[[Pause], None], pause: Pause) -> bool:
    try:
        with kept(gateway, pause):
            handler(pause)
    except GatewayUnavailable:
        raise
    except ClientError as error:
        log.warning("pause %s was not resumed: %s", pause.pause, error)
        return False
    except Exception:
        log.exception("pause %s was not resumed", pause.pause)
        return False
    return True
