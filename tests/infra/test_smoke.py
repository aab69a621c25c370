"""The smoke test against an account made of AWS's own models: what it asks for, and that it leaves nothing."""

from __future__ import annotations

import json
import re
import signal
from dataclasses import replace
from typing import Any

import pytest
from botocore.exceptions import ClientError

from infra import smoke, smoke_agent, smoke_ground
from infra.settings_file import ROOT
from tests.infra.deployed_double import SETTINGS, Deployed, ground, nothing_is_left, played, said

STEPS = [
    *("strangers", "login page", "token rights", "decide rights", "batch rights", "delivery", "mail", "alarm"),
    *("capture", "wait", "timer", "decision", "end", "pick-up", "claim", "resumed"),
]


def test_everything_passes_and_nothing_is_left(gateway: Deployed) -> None:
    found = played(gateway)
    assert [one["step"] for one in found["steps"]] == STEPS
    assert {one["step"]: one["sentence"] for one in found["steps"] if one["result"] == "FAIL"} == {}
    assert [one["step"] for one in found["steps"] if one["result"] == "skip"] == ["decision"]
    assert "PLACET_TOKEN" in said(found, "decision")[1]
    assert (found["passed"], found["left_behind"]) == (True, [])
    nothing_is_left(gateway)
    assert smoke._unplayed(found) == ""
    assert "stepfunctions.StopExecution" not in gateway.asked


def test_a_step_that_fails_leaves_nothing_either(gateway: Deployed) -> None:
    found = played(gateway, fire=False)
    assert said(found, "end")[0] == "FAIL"
    assert [said(found, name) for name in ("pick-up", "claim")] == [
        ("skip", "needs end"),
        ("skip", "needs pick-up"),
    ]
    nothing_is_left(gateway)
    assert gateway.execution == "ABORTED"
    assert gateway.cancelled


def test_the_page_lists_every_right_that_smoke_asks_for(gateway: Deployed) -> None:
    """Under the caller's own credentials; what smoke's roles ask for is in the functions' rights."""
    asked: set[str] = set()
    answer = gateway._answer

    def noted(model: Any, **more: Any) -> Any:
        if not gateway.acting:
            asked.add(f"{model.service_model.signing_name}:{model.name}")
        return answer(model, **more)

    gateway._answer = noted  # type: ignore[method-assign]
    played(gateway)
    gateway.execution, gateway.schedules = "RUNNING", {"p1"}
    gateway.calls.clear()
    played(gateway, fire=False)
    listed, service = set(), ""
    page = (ROOT / "docs/deploy.md").read_text().partition("### What smoke proves")[2].partition("Who runs it needs")[2]
    for prefix, action in re.findall(r"`(?:(\w+):)?([A-Z]\w+)`", page.partition("\n\n")[0]):
        service = prefix or service
        listed.add(f"{service}:{action}")
    signed = {one.replace("monitoring:", "cloudwatch:") for one in asked}
    # Nobody needs a right for the first; CreateRole with tags asks for the second.
    assert listed == signed - {"sts:GetCallerIdentity"} | {"iam:TagRole"}


