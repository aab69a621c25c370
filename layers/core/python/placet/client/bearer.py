"""The gateway as a reviewer's program sees it: the same HTTP, under an access token of the user pool."""

from __future__ import annotations

from urllib.parse import urlsplit

import urllib3

from placet.client.address import address
from placet.client.errors import ClientError
from placet.client.transport import TIMEOUT, Transport

ANOTHER = (
    "Take a new one and set PLACET_TOKEN to it: `placet sign-in` prints one in an account, and `python -m local token NAME` "
    "on this machine."
)


class Bearer(Transport):
    """Sends as `Transport` does, with a token in place of a signature.

    Args:
        token: an access token; it is sent to `url` and nowhere else, and never written down.
    """

    def __init__(self, url: str, token: str) -> None:
        super().__init__(url, "", lambda: None)
        self._token = token

    def _stranger(self, status: int) -> str:
        """API Gateway looks at the token first: 401 when it is over or unknown, 403 when it is of another kind."""
        if status == 401:
            return f"The access token is over, or not of the gateway at {self._url}: one lasts 10 minutes. {ANOTHER}"
        if status == 403:
            return f"The token is no access token of the gateway at {self._url}: an ID token is not taken. {ANOTHER}"
        return f"Not the gateway itself answered at {self._url}: look at that address."

    def _once(self, method: str, path: str, body: str | None) -> urllib3.BaseHTTPResponse:
        headers = {"Host": urlsplit(self._url).netloc, "Accept": "application/json"}
        headers |= {"Authorization": f"Bearer {self._token}"}
        headers |= {"Content-Type": "application/json"} if body is not None else {}
        target = urlsplit(f"{self._url}{path}")
        return self._pool.urlopen(
            method,
            f"{target.path}?{target.query}" if target.query else target.path,
            body=body.encode() if body is not None else None,
            headers=headers,
            retries=False,
            timeout=TIMEOUT,
            redirect=False,
        )


def reviewer(url: str | None = None, token: str = "") -> Bearer:
    """The reviewers' routes under a person's access token. Raises ClientError when address or token is missing or not usable."""
    url = address(url)
    if not isinstance(token, str):
        raise ClientError(f"The token is a {type(token).__name__}: it has to be a text. {ANOTHER}")
    if token.lower().startswith("bearer "):
        raise ClientError(f"PLACET_TOKEN holds the token alone, without {token.split()[0]!r} before it.")
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise ClientError(f"There is no access token of a reviewer. {ANOTHER}")
    if urlsplit(url).scheme != "https" and not (urlsplit(url).hostname or "").endswith(("localhost", "127.0.0.1")):
        raise ClientError("A token is sent over https only.")
    return Bearer(url, token)
