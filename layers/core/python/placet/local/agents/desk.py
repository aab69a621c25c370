"""A reviewer's desk over the JSON API: look, and decide what was seen."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from typing import Any

from placet.client.exact import digest_of


class NotDecided(Exception):
    """The gateway did not take a decision."""


class Desk:
    """One signed-in reviewer."""

    def __init__(self, api_url: str, token: str) -> None:
        self._url = api_url
        self._token = token

    def call(self, pause: str, call: str, patience_s: float = 180.0) -> dict[str, Any]:
        """A call as it is shown, once this reviewer may decide it (the pause is told to people a moment after capture)."""
        until = time.monotonic() + patience_s
        while True:
            status, body = self._send("GET", f"/v1/reviews/{pause}")
            for shown in body.get("calls", []) if status == 200 else []:
                if shown["call"] == call and shown["may_decide"]:
                    return dict(shown)
            if time.monotonic() > until:
                raise NotDecided(f"GET /v1/reviews/{pause}: {status} {body}")
            time.sleep(0.3)

    def accept(self, pause: str, call: str) -> dict[str, Any]:
        """Accept what is shown."""
        return self._decide(self.call(pause, call), decision="accept")

    def reject(self, pause: str, call: str, reason: str) -> dict[str, Any]:
        """Reject with a reason."""
        return self._decide(self.call(pause, call), decision="reject", reason=reason)

    def edit(self, pause: str, call: str, arguments: str, reason: str) -> dict[str, Any]:
        """Accept other arguments; the digest is of what was typed."""
        shown = self.call(pause, call)
        return self._decide(shown, decision="edit", arguments=arguments, new_digest=digest_of(arguments), reason=reason)

    def _decide(self, shown: dict[str, Any], **given: Any) -> dict[str, Any]:
        body = {"revision": shown["revision"], "digest": shown["digest"], **given}
        status, answer = self._send("POST", f"/v1/reviews/{shown['call']}/decision", body)
        if status != 200:
            raise NotDecided(f"{shown['call']}: {status} {answer}")
        return answer

    def _send(self, method: str, path: str, body: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        request = urllib.request.Request(  # noqa: S310 - the address is this machine's
            self._url + path,
            method=method,
            data=json.dumps(body).encode() if body else None,
            headers={"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=35) as response:  # noqa: S310
                return response.status, json.loads(response.read())
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read() or b"{}")