@pytest.mark.parametrize("step", [name for name in STEPS if name not in ("decision", "end", "resumed")])
def test_every_later_step_is_said_although_one_failed(
    gateway: Deployed, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails() -> str:
        raise smoke_ground.SmokeFailed("planted")

    made = smoke.steps
    monkeypatch.setattr(
        smoke, "steps", lambda on: tuple(replace(one, play=fails) if one.name == step else one for one in made(on))
    )
    found = played(gateway)
    assert [one["step"] for one in found["steps"]] == STEPS
    assert [one["step"] for one in found["steps"] if one["result"] == "FAIL"] == [step]
    assert not found["passed"]
    assert gateway.roles == {}
    assert gateway.alarm[-1] == "OK"


def test_an_interruption_leaves_nothing(gateway: Deployed) -> None:
    """Ctrl-C in the middle of making a role: it was noted before it was made."""

    def interrupted(asked: dict[str, Any]) -> dict[str, Any]:
        raise KeyboardInterrupt

    gateway.answers["iam.AttachRolePolicy"] = interrupted
    lines: list[str] = []
    found = smoke.run(ground(gateway), lines.append)
    assert (found["interrupted"], found["passed"], found["left_behind"]) == (True, False, [])
    assert gateway.roles == {}
    assert "interrupted" in lines[-1]


def test_a_second_interruption_does_not_cut_the_taking_back() -> None:
    undo, done = smoke_ground.Undo(), []
    undo.note("first", done.append, 1)
    undo.note("second", lambda: signal.raise_signal(signal.SIGINT))
    undo.run()
    assert done == [1]


def test_what_could_not_be_taken_back_is_said(gateway: Deployed) -> None:
    gateway.answers["iam.DeleteRole"] = "DeleteConflict"
    found = played(gateway)
    assert not found["passed"]
    assert any(one.startswith("role placet-support-agent:") for one in found["left_behind"])
    assert said(found, "resumed")[0] == "ok"


def test_the_roles_are_made_under_a_path_for_the_caller_only(gateway: Deployed) -> None:
    played(gateway)
    assert len(gateway.made) == 5
    for role in gateway.made.values():
        (statement,) = role["trust"]["Statement"]
        assert statement["Condition"] == {
            "ArnLike": {
                "aws:PrincipalArn": ["arn:aws:iam::123456789012:role/Admin", "arn:aws:iam::123456789012:role/*/Admin"]
            }
        }


def test_every_role_carries_the_boundary(gateway: Deployed) -> None:
    played(gateway, settings=SETTINGS.model_copy(update={"permissions_boundary": "CompanyBoundary"}))
    boundary = "arn:aws:iam::123456789012:policy/CompanyBoundary"
    assert {name: role["boundary"] for name, role in gateway.made.items()} == dict.fromkeys(gateway.made, boundary)


def test_a_role_that_is_there_is_assumed_and_not_touched(gateway: Deployed) -> None:
    gateway.roles["placet-support-agent"] = {"inline": ["own"], "attached": ["own"], "tags": []}
    found = played(gateway)
    assert said(found, "resumed")[0] == "ok"
    assert gateway.roles == {"placet-support-agent": {"inline": ["own"], "attached": ["own"], "tags": []}}


def test_a_role_that_may_not_be_assumed_is_no_fault_of_the_deployment(gateway: Deployed) -> None:
    gateway.roles["placet-support-agent"] = {"tags": []}
    usual = gateway.answers["sts.AssumeRole"]
    gateway.answers["sts.AssumeRole"] = lambda asked: (
        gateway.refuse("AccessDenied", "AssumeRole") if asked["RoleArn"].endswith("support-agent") else usual(asked)
    )
    result, sentence = said(found := played(gateway), "capture")
    assert (result, found["passed"]) == ("skip", True)
    assert "--role" in sentence
    assert "an agent for smoke" in sentence
    assert gateway.asked.count("sts.AssumeRole") == 5, "a role of somebody else's that refuses goes on refusing"
    assert smoke._unplayed(found).startswith(
        "no pause was played, so capture, wait, timer, decision, end, pick-up, claim, "
    )


def test_an_agent_of_smokes_own_is_preferred(gateway: Deployed) -> None:
    """Its role is not there, so nobody's trust policy has to let anybody in."""
    gateway.roles["placet-support-agent"] = {"tags": []}
    own = SETTINGS.agents[0].__class__("smoke", "placet-smoke-agent", "o@example.com", {"kind": "pick_up"})
    found = played(gateway, settings=SETTINGS.model_copy(update={"agents": (*SETTINGS.agents, own)}))
    assert said(found, "resumed")[0] == "ok"
    assert "placet-smoke-agent" in gateway.made
    assert list(gateway.roles) == ["placet-support-agent"]


def test_every_step_is_explained_in_the_docs() -> None:
    text = (ROOT / "docs" / "deploy.md").read_text()
    table = text.partition("### What smoke proves")[2].partition("\n## ")[0]
    assert set(re.findall(r"`([^`]+)`", "".join(re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)))) == set(STEPS)


