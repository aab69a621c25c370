"""However much is asked, said and answered about a call, its page opens and the call is decided on it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from placet.model.pauses import call_id
from placet.service import answer as answering
from placet.service.comment import comment
from tests.functions.conftest import Api
from tests.functions.test_asking import ANSWER, ask
from tests.functions.test_reviewers import token
from tests.gateway import native

ROOM = 240_000  # bytes of the argument
SIGNS = ["'", "<"]  # what grows most on a page, and what else does


def captured(api: Api, sign: str) -> Any:
    text = sign * (ROOM // len(sign.encode()))
    body = {"framework": "langchain", "run": "thread-1", "native": native(("send_note", {"text": text}))}
    told = api.agent("capture", "POST /v1/pauses", json.dumps(body, ensure_ascii=False))[1]
    return api.gateway.show(api.gateway.head(told["pause"]))


def talked(api: Api, head: Any, sign: str) -> list[int]:
    """Everybody asks and comments as much as they may, and every question gets what fits into one request; the statuses."""
    found = []
    piece = {"title": "t", "text": sign * (20_000 // len(sign))}
    times = min(20, 240_000 // len(piece["text"].encode()))
    for number in range(10):
        sub = ("maria", "jonas")[number % 2]
        asked, _ = ask(
            api,
            head,
            sub,
            text=f"{number}" + sign * (900 // len(sign)),
            revision=api.gateway.head(head.pause).calls[0].rev,
        )
        assert asked == 200
        body = {"call": call_id(head.pause, 1), "question": number + 1, "text": "ok", "evidence": [piece] * times}
        sent = json.dumps(body, ensure_ascii=False)
        found.append(api.agent("capture", ANSWER, sent, pathParameters={"id": head.pause})[0])
    for number in range(30):
        who = (api.gateway.maria, api.gateway.jonas)[number % 2]
        comment(api.gateway.ports, who, head.pause, f"{number}" + sign * (900 // len(sign)))
    return found


def opened(api: Api, head: Any) -> tuple[Any, Any, str]:
    cookie, csrf = api.signed_in()
    return api.page("review", "GET /reviews/{id}", cookie, pathParameters={"id": head.pause}), cookie, csrf


@pytest.mark.parametrize("sign", SIGNS, ids=ascii)
def test_the_page_opens_and_decides(api: Api, sign: str) -> None:
    head = captured(api, sign)
    assert talked(api, head, sign) == [200, *[413] * 9]
    page, cookie, csrf = opened(api, head)
    assert page["statusCode"] == 200
    told = api.send("review", "GET /v1/reviews/{id}", authorizer=token(), pathParameters={"id": head.pause})
    assert (told["statusCode"], len(json.loads(told["body"])["questions"])) == (200, 10)
    call = api.gateway.head(head.pause).calls[0]
    form = {"csrf": csrf, "decision": "reject", "reason-1": "1", "revision-1": str(call.rev), "digest-1": call.digest}
    path = {"id": call_id(head.pause, 1)}
    assert api.page("decide", "POST /reviews/{id}/decide", cookie, form, pathParameters=path)["statusCode"] == 303
    assert api.gateway.head(head.pause).open_calls == 0


def test_without_the_bound_it_does_not(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted bug."""
    monkeypatch.setattr(answering, "MAX_BODY_BYTES", 100 * answering.MAX_BODY_BYTES)
    head = captured(api, SIGNS[0])
    assert talked(api, head, SIGNS[0]) == [200] * 10
    assert opened(api, head)[0]["statusCode"] == 413
