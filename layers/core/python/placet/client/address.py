"""The gateway's address as somebody typed it: taken when it is one, and one sentence when it is not."""

from __future__ import annotations

import os
import re
from urllib.parse import urlsplit

from placet.client.errors import ClientError

EXAMPLE = "https://abc123.execute-api.us-east-1.amazonaws.com"
_HOST = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?|\[[0-9A-Fa-f:.]+\]")


def address(url: str | None) -> str:
    """The base address of the API, without a slash at its end; PLACET_URL when `url` is left out. Raises ClientError."""
    known = os.environ.get("PLACET_URL", "")
    given = url or known
    if not isinstance(given, str):
        raise ClientError(f"The url is a {type(given).__name__}: it has to be a text, for example {EXAMPLE}.")
    named = "PLACET_URL" if given == known else "The url"
    text = given.strip()
    if not text:
        raise ClientError(f"The gateway's address is not known: pass url or set PLACET_URL, for example to {EXAMPLE}.")
    whole = text if "://" in text else _with_scheme(text)
    try:
        parts = urlsplit(whole)
        port = parts.port
    except ValueError:
        raise _no_address(named, given, "its port is no number below 65536") from None
    host = parts.netloc.rpartition("@")[2]
    plain = f"{parts.scheme}://{host}"
    if not _HOST.fullmatch(host.removesuffix(f":{port}") if port is not None else host.removesuffix(":")):
        raise _no_address(named, given, f"it names no host. Write it like {EXAMPLE}")
    if "://" not in text or parts.scheme not in ("http", "https"):
        scheme = "it does not begin with http:// or https://"
        raise _no_address(named, given, f"{scheme}. Write {_with_scheme(host)}")
    if parts.path.strip("/") or parts.query or parts.fragment or host != parts.netloc:
        raise _no_address(named, given, f"it is more than the address of the API. Write {plain}")
    return plain.removesuffix(":")


def _with_scheme(text: str) -> str:
    """What was probably meant: this machine is spoken to without TLS, everybody else with it."""
    host = text.partition("/")[0].rpartition("@")[2].partition(":")[0]
    here = host in ("localhost", "127.0.0.1") or host.endswith(".localhost")
    return f"{'http' if here else 'https'}://{text.removeprefix('//')}"


def _no_address(named: str, given: str, why: str) -> ClientError:
    shown = re.sub(r"//[^/@]*@", "//…@", given)  # a password does not belong into a log
    return ClientError(f"{named} is {shown!r}: {why}.")
