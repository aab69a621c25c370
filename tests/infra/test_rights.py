"""Who may do what: the whole table, written down a second time on purpose, and the promises that follow from it."""

from __future__ import annotations

import re

import pytest

from infra.checks.template import Templates, actions, as_list, flat, resources, text, verb_of
from tests.infra.guarded_table import indexes_of

P, K, U, G, S, F, E, R, Q, W, N, L, M, Y, H, B, D, A, C, AWAY = (f"T#*#{kind}#*" for kind in "PKUGSFERQWNLMYHBDACO")
BADGE, BADGE_HOLDER = "T#*#I#*", "T#*#J#*"

# function → table actions → sets of partitions; an index is written before its partition.
TABLE = {
    "capture": {
        "GetItem PutItem UpdateItem ConditionCheckItem": [[P]],
        "GetItem": [[F]],
        "Query PutItem": [[L], [R]],
        "PutItem": [[E], [A]],
        "UpdateItem": [[C], [B]],
        "Query": [["find", R], ["work", Q, W]],
        "BatchGetItem": [[B, D, P]],
    },
    "dispatch": {"GetItem UpdateItem": [[P]], "Query": [[K]], "UpdateItem": [[H]]},
    "notify": {
        "GetItem PutItem UpdateItem": [[P]],
        "PutItem UpdateItem": [[K]],
        "GetItem UpdateItem": [[M]],
        "Query": [[G, BADGE, BADGE_HOLDER, AWAY, U], ["work", Q]],
    },
    "escalate": {"GetItem PutItem UpdateItem": [[P]], "Query": [[G, BADGE, BADGE_HOLDER, AWAY, U]]},
    "review": {
        "GetItem Query": [[P]],
        "Query": [[G, BADGE, BADGE_HOLDER, AWAY, U], ["work", Q]],
        "GetItem": [[S]],
        "BatchGetItem": [[M]],
    },
    "decide": {
        "GetItem Query PutItem UpdateItem": [[P]],
        "Query ConditionCheckItem": [[BADGE, AWAY, U]],
        "PutItem": [[AWAY]],
        "GetItem": [[S], [F]],
        "Query": [[G, BADGE_HOLDER]],
        "BatchGetItem": [[M]],
    },
    "sign_in": {
        "GetItem PutItem DeleteItem": [[S]],
        "Query": [[U]],
        "Query PutItem": [[BADGE]],
        "PutItem": [[BADGE_HOLDER]],
    },
    "invoke_agent": {
        "GetItem PutItem": [[P], [N]],
        "GetItem": [[F]],
        "Query PutItem": [[L]],
        "PutItem": [[E, R], [A]],
        "UpdateItem": [[C], [B]],
        "Query": [["work", Q, W]],
        "BatchGetItem": [[B, D]],
    },
    "resume": {
        "GetItem PutItem UpdateItem": [[P]],
        "GetItem PutItem": [[N]],
        "GetItem": [[F]],
        "Query PutItem": [[L]],
        "PutItem": [[E, R], [A], [D]],
        "UpdateItem": [[C], [B]],
        "Query": [["work", Q, W]],
        "BatchGetItem": [[B, D]],
    },
    "pick_up": {
        "GetItem BatchGetItem Query UpdateItem": [[P]],
        "GetItem": [[N]],
        "Query": [[H], ["work", W], [R], ["find", R]],
    },
    "execute": {"GetItem PutItem UpdateItem": [[P]], "GetItem": [[F]], "PutItem": [[D]]},
    "sweep": {
        "GetItem BatchGetItem PutItem UpdateItem": [[P]],
        "Query PutItem": [[L]],
        "Query": [["work", Q, W], [G, BADGE, BADGE_HOLDER, AWAY, U]],
    },
    "operate": {
        "GetItem BatchGetItem PutItem Query UpdateItem": [[P]],
        "GetItem PutItem": [[F]],
        "Query": [["work", Q, W], [A, E, R], ["find", E, R], [L]],
    },
    "publish": {"BatchGetItem": [[P]]},
    "tell": {"GetItem": [[P]], "GetItem PutItem": [[Y]]},
    "bounce": {"UpdateItem": [[M]], "Query": [[BADGE, U]]},
}

