"""What the user pool answers is read strictly: nobody is signed in by an answer that is none, and none is our own fault."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, ClassVar

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from placet.aws import login
from placet.aws.login import Cognito, groups_in
from placet.model.errors import Busy, NotAllowed
from placet.model.people import SignedInAs

NO_ANSWERS = [
    b"",
    b"[]",
    b"null",
    b"1",
    b'"x"',
    b"{",
    b"\xff",
    b"<html>",
    b"[" * 100_000,
    b"{}",
    b'{"id_token":null}',
    b'{"id_token":[]}',
]
NO_TOKENS = ["", "a", "a.b", "a.b.c", "\ud800", "..", "e30.e30.", "bnVsbA.bnVsbA.x", "W10.W10.x", "x" * 10_000]


class Answers:
    """A token endpoint that gives one answer, and no keys."""

    def __init__(self, body: bytes, status: int = 200) -> None:
        self.data, self.status = body, status

    def request(self, *_: Any, **__: Any) -> Answers:
        return self


def exchange(body: bytes, status: int = 200) -> SignedInAs:
    pool = Cognito(
        "https://login.example",
        "client",
        "https://issuer.example",
        "http://127.0.0.1:1/keys",
        "https://placet.example/cb",
    )
    pool._http = Answers(body, status)  # type: ignore[assignment]
    return pool.exchange("code", "verifier", "nonce")


class Keys(BaseHTTPRequestHandler):
    """The pool's keys, and how often they were asked for."""

    asked = 0
    names: ClassVar[list[str]] = ["one"]
    status = 200

    def do_GET(self) -> None:
        type(self).asked += 1
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(KEY.public_key()))
        body = json.dumps(
            {"keys": [public | {"kid": name, "use": "sig", "alg": "RS256"} for name in self.names]}
        ).encode()
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


KEY = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)


def answer(kid: str) -> Answers:
    now = int(time.time())
    claims = {"iss": "https://issuer.example", "aud": "client", "sub": "maria", "token_use": "id", "nonce": "nonce"}
    token = jwt.encode({**claims, "iat": now, "exp": now + 300}, KEY, algorithm="RS256", headers={"kid": kid})
    return Answers(json.dumps({"id_token": token}).encode())


def test_keys_are_asked_for_once_and_an_unknown_name_sends_for_them_once_a_minute() -> None:
    server = HTTPServer(("127.0.0.1", 0), Keys)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}/keys"
    pool = Cognito("https://login.example", "client", "https://issuer.example", url, "https://placet.example/cb")

    def sign_in(kid: str) -> SignedInAs:
        pool._http = answer(kid)  # type: ignore[assignment]
        return pool.exchange("code", "verifier", "nonce")

    try:
        assert [sign_in("one").sub for _ in range(5)] == ["maria"] * 5
        assert Keys.asked == 1
        for _ in range(1_000):
            with pytest.raises(NotAllowed):
                sign_in("unknown")
        assert Keys.asked == 1, "within a minute of the last answer nobody sends for keys again"
        assert pool._keys is not None
        pool._keys._last_successful_fetch -= 2 * login.KEYS_AGAIN_S  # type: ignore[operator]
        Keys.names, Keys.status = ["one", "two"], 500
        with pytest.raises(Busy):
            sign_in("two")
        assert sign_in("one").sub == "maria", "an outage takes no key away"
        Keys.status = 200
        assert sign_in("two").sub == "maria"
        assert Keys.asked == 3
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("body", NO_ANSWERS, ids=lambda body: repr(body[:20]))
def test_an_answer_without_a_token_is_no_sign_in_and_may_be_asked_for_again(body: bytes) -> None:
    with pytest.raises(Busy):
        exchange(body)


@pytest.mark.parametrize(
    ("claim", "groups"),
    [
        (["Finance-EU", "Everybody"], {"Finance-EU", "Everybody"}),
        ([], set()),
        (None, set()),
        ("Finance-EU", set()),
        ("[Finance-EU Everybody]", set()),
        ({"Finance-EU": True}, set()),
        (["Finance-EU", 7, None, "", "x" * 129, ["Leads"]], {"Finance-EU"}),
        ([str(number) for number in range(5_000)], {str(number) for number in range(5_000)}),
    ],
)
def test_a_claim_of_groups_is_a_list_of_names_or_nothing(claim: Any, groups: set[str]) -> None:
    assert groups_in(claim) == groups


@pytest.mark.parametrize("token", NO_TOKENS, ids=lambda token: repr(token[:10]))
def test_a_token_that_is_none_is_refused(token: str) -> None:
    with pytest.raises((NotAllowed, Busy)) as caught:  # Busy when its header sends for keys that cannot be had
        exchange(json.dumps({"id_token": token}).encode())
    assert caught.value.code in ("sign_in_failed", "busy")


@pytest.mark.parametrize(("status", "kind"), [(400, NotAllowed), (403, NotAllowed), (500, Busy), (503, Busy)])
def test_what_the_pool_refuses_is_told_apart_from_its_outage(status: int, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        exchange(b"[]", status)
