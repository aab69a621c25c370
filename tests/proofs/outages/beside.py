"""What is not asked through boto3: webhooks, and the user pool's token endpoint and keys."""

from __future__ import annotations

import contextlib
import functools
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from unittest import mock

import jwt
import urllib3
from cryptography.hazmat.primitives.asymmetric import rsa

from placet.aws import login
from placet.aws.delivery import https, webhooks
from placet.model.errors import Busy
from tests.proofs.outages.troubles import HOOK, POOL, QUICK_S, SLOW

if TYPE_CHECKING:
    from tests.proofs.outages.town import Town

STATUS = {"fails": 503, "refuses": 403, "": 200, "slow": 200}


class Hook(https.Posting):
    """The real way to a webhook, from its request on; the name server and the connection are played."""

    def __init__(self, town: Town) -> None:
        super().__init__(context=mock.Mock())
        self._town = town

    @contextmanager
    def _connected(self, place: https.Place) -> Iterator[Any]:
        kind = self._town.asks(HOOK)
        if kind == "gone":
            raise Busy(f"{place.host} has no address now.")
        yield SimpleNamespace(
            request=lambda method, target, body, headers: self._sent(kind, body),
            getresponse=lambda: SimpleNamespace(status=self._status(kind)),
        )

    def _sent(self, kind: str, body: bytes) -> None:
        if kind in ("", "late", "slow"):
            self._town.people.takes(json.loads(body))

    def _status(self, kind: str) -> int:
        if kind in ("hangs", "late"):
            self._town.clock.sleep(https.CONNECT_S + self._total_s)
            raise TimeoutError
        self._town.clock.sleep(SLOW * self._total_s if kind == "slow" else QUICK_S)
        return STATUS[kind]


class Pool:
    """The user pool: `request` is its token endpoint, `keys` what its tokens are signed with. A code is good for one token."""

    def __init__(self, town: Town) -> None:
        self._town = town
        self._used: set[str] = set()

    def request(self, method: str, url: str, fields: dict[str, str], **_: Any) -> Any:
        kind = self._asked(login.CONNECT_S + login.READ_S, urllib3.exceptions.HTTPError())
        code = fields["code"]
        done = kind in ("", "slow") and code not in self._used
        if kind in ("", "slow", "late"):
            self._used.add(code)
        if kind == "late":
            raise urllib3.exceptions.HTTPError
        return SimpleNamespace(status=STATUS[kind] if done or kind not in STATUS else 400, data=self._token(code))

    def keys(self, *_: Any, **__: Any) -> Any:
        kind = self._asked(login.READ_S, jwt.PyJWKClientConnectionError())
        if kind not in ("", "slow"):
            raise jwt.PyJWKClientConnectionError
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(signing_key().public_key()))
        return {"keys": [public | {"kid": "one", "use": "sig", "alg": "RS256"}]}

    def _asked(self, longest_s: float, nobody: Exception) -> str:
        kind = self._town.asks(POOL)
        if kind in ("hangs", "late"):
            self._town.clock.sleep(longest_s)
        else:
            self._town.clock.sleep(SLOW * longest_s if kind == "slow" else QUICK_S)
        if kind in ("hangs", "gone"):
            raise nobody
        return kind

    def _token(self, code: str) -> bytes:
        """The code of this pool is the nonce that its token has to carry."""
        now = int(time.time())
        claims = {"iss": "https://issuer.example", "aud": "client", "sub": "maria", "token_use": "id", "nonce": code}
        claims |= {"iat": now, "exp": now + 300}  # type: ignore[dict-item]
        token = jwt.encode(claims, signing_key(), algorithm="RS256", headers={"kid": "one"})
        return json.dumps({"id_token": token}).encode()


@functools.cache
def signing_key() -> rsa.RSAPrivateKey:
    """The pool's."""
    return rsa.generate_private_key(public_exponent=65_537, key_size=2_048)


@contextmanager
def played(town: Town) -> Iterator[None]:
    """Webhooks and the user pool are the town's."""
    pool = Pool(town)
    with contextlib.ExitStack() as patched:
        for target, name, stand_in in (
            (webhooks, "Posting", lambda: Hook(town)),
            (urllib3, "PoolManager", lambda **_: pool),
            (jwt.PyJWKClient, "fetch_data", pool.keys),
        ):
            patched.enter_context(mock.patch.object(target, name, stand_in))
        yield
