"""The one table from errors to HTTP. RFC 9457; order of judging: 401, 404, 422, 409 or 410, 429 or 503."""

from __future__ import annotations

import http
from typing import Any

from placet.model import errors

STATUS: dict[type[errors.PlacetError], int] = {
    errors.NotFound: 404,
    errors.NotNamed: 404,
    errors.NotAllowed: 403,
    errors.TooLarge: 413,
    errors.Invalid: 422,
    errors.Conflict: 409,
    errors.Gone: 410,
    errors.Busy: 503,
    errors.NotYet: 503,
    errors.TooManyOpen: 429,
    errors.Frozen: 503,
    errors.Parked: 409,
    errors.Damaged: 409,
    errors.Lost: 409,
    errors.Refused: 502,
}
RETRY_AFTER_S = 2


def retry_after_s(error: errors.PlacetError) -> int:
    """When to ask again, in seconds, of an error that passes."""
    return error.retry_after_s if isinstance(error, errors.TooManyOpen) else RETRY_AFTER_S


def status_of(error: errors.PlacetError) -> int:
    """The HTTP status of an error."""
    if isinstance(error, errors.Invalid) and error.malformed:
        return 400
    return next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)


def document(error: errors.PlacetError) -> dict[str, Any]:
    """The problem document of an error."""
    status = status_of(error)
    return {
        "type": f"urn:placet:problem:{error.code}",
        "title": http.HTTPStatus(status).phrase,
        "status": status,
        "detail": error.detail,
        "code": error.code,
        **error.members,
    }


OUR_FAULT = {
    "type": "urn:placet:problem:internal",
    "title": "Internal Server Error",
    "status": 500,
    "detail": "Something went wrong on our side. It was recorded; nothing was half-written. Try again.",
    "code": "internal",
}
