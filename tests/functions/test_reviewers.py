"""The reviewers' routes and pages: identity from the token or the session, forms only from our own pages, GET changes nothing."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from placet.model.pauses import call_id
from placet.model.people import SignedInAs
from tests.functions.conftest import BASE, Api
from tests.gateway import REFUND

DECIDE, DECISION = "POST /reviews/{id}/decide", "POST /v1/reviews/{id}/decision"


def token(sub: str = "maria", use: str = "access") -> dict[str, Any]:
    return {"jwt": {"claims": {"sub": sub, "token_use": use, "cognito:groups": "[finance]"}}}


def accept_form(api: Api, head, csrf: str, **more: str) -> dict[str, str]:
    return {
        "csrf": csrf,
        "decision": "accept",
        "revision": "1",
        "digest": head.calls[0].digest,
        "typed": "240.5",
        **more,
    }


def decided(api: Api, head) -> bool:
    return api.gateway.head(head.pause).open_calls == 0


def test_a_decision_over_json(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    path = {"pathParameters": {"id": call_id(head.pause, 1)}, "authorizer": token()}
    sent = {"decision": "accept", "revision": 1, "digest": head.calls[0].digest}
    status, answer = api.agent("decide", DECISION, sent, **path)
    assert (status, answer["state"], answer["decided_by"]) == (200, "accepted", "Maria Keller")
    assert api.agent("decide", DECISION, sent, **path)[1] == answer | {"replayed": True}


@pytest.mark.parametrize(
    "sent",
    [
        {},
        None,
        {"decision": "yes"},
        {"decision": True},
        {"decision": "accept", "revision": 1},
        {"decision": "accept", "revision": "1", "digest": "0" * 64},
        {"decision": "accept", "revision": 1, "digest": "0" * 63},
        {"decision": "accept", "revision": 1, "digest": "0" * 64, "reviewer": "jonas"},
        {"decision": "respond", "revision": 1, "digest": "0" * 64},
    ],
)
def test_absence_and_nonsense_are_never_yes(api: Api, sent: Any) -> None:
    head = api.gateway.shown(REFUND)
    path = {"pathParameters": {"id": call_id(head.pause, 1)}, "authorizer": token()}
    assert api.agent("decide", DECISION, sent, **path)[0] in (400, 422)
    assert not decided(api, head)


@pytest.mark.parametrize("sub", ["maria#G", "#", "a#b|c", "m" * 3_000])
def test_who_is_named_as_no_key_can_be_belongs_to_nothing(api: Api, sub: str) -> None:
    head = api.gateway.shown(REFUND)
    listed = api.send("review", "GET /v1/reviews", authorizer=token(sub))
    assert (listed["statusCode"], json.loads(listed["body"])["reviews"]) == (200, [])
    sent = {"decision": "accept", "revision": 1, "digest": head.calls[0].digest}
    path = {"pathParameters": {"id": call_id(head.pause, 1)}, "authorizer": token(sub)}
    assert api.agent("decide", DECISION, sent, **path)[0] == 404
    assert not decided(api, head)


@pytest.mark.parametrize("authorizer", [{}, token(use="id"), token(sub=""), {"jwt": {}}])
def test_an_id_token_is_no_permission(api: Api, authorizer: dict[str, Any]) -> None:
    head = api.gateway.shown(REFUND)
    sent = {"decision": "accept", "revision": 1, "digest": head.calls[0].digest}
    path = {"pathParameters": {"id": call_id(head.pause, 1)}, "authorizer": authorizer}
    assert api.agent("decide", DECISION, sent, **path)[1]["code"] == "access_token_needed"
    assert not decided(api, head)


def test_groups_in_a_token_give_no_right(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    stranger = {"authorizer": token("stranger"), "pathParameters": {"id": head.pause}}
    assert api.agent("review", "GET /v1/reviews/{id}", **stranger)[0] == 404
    assert api.agent("review", "GET /v1/reviews", authorizer=token("stranger"))[1]["reviews"] == []
    assert len(api.agent("review", "GET /v1/reviews", authorizer=token())[1]["reviews"]) == 1


def test_a_page_without_a_session_leads_to_the_sign_in_and_back(api: Api) -> None:
    answer = api.page("review", "GET /inbox", rawPath="/inbox")
    assert (answer["statusCode"], answer["headers"]["location"]) == (303, "/sign-in?next=%2Finbox")


def test_the_detail_page_carries_what_is_decided_and_changes_nothing(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    cookie, csrf = api.signed_in()
    before = {key: dict(item) for key, item in api.gateway.table.items.items()}
    answer = api.page("review", "GET /reviews/{id}", cookie, pathParameters={"id": head.pause})
    assert answer["statusCode"] == 200
    for needed in (head.calls[0].digest, csrf, "240.5", "Maria Keller"):
        assert needed in answer["body"]
    assert "default-src 'none'" in answer["headers"]["content-security-policy"]
    assert api.gateway.table.items == before


def test_an_accept_from_the_page(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    cookie, csrf = api.signed_in()
    page = api.page("review", "GET /reviews/{id}", cookie, pathParameters={"id": head.pause})["body"]
    mark = re.search(r'name="shown_at" value="([^"]+)"', page)
    assert mark is not None
    path = {"pathParameters": {"id": call_id(head.pause, 1)}}
    answer = api.page("decide", DECIDE, cookie, accept_form(api, head, csrf, shown_at=mark.group(1)), **path)
    assert (answer["statusCode"], answer["headers"]["location"]) == (303, f"/reviews/{head.pause}#call-1")
    event = api.gateway.table.get(api.gateway.keys.event(head.pause, "1#decided"))
    assert event["shown_at_ms"] == api.gateway.clock.now_ms()


@pytest.mark.parametrize(
    ("change", "headers"),
    [
        ({"csrf": ""}, {}),
        ({"csrf": "guess"}, {}),
        ({}, {"origin": "https://evil.example"}),
        ({}, {"sec-fetch-site": "cross-site"}),
        ({}, {"sec-fetch-site": "same-site"}),
        ({}, {"origin": "null"}),
    ],
)
def test_a_form_from_elsewhere_decides_nothing(api: Api, change: dict[str, str], headers: dict[str, str]) -> None:
    head = api.gateway.shown(REFUND)
    cookie, csrf = api.signed_in()
    form = accept_form(api, head, csrf) | change
    sent = {"content-type": "application/x-www-form-urlencoded", "origin": BASE, **headers}
    path = {"pathParameters": {"id": call_id(head.pause, 1)}, "headers": sent}
    assert api.page("decide", DECIDE, cookie, form, **path)["statusCode"] == 403
    assert not decided(api, head)


def test_a_form_of_another_session_or_none_decides_nothing(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    _, foreign = api.signed_in("jonas")
    cookie, csrf = api.signed_in()
    path = {"pathParameters": {"id": call_id(head.pause, 1)}}
    assert api.page("decide", DECIDE, cookie, accept_form(api, head, foreign), **path)["statusCode"] == 403
    signed_out = api.page("decide", DECIDE, "", accept_form(api, head, csrf), **path)
    back = f"/sign-in?next=%2Freviews%2F{head.pause}"
    assert (signed_out["statusCode"], signed_out["headers"]["location"]) == (303, back), "to where it was pressed"
    assert not decided(api, head)


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"typed": ""}, 422),
        ({"typed": "241"}, 422),
        ({"decision": ""}, 422),
        ({"decision": "accept", "revision": "x"}, 422),
        ({"decision": "reject", "reason": ""}, 422),
        ({"digest": "0" * 64}, 409),
        ({"revision": "2"}, 409),
    ],
)
def test_a_form_that_is_wrong_decides_nothing_and_says_why(api: Api, change: dict[str, str], status: int) -> None:
    head = api.gateway.shown(REFUND)
    cookie, csrf = api.signed_in()
    path = {"pathParameters": {"id": call_id(head.pause, 1)}}
    answer = api.page("decide", DECIDE, cookie, accept_form(api, head, csrf) | change, **path)
    assert answer["statusCode"] == status
    assert "text/html" in answer["headers"]["content-type"]
    assert not decided(api, head)


def test_who_comes_second_gets_a_page_that_names_the_first(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    path = {"pathParameters": {"id": call_id(head.pause, 1)}}
    for sub, status in (("maria", 303), ("jonas", 409)):
        cookie, csrf = api.signed_in(sub)
        form = accept_form(api, head, csrf, decision="reject" if sub == "jonas" else "accept", reason="1")
        answer = api.page("decide", DECIDE, cookie, form, **path)
        assert answer["statusCode"] == status
    assert "Maria Keller" in answer["body"]


def test_the_preview_of_an_edit_changes_nothing(api: Api) -> None:
    head = api.gateway.shown(REFUND)
    cookie, csrf = api.signed_in()
    path = {"pathParameters": {"id": call_id(head.pause, 1)}}
    before = {key: dict(item) for key, item in api.gateway.table.items.items()}
    form = {"csrf": csrf, "revision": "1", "digest": head.calls[0].digest, "reason": "half"}
    fine = api.page(
        "decide", "POST /reviews/{id}/edit", cookie, form | {"arguments": '{"order_id":"1182","amount":2}'}, **path
    )
    broken = api.page(
        "decide", "POST /reviews/{id}/edit", cookie, form | {"arguments": '{"amount":2,"amount":3}'}, **path
    )
    assert (fine["statusCode"], broken["statusCode"]) == (200, 422)
    assert api.gateway.table.items == before


def test_the_sign_in_comes_back_with_a_session(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    class Login:
        def authorize_url(self, state: str, nonce: str, verifier: str) -> str:
            return f"https://login.example/?state={state}"

        def exchange(self, code: str, verifier: str, nonce: str) -> SignedInAs:
            return SignedInAs("maria")

    monkeypatch.setattr("placet.wiring.login", Login)
    start = api.page("sign_in", "GET /sign-in/start", queryStringParameters={"next": "/reviews/abc"})
    cookie = start["cookies"][0].partition(";")[0]
    query = {"state": start["headers"]["location"].partition("state=")[2], "code": "c"}
    back = api.send("sign_in", "GET /sign-in/callback", cookies=[cookie], queryStringParameters=query)
    assert back["headers"]["location"] == "/reviews/abc"
    assert all(one in back["cookies"][0] for one in ("__Host-placet=", "Secure", "HttpOnly", "SameSite=Lax", "Path=/"))


def test_what_the_sign_in_says_of_groups_lasts_as_long_as_its_session(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups = {"Finance-EU"}

    class Login:
        def authorize_url(self, state: str, nonce: str, verifier: str) -> str:
            return f"https://login.example/?state={state}"

        def exchange(self, code: str, verifier: str, nonce: str) -> SignedInAs:
            return SignedInAs("clara", "Clara Clark", "clara@example.com", frozenset(groups))

    def signs_in() -> str:
        start = api.page("sign_in", "GET /sign-in/start")
        cookie = start["cookies"][0].partition(";")[0]
        query = {"state": start["headers"]["location"].partition("state=")[2], "code": "c"}
        back = api.send("sign_in", "GET /sign-in/callback", cookies=[cookie], queryStringParameters=query)
        return str(back["cookies"][0].partition(";")[0].partition("=")[2])

    monkeypatch.setattr("placet.wiring.login", Login)
    head = api.gateway.shown(REFUND)
    path = {"pathParameters": {"id": head.pause}}
    assert api.page("review", "GET /reviews/{id}", signs_in(), **path)["statusCode"] == 404, "the policy maps no group"
    api.gateway.policy = replace(api.gateway.policy, sign_in_groups={"finance": ("Finance-EU",)})
    assert api.page("review", "GET /reviews/{id}", signs_in(), **path)["statusCode"] == 200
    stranger = {"authorizer": token("stranger"), "pathParameters": {"id": head.pause}}
    assert api.agent("review", "GET /v1/reviews/{id}", **stranger)[0] == 404, "a token's own groups give nothing still"
    groups.clear()
    assert api.page("review", "GET /reviews/{id}", signs_in(), **path)["statusCode"] == 404


def test_signing_out_ends_the_session_and_needs_the_form(api: Api) -> None:
    cookie, csrf = api.signed_in()
    assert api.page("sign_in", "POST /sign-out", cookie, {"csrf": "x"})["statusCode"] == 403
    assert api.page("review", "GET /inbox", cookie)["statusCode"] == 200
    assert api.page("sign_in", "POST /sign-out", cookie, {"csrf": csrf})["statusCode"] == 303
    assert api.page("review", "GET /inbox", cookie)["statusCode"] == 303


def test_assets_are_served_to_everybody_and_nothing_else_is(api: Api) -> None:
    found = api.page("review", "GET /static/{name}", pathParameters={"name": "placet.css"})
    assert (found["statusCode"], found["headers"]["content-type"]) == (200, "text/css; charset=utf-8")
    for name in ("nothing.css", "../pages.py", "templates"):
        assert api.page("review", "GET /static/{name}", pathParameters={"name": name})["statusCode"] == 404


def test_headers_of_the_heaviest_session_stay_far_below_the_limit(api: Api) -> None:
    person = api.gateway.person("h" * 36, "x" * 100, *(f"group-{number}" for number in range(30)))
    cookie, _ = api.signed_in(person.sub)
    assert len(f"__Host-placet={cookie}") < 100
    assert api.page("review", "GET /inbox", cookie)["statusCode"] == 200
    answer = api.page("review", "GET /inbox", cookie)
    assert len(json.dumps(answer["headers"])) < 4_096
