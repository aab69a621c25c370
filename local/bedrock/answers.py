"""Matching the results of an answer to the calls of its pause: all of them, once each, or nothing happens."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from local.bedrock.agents import Agent, Mode
from local.bedrock.proposals import MOST, Control, Proposal
from local.bedrock.refusals import invalid

CONFIRM, DENY = "CONFIRM", "DENY"
FAILURE, REPROMPT = "FAILURE", "REPROMPT"


@dataclass(frozen=True)
class OpenPause:
    """A control that waits for its answer."""

    invocation: str
    control: Control


@dataclass(frozen=True)
class Result:
    """One member of `returnControlInvocationResults`.

    Attributes:
        key: what it answers: agent id, action group, function or method and path; not which of two equal calls.
        body: the text of its response body, None when there is none.
    """

    key: tuple[str, str, str]
    confirmation: str
    response: str
    body: str | None

    @property
    def denied(self) -> bool:
        """Whether a person said no."""
        return self.confirmation == DENY


def matched(pause: OpenPause, results: Any, agent: Agent) -> list[tuple[Proposal, Result]]:
    """Each call with its result; equal calls take theirs in the order of the list. Raises Refusal for anything incomplete."""
    given = [_result(one, agent) for one in _some(results)]
    calls = pause.control.proposals
    if Counter(one.key for one in given) != Counter(_key(one, agent) for one in calls):
        raise invalid("results must cover every invocationInput exactly once, each with the agentId it came with")
    pairs = []
    for call in calls:
        result = next(one for one in given if one.key == _key(call, agent))
        given.remove(result)
        _check(call, result)
        pairs.append((call, result))
    return pairs


def _some(results: Any) -> list[dict[str, Any]]:
    if not isinstance(results, list) or not 1 <= len(results) <= MOST:
        raise invalid(f"returnControlInvocationResults has 1 to {MOST} members")
    return results


def _key(call: Proposal, agent: Agent) -> tuple[str, str, str]:
    action = call.action
    return (action.agent or agent.id, action.group, action.function or f"{action.method} {action.path}")


def _result(member: dict[str, Any], agent: Agent) -> Result:
    if len(member) != 1 or not set(member) <= {"functionResult", "apiResult"}:
        raise invalid("a result is either a functionResult or an apiResult")
    ((kind, one),) = member.items()
    called = one.get("function") if kind == "functionResult" else f"{one.get('httpMethod')} {one.get('apiPath')}"
    key = (one.get("agentId") or agent.id, one.get("actionGroup") or "", called or "")
    state, response = one.get("confirmationState", ""), one.get("responseState", "")
    if state not in ("", CONFIRM, DENY) or response not in ("", FAILURE, REPROMPT):
        raise invalid("confirmationState is CONFIRM or DENY, responseState is FAILURE or REPROMPT")
    bodies = list((one.get("responseBody") or {}).values())
    return Result(key, state, response, bodies[0].get("body") if bodies else None)


def _check(call: Proposal, result: Result) -> None:
    """Whether the result has what its call's mode needs."""
    mode = call.action.mode
    if mode in (Mode.CONFIRM, Mode.CONFIRM_AND_RESULT) and not result.confirmation:
        raise invalid("confirmationState is required for this action")
    if mode in (Mode.RESULT, Mode.CONFIRM_AND_RESULT) and not result.denied and result.body is None:
        raise invalid("responseBody is required when control was returned")
