"""Smoke's questions that only IAM can answer, asked by requests that can have no effect whatever the answer is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from botocore.exceptions import ClientError

from infra.smoke_agent import role_like
from infra.smoke_ground import DENIED, Ground, SmokeFailed, SmokeSkipped, code_of, demand, once_allowed
from placet.records.counters import budget_key, seen_key
from placet.records.keys import Key, Keys

KEYS = Keys("main")
READERS = ("dispatch", "review", "decide", "resume", "operate")
SIMULATOR = "success@simulator.amazonses.com"  # SES's own: takes every mail, and counts for no quota of bounces


def token_rights(ground: Ground) -> str:
    """IAM itself says who may read a task token; the simulator evaluates the deployed policies."""
    asked = {verb: _may_read_tokens(ground, verb) for verb in READERS}
    demand(asked == {**dict.fromkeys(asked, False), "dispatch": True}, f"tokens: {asked}")
    return "dispatch may read a task token; review, decide, resume and operate may not"


def _may_read_tokens(ground: Ground, verb: str) -> bool:
    iam, pk = ground.client("iam"), KEYS.token("smoke", 1).pk
    table = ground.client("dynamodb").describe_table(TableName=ground.table)["Table"]["TableArn"]
    entry = {"ContextKeyName": "dynamodb:LeadingKeys", "ContextKeyType": "stringList", "ContextKeyValues": [pk]}
    answer = iam.simulate_principal_policy(
        PolicySourceArn=iam.get_role(RoleName=ground.role_of(verb))["Role"]["Arn"],
        ActionNames=["dynamodb:GetItem", "dynamodb:Query"],
        ResourceArns=[table],
        ContextEntries=[entry],
    )
    return any(one["EvalDecision"] == "allowed" for one in answer["EvaluationResults"])


def decide_rights(ground: Ground) -> str:
    """The one transaction that crosses kinds of partitions, under decide's deployed rights and a condition that never holds."""
    table = role_like(ground, "decide").client("dynamodb")
    made_up = f"smoke{ground.stamp}"
    try:
        said = once_allowed(ground, lambda: _refusal(table, deciding(ground.table, made_up)))
    except ClientError as error:
        message = error.response["Error"]["Message"]
        raise SmokeFailed(
            "IAM denies the transaction of a decision, so every decision would be answered with 502 table_refused: "
            f"{message}"
        ) from None
    demand(said == "TransactionCanceledException", f"the transaction of a decision was answered {said}")
    for what, key in (("a task token", KEYS.token(made_up, 1)), ("a membership", KEYS.member(made_up, "smoke"))):
        items = [*deciding(ground.table, made_up)[:1], {"Put": _put(ground.table, key)}]
        try:
            said = _refusal(table, items)
        except ClientError as error:
            said = code_of(error)
        sentence = f"a transaction of decide that writes {what} was answered {said}, not denied: its fences are open"
        demand(said in DENIED, sentence)
    return "the transaction of a decision is allowed; with a task token or a membership in it, it is denied"


def deciding(table: str, made_up: str) -> list[dict[str, Any]]:
    """What a decision writes, of a pause and a person that nobody has: each part demands an item that is not there."""
    head = {
        "Update": {
            **_at(table, KEYS.head(made_up)),
            "UpdateExpression": "SET smoke = :smoke",
            "ExpressionAttributeValues": {":smoke": {"N": "1"}},
        }
    }
    checks = (
        KEYS.member(made_up, "smoke"),
        KEYS.absence(made_up),
        KEYS.badge(made_up, "smoke"),
    )
    told = {"Put": _put(table, KEYS.event(made_up, "smoke"))}
    return [head, told, *({"ConditionCheck": _at(table, key)} for key in checks)]


def _at(table: str, key: Key) -> dict[str, Any]:
    where = {"pk": {"S": key.pk}, "sk": {"S": key.sk}}
    return {"TableName": table, "Key": where, "ConditionExpression": "attribute_exists(pk)"}


def _put(table: str, key: Key) -> dict[str, Any]:
    item = {"pk": {"S": key.pk}, "sk": {"S": key.sk}}
    return {"TableName": table, "Item": item, "ConditionExpression": "attribute_exists(pk)"}


