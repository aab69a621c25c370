"""The signature of a request as botocore makes it, and everything near it. No emulator runs here."""

from __future__ import annotations

import datetime
from dataclasses import replace

import pytest

from local.emulator.signatures import Key, Refused, Request, _canonical, _sign, check, read, signed
from tests.local.signing import KEY, NOW, OF_A_ROLE, PORT, by_botocore

URLS = [
    "/",
    "/a b/c%20d",
    "/functions/x%3Ay/invocations",
    "/a//b/../c",
    "/k%C3%A9y?list-type=2&prefix=a%2Fb&empty=",
    "/?b=2&a=1&a=0",
]


@pytest.mark.parametrize("url", URLS)
@pytest.mark.parametrize("where", ["header", "address"])
@pytest.mark.parametrize("service", ["dynamodb", "s3", "execute-api"])
@pytest.mark.parametrize("key", [KEY, OF_A_ROLE], ids=["root", "role"])
def test_what_botocore_signs_is_taken_and_nothing_near_it(url: str, where: str, service: str, key: Key) -> None:
    request = by_botocore(url, where, service, key)
    signature = read(request)
    check(request, signature, key, NOW)
    for other in (
        replace(request, method="PUT"),
        replace(request, path=request.path + "x"),
        replace(request, query=request.query + "&more=1"),
        replace(request, headers=tuple((n, "localhost:1" if n == "host" else v) for n, v in request.headers)),
    ):
        with pytest.raises(Refused, match="SignatureDoesNotMatch"):
            check(other, signature, key, NOW)
    with pytest.raises(Refused, match="SignatureDoesNotMatch"):
        check(request, signature, replace(key, secret="guessed"), NOW)
    with pytest.raises(Refused, match="InvalidToken"):
        check(request, signature, replace(key, token="another"), NOW)
    if (service, where) != ("s3", "address"):  # there the body is not signed, on AWS neither
        with pytest.raises(Refused, match=r"SignatureDoesNotMatch|XAmzContentSHA256Mismatch"):
            check(replace(request, body=b"another"), signature, key, NOW)


def test_old_signatures_and_those_of_tomorrow_are_refused_and_an_address_is_good_as_long_as_it_says() -> None:
    request = by_botocore("/", "header", "dynamodb", KEY)
    for minutes in (-20, 20):
        with pytest.raises(Refused, match="RequestTimeTooSkewed"):
            check(request, read(request), KEY, NOW + datetime.timedelta(minutes=minutes))
    request = by_botocore("/", "address", "dynamodb", KEY)
    check(request, read(request), KEY, NOW + datetime.timedelta(minutes=50))
    with pytest.raises(Refused, match="RequestTimeTooSkewed"):
        check(request, read(request), KEY, NOW + datetime.timedelta(minutes=70))


@pytest.mark.parametrize(("says", "good_for"), [("60", 60), ("604800", 604_800), ("315360000", 604_800)])
def test_an_address_is_good_as_long_as_it_says_and_never_longer_than_a_week(says: str, good_for: int) -> None:
    """Source: X-Amz-Expires of AWS's signature version 4, at most 604,800 seconds."""
    request = by_botocore("/", "address", "dynamodb", KEY)
    signature = replace(read(request), good_for_s=int(says))
    resigned = replace(signature, hexadecimal=_sign(signature, KEY.secret, next(_canonical(request, signature))))
    signed_at = datetime.datetime.strptime(signature.at, "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.UTC)
    check(request, resigned, KEY, signed_at + datetime.timedelta(seconds=good_for))
    with pytest.raises(Refused, match="RequestTimeTooSkewed"):
        check(request, resigned, KEY, signed_at + datetime.timedelta(seconds=good_for + 1))


@pytest.mark.parametrize(
    ("code", "headers", "query"),
    [
        ("MissingAuthenticationToken", (), ""),
        ("MissingAuthenticationToken", (("authorization", "AWS4-HMAC-SHA256 x"), ("authorization", "AWS4 y")), ""),
        ("MissingAuthenticationToken", (("authorization", "AWS4-HMAC-SHA256 x"),), "X-Amz-Signature=00"),
        ("IncompleteSignature", (("authorization", "Bearer made-up"),), ""),
        ("IncompleteSignature", (("authorization", "AWS AKIA:aaaa"),), ""),
        ("IncompleteSignature", (("authorization", "AWS4-HMAC-SHA256 Credential=a/b/c, SignedHeaders=host, Signature=0"),), ""),
        ("IncompleteSignature", (), "X-Amz-Signature=00"),
        ("IncompleteSignature", (), "X-Amz-Algorithm=AWS4-ECDSA-P256-SHA256&X-Amz-Signature=00"),
    ],
)  # fmt: skip
def test_what_is_no_signature_is_said(code: str, headers: tuple[tuple[str, str], ...], query: str) -> None:
    with pytest.raises(Refused, match=code):
        read(Request("POST", "/", query, headers))


def test_a_signature_that_leaves_the_host_out_is_none() -> None:
    request = by_botocore("/", "header", "dynamodb", KEY)
    without = tuple((n, v.replace("host;", "") if n == "authorization" else v) for n, v in request.headers)
    with pytest.raises(Refused, match="IncompleteSignature"):
        read(replace(request, headers=without))


def test_our_own_signature_is_one() -> None:
    for key in (KEY, OF_A_ROLE):
        made = Request("POST", "/_ministack/ses/messages", "a=b", (("host", f"localhost:{PORT}"),))
        headers = signed(made, key, "us-east-1", "placet", NOW)
        request = replace(made, headers=tuple(headers.items()))
        check(request, read(request), key, NOW)
