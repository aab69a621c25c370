"""AWS Signature Version 4, recomputed from a request as it arrived; and put on a request of our own.

Standard library only: the three emulators run in three virtual environments. Source of the rules: "Create a signed AWS API
request" and "Authenticating Requests: Using Query Parameters" in the AWS documentation.
"""

from __future__ import annotations

import datetime
import hashlib
import hmac
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, unquote

ALGORITHM = "AWS4-HMAC-SHA256"
SKEW = datetime.timedelta(minutes=15)
LONGEST_S = 7 * 24 * 3600  # that a presigned address is good for
UNSIGNED = "UNSIGNED-PAYLOAD"
HEADER = re.compile(rf"{ALGORITHM} +Credential=([^,\s]+), *SignedHeaders=([^,\s]+), *Signature=([0-9a-f]+)")


class Refused(Exception):
    """A request is not let in; ``code`` and ``sentence`` are what its sender is told."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(f"{code}: {sentence}")
        self.code = code
        self.sentence = sentence


@dataclass(frozen=True)
class Key:
    """An access key and its secret; ``token`` goes with the keys of a role."""

    id: str
    secret: str
    token: str | None = None


@dataclass(frozen=True)
class Request:
    """One request as it arrived: path and query as sent, header names in lower case."""

    method: str
    path: str
    query: str
    headers: tuple[tuple[str, str], ...]
    body: bytes = b""

    def all(self, name: str) -> list[str]:
        return [value for one, value in self.headers if one == name]

    def one(self, name: str) -> str:
        """The header's value, or nothing."""
        return next(iter(self.all(name)), "")


@dataclass(frozen=True)
class Signature:
    """What a request says of its own signature; ``good_for_s`` only of one that stands in its address."""

    key_id: str
    day: str
    region: str
    service: str
    headers: tuple[str, ...]
    hexadecimal: str
    at: str
    token: str
    good_for_s: int | None = None


def is_signed(request: Request) -> bool:
    """Whether it carries anything that names an AWS key, valid or not."""
    names = {name.lower() for name, _ in parse_qsl(request.query, keep_blank_values=True)}
    return request.one("authorization").startswith("AWS") or any(
        name.startswith("x-amz-") or name == "awsaccesskeyid" for name in names
    )


def read(request: Request) -> Signature:
    """The one signature of a request; raise Refused when it has none, several, or an unreadable one."""
    asked = dict(parse_qsl(request.query, keep_blank_values=True))
    in_headers, in_address = request.all("authorization"), "X-Amz-Signature" in asked
    if len(in_headers) + in_address != 1:
        raise Refused("MissingAuthenticationToken", "A request carries one signature, in a header or in its address.")
    try:
        return _in_address(asked) if in_address else _in_header(request, in_headers[0])
    except (KeyError, ValueError):
        raise Refused("IncompleteSignature", f"The signature is not one of {ALGORITHM}.") from None


def _in_header(request: Request, text: str) -> Signature:
    found = HEADER.fullmatch(text)  # whole: a server may have joined two lines
    if found is None:
        raise ValueError
    given = dict(zip(("Credential", "SignedHeaders", "Signature"), found.groups(), strict=True))
    return _signature(given, request.one("x-amz-date"), request.one("x-amz-security-token"))


def _in_address(asked: dict[str, str]) -> Signature:
    if asked["X-Amz-Algorithm"] != ALGORITHM:
        raise ValueError
    given = {name: asked[f"X-Amz-{name}"] for name in ("Credential", "SignedHeaders", "Signature")}
    good_for_s = int(asked["X-Amz-Expires"]) if "X-Amz-Expires" in asked else None
    return _signature(given, asked["X-Amz-Date"], asked.get("X-Amz-Security-Token", ""), good_for_s)


def _signature(given: dict[str, str], at: str, token: str, good_for_s: int | None = None) -> Signature:
    key_id, day, region, service, end = given["Credential"].split("/")
    headers = tuple(given["SignedHeaders"].split(";"))
    if end != "aws4_request" or "host" not in headers or at[:8] != day:
        raise ValueError
    return Signature(key_id, day, region, service, headers, given["Signature"], at, token, good_for_s)