def _refusal(table: Any, items: list[dict[str, Any]]) -> str:
    """How a transaction that can never be written was refused. Raises ClientError when IAM denies it."""
    try:
        table.transact_write_items(TransactItems=items)
    except ClientError as error:
        if code_of(error) in DENIED:
            raise
        return code_of(error)
    return "as written"


def batch_rights(ground: Ground) -> str:
    """What rules ask is read by one request over two kinds of partitions, under capture's deployed rights; neither is there."""
    table, made_up = role_like(ground, "capture").client("dynamodb"), f"smoke{ground.stamp}"
    asked = (budget_key(KEYS, made_up, "2026-12-01"), seen_key(KEYS, "tool", made_up))
    try:
        found = once_allowed(ground, lambda: _batch(table, ground.table, asked))
    except ClientError as error:
        message = error.response["Error"]["Message"]
        raise SmokeFailed(
            "IAM denies one request for a budget and for what was seen, so whoever proposes under rules of both kinds would "
            f"be answered with 502 table_refused: {message}"
        ) from None
    demand(found == [], f"a budget and a mark that nobody made were found: {found}")
    try:
        _batch(table, ground.table, (*asked, KEYS.token(made_up, 1)))
    except ClientError as error:
        demand(code_of(error) in DENIED, f"a batch of capture with a task token was refused with {code_of(error)}")
    else:
        raise SmokeFailed("capture may read a task token in a batch: its fences are open")
    return "one request reads a budget and what was seen; with a task token in it, it is denied"


def _batch(table: Any, name: str, keys: Iterable[Key]) -> list[Any]:
    """As placet/aws/table.py asks for many. Raises ClientError when IAM denies it."""
    wanted = [{"pk": {"S": key.pk}, "sk": {"S": key.sk}} for key in keys]
    answer = table.batch_get_item(RequestItems={name: {"Keys": wanted, "ConsistentRead": True}})
    return list(answer["Responses"].get(name, []))


def delivery(ground: Ground) -> str:
    """resume may reach what the registry names: functions by a dry run, queues by their address. Nothing is delivered."""
    functions, queues = ground.settings.target_functions, ground.settings.target_queues
    if not functions and not queues:
        raise SmokeSkipped("the registry names no function and no queue: its agents pick up")
    session = role_like(ground, "resume")
    lambda_, sqs = session.client("lambda"), session.client("sqs")
    for name in functions:
        _reach(ground, name, lambda name=name: lambda_.invoke(FunctionName=name, InvocationType="DryRun"))
    for name in queues:
        _reach(ground, name, lambda name=name: sqs.get_queue_url(QueueName=name))
    foreign = ground.function_of("escalate")
    try:
        lambda_.invoke(FunctionName=foreign, InvocationType="DryRun")
    except ClientError as error:
        demand(code_of(error) in DENIED, f"{foreign} was refused with {code_of(error)}, not denied")
    else:
        raise SmokeFailed(f"resume may invoke {foreign}, which no entry of the registry names")
    return f"resume may reach {', '.join((*functions, *queues))}, and no other function"


def _reach(ground: Ground, name: str, ask: Any) -> None:
    try:
        once_allowed(ground, ask)
    except ClientError as error:
        raise SmokeFailed(f"resume cannot reach {name}: {error.response['Error']['Message']}") from None


def mail(ground: Ground) -> str:
    """notify may send: one mail to the address that SES keeps for trials."""
    variables = ground.client("lambda").get_function_configuration(FunctionName=ground.function_of("notify"))
    told = variables["Environment"]["Variables"]
    sender = told["PLACET_MAIL_FROM"]
    ses, text = role_like(ground, "notify").client("sesv2"), {"Data": "A trial of Placet."}
    try:
        once_allowed(
            ground,
            lambda: ses.send_email(
                FromEmailAddress=sender,
                Destination={"ToAddresses": [SIMULATOR]},
                Content={"Simple": {"Subject": text, "Body": {"Text": text}}},
                ConfigurationSetName=told["PLACET_MAIL_CONFIGURATION_SET"],
            ),
        )
    except ClientError as error:
        if code_of(error) in ("MessageRejected", "MailFromDomainNotVerifiedException"):
            raise SmokeSkipped(f"SES does not send from {sender} yet; the inbox works without mail") from None
        raise SmokeFailed(f"notify cannot send from {sender}: {error.response['Error']['Message']}") from None
    return f"SES took a mail from {sender}"
