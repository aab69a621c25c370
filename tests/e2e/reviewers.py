"""A reviewer for tests: the JSON routes under an access token."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from local.browser import Browser
from local.stack import LocalStack
from placet.model.canonical import digest, parse


@dataclass
class JsonReviewer:
    """One person with a token."""

    api_url: str
    token: str

    def call(self, method: str, path: str, body: Any = None, token: str | None = None) -> tuple[int, Any]:
        """Status and body of one request."""
        headers = {"Authorization": f"Bearer {token or self.token}", "Content-Type": "application/json"}
        page = Browser().open(
            method, self.api_url + path, json.dumps(body).encode() if body is not None else b"", headers
        )
        return page.status, json.loads(page.body)

    def detail(self, pause: str) -> dict[str, Any]:
        """One pause."""
        status, body = self.call("GET", f"/v1/reviews/{pause}")
        assert status == 200, body
        return dict(body)

    def try_decide(self, call: dict[str, Any], decision: str, **more: Any) -> tuple[int, Any]:
        """Decide what the detail shows."""
        if "arguments" in more:
            more["new_digest"] = digest(parse(more["arguments"]))
        sent = {"decision": decision, "revision": call["revision"], "digest": call["digest"], **more}
        return self.call("POST", f"/v1/reviews/{call['call']}/decision", sent)

    def decide(self, call: dict[str, Any], decision: str, **more: Any) -> dict[str, Any]:
        """Decide, and have it taken."""
        status, body = self.try_decide(call, decision, **more)
        assert status == 200, body
        return dict(body)


def reviewer_of(stack: LocalStack, name: str) -> JsonReviewer:
    """A seeded person with a fresh token."""
    return JsonReviewer(stack.api_url, stack.access_token(name))
