"""What the user pool answers is read strictly: nobody is signed in by an answer that is none, and none is our own fault."""

from __future__ import annotations

import json
from typing import Any

import pytest

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