def test_iam_takes_its_time(gateway: Deployed, monkeypatch: pytest.MonkeyPatch) -> None:
    """A 403 of the API and a denial of DynamoDB within the first minute are the delay of IAM."""
    late = {"api": 3, "table": 2}
    call, transact = gateway.call, gateway.answers["dynamodb.TransactWriteItems"]

    def slow_api(_self: Any, *asked: Any) -> tuple[int, dict[str, Any]]:
        if late["api"]:
            late["api"] -= 1
            return 403, {"message": "Forbidden"}
        return call(*asked)

    def slow_table(asked: dict[str, Any]) -> Any:
        if late["table"]:
            late["table"] -= 1
            return gateway.refuse("AccessDeniedException", "TransactWriteItems")
        return transact(asked)

    monkeypatch.setattr(smoke_agent.Gateway, "call", slow_api)
    gateway.answers["dynamodb.TransactWriteItems"] = slow_table
    found = played(gateway)
    assert (said(found, "capture")[0], said(found, "decide rights")[0]) == ("ok", "ok")
    assert late == {"api": 0, "table": 0}


def test_after_a_minute_it_is_no_delay_any_more(gateway: Deployed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smoke_agent.Gateway, "call", lambda *_: (403, {"message": "Forbidden"}))
    assert said(played(gateway), "capture") == ("FAIL", "capture was answered 403: {'message': 'Forbidden'}")


def test_calls_are_signed_for_the_api() -> None:
    from botocore.credentials import Credentials

    seen: dict[str, Any] = {}

    def opened(url: str, method: str, data: bytes | None, headers: dict[str, str]) -> tuple[int, str, str]:
        seen.update(headers)
        return 200, "{}", url

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(smoke_agent, "_open", opened)
        smoke_agent.Gateway("https://x.example.com/", Credentials("AKID", "s", "t"), "eu-central-1").call(
            "GET", "/v1/gates"
        )
    assert "/eu-central-1/execute-api/aws4_request" in seen["Authorization"]
    assert seen["X-Amz-Security-Token"] == "t"


@pytest.mark.parametrize(
    "url", ["http://api.example.com", "http://10.0.0.1", "http://localhost.example.com", "ftp://localhost"]
)
def test_only_https_but_on_this_machine(url: str) -> None:
    with pytest.raises(smoke_agent.SmokeFailed, match="https"):
        smoke_agent.page(url)


def test_json_is_all_that_is_printed(
    gateway: Deployed, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(smoke, "Ground", lambda *_, **__: ground(gateway))
    monkeypatch.setattr(smoke, "deployed_settings", lambda: SETTINGS)
    monkeypatch.setattr(smoke, "session_in", lambda region: gateway)
    monkeypatch.setattr(smoke.signal, "signal", lambda *_: None)
    for arguments, read in ((["--json"], json.loads), ([], str)):
        monkeypatch.setattr("sys.argv", ["smoke", *arguments])
        gateway.schedules, gateway.execution, gateway.calls = {"p1"}, "RUNNING", []
        gateway.claims.clear()
        assert smoke.main() == 0
        printed = capsys.readouterr().out
        assert read(printed)
    assert json.loads(json.dumps(printed.splitlines()[-1])) == "smoke: passed ok=15 skipped=1 failed=0 left_behind=0"
    assert re.match(r"ok    strangers     unsigned", printed)


def test_errors_of_aws_end_no_run(gateway: Deployed) -> None:
    error = ClientError({"Error": {"Code": "Throttling", "Message": "slow"}}, "ListStackResources")
    assert smoke._sentence(error) == str(error)
    gateway.answers["cloudformation.ListStackResources"] = "Throttling"
    found = played(gateway)
    assert [one["step"] for one in found["steps"]] == STEPS
    assert {one["step"] for one in found["steps"] if one["result"] == "FAIL"} == {
        "token rights", "decide rights", "batch rights", "delivery", "mail", "alarm",
    }  # fmt: skip
