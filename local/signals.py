"""Being asked to end: Ctrl-C, a kill, a closed terminal."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Ended(BaseException):
    """Somebody asked this process to end. No Exception: botocore would wrap it and send the request again."""


@contextmanager
def signals_end_this() -> Iterator[None]:
    """Turn SIGINT, SIGTERM and SIGHUP into one Ended; later ones are ignored, so that cleaning up is not interrupted."""
    wanted = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # nohup means what it says
        wanted.append(signal.SIGHUP)

    def end(_number: int, _frame: FrameType | None) -> None:
        for one in wanted:
            signal.signal(one, signal.SIG_IGN)
        raise Ended

    before = {one: signal.signal(one, end) for one in wanted}
    try:
        yield
    except Ended:
        pass
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def interrupts_end_at_once() -> None:
    """Ctrl-C is a sentence and 130 while there is nothing to clean up: before a start has begun, and in what only asks or
    prints. Who ignores it (a job in the background) goes on doing so."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _end_at_once)


def _end_at_once(_number: int, _frame: FrameType | None) -> None:
    os.write(2, b"\nplacet: ended.\n")
    os._exit(130)
