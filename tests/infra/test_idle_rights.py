"""No function may do what no code does: every right beyond the table against what `placet/aws` asks its clients for.

The table's rights are counted by use, partition by partition (test_rights_suffice.py).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from infra.checks.template import Templates, actions, verb_of
from tests.docs.reading import PACKAGE, ROOT, rows

# Used by AWS itself under a function's role, so that no code of ours names it.
BY_AWS = frozenset(
    {
        "logs:CreateLogStream", "logs:PutLogEvents",
        "dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:ListStreams",
        "sqs:SendMessage",  # what it gives up
        "iam:PassRole",
    }
)  # fmt: skip
KEYS = re.compile(
    r"kms:(Decrypt|DescribeKey|Encrypt|GenerateDataKey(WithoutPlaintext)?|ReEncrypt(From|To))"
)  # the same
TABLE = re.compile(r"dynamodb:(BatchGetItem|ConditionCheckItem|DeleteItem|GetItem|PutItem|Query|UpdateItem)")
# Whose right has another name than the request. An inline agent is invoked by a request of its own.
ASKED_AS = {"lambda:InvokeFunction": "invoke", "bedrock:InvokeModel": "invoke_inline_agent"}


def requests() -> set[str]:
    """What the ports ask their clients for: names of methods, and texts that may be one."""
    found: set[str] = set()
    for path in (PACKAGE / "aws").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute):
                found.add(node.attr)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
    return found


def idle(granted: Iterator[tuple[str, str]]) -> list[tuple[str, str]]:
    """Rights that nothing asks for."""
    asked = requests()
    return [
        (verb, action)
        for verb, action in granted
        if action not in BY_AWS and not KEYS.fullmatch(action) and not TABLE.fullmatch(action)
        if ASKED_AS.get(action, snake(action.partition(":")[2])) not in asked
    ]


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def granted(templates: Templates) -> Iterator[tuple[str, str]]:
    for role, statements in templates.roles.items():
        if verb_of(role) in {verb for verb, _, _ in templates.functions()}:
            yield from ((verb_of(role), action) for one in statements for action in actions(one))


def test_every_right_beyond_the_table_is_used(templates: Templates) -> None:
    every = set(granted(templates))
    assert {action.partition(":")[0] for _, action in every} >= {"states", "scheduler", "ses", "lambda", "s3", "kms"}
    assert idle(iter(sorted(every))) == []


def test_an_idle_right_of_any_service_would_be_seen() -> None:
    """The planted bugs: those that were there once."""
    once = [
        ("dispatch", "states:SendTaskFailure"),
        ("notify", "scheduler:GetSchedule"),
        ("escalate", "scheduler:DeleteSchedule"),
        ("resume", "s3:DeleteObject"),
        ("resume", "secretsmanager:PutSecretValue"),
    ]
    assert idle(iter(once)) == once


def test_the_page_names_every_function_whose_failures_are_kept(templates: Templates) -> None:
    verbs = {name: verb for verb, name, _ in templates.functions()}
    kept = {verbs[one["FunctionName"]["Ref"]] for one in templates.of("AWS::Lambda::EventInvokeConfig").values()}
    assert "invoke_agent" in kept
    (told,) = [
        means
        for alarm, means, _ in rows(ROOT / "docs/operations.md", "alarm", "it means", "do")
        if alarm == "`AsyncFailures`"
    ]
    assert set(re.findall(r"`(\w+)`", told)) == kept
