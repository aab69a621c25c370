"""How much of its time a function has left: it answers `busy` before it is cut off, and begins nothing without its end in sight."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from botocore.exceptions import BotoCoreError


class NoTimeLeft(BotoCoreError):  # type: ignore[misc]  # botocore has no types
    """A request that was not sent, because the function's time would be over before its answer comes."""

    fmt = "An attempt may take {needed} s, and the function has less left."


class TimeLeft:
    """The end of the invocation that this process is in."""

    def __init__(self, seconds: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._end_s = math.inf

    def __call__(self) -> float:
        """Seconds until the function is cut off; infinite where nothing cuts it off."""
        return self._end_s - self._seconds()

    def begin(self, context: Any) -> None:
        """An invocation begins; `context` is what Lambda hands its handler, None outside of Lambda."""
        remaining = getattr(context, "get_remaining_time_in_millis", None)
        self._end_s = math.inf if remaining is None else self._seconds() + remaining() / 1000


time_left = TimeLeft()  # one process runs one invocation at a time
