"""Every error Placet raises on purpose (x raised, + family only).

+ PlacetError
  + Refused                 the request can never succeed as it stands
    x Invalid               a body or value breaks a stated rule; `code` says which
    x TooLarge              a body or text is over its stated size
    x NotAllowed            the caller is known and may not do this
    x NotFound              absent, or not the caller's to see: the same answer for both
    x Conflict              the record has moved on; `code` says how
    x Gone                  a deadline has passed
  + Unavailable             the request may succeed later, nothing was lost
    x Busy                  conflicts or throttling outlived the retries inside the request
    x Frozen                an operator holds everything for the time of a restore
  x Parked                  a stored record has a schema_version this code does not know
  x Lost                    a stored record that must exist is absent

`code` is stable and part of the API; `members` are extra fields of the problem document.
The HTTP status of each class stands in one table, `placet.http.problems`.
"""

from __future__ import annotations

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


class Frozen(Unavailable):
    """An operator holds captures, decisions and claims for the time of a restore."""

    def __init__(self) -> None:
        super().__init__("frozen", "The gateway is held for a restore. Nothing was lost; try again later.")


class Parked(PlacetError):
    """A stored record has a `schema_version` that this code does not know: it is left alone, never dropped."""

    def __init__(self, version: object) -> None:
        super().__init__("parked", f"The record has schema version {version!r}, which this release cannot read.")


class Lost(PlacetError):
    """A stored record that must exist is absent."""
