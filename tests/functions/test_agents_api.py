"""The agents' routes: who is calling, what is refused with which code, and that nothing is stored then."""

from __future__ import annotations

import json

import pytest

from placet.model.pauses import call_id
from placet.model.states import Verdict
from tests.functions.conftest import ACCOUNT, Api, role_arn
from tests.gateway import REFUND, native

CAPTURE = "POST /v1/pauses"
SSO = "AWSReservedSSO_Admin_0123456789abcdef"


def body(**changes):
    return {"framework": "langchain", "run": "thread-1", "native": native(REFUND), **changes}


def stored(api: Api) -> list[str]:
    return [item["kind"] for item in api.gateway.table.items.values() if item["kind"] in ("HEAD", "BODY")]


def test_a_captured_pause_is_201_and_again_200(api: Api) -> None:
    status, first = api.agent("capture", CAPTURE, body())
    again = api.agent("capture", CAPTURE, body())
    assert (status, first["state"], first["replayed"], first["calls"][0]["state"]) == (201, "waiting", False, "pending")
    assert first["say"] == "A colleague in finance has to agree to this first."
    assert again == (200, first | {"replayed": True})


@pytest.mark.parametrize(
    ("arn", "account"),
    [
        (role_arn("another-role"), ACCOUNT),
        (role_arn(SSO), ACCOUNT),
        (role_arn("placet-support-agent", "999999999999"), "999999999999"),
        (f"arn:aws:iam::{ACCOUNT}:user/placet-support-agent", ACCOUNT),
        (f"arn:aws:iam::{ACCOUNT}:role/placet-support-agent", ACCOUNT),
        (f"arn:aws:sts::{ACCOUNT}:assumed-role/other/placet-support-agent", ACCOUNT),
        (f"arn:aws:sts::{ACCOUNT}:assumed-role/", ACCOUNT),
        (f"arn:aws:iam::{ACCOUNT}:root", ACCOUNT),
        ("", ACCOUNT),
    ],
)
def test_only_the_registered_role_of_our_account_is_an_agent(api: Api, arn: str, account: str) -> None:
    authorizer = {"iam": {"userArn": arn, "accountId": account}}
    status, problem = api.agent("capture", CAPTURE, body(), authorizer=authorizer)
    assert (status, problem["code"]) == (403, "agent_unknown")
    assert stored(api) == []


TEXT = json.dumps(body())
# A fraction is kept as it was written, which is a `str` of Python's.
FRACTIONS = (
    ('"name": "issue_refund"', '"name": 1.5'),
    ('"checkpoint_ns": ""', '"checkpoint_ns": 1.5'),
    ('"checkpoint_id": "cp-1"', '"checkpoint_id": 1.5'),
    ('"tool_call_id": "call_1"', '"tool_call_id": 1.5'),
    (f'"id": "{1:032x}"', '"id": 1.5'),
    ('"mode": "per_call"', '"mode": 1.5'),
)
assert all(given in TEXT for given, _ in FRACTIONS)


@pytest.mark.parametrize(
    ("text", "status", "code"),
    [
        (TEXT.replace('"run"', '"run":"x","run"'), 400, "json_duplicate_key"),
        (TEXT.replace("240.5", "NaN"), 400, "json_number"),
        (TEXT.replace("240.5", "1e400"), 400, "json_number"),
        (TEXT.replace("1182", "\\ud800"), 400, "json_surrogate"),
        (TEXT.replace("240.5", "[" * 64 + "]" * 64), 400, "json_too_deep"),
        (TEXT[:-1], 400, "json_invalid"),
        ("[]", 400, "json_invalid"),
        ("", 400, "json_invalid"),
        (TEXT.replace("thread-1", "x" * 262_144), 413, "body_too_large"),
        (json.dumps(body(run="")), 422, "field_invalid"),
        (json.dumps(body(run=7)), 422, "field_invalid"),
        (json.dumps(body(wait_at_most_s=0)), 422, "field_invalid"),
        (json.dumps(body(wait_at_most_s=True)), 422, "field_invalid"),
        (json.dumps(body(agent="somebody-else")), 422, "unknown_field"),
        (json.dumps(body(framework="guess")), 422, "framework_unknown"),
        (json.dumps(body(native={})), 422, "native_invalid"),
        (json.dumps(body(native=native(REFUND) | {"mode": "batched"})), 422, "native_invalid"),
        (json.dumps(body(native=native(REFUND) | {"checkpoint_id": ""})), 422, "native_invalid"),
        *[(TEXT.replace(given, number), 422, "native_invalid") for given, number in FRACTIONS],
        (json.dumps(body(native=native(("issue_refund", {"order_id": 1})))), 422, "arguments_break_schema"),
    ],
)
def test_a_body_that_may_not_be_is_a_problem_with_a_stable_code_and_nothing_is_stored(
    api: Api, text: str, status: int, code: str
) -> None:
    found, problem = api.agent("capture", CAPTURE, text)
    assert (found, problem["code"], problem["status"]) == (status, code, status)
    assert problem["type"] == f"urn:placet:problem:{code}"
    assert stored(api) == []