def check(request: Request, signature: Signature, key: Key, now: datetime.datetime) -> None:
    """Raise Refused unless this key signed this very request, and lately."""
    _in_time(signature, now)
    if not hmac.compare_digest(signature.token.encode(), (key.token or "").encode()):
        raise Refused("InvalidToken", "The session token is not the one that was given with this key.")
    _same_body(request)
    expected = {_sign(signature, key.secret, text) for text in _canonical(request, signature)}
    if not any(hmac.compare_digest(one.encode(), signature.hexadecimal.encode()) for one in expected):
        raise Refused("SignatureDoesNotMatch", "The signature is not that of this key for this request.")


def _in_time(signature: Signature, now: datetime.datetime) -> None:
    try:
        signed = datetime.datetime.strptime(signature.at, "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.UTC)
    except ValueError:
        raise Refused("IncompleteSignature", "The date of the signature is none.") from None
    end = SKEW if signature.good_for_s is None else datetime.timedelta(seconds=min(signature.good_for_s, LONGEST_S))
    if not signed - SKEW <= now <= signed + end:
        raise Refused("RequestTimeTooSkewed", "The request was signed at another time than this machine's.")


def _same_body(request: Request) -> None:
    """The digest that was signed is the body's; a body that comes in signed or unsigned pieces has none."""
    told = request.one("x-amz-content-sha256")
    if told and told != UNSIGNED and not told.startswith("STREAMING-") and told != _digest(request.body):
        raise Refused("XAmzContentSHA256Mismatch", "The body is not the one that was signed.")


def _canonical(request: Request, signature: Signature) -> Iterator[str]:
    """The canonical request in the forms that signers use: they differ in whether path and query are written anew."""
    body = request.one("x-amz-content-sha256") or _digest(request.body)
    if signature.good_for_s is not None and signature.service == "s3":
        body = UNSIGNED
    headers = "".join(f"{name}:{_value(request, name)}\n" for name in signature.headers)
    for path in dict.fromkeys(_paths(request.path, signature.service)):
        for query in dict.fromkeys(_queries(request.query)):
            yield "\n".join((request.method, path, query, headers, ";".join(signature.headers), body))


def _value(request: Request, name: str) -> str:
    return ",".join(" ".join(value.split()) for value in request.all(name))


def _paths(path: str, service: str) -> list[str]:
    if service == "s3":
        return [path, quote(unquote(path), safe="/-_.~")]
    normal = posixpath.normpath(path).replace("//", "/") + ("/" if path.endswith("/") and path != "/" else "")
    return [quote(normal, safe="/-_.~"), quote(normal, safe="/-_.~%"), path]


def _queries(query: str) -> list[str]:
    sent = [one.partition("=") for one in query.split("&") if one]
    sent = [one for one in sent if one[0] != "X-Amz-Signature"]
    plain = sorted((name, value) for name, _, value in sent)
    anew = sorted((_quoted(unquote(name)), _quoted(unquote(value))) for name, value in plain)
    return ["&".join(f"{name}={value}" for name, value in one) for one in (plain, anew)]


def _quoted(text: str) -> str:
    return quote(text, safe="-_.~")


def _sign(signature: Signature, secret: str, canonical: str) -> str:
    scope = f"{signature.day}/{signature.region}/{signature.service}/aws4_request"
    text = "\n".join((ALGORITHM, signature.at, scope, _digest(canonical.encode())))
    key = f"AWS4{secret}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def _digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def signed(request: Request, key: Key, region: str, service: str, now: datetime.datetime) -> dict[str, str]:
    """The headers with which this request is signed: its host's, a date, and the signature; ``host`` stands in it already."""
    at = now.astimezone(datetime.UTC).strftime("%Y%m%dT%H%M%SZ")
    headers = {"host": request.one("host"), "x-amz-date": at}
    if key.token:
        headers["x-amz-security-token"] = key.token
    whole = Request(request.method, request.path, request.query, tuple(headers.items()), request.body)
    made = Signature(key.id, at[:8], region, service, tuple(sorted(headers)), "", at, key.token or "")
    value = _sign(made, key.secret, next(_canonical(whole, made)))
    credential = f"{key.id}/{made.day}/{region}/{service}/aws4_request"
    fields = f"Credential={credential}, SignedHeaders={';'.join(made.headers)}, Signature={value}"
    return {**headers, "authorization": f"{ALGORITHM} {fields}"}
