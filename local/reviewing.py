"""A reviewer at work through the JSON routes, for demos and tests."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Refused(Exception):
    """The gateway said no: status and the problem document."""

    status: int
    problem: dict[str, Any]


@dataclass(frozen=True)
class Reviewing:
    """One signed-in reviewer; methods raise Refused for every answer that is not 200."""

    api_url: str
    token: str

    def reviews(self) -> list[dict[str, Any]]:
        """What waits for this reviewer, nearest deadline first."""
        return list(self._send("GET", "/v1/reviews")["reviews"])

    def review(self, pause: str) -> dict[str, Any]:
        """One pause with its calls as they are shown."""
        return self._send("GET", f"/v1/reviews/{pause}")

    def accept(self, call: dict[str, Any]) -> dict[str, Any]:
        return self._decide(call, {"decision": "accept"})

    def reject(self, call: dict[str, Any], reason: str) -> dict[str, Any]:
        return self._decide(call, {"decision": "reject", "reason": reason})

    def edit(self, call: dict[str, Any], arguments: str, new_digest: str, reason: str) -> dict[str, Any]:
        """Edit to these arguments (JSON text); the digest is of their canonical form, as the reviewer confirmed it."""
        return self._decide(
            call, {"decision": "edit", "arguments": arguments, "new_digest": new_digest, "reason": reason}
        )

    def _decide(self, call: dict[str, Any], decision: dict[str, Any]) -> dict[str, Any]:
        shown = {"revision": call["revision"], "digest": call["digest"]}
        return self._send("POST", f"/v1/reviews/{call['call']}/decision", decision | shown)

    def _send(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.api_url + path, data, headers, method=method)  # noqa: S310 - loopback only
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310 - loopback only
                return dict(json.load(answer))
        except urllib.error.HTTPError as error:
            with error:
                raise Refused(error.code, json.load(error)) from None
