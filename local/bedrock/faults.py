"""What can go wrong between a client and Bedrock, armed by a test for the next matching request, once, and counted."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from local.bedrock.requests import Request


class Fault(StrEnum):
    """Where the request stands when it goes wrong is part of the name's meaning."""

    CLOSED = "closed"  # the connection ends before the request is processed
    REFUSED = "refused"  # nobody listens: see `BedrockServer.refusing`
    THROTTLED = "throttled"  # HTTP 429, not processed
    STREAM_THROTTLED = "stream_throttled"  # HTTP 200, then the exception in the stream; not processed
    STREAM_THROTTLED_AFTER = "stream_throttled_after"  # the same, but processed
    LOST = "lost"  # processed, then the connection ends without an answer
    TRUNCATED = "truncated"  # processed; the last frame lacks its end
    TRACE_ONLY = "trace_only"  # processed; the stream has neither text nor a pause
    SLOW = "slow"  # processed; the answer comes after some seconds
    SERVER_ERROR = "server_error"  # processed, then HTTP 500


NOT_PROCESSED = frozenset({Fault.CLOSED, Fault.THROTTLED, Fault.STREAM_THROTTLED})
ON = ("any", "text", "answer")


@dataclass(frozen=True)
class Armed:
    """One fault that waits for its request.

    Attributes:
        on: `answer` (results of an invocation), `text`, or `any`.
        session: only requests of this session; empty for every one.
        seconds: how slow `SLOW` is.
    """

    kind: Fault
    on: str = "any"
    session: str = ""
    seconds: float = 0.0

    def fits(self, request: Request) -> bool:
        """Whether this request is the one it waits for."""
        kind = "answer" if request.is_answer else "text"
        return self.on in ("any", kind) and self.session in ("", request.session)


class Faults:
    """Attributes:
    armed: how often each kind was armed, ever.
    fired: how often each came true.
    """

    def __init__(self) -> None:
        self.armed: Counter[Fault] = Counter()
        self.fired: Counter[Fault] = Counter()
        self._waiting: list[Armed] = []
        self._lock = threading.Lock()

    @property
    def waiting(self) -> list[Armed]:
        """What was armed and met no request yet."""
        with self._lock:
            return list(self._waiting)

    def arm(self, kind: Fault, on: str = "any", session: str = "", seconds: float = 0.0) -> None:
        """Let the next matching request go wrong. Raises ValueError for what no request could ever meet."""
        if on not in ON or kind is Fault.REFUSED:
            raise ValueError(f"no request meets the fault {kind} on {on!r}")
        with self._lock:
            self._waiting.append(Armed(kind, on, session, seconds))
            self.armed[kind] += 1

    def take(self, request: Request) -> Armed | None:
        """The oldest fault that fits, which is spent by this; None when all goes well."""
        with self._lock:
            found = next((one for one in self._waiting if one.fits(request)), None)
            if found is not None:
                self._waiting.remove(found)
                self.fired[found.kind] += 1
            return found

    def happened(self, kind: Fault) -> None:
        """Count a fault that needs no request to be armed for."""
        with self._lock:
            self.armed[kind] += 1
            self.fired[kind] += 1
