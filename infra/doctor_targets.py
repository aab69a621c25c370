"""The doctor's questions about what the registry names: roles, functions, queues, secrets and Bedrock agents."""

from __future__ import annotations

from collections.abc import Iterator

from botocore.exceptions import ClientError

from infra.findings import Clients, Finding
from infra.registry import Agent
from infra.settings import Settings

TEST_ALIAS = "TSTALIASID"  # Bedrock's own, of the draft
CLOSED = (
    "Bedrock Agents (Classic) is closed to new customers since 2026: an account that never used it cannot make an agent"
)


def agents(clients: Clients, settings: Settings) -> Iterator[Finding]:
    """iam:GetRole, lambda:GetFunctionConfiguration: do the registry's roles and functions exist?"""
    for agent in settings.agents:
        yield _role(clients, settings, "agents", agent.name, agent.role, "AgentAccessPolicyArn")
        if agent.action_role:
            who = f"{agent.name}'s actions"
            yield _role(clients, settings, "agents", who, agent.action_role, "ActionAccessPolicyArn")
        for name, does in (
            (agent.target.get("function", ""), "is resumed by"),
            (agent.executes, "has its calls run by"),
        ):
            if name:
                yield from _function(clients, f"{agent.name} {does}", name)


def operators(clients: Clients, settings: Settings) -> Iterator[Finding]:
    """iam:GetRole: is there anybody who can repair?"""
    for role in settings.operators:
        yield _role(clients, settings, "operators", "operator", role, "OperatorAccessPolicyArn")
    if not settings.operators:
        yield Finding("look", "operators", "nobody may repair what gets stuck", "name a role in operators")


def queues(clients: Clients, settings: Settings) -> Iterator[Finding]:
    """sqs:GetQueueUrl, sqs:GetQueueAttributes: do the registry's queues exist, and may resume's messages be encrypted?"""
    for name in settings.target_queues:
        try:
            url = clients("sqs").get_queue_url(QueueName=name)["QueueUrl"]
            asked = ["FifoQueue", "KmsMasterKeyId"]
            found = clients("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=asked).get("Attributes", {})
        except ClientError as error:
            if not error.response["Error"]["Code"].endswith(("NonExistentQueue", "QueueDoesNotExist")):
                raise
            yield Finding("look", "queues", f"there is no queue {name}", "create it before a pause is decided")
            continue
        if found.get("FifoQueue") != "true":
            yield Finding(
                "stop", "queues", f"{name} is no FIFO queue", "make a FIFO queue; it cannot be changed into one"
            )
        elif key := found.get("KmsMasterKeyId"):
            yield Finding(
                "look", "queues", f"{name} is encrypted with {key}", _let_in("kms:GenerateDataKey and kms:Decrypt")
            )
        else:
            yield Finding("ok", "queues", f"{name} is there, and FIFO")


def secrets(clients: Clients, settings: Settings) -> Iterator[Finding]:
    """secretsmanager:DescribeSecret: do the secrets of webhooks and chats exist? Their values are not asked for."""
    for name in sorted({*settings.target_secrets, *(one.secret for one in settings.sinks if one.secret)}):
        try:
            found = clients("secretsmanager").describe_secret(SecretId=name)
        except ClientError as error:
            if error.response["Error"]["Code"] != "ResourceNotFoundException":
                raise
            yield Finding("look", "secrets", f"there is no secret {name}", "create it before a pause is decided")
            continue
        if found.get("DeletedDate"):
            yield Finding("look", "secrets", f"{name} is marked for deletion", "restore it, or name another")
        elif key := found.get("KmsKeyId"):
            yield Finding("look", "secrets", f"{name} is encrypted with {key}", _let_in("kms:Decrypt"))
        else:
            yield Finding("ok", "secrets", f"{name} is there")


def bedrock(clients: Clients, settings: Settings) -> Iterator[Finding]:
    """bedrock:GetAgentAlias, bedrock:GetAgent: do the registry's Bedrock agents exist, and forget their sessions when it says?"""
    found = [finding for agent in settings.agents if agent.kind == "bedrock" for finding in _agent(clients, agent)]
    yield from found
    if found or settings.inline_agents:
        yield Finding("look" if any(one.level == "look" for one in found) else "ok", "bedrock", CLOSED)


def _agent(clients: Clients, agent: Agent) -> Iterator[Finding]:
    target, region = agent.target, {"region_name": agent.target["region"]} if "region" in agent.target else {}
    client, alias = clients("bedrock-agent", **region), f"{target['agent_id']}/{target['alias_id']}"
    try:
        status = client.get_agent_alias(agentId=target["agent_id"], agentAliasId=target["alias_id"])["agentAlias"]
        ttl_s = client.get_agent(agentId=target["agent_id"])["agent"]["idleSessionTTLInSeconds"]
    except ClientError as error:
        code = error.response["Error"]["Code"]
        if code == "ResourceNotFoundException":
            yield Finding(
                "look", "bedrock", f"{agent.name}: there is no alias {alias} here", "correct placet.toml, or set region"
            )
        else:
            way_out = "needs bedrock:GetAgentAlias and bedrock:GetAgent; skipped"
            yield Finding("look", "bedrock", f"{agent.name}: {alias} could not be asked for: {code}", way_out)
        return
    if status["agentAliasStatus"] != "PREPARED":
        yield Finding(
            "look", "bedrock", f"{agent.name}: alias {alias} is {status['agentAliasStatus']}", "prepare the agent"
        )
    elif ttl_s != target["session_ttl_s"]:
        sentence = (
            f"{agent.name}: the agent forgets a session after {ttl_s} s, session_ttl_s says {target['session_ttl_s']}"
        )
        yield Finding("look", "bedrock", sentence, "make both the same, or answers go to sessions that are gone")
    elif target["alias_id"] == TEST_ALIAS:
        sentence = f"{agent.name}: {TEST_ALIAS} is the draft: every change of the agent is live at once"
        yield Finding("look", "bedrock", sentence, "make an alias of a version")
    else:
        yield Finding("ok", "bedrock", f"{agent.name} is invoked at {alias}")


def _let_in(rights: str) -> str:
    return f"its key's policy has to let the role of the function resume use it: {rights}"


def _role(clients: Clients, settings: Settings, subject: str, name: str, role: str, policy: str) -> Finding:
    """A role that is not there may come later, unless the deploy itself attaches a policy to it."""
    try:
        arn = clients("iam").get_role(RoleName=role)["Role"]["Arn"]
    except ClientError as error:
        if error.response["Error"]["Code"] != "NoSuchEntity":
            raise
        if settings.attach_to_roles:
            sentence = f"{name}: there is no role {role}, to which attach_to_roles attaches a policy"
            return Finding("stop", subject, sentence, "create it, correct placet.toml, or leave attach_to_roles out")
        return Finding("look", subject, f"{name}: there is no role {role}", "create it, or correct placet.toml")
    then = "the deploy attaches" if settings.attach_to_roles else "attach"
    return Finding("ok", subject, f"{name} is {arn}; {then} the policy {policy} that the deploy prints")


def _function(clients: Clients, what: str, function: str) -> Iterator[Finding]:
    try:
        clients("lambda").get_function_configuration(FunctionName=function)
        yield Finding("ok", "agents", f"{what} {function}")
    except ClientError as error:
        if error.response["Error"]["Code"] != "ResourceNotFoundException":
            raise
        sentence = f"{what} {function}, and there is no function {function}"
        yield Finding("look", "agents", sentence, "create it before a pause is decided")