# function → what it may do beyond the table, its key, its log and the queue for what it gave up.
BEYOND = {
    "capture": {"kms:GenerateMac", "s3:GetObject", "s3:PutObject"},
    "dispatch": {
        "states:StartExecution", "states:SendTaskSuccess", "lambda:InvokeFunction",
        "dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:ListStreams",
    },
    "notify": {
        "scheduler:CreateSchedule", "scheduler:UpdateSchedule", "iam:PassRole", "ses:SendEmail",
    },
    "escalate": {"scheduler:CreateSchedule", "scheduler:UpdateSchedule", "iam:PassRole", "lambda:InvokeFunction"},
    "review": {"s3:GetObject"}, "decide": {"s3:GetObject", "s3:PutObject", "lambda:InvokeFunction"}, "sign_in": set(),
    "pick_up": {"s3:GetObject"}, "execute": {"s3:GetObject"}, "operate": {"lambda:InvokeFunction"},
    "invoke_agent": {"kms:GenerateMac", "lambda:InvokeFunction", "bedrock:InvokeAgent", "s3:GetObject", "s3:PutObject"},
    "resume": {"kms:GenerateMac", "lambda:InvokeFunction", "bedrock:InvokeAgent", "s3:GetObject", "s3:PutObject"},
    "sweep": {"lambda:InvokeFunction", "states:StartExecution"},
    "publish": {
        "events:PutEvents",
        "dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:ListStreams",
    },
    "tell": set(), "bounce": set(),
}  # fmt: skip
COMMON = {"logs:CreateLogStream", "logs:PutLogEvents"}
KEY = re.compile(r"kms:(Decrypt|DescribeKey|Encrypt|GenerateDataKey(WithoutPlaintext)?|ReEncrypt(From|To))")
PER_KEY = re.compile(r"dynamodb:(GetItem|BatchGetItem|Query|PutItem|UpdateItem|DeleteItem|ConditionCheckItem)")


def roles_of_functions(templates: Templates) -> dict[str, list[dict]]:
    return {verb_of(role): statements for role, statements in templates.roles.items() if verb_of(role) in TABLE}


