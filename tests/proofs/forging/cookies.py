"""Cookies that a sibling domain tossed: Maria's click on her own request must never count as Jonas's."""

from __future__ import annotations

import random
from collections.abc import Iterator

from placet.model.pauses import call_id
from placet.model.states import CallState
from placet.records.heads import Head
from tests.gateway import REFUND
from tests.proofs.forging.house import House, accept_form
from tests.proofs.forging.tally import Tally

KIND = "a cookie that only looks like ours"
# What some reader of cookies strips, splits at or folds: spaces and controls of every kind, fillers, quotes, full-width signs.
SIGNS = [
    *map(chr, (*range(0x01, 0x09), 0x0B, 0x0C, *range(0x0E, 0x20), 0x7F, 0x85, 0xA0, 0xAD)),
    *"\u034f\u115f\u1680\u180e\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b\u2028\u2029\u202f\u205f\u2060\u3000",
    *'\u3164\ufe0f\ufeff\uff1d\uffa0"()<>@,;:\\/[]?{}\u00ff\u0130\u212a',
]


def tried(house: House, tally: Tally, dice: random.Random, rounds: int) -> None:
    """Each sign before and behind the name, beside Maria's own cookie and alone; and the same for the way back from the sign-in."""
    head = house.shown(REFUND, run="cookies", checkpoint="cookies", requester="maria@example.com")
    jonas, csrf = house.signed_in("jonas")
    maria, _ = house.signed_in("maria")
    for _ in range(rounds):
        for sign in SIGNS:
            for lines in _tossed(sign, jonas, maria, dice):
                _click(house, tally, head, lines, csrf)
    for sign in SIGNS:
        _back(house, tally, [f"{sign}__Host-placet-login-state=1.n.v.%2Finbox"])
    _click(house, tally, head, [f"__Host-placet={jonas}", f"__Host-placet={maria}"], csrf)
    _click(house, tally, head, [f"__Host-placet={maria}", f"__Host-placet={jonas}"], csrf)
    _honest(house, tally, head, jonas, csrf)


def _tossed(sign: str, jonas: str, maria: str, dice: random.Random) -> Iterator[list[str]]:
    before, behind = f"{sign}__Host-placet={jonas}", f"__Host-placet{sign}={jonas}"
    own = f"__Host-placet={maria}"
    yield [before]
    yield [behind]
    lines = [own, dice.choice((before, behind))]
    dice.shuffle(lines)
    yield lines


def _click(house: House, tally: Tally, head: Head, lines: list[str], csrf: str) -> None:
    """The form of a page that was made in the tossed session."""
    tally.tried(KIND)
    path = {"id": call_id(head.pause, 1)}
    answer = house.page("POST /reviews/{id}/decide", lines, accept_form(head, csrf), pathParameters=path)
    accepted = house.head(head.pause).calls[0].state is CallState.ACCEPTED
    tally.accepted_by_self += accepted
    tally.must(not accepted, f"{KIND}: {lines[0][:20]!r} was Jonas")
    signed_in = house.page("GET /inbox", lines)
    told = "Jonas" in signed_in.get("body", "")
    tally.must(not told and answer["statusCode"] in (303, 403), f"{KIND}: {lines!r}: {answer['statusCode']}")


def _back(house: House, tally: Tally, lines: list[str]) -> None:
    tally.tried(KIND)
    query = {"state": "state", "code": "code"}
    answer = house.page("GET /sign-in/callback", lines, queryStringParameters=query)
    tally.must(answer["statusCode"] == 403, f"{KIND}: {lines[0][:24]!r} signed somebody in")


def _honest(house: House, tally: Tally, head: Head, jonas: str, csrf: str) -> None:
    """Jonas's own click counts, beside other cookies."""
    path = {"id": call_id(head.pause, 1)}
    lines = ["theme=dark", f" __Host-placet={jonas}\t", "a=b=c"]
    answer = house.page("POST /reviews/{id}/decide", lines, accept_form(head, csrf), pathParameters=path)
    accepted = house.head(head.pause).calls[0].state is CallState.ACCEPTED
    tally.taken(KIND, accepted, f"Jonas's own: {answer['statusCode']}")
