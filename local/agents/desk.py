"""A reviewer's desk over the JSON API: look, and decide what was seen."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from typing import Any

from placet.client.exact import digest_of


class NotDecided(Exception):
    """The gateway did not take a decision, or what was sent beside one."""


class Desk:
    """One signed-in reviewer."""

    def __init__(self, api_url: str, token: str) -> None:
        self._url = api_url
        self._token = token

    def call(self, pause: str, call: str, patience_s: float = 180.0) -> dict[str, Any]:
        """A call as it is shown, once this reviewer may decide it (the pause is told to people a moment after capture)."""
        until = time.monotonic() + patience_s
        while True:
            status, body = self._looked(pause)
            for shown in body.get("calls", []) if status == 200 else []:
                if shown["call"] == call and shown["may_decide"]:
                    return dict(shown)
            if time.monotonic() > until:
                raise NotDecided(f"GET /v1/reviews/{pause}: {status} {body}")
            time.sleep(0.3)

    def _looked(self, pause: str) -> tuple[int, dict[str, Any]]:
        """One look; what a busy machine did not answer in time is looked at again."""
        try:
            return self._send("GET", f"/v1/reviews/{pause}")
        except TimeoutError:
            return 0, {}

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

    def away(self, until_ms: int, delegate: str) -> None:
        """Be away from now until then; `delegate` is the `sub` of who decides in one's place."""
        self._taken("/v1/reviews/away", {"until_ms": until_ms, "delegate": delegate})

    def back(self) -> None:
        """Be there again."""
        self._taken("/v1/reviews/back", {})

    def _taken(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        status, answer = self._send("POST", path, body)
        if status != 200:
            raise NotDecided(f"POST {path}: {status} {answer}")
        return answer

    def _decide(self, shown: dict[str, Any], **given: Any) -> dict[str, Any]:
        body = {"revision": shown["revision"], "digest": shown["digest"], **given}
        return self._taken(f"/v1/reviews/{shown['call']}/decision", body)

    def _send(self, method: str, path: str, body: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        request = urllib.request.Request(  # noqa: S310 - the address is this machine's
            self._url + path,
            method=method,
            data=json.dumps(body).encode() if body is not None else None,
            headers={"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=35) as response:  # noqa: S310
                return response.status, json.loads(response.read())
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read() or b"{}")