def test_table_rights_are_exactly_these(templates: Templates) -> None:
    found = {}
    for verb, statements in roles_of_functions(templates).items():
        rights = set()
        for one in statements:
            names = sorted(a.removeprefix("dynamodb:") for a in actions(one) if PER_KEY.fullmatch(a))
            if names:
                patterns = sorted(as_list(one["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]))
                rights |= {(tuple(names), tuple([index] * bool(index) + patterns)) for index in indexes_of(one)}
        found[verb] = rights
    wanted = {
        verb: {(tuple(sorted(names.split())), tuple(where)) for names, every in rights.items() for where in every}
        for verb, rights in TABLE.items()
    }
    assert found == wanted


def test_other_rights_are_exactly_these(templates: Templates) -> None:
    found = {
        verb: {action for one in statements for action in actions(one)}
        for verb, statements in roles_of_functions(templates).items()
    }
    beyond = {
        verb: {a for a in every if a not in COMMON and not KEY.fullmatch(a) and not PER_KEY.fullmatch(a)}
        for verb, every in found.items()
    }
    kept = {verb: {a for a in every if not a.startswith("sqs:")} for verb, every in beyond.items()}
    assert kept == BEYOND
    assert {verb for verb, every in beyond.items() if "sqs:SendMessage" in every} == {
        "bounce", "dispatch", "escalate", "invoke_agent", "notify", "publish", "resume", "sweep", "tell",
    }  # fmt: skip


def test_only_dispatch_answers_tokens(templates: Templates) -> None:
    assert {role for role, statements in templates.roles.items() if "SendTask" in text(statements)} == {
        role for role in templates.roles if verb_of(role) == "dispatch"
    }


def test_only_notify_and_dispatch_reach_the_tokens_partition(templates: Templates) -> None:
    reach = {verb_of(role) for role, statements in templates.roles.items() if "#K#" in text(statements)}
    assert reach == {"notify", "dispatch"}


def test_review_writes_nothing(templates: Templates) -> None:
    allowed = {action for one in roles_of_functions(templates)["review"] for action in actions(one)}
    assert not {a for a in allowed if re.search(r":(Put|Update|Delete|Send|Create|Invoke|Start|Encrypt|ReEncrypt)", a)} - {
        "logs:PutLogEvents", "logs:CreateLogStream",
    }  # fmt: skip


def test_no_policy_of_aws_and_no_wildcard_action(templates: Templates) -> None:
    for role, statements in templates.roles.items():
        for one in statements:
            assert not [action for action in actions(one) if "*" in action], role
            assert one["Effect"] == "Allow"


def test_the_schedule_role_can_only_call_escalate(templates: Templates) -> None:
    role = next(role for role in templates.roles if role.startswith("TimersRole"))
    invoked = [r for one in templates.roles[role] if "lambda:InvokeFunction" in actions(one) for r in resources(one)]
    assert [re.sub("[0-9A-F]{8}", "", name) for name in invoked] == ["<EscalateFunction.Arn>"]


def test_escalate_is_told_its_own_arn(templates: Templates) -> None:
    functions = {verb: one for verb, _, one in templates.functions()}
    own = flat(functions["escalate"]["Environment"]["Variables"]["PLACET_ESCALATE_ARN"])
    assert own.endswith(f":function:{functions['escalate']['FunctionName']}")
    assert flat(functions["notify"]["Environment"]["Variables"]["PLACET_ESCALATE_ARN"]) == own


@pytest.mark.parametrize("verb", ["invoke_agent", "decide", "operate"])
def test_who_may_not_answer_or_capture_asks_resume_and_nobody_else(templates: Templates, verb: str) -> None:
    statements = roles_of_functions(templates)[verb]
    invoked = [r for one in statements if "lambda:InvokeFunction" in actions(one) for r in resources(one)]
    assert [re.sub("[0-9A-F]{8}", "", name) for name in invoked] == ["<ResumeFunction.Arn>"]


def test_turns_are_asked_of_the_alias_in_the_registry(templates: Templates) -> None:
    for verb in ("invoke_agent", "resume"):
        statements = roles_of_functions(templates)[verb]
        asked = [r for one in statements if "bedrock:InvokeAgent" in actions(one) for r in resources(one)]
        assert [one.rpartition(":")[2] for one in asked] == ["agent-alias/AGENT12345/TSTALIASID"]


def test_what_sweep_may_invoke(templates: Templates) -> None:
    statements = roles_of_functions(templates)["sweep"]
    invoked = [r for one in statements if "lambda:InvokeFunction" in actions(one) for r in resources(one)]
    assert sorted(re.sub("[0-9A-F]{8}", "", name) for name in invoked) == [
        "<EscalateFunction.Arn>", "<NotifyFunction.Arn>", "<ResumeFunction.Arn>",
    ]  # fmt: skip


def test_texts_are_reached_in_our_bucket_through_s3(templates: Templates) -> None:
    reached = {
        (verb, resource)
        for verb, statements in roles_of_functions(templates).items()
        for one in statements
        if any(action.startswith("s3:") for action in actions(one))
        for resource in resources(one)
    }
    (bucket,) = templates.of("AWS::S3::Bucket")
    assert {resource for _, resource in reached} == {f"<{data_output(templates, bucket)}>/*"}
    assert {verb for verb, _ in reached} == {
        "capture", "decide", "review", "resume", "pick_up", "execute", "invoke_agent",
    }  # fmt: skip


def data_output(templates: Templates, resource: str) -> str:
    """The output of the data stack that carries the ARN of one of its resources."""
    outputs = templates.data["Outputs"].items()
    return next(name for name, one in outputs if one["Value"] == {"Fn::GetAtt": [resource, "Arn"]})


def granted(templates: Templates, begins: str) -> list[str]:
    """What a managed policy of ours lets somebody call."""
    (policy,) = [one for name, one in templates.of("AWS::IAM::ManagedPolicy").items() if name.startswith(begins)]
    return sorted(r.split("/", 1)[1] for one in policy["PolicyDocument"]["Statement"] for r in resources(one))


def test_agents_may_call_their_routes_and_nothing_else(templates: Templates) -> None:
    assert granted(templates, "ApiAgentAccess") == [
        "$default/GET/v1/gates",
        "$default/GET/v1/pauses/*",
        "$default/GET/v1/pauses/*/status",
        "$default/GET/v1/resumes",
        "$default/GET/v1/runs/*",
        "$default/POST/v1/agents/*/invoke",
        "$default/POST/v1/calls/*/claim",
        "$default/POST/v1/calls/*/outcome",
        "$default/POST/v1/calls/*/renew",
        "$default/POST/v1/pauses",
        "$default/POST/v1/pauses/*/answer",
        "$default/POST/v1/pauses/*/cancel",
        "$default/POST/v1/resumes",
        "$default/POST/v1/resumes/*/lease",
        "$default/POST/v1/resumes/*/outcome",
        "$default/POST/v1/resumes/*/release",
    ]


def test_action_groups_may_claim_and_report_and_nothing_else(templates: Templates) -> None:
    assert granted(templates, "ApiActionAccess") == [
        "$default/POST/v1/calls/*/claim",
        "$default/POST/v1/calls/*/outcome",
        "$default/POST/v1/calls/*/renew",
    ]
    assert set(granted(templates, "ApiActionAccess")) < set(granted(templates, "ApiAgentAccess"))


def test_operators_may_call_their_routes_and_nothing_else(templates: Templates) -> None:
    assert granted(templates, "ApiOperatorAccess") == [
        "$default/GET/v1/operations/find",
        "$default/GET/v1/operations/samples",
        "$default/GET/v1/operations/stuck",
        "$default/POST/v1/operations/calls/*/reconcile",
        "$default/POST/v1/operations/calls/*/undo",
        "$default/POST/v1/operations/freeze",
        "$default/POST/v1/operations/pauses/*/repair",
        "$default/POST/v1/operations/thaw",
    ]
