"""What lies outside of Placet and is reached from it: the registry's functions, queues, secrets and Bedrock agents."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from infra.checks.template import Json, Templates, actions, resources, verb_of
from infra.definitions import reach_of
from infra.registry import Agent

INVOKERS = ("invoke_agent", "resume")  # who asks turns of Bedrock agents
STANDS_ON = {
    "bedrock:InvokeModel",
    "bedrock:Retrieve",
    "bedrock:ApplyGuardrail",
}  # of inline agents, on the caller's role
INLINE = {"bedrock:InvokeInlineAgent"}
ALIAS = re.compile(r":agent-alias/([0-9a-zA-Z]{1,10})/([0-9a-zA-Z]{1,10})$")


def resume_calls_the_registry(templates: Templates) -> Iterator[str]:
    """What resume may invoke, send to and read is the agent registry, one to one."""
    agents = _agents(templates, "resume")
    inline = [agent for agent in agents if agent.kind == "bedrock_inline"]
    functions = _named(agents, "function") | {agent.executes for agent in agents if agent.executes}
    functions |= {arn.rpartition(":")[2] for arn in reach_of(inline).functions}
    for action, wanted in (
        ("lambda:InvokeFunction", functions),
        ("sqs:SendMessage", _named(agents, "queue")),
        ("sqs:GetQueueUrl", _named(agents, "queue")),
        ("secretsmanager:GetSecretValue", _named(agents, "secret")),
    ):
        for role, statements in _of(templates, "resume"):
            reached = [r for one in statements if action in actions(one) for r in resources(one)]
            names = {_name(resource) for resource in reached if not resource.startswith("<")}
            if names != wanted:
                yield f"{role}: {action} on {sorted(names)}, the registry says {sorted(wanted)}"


def what_is_pushed_to_has_its_form(templates: Templates) -> Iterator[str]:
    """A queue is FIFO, or its runs' order is lost; a secret's ARN ends in six characters that only the account knows."""
    for role, statements in templates.roles.items():
        for one in statements:
            for resource in resources(one):
                ours = resource.startswith("<")  # the queues for what was given up
                if "sqs:SendMessage" in actions(one) and not ours and not resource.endswith(".fifo"):
                    yield f"{role}: {resource} is no FIFO queue"
                if "secretsmanager:GetSecretValue" not in actions(one):
                    continue
                if verb_of(role) not in ("resume", "tell"):
                    yield f"{role}: reads secrets"
                if "*" in resource or not re.search(r":secret:[^:]+-\?{6}$", resource):
                    yield f"{role}: {resource} matches no secret, or more than one"


def turns_are_asked_of_aliases(templates: Templates) -> Iterator[str]:
    """Bedrock agents are invoked by alias, as in the registry: a right on agent/… exists and never matches."""
    for role, statements in templates.roles.items():
        if verb_of(role) not in INVOKERS and any("bedrock:" in action for one in statements for action in actions(one)):
            yield f"{role}: reaches Bedrock"
    for verb in INVOKERS:
        agents = _agents(templates, verb)
        wanted = {f"{a.target['agent_id']}/{a.target['alias_id']}" for a in agents if a.kind == "bedrock"}
        inline = any(agent.kind == "bedrock_inline" for agent in agents)
        for role, statements in _of(templates, verb):
            invoked = [r for one in statements if "bedrock:InvokeAgent" in actions(one) for r in resources(one)]
            found = {"/".join(match.groups()) if (match := ALIAS.search(one)) else one for one in invoked}
            if found != wanted:
                yield f"{role}: may invoke {sorted(found)}, the registry says {sorted(wanted)}"
            rest = {a for one in statements for a in actions(one) if a.startswith("bedrock:")} - {"bedrock:InvokeAgent"}
            if ("bedrock:InvokeInlineAgent" in rest) != inline or rest - (STANDS_ON | INLINE if inline else set()):
                yield f"{role}: {sorted(rest)}, and the registry has {'an' if inline else 'no'} inline agent"
            if inline and "bedrock:InvokeModel" not in rest:
                yield f"{role}: invokes an inline agent and not its model, which a real account refuses"


def _agents(templates: Templates, verb: str) -> tuple[Agent, ...]:
    (found,) = [
        one["Environment"]["Variables"]["PLACET_AGENTS"] for own, _, one in templates.functions() if own == verb
    ]
    return tuple(Agent(**entry) for entry in json.loads(found))


def _of(templates: Templates, verb: str) -> list[tuple[str, list[Json]]]:
    return [(role, statements) for role, statements in templates.roles.items() if verb_of(role) == verb]


def _named(agents: tuple[Agent, ...], *fields: str) -> set[str]:
    return {agent.target[field] for agent in agents for field in fields if field in agent.target}


def _name(arn: str) -> str:
    """A function's or queue's name, or a secret's without the six characters that the account adds."""
    return arn.rpartition(":")[2].removesuffix("-??????")
