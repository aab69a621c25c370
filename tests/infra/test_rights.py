"""Who may do what: the whole table, written down a second time on purpose, and the promises that follow from it."""

from __future__ import annotations

import re

from infra.checks.template import Templates, actions, as_list, flat, resources, text, verb_of

P, K, U, G, S, A, Q, W = (f"T#*#{kind}#*" for kind in "PKUGSAQW")

# function → table actions → sets of partitions; an index is written before its partition.
TABLE = {
    "capture": {"GetItem Query PutItem UpdateItem": [[P]], "GetItem": [[A]]},
    "dispatch": {"GetItem Query UpdateItem": [[P]], "GetItem": [[K]]},
    "notify": {"GetItem Query UpdateItem": [[P]], "PutItem UpdateItem": [[K]], "Query": [[G]]},
    "escalate": {"GetItem Query PutItem UpdateItem": [[P]]},
    "review": {"GetItem Query": [[P]], "Query": [[U], ["work", Q]], "GetItem": [[S]]},
    "decide": {
        "GetItem Query PutItem UpdateItem ConditionCheckItem": [[P]],
        "GetItem Query ConditionCheckItem": [[U]],
        "GetItem": [[S]],
    },
    "sign_in": {"GetItem PutItem UpdateItem DeleteItem": [[S]], "Query": [[U]]},
    "resume": {"GetItem Query PutItem UpdateItem": [[P]]},
    "pick_up": {"GetItem Query": [[P]], "Query": [["work", W]]},
    "execute": {"GetItem Query PutItem UpdateItem ConditionCheckItem": [[P]]},
    "sweep": {"GetItem Query PutItem UpdateItem": [[P]], "Query": [["work", Q, W]]},
}

# function → what it may do beyond the table, its key, its log and the queue for what it gave up.
BEYOND = {
    "capture": {"kms:GenerateMac"},
    "dispatch": {
        "states:StartExecution", "states:SendTaskSuccess", "states:SendTaskFailure",
        "dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:ListStreams",
    },
    "notify": {
        "scheduler:CreateSchedule", "scheduler:UpdateSchedule", "scheduler:GetSchedule", "scheduler:DeleteSchedule",
        "iam:PassRole", "ses:SendEmail",
    },
    "escalate": {
        "scheduler:CreateSchedule", "scheduler:UpdateSchedule", "scheduler:GetSchedule", "scheduler:DeleteSchedule",
        "iam:PassRole",
    },
    "review": set(), "decide": set(), "sign_in": set(), "pick_up": set(), "execute": set(),
    "resume": {"lambda:InvokeFunction"},
    "sweep": {"lambda:InvokeFunction", "states:StartExecution"},
}  # fmt: skip
COMMON = {"logs:CreateLogStream", "logs:PutLogEvents"}
KEY = re.compile(r"kms:(Decrypt|DescribeKey|Encrypt|GenerateDataKey(WithoutPlaintext)?|ReEncrypt(From|To))")
PER_KEY = re.compile(r"dynamodb:(GetItem|Query|PutItem|UpdateItem|DeleteItem|ConditionCheckItem)")


def roles_of_functions(templates: Templates) -> dict[str, list[dict]]:
    return {verb_of(role): statements for role, statements in templates.roles.items() if verb_of(role) in TABLE}


def test_table_rights_are_exactly_these(templates: Templates) -> None:
    found = {}
    for verb, statements in roles_of_functions(templates).items():
        rights = set()
        for one in statements:
            names = sorted(a.removeprefix("dynamodb:") for a in actions(one) if PER_KEY.fullmatch(a))
            if names:
                index = ["work"] if resources(one)[0].endswith("/index/work") else []
                patterns = as_list(one["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"])
                rights.add((tuple(names), tuple(index + sorted(patterns))))
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
        "dispatch", "escalate", "resume", "sweep",
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


def test_agents_may_call_their_routes_and_nothing_else(templates: Templates) -> None:
    (policy,) = templates.of("AWS::IAM::ManagedPolicy").values()
    granted = sorted(r.split("/", 1)[1] for one in policy["PolicyDocument"]["Statement"] for r in resources(one))
    assert granted == [
        "$default/GET/v1/gates",
        "$default/GET/v1/pauses/*",
        "$default/GET/v1/resumes",
        "$default/POST/v1/calls/*/claim",
        "$default/POST/v1/calls/*/outcome",
        "$default/POST/v1/pauses",
        "$default/POST/v1/resumes/*/outcome",
    ]
