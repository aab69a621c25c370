"""Which keys are good: the account's root, made anew for each start, and whatever the emulator's STS and IAM gave since.

Root's secret reaches the emulators by their environment, under the names that every AWS SDK reads. The interpreter and
Bedrock's runtime ask the emulator for the keys of roles, signing as root.
"""

from __future__ import annotations

import datetime
import hmac
import json
import os
import secrets
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from local.emulator.replacing import replace
from local.emulator.signatures import Key, Refused, Request, signed

ROOM = "/_placet/keys/"
KEPT_S = 60  # how long the answer about a role's key is believed
UNKNOWN = (
    "This key is not one of the start that runs: keys end with their start. To print its own: "
    "python -m local environment"
)


def unknown() -> Refused:
    """What is said to who signs with a key that nobody here gave."""
    return Refused("UnrecognizedClientException", UNKNOWN)


def root() -> Key:
    """The root key of this start."""
    return Key(os.environ["AWS_ACCESS_KEY_ID"], os.environ["AWS_SECRET_ACCESS_KEY"])


def apply() -> None:
    """Take the guessable out of MiniStack: a function's keys follow from its name, and `test` and account numbers are root."""
    import ministack.core.iam_evaluator as evaluator
    import ministack.core.lambda_runtime as runtime
    import ministack.services.lambda_svc as lambdas
    import ministack.services.sts as sts

    of_function = unguessable(runtime.execution_credentials, sts._sessions, secrets.token_bytes(32))
    replace(runtime, "execution_credentials", of_function)
    replace(lambdas, "execution_credentials", of_function)
    for module in (evaluator, sts):
        replace(module, "is_root_access_key", lambda key_id: not key_id or key_id == root().id)


def unguessable(
    credentials_of: Callable[[dict[str, Any]], dict[str, str]], sessions: Any, salt: bytes
) -> Callable[[dict[str, Any]], dict[str, str]]:
    """The same keys for the same function as before, with a secret and a token that nobody can compute."""

    def run(config: dict[str, Any]) -> dict[str, str]:
        given = credentials_of(config)
        secret, token = (
            hmac.new(salt, f"{kind}:{given['AWS_ACCESS_KEY_ID']}".encode(), "sha256").hexdigest()
            for kind in ("secret", "token")
        )
        sessions[given["AWS_ACCESS_KEY_ID"]] |= {"SecretAccessKey": secret, "SessionToken": token}
        return {**given, "AWS_SECRET_ACCESS_KEY": secret, "AWS_SESSION_TOKEN": token}

    return run


def of_emulator(key_id: str) -> Key:
    """The key of this id, asked inside MiniStack; raise Refused."""
    import ministack.core.iam_evaluator as evaluator
    from ministack.core.responses import _account_from_sts_session

    if key_id == root().id:
        return root()
    account = _account_from_sts_session(key_id) or os.environ["PLACET_ACCOUNT"]
    found = evaluator.resolve_credential(key_id, account)
    if isinstance(found, evaluator.CredentialResolutionError):
        raise Refused(found.code, found.message) if "xpired" in found.code else unknown()
    return Key(found.access_key_id, found.secret_access_key, found.session_token)


class Asking:
    """The key of an id, asked of the emulator at this address and believed for a while."""

    def __init__(self, endpoint: str) -> None:
        self._endpoint = endpoint
        self._known: dict[str, tuple[float, Key]] = {}

    def __call__(self, key_id: str) -> Key:
        if key_id == root().id:
            return root()
        until, key = self._known.get(key_id, (0.0, Key("", "")))
        if until < time.monotonic():
            key = self._ask(key_id)
            self._known[key_id] = (time.monotonic() + KEPT_S, key)
        return key

    def _ask(self, key_id: str) -> Key:
        try:
            told = json.loads(open_as(root(), f"{self._endpoint}{ROOM}{quote(key_id, safe='')}"))
        except urllib.error.HTTPError:
            raise unknown() from None
        return Key(key_id, told["secret"], told["token"])


def told(request: Request, by: Key) -> bytes | None:
    """The answer to `Asking`, for root alone; None when something else is asked. Raises Refused."""
    if not request.path.startswith(ROOM):
        return None
    if by.id != root().id:
        raise unknown()
    key = of_emulator(unquote(request.path.removeprefix(ROOM)))
    return json.dumps({"secret": key.secret, "token": key.token}).encode()


def open_as(key: Key, url: str, body: bytes | None = None, timeout: float = 10) -> bytes:
    """What this address of a start answers to a signed request; raises urllib's errors."""
    parts = urlsplit(url)
    method = "GET" if body is None else "POST"
    request = Request(method, parts.path, parts.query, (("host", parts.netloc),), body or b"")
    now = datetime.datetime.now(datetime.UTC)
    headers = signed(request, key, "us-east-1", "placet", now)
    asked = urllib.request.Request(url, body, headers)  # noqa: S310 - loopback only
    with urllib.request.urlopen(asked, timeout=timeout) as answer:  # noqa: S310
        return bytes(answer.read())
