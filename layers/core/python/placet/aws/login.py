"""Signing people in at the user pool: authorization code with PKCE, the answer checked before anybody is believed."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import urllib3

from placet.model.errors import Busy, NotAllowed
from placet.model.people import SignedInAs

if TYPE_CHECKING:
    from jwt import PyJWKClient

CONNECT_S, READ_S = 2.0, 5.0
LONGEST_S = CONNECT_S + READ_S + 2 * READ_S  # the token, then the keys, twice when they were changed
KEYS_S, KEYS_AGAIN_S = 24 * 3600.0, 60.0
LEEWAY_S = 30
LONGEST_TEXT = 200  # characters of a name or an address


LONGEST_GROUP = 128  # characters; a pool's groups have no longer names, and a policy maps none
GROUPS = (
    "cognito:groups"  # set by the pool's groups and its owner's trigger alone: an attribute is its user's to change
)


class Cognito:
    """The user pool's login pages and token endpoint."""

    def __init__(self, login_url: str, client_id: str, issuer: str, jwks_url: str, callback_url: str) -> None:
        self._login_url = login_url.rstrip("/")
        self._client_id = client_id
        self._issuer = issuer
        self._jwks_url = jwks_url
        self._callback_url = callback_url
        self._keys: PyJWKClient | None = None
        self._http = urllib3.PoolManager(timeout=urllib3.Timeout(connect=CONNECT_S, read=READ_S), retries=False)

    def authorize_url(self, state: str, nonce: str, verifier: str) -> str:
        """Where the browser goes to sign in."""
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        asked = {
            "client_id": self._client_id,
            "response_type": "code",
            "scope": "openid email",
            "redirect_uri": self._callback_url,
            "state": state,
            "nonce": nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        return f"{self._login_url}/oauth2/authorize?{urlencode(asked)}"

    def logout_url(self, back_to: str) -> str:
        """Where the browser goes to sign out of the user pool too."""
        return f"{self._login_url}/logout?{urlencode({'client_id': self._client_id, 'logout_uri': back_to})}"

    def exchange(self, code: str, verifier: str, nonce: str) -> SignedInAs:
        """Who signed in, as the verified token says it.

        Raises:
            NotAllowed: `sign_in_failed`: the code or the token is not what was asked for.
            Busy: the pool could not be reached.
        """
        fields = {
            "grant_type": "authorization_code",
            "client_id": self._client_id,
            "redirect_uri": self._callback_url,
            "code": code,
            "code_verifier": verifier,
        }
        try:
            answer = self._http.request(
                "POST", f"{self._login_url}/oauth2/token", fields=fields, encode_multipart=False
            )
        except urllib3.exceptions.HTTPError:
            raise Busy("The sign-in service cannot be reached.") from None
        if answer.status >= 500:
            raise Busy("The sign-in service does not work now.")
        if answer.status != 200:
            raise NotAllowed("sign_in_failed", "The sign-in was not completed. Start again.")
        return self._subject(_id_token(answer.data), nonce)

    def _signing_keys(self) -> PyJWKClient:
        """The pool's keys, kept while this process is warm: asked for again when a token names one that is not known, not more than
        once a minute, and what was known stays when that fails."""
        from jwt import PyJWKClient

        if self._keys is None:
            self._keys = PyJWKClient(
                self._jwks_url, timeout=int(READ_S), lifespan=KEYS_S, cooldown_duration=KEYS_AGAIN_S
            )
        return self._keys

    def _subject(self, token: str, nonce: str) -> SignedInAs:
        """One fixed algorithm, keys from our issuer only, every claim required."""
        import jwt

        try:
            key = self._signing_keys().get_signing_key_from_jwt(token).key
            claims: dict[str, Any] = jwt.decode(
                token,
                key,
                algorithms=["RS256"],
                audience=self._client_id,
                issuer=self._issuer,
                leeway=LEEWAY_S,
                options={"require": ["exp", "iat", "iss", "aud", "sub", "token_use", "nonce"]},
            )
        except jwt.PyJWKClientConnectionError:
            raise Busy("The keys of the sign-in service cannot be reached.") from None
        except (jwt.PyJWTError, ValueError, TypeError):  # PyJWT lets some of what it reads through as it comes
            raise NotAllowed("sign_in_failed", "The sign-in was not completed. Start again.") from None
        kind = claims["token_use"]
        if kind != "id" or not hmac.compare_digest(str(claims["nonce"]).encode(), nonce.encode()):
            raise NotAllowed("sign_in_failed", "The sign-in was not completed. Start again.")
        sub, email = str(claims["sub"]), _text(claims.get("email"))
        return SignedInAs(sub, _text(claims.get("name")) or email or sub, email, groups_in(claims.get(GROUPS)))


def _text(value: Any) -> str:
    """A short text of a claim; anything else is nothing."""
    return value if isinstance(value, str) and len(value) <= LONGEST_TEXT else ""


def groups_in(value: Any) -> frozenset[str]:
    """The groups that the pool puts somebody into, however many; the policy looks for the names that it maps among them. A claim of
    another shape is none."""
    if not isinstance(value, list):
        return frozenset()
    return frozenset(one for one in value if isinstance(one, str) and 0 < len(one) <= LONGEST_GROUP)


def _id_token(answer: bytes) -> str:
    """The token in what the pool answered. Raises Busy for an answer that is none: a proxy or an outage speaks, not the pool."""
    try:
        found = json.loads(answer)
    except (ValueError, RecursionError):
        found = None
    token = found.get("id_token") if isinstance(found, dict) else None
    if not isinstance(token, str):
        raise Busy("The sign-in service gave no answer that can be read.")
    return token
