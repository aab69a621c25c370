"""The states of calls, pauses, permits and resumes: the vocabulary of the transition table."""

from __future__ import annotations

from enum import StrEnum


class CallState(StrEnum):
    """Where one call stands. Everything but PENDING is final, except that an approval which got too old goes back to PENDING.

    PASSED, DENIED and REPEATED are given at capture: the policy lets it through, forbids it, or an earlier call answers it.
    """

    PENDING = "pending"
    PASSED = "passed"
    DENIED = "denied"
    ACCEPTED = "accepted"
    EDITED = "edited"
    REJECTED = "rejected"
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    SUPERSEDED = "superseded"
    REPEATED = "repeated"

    @property
    def may_run(self) -> bool:
        """Whether a call in this state has a permit."""
        return self in (CallState.PASSED, CallState.ACCEPTED, CallState.EDITED)


class PauseState(StrEnum):
    """OPEN: some call waits for a person. CLOSED: every call is decided, the run must be resumed. ENDED: it went on."""

    OPEN = "open"
    CLOSED = "closed"
    ENDED = "ended"


class PermitState(StrEnum):
    """The single-use right to execute one decided call."""

    NONE = "none"
    FREE = "free"
    CLAIMED = "claimed"
    DONE = "done"
    FAILED = "failed"
    UNKNOWN = "unknown"

    @property
    def settled(self) -> bool:
        """Whether the outcome is on record."""
        return self in (PermitState.DONE, PermitState.FAILED, PermitState.UNKNOWN)


class ResumeState(StrEnum):
    """Delivery of the decisions to the run."""

    NOT_DUE = "not_due"
    DUE = "due"
    OFFERED = "offered"
    DONE = "done"


class Verdict(StrEnum):
    """What a reviewer may say of a call."""

    ACCEPT = "accept"
    EDIT = "edit"
    REJECT = "reject"
