"""The proof of rights at its one size, and planted bugs: a right too few, a right too many, a new call."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from infra.checks.template import Templates
from tests.infra.planting import Bug, each_kind_alone, grant, keys, statement, strip
from tests.proofs import rights
from tests.proofs.rightful.calls import Call, Recorder, calls_of
from tests.proofs.rightful.playing import Book, play
from tests.proofs.rightful.rights import allows, named


@pytest.fixture(scope="module")
def calls() -> set[Call]:
    """Everything that was asked for, played once for this module."""
    book = Book()
    play(book)
    return book.calls


@pytest.fixture(scope="module")
def deployed() -> Templates:
    """The templates of the same registry."""
    return rights.templates()


@pytest.fixture
def planted(deployed: Templates, calls: set[Call]) -> Callable[[Bug], list[str]]:
    """What the proof says of a template with a bug in it."""

    def judge(bug: Bug) -> list[str]:
        broken = Templates(copy.deepcopy(dict(deployed.data)), copy.deepcopy(dict(deployed.gateway)))
        bug(broken)
        return rights.judged(Templates(broken.data, broken.gateway), calls).violations

    return judge


def test_the_proof_holds(deployed: Templates, calls: set[Call]) -> None:
    proof = rights.judged(deployed, calls)
    assert proof.violations == []
    assert (proof.figures["allowed_missing"], proof.figures["allowed_unused"]) == (0, 0)


MISSING: dict[str, tuple[Bug, str]] = {
    "dispatch answers no tokens": (
        statement("DispatchRole", "states:SendTaskSuccess", lambda one: one.update(Action="states:StartExecution")),
        "dispatch: asks for states:SendTaskSuccess on machine",
    ),
    "operate cannot see a freeze": (
        statement("OperateRole", "T#*#F#*", lambda one: one.update(Action="dynamodb:PutItem")),
        "operate: asks for dynamodb:GetItem on partition:T#*#F#*",
    ),
    **{
        f"{verb}'s batch is two statements": (
            lambda templates, role=role: each_kind_alone(templates, role),
            f"{verb}: asks for dynamodb:BatchGetItem on batch:T#*#B#* T#*#D#*",
        )
        for verb, role in (("capture", "CaptureRole"), ("resume", "ResumeRole"), ("invoke_agent", "InvokeAgentRole"))
    },
    "notify sends by no identity": (
        strip("NotifyRole", "ses:SendEmail"),
        "notify: asks for ses:SendEmail on configuration-set",
    ),
    "resume reads no secret": (
        strip("ResumeRole", "secretsmanager"),
        "resume: asks for secretsmanager:GetSecretValue on secret:hook-secret",
    ),
    "the table's key is closed": (
        strip("SweepRole", "kms:ViaService"),
        "sweep: asks for kms:Decrypt on key:table through dynamodb",
    ),
    "what failed is not kept": (strip("BounceRole", "sqs:SendMessage"), "bounce: asks for sqs:SendMessage on failures"),
    "escalate hands no role on": (
        strip("EscalateRole", "iam:PassRole"),
        "escalate: asks for iam:PassRole on role:timers",
    ),
}
UNUSED: dict[str, tuple[Bug, str]] = {
    "a verb of tokens": (
        grant("DispatchRole", "states:SendTaskFailure", resource={"Ref": "LifecycleMachineBD2BD313"}),
        "dispatch: may states:SendTaskFailure on machine",
    ),
    "a partition": (
        grant("SignInRole", "dynamodb:UpdateItem", resource={"Fn::GetAtt": ["X", "Arn"]}, **keys("T#*#S#*")),
        "sign_in: may dynamodb:UpdateItem on",
    ),
    "another function": (
        grant("ReviewRole", "lambda:InvokeFunction", resource={"Fn::GetAtt": ["ResumeFunction8C1C2A7F", "Arn"]}),
        "review: may lambda:InvokeFunction on function:resume",
    ),
    "a resource that nobody knows here": (
        grant("TellRole", "sns:Publish", resource="arn:x"),
        "tell: may sns:Publish on arn:x",
    ),
    "a queue's name": (
        grant("TellRole", "sqs:GetQueueUrl", resource={"Fn::GetAtt": ["AsyncFailures01234567", "Arn"]}),
        "tell: may sqs:GetQueueUrl on failures",
    ),
}


@pytest.mark.parametrize("name", MISSING)
def test_a_right_that_is_taken_away_is_missed(planted: Callable[[Bug], list[str]], name: str) -> None:
    bug, told = MISSING[name]
    assert f"{told}, and nothing allows it" in planted(bug)


@pytest.mark.parametrize("name", UNUSED)
def test_a_right_that_nothing_uses_is_seen(planted: Callable[[Bug], list[str]], name: str) -> None:
    bug, told = UNUSED[name]
    found = planted(bug)
    assert len(found) == 1, found
    assert found[0].startswith(told)
    assert found[0].endswith("and never asks for it")


def test_too_little_is_no_proof(deployed: Templates, calls: set[Call]) -> None:
    some = {call for call in calls if call.verb != "bounce"}
    assert "bounce was never seen at work" in rights.judged(deployed, some).violations
    few = rights.judged(deployed, list(some)[:20]).violations
    assert any(one.startswith("only ") for one in few)


def test_a_request_is_what_awss_models_say_it_is() -> None:
    seen: list[tuple[str, str]] = []
    recorder = Recorder()

    def ask(service: str, method: str, **given: Any) -> Any:
        return recorder.request(service, method, given, dict, lambda *asked: seen.append(asked[:2]))

    ask("sqs", "get_queue_url", QueueName="q")
    assert seen == [("sqs", "GetQueueUrl")]
    with pytest.raises(AttributeError):
        ask("s3", "get_objekt", Bucket="b", Key="k")
    with pytest.raises(Exception, match="Unknown parameter"):
        ask("s3", "get_object", Bucket="b", Kee="k")
    with pytest.raises(KeyError):
        list(calls_of("tell", "dynamodbstreams", "ListStreams", {}))


def test_resources_have_one_name() -> None:
    assert named("<ResumeFunction8C1C2A7F.Arn>") == "function:resume"
    assert named("<InvokeAgentFunction8C1C2A7F.Arn>") == "function:invoke_agent"
    assert named("arn:<AWS::Partition>:lambda:<AWS::Region>:<AWS::AccountId>:function:mine") == "function:mine"
    assert named("arn:x:s3:::other/*") == "arn:x:s3:::other/*"
    sends = Call("notify", "ses:SendEmail", "identity:a@mail.example.com")
    for identity, may in {
        "a@mail.example.com": True,
        "example.com": True,
        "ample.com": False,
        "b@example.com": False,
    }.items():
        assert allows(Call("notify", "ses:SendEmail", f"identity:{identity}"), sends) is may
