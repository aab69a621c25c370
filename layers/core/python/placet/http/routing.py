"""One function per route; every error becomes a clear answer. A handler is `serve(event, ROUTES)`."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from placet.http.messages import Answer, Request, json_answer, read
from placet.http.problems import OUR_FAULT, document, retry_after_s, status_of
from placet.model.errors import PlacetError, TooLarge, Unavailable, Unreadable
from placet.model.faults import fault

MOST_BYTES = 6_000_000  # of an answer as JSON; Lambda takes 6,291,556
SURELY_FITS = MOST_BYTES // 6  # characters: none becomes more than six bytes

PLAIN_PAGE: Answer = {
    "statusCode": 500,
    "headers": {
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-store",
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
        "x-content-type-options": "nosniff",
    },
    "body": '<!doctype html><html lang="en"><title>That did not work</title><h1>That did not work, and it is our fault</h1>'
    "<p>Go back to see what you typed. Sending a decision again is safe: the same decision is taken once.</p></html>",
}  # made of nothing, for when the page of an error cannot be made

Route = Callable[[Request], Answer]
Met = Callable[[Unreadable], object]
Failed = Callable[[Request, PlacetError | None], Answer]


def serve(
    event: dict[str, Any],
    routes: dict[str, Route],
    log: Callable[[str, dict[str, Any]], None],
    failed: Failed | None = None,
    met: Met = lambda error: None,
) -> Answer:
    """Answer an event. Never raises, also where an error is shown.

    Args:
        failed: renders errors for people; without it they are problem documents.
        met: is told of a record that cannot be read, unless the request only reads.
    """
    try:
        return _answered(read(event), routes, log, failed or problem, met)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # of what shows an error, or of an event that is no request
        log("failed", {"route": str(event.get("routeKey")), **fault(error)})
        return json_answer(OUR_FAULT, 500) if failed is None else dict(PLAIN_PAGE)


def _answered(
    request: Request, routes: dict[str, Route], log: Callable[[str, dict[str, Any]], None], render: Failed, met: Met
) -> Answer:
    try:
        return fitting(routes[request.route](request))
    except PlacetError as error:
        if isinstance(error, Unreadable) and not request.route.startswith("GET "):
            met(error)
        if status_of(error) >= 500 and not isinstance(error, Unavailable):
            log("failed", {"route": request.route, "code": error.code})
        return fitting(render(request, error))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic of compiled code is no Exception
        log("failed", {"route": request.route, **fault(error)})
        return fitting(render(request, None))


def fitting(answer: Answer) -> Answer:
    """The answer, if Lambda can hand it over. Lists are kept far below that: this is for one thing that is too large by itself.

    Raises TooLarge `answer_too_large`.
    """
    if len(answer["body"]) > SURELY_FITS and len(json.dumps(answer, ensure_ascii=False).encode()) > MOST_BYTES:
        raise TooLarge(
            "answer_too_large", "This is too large to be shown. Nothing of it is cut, so it is not shown at all."
        )
    return answer


def direct(work: Callable[[], dict[str, Any]], log: Callable[[str, dict[str, Any]], None]) -> dict[str, Any]:
    """The value of a function that was invoked without HTTP; every error is the problem document that HTTP would carry."""
    try:
        return work()
    except PlacetError as error:
        if status_of(error) >= 500 and not isinstance(error, Unavailable):
            log("failed", {"route": "direct", "code": error.code})
        return document(error)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        log("failed", {"route": "direct", **fault(error)})
        return dict(OUR_FAULT)


def problem(request: Request, error: PlacetError | None) -> Answer:
    """A problem document; None is our own fault."""
    if error is None:
        return json_answer(OUR_FAULT, 500)
    headers = {"retry-after": str(retry_after_s(error))} if isinstance(error, Unavailable) else {}
    return json_answer(document(error), status_of(error), headers)