def test_a_body_of_another_type_is_refused(api: Api) -> None:
    status, problem = api.agent("capture", CAPTURE, body(), headers={"content-type": "text/plain"})
    assert (status, problem["code"]) == (400, "content_type")


def test_other_content_under_the_same_key_is_409(api: Api) -> None:
    pause = api.agent("capture", CAPTURE, body())[1]["pause"]
    other = native(("issue_refund", {"order_id": "1182", "amount": 1}))
    status, problem = api.agent("capture", CAPTURE, body(native=other))
    assert (status, problem["code"], problem["pause"]) == (409, "pause_differs", pause)


def test_integers_of_any_size_and_decimals_reach_the_permit_to_the_byte(api: Api) -> None:
    big = TEXT.replace("240.5", "1240.00").replace('"1182"', '"9007199254740993"')
    pause = api.agent("capture", CAPTURE, big)[1]
    gateway = api.gateway
    gateway.deliver()
    from placet.service.notify import notify

    notify(gateway.ports, pause["pause"], 1, "t")
    head = gateway.head(pause["pause"])
    gateway.decide(head, 1, Verdict.ACCEPT)
    call = call_id(head.pause, 1)
    route = "POST /v1/calls/{id}/claim"
    claim = {"digest": head.calls[0].digest, "worker": "w"}
    status, permit = api.agent("execute", route, claim, pathParameters={"id": call})
    assert (status, permit["arguments"]) == (200, '{"order_id":"9007199254740993","amount":1240.00}')
    assert permit["idempotency_key"] == f"placet-{call}"


def test_the_gate_list_is_the_policys(api: Api) -> None:
    status, gates = api.agent("capture", "GET /v1/gates")
    assert (status, gates["unknown"], gates["tools"]["issue_refund"]) == (200, "pause", "pause")
    assert api.agent("capture", "GET /v1/gates", role="x")[0] == 403


def test_the_pick_up_list_says_when_to_ask_again(api: Api) -> None:
    authorizer = {"iam": {"userArn": role_arn("placet-support-agent"), "accountId": ACCOUNT}}
    answer = api.send("pick_up", "GET /v1/resumes", authorizer=authorizer)
    assert (answer["headers"]["retry-after"], json.loads(answer["body"])) == (
        "2",
        {"resumes": [], "more": False, "next": ""},
    )


def test_a_pause_is_read_by_its_agent_only(api: Api) -> None:
    pause = api.agent("capture", CAPTURE, body())[1]["pause"]
    path = {"pathParameters": {"id": pause}}
    assert api.agent("pick_up", "GET /v1/pauses/{id}", **path)[1]["state"] == "waiting"
    foreign = api.agent("pick_up", "GET /v1/pauses/{id}", role="placet-billing-agent", **path)
    absent = api.agent("pick_up", "GET /v1/pauses/{id}", pathParameters={"id": "x" * 26})
    assert foreign == absent
    assert foreign[0] == 404


def test_a_run_that_went_on_too_early_is_409(api: Api) -> None:
    pause = api.agent("capture", CAPTURE, body())[1]["pause"]
    route, path = "POST /v1/resumes/{id}/outcome", {"pathParameters": {"id": pause}}
    assert api.agent("execute", route, {"state": "resumed"}, **path)[1]["code"] == "still_waiting"
    assert api.agent("execute", route, {"state": "done"}, **path)[1]["code"] == "field_invalid"


def test_our_own_fault_is_a_500_that_says_nothing_of_the_inside(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    from functions.capture.handler import handler

    def boom(*names):
        raise RuntimeError("secret detail")

    monkeypatch.setattr("placet.wiring.ports", boom)
    answer = handler({"routeKey": CAPTURE, "requestContext": {}, "headers": {}}, None)
    assert answer["statusCode"] == 500
    assert "secret" not in answer["body"]


@pytest.mark.parametrize(
    ("framework", "code"),
    [("bedrock", "framework_unknown"), ("abacus", "framework_unknown")],
)
def test_whose_pause_it_is_is_asked_before_it_is_read(api: Api, framework: str, code: str) -> None:
    status, problem = api.agent("capture", CAPTURE, body(framework=framework, native={"no": "pause"}))
    assert (status, problem["code"]) == (422, code)
    assert stored(api) == []
