"""One signed request, sent once: what the SDK would repeat (503) is to be seen."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as Signer

from local.browser import Browser
from local.emulator.signatures import Key
from local.settings import REGION
from local.stack import LocalStack
from tests.gateway import native

JSON = "application/json"


@dataclass(frozen=True)
class Signed:
    """Somebody with an IAM role."""

    api_url: str
    credentials: Key

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Status and body of one request."""
        data = json.dumps(body).encode() if body is not None else b""
        request = AWSRequest(method, self.api_url + path, {"Content-Type": JSON}, data)
        one = self.credentials
        signer = Signer(one.id, one.secret, one.token)
        SigV4Auth(signer, "execute-api", REGION).add_auth(request)
        page = Browser().open(method, self.api_url + path, data, dict(request.headers))
        return page.status, json.loads(page.body)

    def taken(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        """The body of a request that has to be taken."""
        status, answer = self.call(method, path, body)
        assert status in (200, 201), (status, answer)
        return dict(answer)


def agent_of(stack: LocalStack, name: str = "support-agent") -> Signed:
    """A demo agent."""
    return Signed(stack.api_url, stack.agent_credentials(name))


def operator_of(stack: LocalStack) -> Signed:
    """Olga, under the operators' role."""
    return Signed(stack.api_url, stack.operator_credentials())


def pause_body(run: str, *calls: tuple[str, dict[str, Any]], checkpoint: str = "cp-1", **about: Any) -> dict[str, Any]:
    """The body that captures these calls."""
    return {"framework": "langchain", "run": run, "native": native(*calls, checkpoint=checkpoint), **about}
