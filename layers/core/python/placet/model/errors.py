"""Every error Placet raises on purpose (x raised, + family only).

+ PlacetError
  + Refused                 the request can never succeed as it stands
    x Invalid               a body or value breaks a stated rule; `code` says which
    x TooLarge              a body or text is over its stated size
    x NotAllowed            the caller is known and may not do this
    x NotFound              absent, or not the caller's to see: the same answer for both
      x NotNamed            what an operator typed names nobody; they are told who is near
    x Conflict              the record has moved on; `code` says how
    x Gone                  a deadline has passed
  + Unavailable             the request may succeed later, nothing was lost
    x Busy                  conflicts or throttling outlived the retries inside the request
      x Contended           one try of a write that is judged by the clock; whoever made it makes it anew
    x NotYet                the call is on its way to its reviewers
    x TooManyOpen           an agent has as many pauses before people as it may
    x Frozen                an operator holds everything for the time of a restore
  + Unreadable              a stored record cannot be read: it is listed as stuck, and holds up nothing but itself
    x Parked                its schema_version is one that this code does not know
    x Damaged               it has another shape, type or text than any release wrote
    x Lost                  it must exist and is absent, or access to it is denied

Invalid is about requests only: a stored text that does not parse is Damaged.

`code` is stable and part of the API; `members` are extra fields of the problem document.
The HTTP status of each class stands in one table, `placet.http.problems`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class PlacetError(Exception):
    """Base of every deliberate error.

    Attributes:
        code: stable machine-readable name, `snake_case`.
        members: extra fields for the problem document; never secrets, never arguments.
    """

    def __init__(self, code: str, detail: str, **members: Any) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.members = members


class Refused(PlacetError):
    """The request can never succeed as it stands."""


class Invalid(Refused):
    """A body or value breaks a stated rule.

    Attributes:
        malformed: True when the body is not even strict JSON (400), False when it is and means nothing (422).
    """

    def __init__(self, code: str, detail: str, *, malformed: bool = False, **members: Any) -> None:
        super().__init__(code, detail, **members)
        self.malformed = malformed


class TooLarge(Refused):
    """A body or text is over its stated size."""


class NotAllowed(Refused):
    """The caller is known and may not do this."""


class NotFound(Refused):
    """Absent, or not the caller's to see."""

    def __init__(self) -> None:
        super().__init__("not_found", "There is nothing here that you can see.")


class NotNamed(NotFound):
    """What was typed names nobody, or nobody there; told only to whoever may see every reviewer."""

    def __init__(self, code: str, detail: str, **members: Any) -> None:
        Refused.__init__(self, code, detail, **members)


class Conflict(Refused):
    """The record has moved on."""


class Gone(Refused):
    """A deadline has passed."""


class Unavailable(PlacetError):
    """The request may succeed later; nothing was lost."""


class Busy(Unavailable):
    """Conflicts or throttling outlived the retries inside the request."""

    def __init__(self, detail: str = "The record is busy. Try again in a moment; nothing was lost.") -> None:
        super().__init__("busy", detail)


class Contended(Busy):
    """A write that is judged by the clock met another one, or its answer was lost: it is not sent again with an old clock.

    Attributes:
        wait: wait as before a try after so many.
        lost: nobody answered, so it may have been done.
    """

    def __init__(self, wait: Callable[[int], object] = lambda tried: None, *, lost: bool = False) -> None:
        super().__init__()
        self.wait = wait
        self.lost = lost


class NotYet(Unavailable):
    """The call is on its way to its reviewers, and stands in their queue in a moment."""

    def __init__(self) -> None:
        super().__init__("not_shown_yet", "The call is not in anybody's queue yet. Try again in a moment.")


class TooManyOpen(Unavailable):
    """An agent has as many pauses before people as it may; what it captures next has to wait.

    Attributes:
        retry_after_s: when there may be room again.
    """

    retry_after_s = 10

    def __init__(self, agent: str, most: int, retry_after_s: int) -> None:
        detail = "As many pauses of this agent wait for people as may. Try again later; nothing was stored."
        super().__init__("too_many_open", detail, agent=agent, limit=most)
        self.retry_after_s = retry_after_s


class Frozen(Unavailable):
    """An operator holds captures, decisions and claims for the time of a restore."""

    def __init__(self) -> None:
        super().__init__("frozen", "The gateway is held for a restore. Nothing was lost; try again later.")


class Unreadable(PlacetError):
    """A stored record cannot be read. Asking again changes nothing; what helps stands in docs/operations.md.

    Attributes:
        what: the record, in words; empty when its version is not known.
        pause: the pause that it belongs to, once the reader of the pause has said so; empty for the record of a run or a person.
        reason: why that pause is listed as stuck.
    """

    reason = "damaged"

    def __init__(self, code: str, detail: str, what: str = "") -> None:
        super().__init__(code, detail)
        self.what = what
        self.pause = ""

    def of(self, pause: str) -> Unreadable:
        """The same error, of this pause."""
        self.pause = self.members["pause"] = pause
        return self


class Parked(Unreadable):
    """Its `schema_version` is one that this code does not know: it is left as it is, never guessed at, never dropped."""

    reason = "parked"

    def __init__(self, version: int) -> None:
        super().__init__("parked", f"The record has schema version {version}, which this release cannot read. {_TELL}")


class Damaged(Unreadable):
    """It has another shape, type or text than any release wrote."""

    def __init__(self, what: str) -> None:
        super().__init__("damaged", f"The stored {what} cannot be read. {_TELL}", what)


class Lost(Unreadable):
    """It must exist and is absent, or access to it is denied."""

    def __init__(self, code: str, what: str) -> None:
        super().__init__(code, f"The stored {what} is gone, or may not be read. {_TELL}", what)


_TELL = "Nothing was changed, and trying again does not help. Tell an operator, for whom `placet find` says what does."
