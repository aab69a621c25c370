"""Waiting for people: minutes in this process, or weeks by the pick-up list that any process can work on."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from placet.client.errors import ClientError, GatewayError, GatewayRefused, GatewayUnavailable
from placet.client.gateway import MOST_SKIPPED, Gateway
from placet.client.records import Pause
from placet.client.renewing import Renewing
from placet.client.usage import check_has

log = logging.getLogger(__name__)

SOON_S, LONGEST_S = 2.0, 300.0
CONFLICT = 409  # a record in the way: others may come, unlike after a refusal of the request itself
RENEW_S = 40.0  # a lease holds two minutes
SKIP_S, SKIP_LONGEST_S = 60.0, 900.0


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


class Skipped:
    """Pauses that could not be used here, each for a minute at first and for up to a quarter of an hour when it came again."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until: dict[str, tuple[float, float]] = {}

    def add(self, pause: str) -> None:
        """It was of no use, and is not asked for again for a while."""
        span = min(2 * self._until[pause][1], SKIP_LONGEST_S) if pause in self._until else SKIP_S
        self._until.pop(pause, None)
        self._until[pause] = (self._clock() + span, span)

    def forget(self, pause: str) -> None:
        """It went on here after all."""
        self._until.pop(pause, None)

    def now(self) -> list[str]:
        """What is skipped now: the latest, as many as can be named."""
        return [pause for pause, (until, _) in self._until.items() if until > self._clock()][-MOST_SKIPPED:]


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
    list until `gateway.resumed` was called for it: a handler that dies loses nothing. One that raises a ClientError (its thread is
    not here, a permit is in other hands) gives it back for others at once, and it is not asked for here for a while; with any other
    error it is left until the lease is over. Neither holds up the others, nor counts as work.
    """
    check_has("handler", handler, "__call__", "a function that takes a decided pause")
    check_has("stop", stop, "wait", "threading.Event(), and set it when the loop has to end")
    pace = pace or Pace()
    skipped, after = (
        Skipped(),
        "",
    )  # from each place to the next, so that no number of pauses of no use here hides the others
    while True:
        asked_s = 0.0
        try:
            taken = gateway.take(skip=skipped.now(), after=after)
            after = taken.next
            asked_s = taken.retry_after_s
            if any([_handled(gateway, handler, pause, skipped) for pause in taken.pauses]):
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
    """Renews the lease of a taken pause until the block ends. A lost lease is logged: the permits stop what must not run.

    When the block raises a ClientError the pause cannot be used here, and the lease is given back.
    """
    if not pause.fence:
        yield
        return

    def renew() -> bool:
        try:
            gateway.renew(pause.pause, pause.fence)
        except GatewayRefused as error:
            log.warning("the lease of pause %s is lost: %s", pause.pause, error)
            return False
        except GatewayUnavailable as error:
            log.warning("the lease of pause %s was not renewed: %s", pause.pause, error)
        return True

    renewing = Renewing(f"lease of {pause.pause}", renew, every_s)
    try:
        yield
    except GatewayUnavailable:
        raise
    except ClientError:
        if renewing.ended():  # a renewal under way would take it again, for nobody
            _give_back(gateway, pause)
        raise
    finally:
        renewing.end()


def _give_back(gateway: Gateway, pause: Pause) -> None:
    try:
        gateway.release(pause.pause, pause.fence)
    except GatewayError as error:
        log.warning("the lease of pause %s was not given back: %s", pause.pause, error)


def _handled(gateway: Gateway, handler: Callable[[Pause], None], pause: Pause, skipped: Skipped) -> bool:
    try:
        with kept(gateway, pause):
            handler(pause)
    except GatewayUnavailable:
        raise
    except ClientError as error:
        skipped.add(pause.pause)
        log.warning("pause %s was not resumed: %s", pause.pause, error)
        return False
    except Exception:
        log.exception("pause %s was not resumed", pause.pause)
        return False
    skipped.forget(pause.pause)
    return True
