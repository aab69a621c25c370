"""Answers of MiniStack 1.5.33 that tell less than AWS's: a simulated policy without its context, an alarm without its actions.

The smoke test asks both of a deployment.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

_context: ContextVar[dict[str, list[str]] | None] = ContextVar("context entries of a simulation", default=None)


def apply() -> None:
    import ministack.core.iam_evaluator as evaluator
    import ministack.services.cloudwatch as cloudwatch
    import ministack.services.iam as iam

    verb = "SimulatePrincipalPolicy"
    iam._IAM_HANDLERS[verb] = with_context_entries(iam._IAM_HANDLERS[verb], iam._p)
    evaluator.evaluate = in_that_context(evaluator.evaluate)
    cloudwatch._dispatch_alarm_actions = remembered(cloudwatch._dispatch_alarm_actions, cloudwatch)


def with_context_entries(simulate: Callable[[Any], Any], value: Callable[..., str]) -> Callable[[Any], Any]:
    """A simulation is judged with the keys that it names; MiniStack judges it as a request that has none."""

    def run(asked: Any) -> Any:
        token = _context.set(context_entries(lambda name: value(asked, name)))
        try:
            return simulate(asked)
        finally:
            _context.reset(token)

    return run


def context_entries(value: Callable[[str], str]) -> dict[str, list[str]]:
    """The context entries of a request, by the key's lower-case name."""
    found: dict[str, list[str]] = {}
    number = 1
    while name := value(f"ContextEntries.member.{number}.ContextKeyName"):
        values, at = [], 1
        while one := value(f"ContextEntries.member.{number}.ContextKeyValues.member.{at}"):
            values.append(one)
            at += 1
        found[name.lower()] = values
        number += 1
    return found


def in_that_context(evaluate: Callable[..., Any]) -> Callable[..., Any]:
    """Give a judgement that belongs to a simulation the simulation's keys."""

    def run(ctx: Any, *policies: Any) -> Any:
        if entries := _context.get():
            ctx.service_context = ctx.service_context | entries
        return evaluate(ctx, *policies)

    return run


def remembered(dispatch: Callable[..., None], cloudwatch: Any) -> Callable[..., None]:
    """What an alarm told its topics stands in its history, as on AWS."""

    def run(alarm: dict[str, Any], old_state: str, new_state: str, reason: str) -> None:
        dispatch(alarm, old_state, new_state, reason)
        lists = {"ALARM": "AlarmActions", "OK": "OKActions", "INSUFFICIENT_DATA": "InsufficientDataActions"}
        for action in alarm.get(lists.get(new_state, ""), ()) if alarm.get("ActionsEnabled", True) else ():
            # It writes an entry about a state; the same entry becomes one about the action.
            cloudwatch._record_history(alarm["AlarmName"], old_state, new_state, reason)
            cloudwatch._history_entries()[-1].update(
                HistoryItemType="Action", HistorySummary=f"Successfully executed action {action}"
            )

    return run
