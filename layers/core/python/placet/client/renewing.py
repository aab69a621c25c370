"""Saying again and again that one is still at it, while something else works."""

from __future__ import annotations

import threading
from collections.abc import Callable

LAST_S = 60.0  # for a request that is under way when the work ends


class Renewing:
    """Calls `renew` every so many seconds, in a thread of its own, until it returns False or `end` is called."""

    def __init__(self, name: str, renew: Callable[[], bool], every_s: float) -> None:
        self._renew = renew
        self._every_s = every_s
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def end(self) -> None:
        """No other call begins; one that is under way is not waited for."""
        self._over.set()

    def ended(self) -> bool:
        """As `end`, and wait for what is under way: whether nothing is any more."""
        self._over.set()
        self._thread.join(LAST_S)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while not self._over.wait(self._every_s) and self._renew():
            pass
