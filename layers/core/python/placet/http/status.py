"""Where a pause stands for the person who waits, as JSON and as server-sent events (docs/api.md)."""

from __future__ import annotations

import json
from typing import Any

from placet.http.messages import Answer, Request, json_answer
from placet.model.canonical import digest
from placet.model.status import CallStatus, Standing, Status

STREAM = "text/event-stream"
AGAIN_S = 5


def status_answer(request: Request, found: Status) -> Answer:
    """JSON, or one event for who asks for a stream.

    A function's answer ends, so a stream is what its reader makes of it: it comes again after AGAIN_S with the id of the last event
    (`Last-Event-ID`, HTML Living Standard 9.2), gets an event when something changed, and 204, after which it stays away, once
    nothing will.
    """
    body = as_json(found)
    if STREAM not in request.headers.get("accept", ""):
        over = {} if found.state.is_over else {"retry-after": str(AGAIN_S)}
        return json_answer(body, headers=over)
    name = digest({key: value for key, value in body.items() if key != "as_of"})[:32]
    told = request.headers.get("last-event-id", "") == name
    if told and found.state.is_over:
        return _stream("", 204)
    again = f"retry: {1000 * AGAIN_S}\n"
    event = "" if told else f"id: {name}\nevent: status\ndata: {json.dumps(body, ensure_ascii=True)}\n"
    return _stream(f"{again}{event}\n")


def as_json(found: Status) -> dict[str, Any]:
    """The fields of docs/api.md; moments in milliseconds."""
    waits = found.state is Standing.WAITING
    return {
        "pause": found.pause,
        "state": found.state.value,
        "over": found.state.is_over,
        "title": found.title,
        "on": list(found.on),
        "asked_at": found.asked_ms,
        "typical_s": found.typical_s or None,
        "late": waits and found.is_late,
        "until": found.until_ms or None,
        "widens_to": list(found.widens),
        "widens_at": found.widens_ms or None,
        "held_until": found.held_ms or None,
        "at": found.at_ms or None,
        "as_of": found.as_of_ms,
        "asked": [
            {"call": one.call, "by": one.by, "at": one.at_ms, "text": one.text or None} for one in found.asked_back
        ],
        "calls": [_call(call) for call in found.calls],
    }


def _call(call: CallStatus) -> dict[str, Any]:
    return {
        "call": call.call,
        "state": call.state.value,
        "at": call.at_ms or None,
        "reason": call.reason or None,
        "changed": list(call.changed),
    }


def _stream(body: str, status: int = 200) -> Answer:
    headers = {"content-type": STREAM, "cache-control": "no-store", "x-content-type-options": "nosniff"}
    return {"statusCode": status, "headers": headers, "body": body}
