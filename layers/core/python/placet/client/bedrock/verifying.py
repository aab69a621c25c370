"""A Lambda of an action group that acts only under the permit of exactly the call that was confirmed.

    event ── not confirmed, or other arguments ──► an answer that says so; nothing ran, nothing was asked
      │
    claim ── refused ────────────────────────────► an answer that says why; nothing ran
      │
    act(permitted arguments) ── returns ─────────► done
                             ├─ raises NotRun ───► failed, certainly without effect
                             └─ raises another ──► unknown; a person looks, nothing repeats it

Session attributes stay for the whole session, so they grant nothing by themselves: a later call that rides on them meets a
permit that is settled.
"""

from __future__ import annotations

import functools
import inspect
import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from placet.client.bedrock.events import Action, as_text
from placet.client.errors import DigestDiffers, GatewayRefused, GatewayUnavailable, NotExact, NotRun
from placet.client.exact import arguments_of, digest_of
from placet.client.gateway import Gateway
from placet.client.permits import DONE, FAILED, UNKNOWN, Permits
from placet.client.records import Call, Permit

log = logging.getLogger(__name__)

Event = Mapping[str, Any]
Handler = Callable[[Event, Any], dict[str, Any]]

NOT_CONFIRMED = "It was not run: nobody has confirmed this call."
OTHER_ARGUMENTS = "It was not run: these are not the arguments that were approved."
UNREADABLE = "It was not run: its arguments have no certain reading. {why}"
NO_ANSWER = "It was not run: the gateway that holds the approval did not answer. Say so, and do not call it again."
RAN_BEFORE = "This call was settled before ({permit}) and was not run again. {result}"
IN_OTHER_HANDS = "It was not run again: another attempt to run this very call is under way."
REFUSED = "It was not run: {why}"
NOBODY_KNOWS = "It was tried, and it is not known whether it acted. A person looks at it. Do not call it again."


class _Stays(NotRun):
    """Not run, with the HTTP status of the answer."""

    def __init__(self, sentence: str, status: int = 403) -> None:
        super().__init__(sentence)
        self.status = status


def verified_action(
    gateway: Gateway | None = None, *, tool: str = "", decimals: bool = False
) -> Callable[[Callable[..., Any]], Handler]:
    """Make a function the handler of an action-group Lambda: `handler(event, context)`, which claims before it acts.

    The function gets the approved arguments by name. What it returns is what the model reads: a text, or a JSON value. It raises
    `NotRun` when it certainly had no effect; any other exception counts as an unknown outcome.

    Args:
        gateway: made on the first call from PLACET_URL and AWS_REGION when left out; its role is the agent's `action_role`.
        tool: the only one that the function is for, `Refunds.issueRefund`; name it where the Lambda serves several.
        decimals: fractions arrive as Decimal instead of float.

    Raises (the handler): NotRun for an event that is not of an action group, ClientError when the gateway's address is not known.
    All else is answered: an exception would end the agent's whole turn.
    """

    def decorate(act: Callable[..., Any]) -> Handler:
        if inspect.iscoroutinefunction(act):
            raise TypeError("The function of an action must not be async: it would be reported done before it acted.")

        @functools.wraps(act)
        def handler(event: Event, context: Any) -> dict[str, Any]:
            action = Action.of(event)
            try:
                if tool and action.tool != tool:
                    raise _Stays(f"It was not run: this function is for {tool} only.")
                calls = _matching(action)
                made = gateway or _gateway()
                permit = _claimed(made, calls, str(getattr(context, "aws_request_id", "")))
            except _Stays as stays:
                log.warning("%s was not run: %s", action.tool, stays)
                return action.answer(_told(action, str(stays)), stays.status)
            return _acted(made, action, permit, functools.partial(_called, act, decimals))

        return handler

    return decorate


@functools.cache
def _gateway() -> Gateway:
    return Gateway()


def _matching(action: Action) -> Sequence[Call]:
    """The confirmed calls of this tool with these very arguments: more than one when equal calls were approved."""
    named = [one for one in action.confirmed if one.tool == action.tool]
    if not named:
        raise _Stays(NOT_CONFIRMED)
    try:
        digest = action.digest
    except NotExact as error:
        raise _Stays(UNREADABLE.format(why=error)) from None
    found = [one for one in named if one.digest == digest]
    if not found:
        raise _Stays(OTHER_ARGUMENTS)
    return found


def _claimed(gateway: Gateway, calls: Sequence[Call], request: str) -> Permit:
    """The permit of the first of equal calls that has one left.

    The worker's name tells people which request of the Lambda it was and is random besides: a request that Lambda delivers a
    second time is another attempt, and the first may have acted.
    """
    refused = _Stays(NOT_CONFIRMED)
    for call in calls:
        worker = f"{request or 'action'}.{secrets.token_hex(8)}"
        try:
            return _checked(gateway, call, gateway.claim(call.call, call.digest, worker, renews=True))
        except GatewayRefused as error:
            refused = _Stays(_why(error), 409)
        except GatewayUnavailable as error:
            log.error("the permit of %s could not be claimed: %s", call.call, error)
            raise _Stays(NO_ANSWER, 503) from None
        except DigestDiffers as error:
            raise _Stays(REFUSED.format(why=error), 409) from None
    raise refused


def _checked(gateway: Gateway, call: Call, permit: Permit) -> Permit:
    """Raises DigestDiffers unless the permit is of this call, tool and arguments; it is reported failed then."""
    if (permit.call, permit.tool, digest_of(permit.arguments)) == (call.call, call.tool, call.digest):
        return permit
    Permits(gateway).settle(permit, FAILED, "not run: the permit's arguments are not those that were confirmed")
    raise DigestDiffers("The permit does not name the confirmed call.")


def _why(error: GatewayRefused) -> str:
    if error.code == "permit_settled":
        result = error.members.get("result")
        return RAN_BEFORE.format(
            permit=error.members.get("permit", "unknown"), result=f"Result: {result}" if result else ""
        ).rstrip()
    if error.code == "permit_claimed":
        return IN_OTHER_HANDS
    return REFUSED.format(why=error.detail or error.code)


def _acted(gateway: Gateway, action: Action, permit: Permit, act: Callable[[Permit], Any]) -> dict[str, Any]:
    """Run under the permit, report, answer. What is reported is what the model reads."""
    permits = Permits(gateway)
    try:
        with permits.acting(permit):
            value = act(permit)
    except NotRun as error:
        permits.settle(permit, FAILED, as_text(f"not run: {error}"))
        return action.answer(_told(action, REFUSED.format(why=error)), 409)
    except Exception as error:
        log.exception("%s: nobody knows whether it acted", permit.call)
        permits.settle(permit, UNKNOWN, as_text(f"{type(error).__name__}: {error}"))
        return action.answer(_told(action, NOBODY_KNOWS), 500)
    permits.settle(permit, DONE, as_text(value))
    return action.answer(value)


def _called(act: Callable[..., Any], decimals: bool, permit: Permit) -> Any:
    arguments = arguments_of(permit.arguments, decimals=decimals)
    try:
        inspect.signature(act).bind(**arguments)
    except TypeError as error:
        raise NotRun(f"The function does not take these arguments: {error}.") from None
    return act(**arguments)


def _told(action: Action, sentence: str) -> Any:
    """A sentence for the model, in the shape of the answer."""
    return {"error": sentence} if "apiPath" in action.echoed else sentence
