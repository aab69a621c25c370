"""The call that takes an executed one back: proposed by a person, judged by the policy like any other, run by the executor.

It is a pause of the gateway's own (framework `placet`), in a run of its own: the agent's run is over or goes on without it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from placet.frameworks.own import reading as own
from placet.model.canonical import exact_text, parse
from placet.model.errors import Conflict, Refused, Unreadable
from placet.model.events import Event, EventName
from placet.model.frameworks import OWN
from placet.model.pauses import Agent, Capture, Evidence, NativePause, split_call_id
from placet.model.states import CallState, PauseState, PermitState
from placet.policy.facts import Unjudged
from placet.records import writes
from placet.records.bodies import Body
from placet.records.calls import HeadCall
from placet.records.heads import Head
from placet.records.ops import ConditionFailed
from placet.service.capture import capture
from placet.service.loading import arguments_of, body_of, call_of, head_in, head_of
from placet.service.origin import UNDOES
from placet.service.outcomes import result_of
from placet.service.ports import Ports, wired

MOST_ATTEMPTS = 20  # at taking one call back, each decided by people
MOST_LOOKED_AT = 100  # together with those that nobody was asked about
NOBODY_ASKED = (CallState.DENIED, CallState.SUPERSEDED, CallState.CANCELLED)


@dataclass(frozen=True)
class Proposed:
    """An undo call that waits, passed or was denied: its pause, what became of it, and whether it was there before."""

    call: str
    pause: str
    tool: str
    state: PauseState
    became: CallState
    replayed: bool


def propose(ports: Ports, by: str, call: str, names: Collection[str] = ()) -> Proposed:
    """Propose the call that takes back an executed one; the one that is open already, if there is one.

    Args:
        by: who asks: the requester of the new call, who may not decide it.
        names: every other name of theirs. Who asked for the first call and its owner may not decide either.

    Raises:
        NotFound: no such call.
        Conflict: `undo_not_run`, `undo_not_named`, `undo_not_made`, `no_executor`, `already_undone`, `undo_tried_out`,
            `agent_gone`.
    """
    pause, number = split_call_id(call)
    head = head_of(ports, pause)
    current = call_of(head, number)
    agent = ports.registry.by_name(head.agent)
    if agent is None:
        raise Conflict("agent_gone", f"The agent {head.agent} is not in the registry, so nobody runs its tools.")
    body = body_of(ports, head)
    tool, arguments = _undo_call(ports, head, body, current)
    if not agent.executes:
        raise Conflict(
            "no_executor",
            f"{tool} runs in the processes of {agent.name}, and only its own runs call it there. "
            "Name an executor for the agent in the registry, or let the agent take it back.",
            tool=tool,
        )
    tried = 0
    for attempt in range(1, MOST_LOOKED_AT + 1):
        native = _native(agent, call, attempt, tool, arguments)
        read = own.read("", native)
        before = _stored(ports, agent, call, read)
        if before is not None and not _is_over(before, tool):
            _linked(ports, pause, number, attempt, before.pause, tool, by)
            return Proposed(call, before.pause, tool, before.state, before.calls[0].state, replayed=True)
        if before is None:
            return _captured(ports, agent, by, names, head, body, read, native, attempt)
        tried += before.calls[0].state not in NOBODY_ASKED
        if tried >= MOST_ATTEMPTS:
            break
    raise Conflict("undo_tried_out", f"It was proposed to take this back {attempt} times, and nothing came of it.")


def proposed(ports: Ports, by: str, call: str, names: Collection[str] = ()) -> dict[str, Any]:
    """The answer to the function that asks: what was proposed, or `refused`, with kind, code, detail and members of the refusal."""
    try:
        found = propose(ports, by, call, names)
    except (Refused, Unreadable) as error:
        kind = type(error).__name__ if isinstance(error, Refused) else "Conflict"
        return {"refused": {"kind": kind, "code": error.code, "detail": error.detail, "members": error.members}}
    state, became = found.state.value, found.became.value
    return {"pause": found.pause, "tool": found.tool, "state": state, "became": became, "replayed": found.replayed}


def _is_over(before: Head, tool: str) -> bool:
    """Whether an earlier attempt came to nothing. Raises Conflict `already_undone` for one that did it."""
    permit = before.calls[0].permit
    if permit is PermitState.DONE:
        raise Conflict("already_undone", f"{tool} ran already: this is taken back.", pause=before.pause)
    return before.state is PauseState.ENDED and permit not in (PermitState.UNKNOWN, PermitState.CLAIMED)


def _undo_call(ports: Ports, head: Head, body: Body, call: HeadCall) -> tuple[str, dict[str, Any]]:
    """Tool and arguments of the undo call, as the policy of this moment makes them."""
    if call.permit is not PermitState.DONE:
        raise Conflict(
            "undo_not_run",
            "Only what is known to have run is taken back, and nothing says that this did.",
            permit=call.permit.value,
        )
    known = ports.policy.tools.get(call.tool)
    if known is None or known.undo is None:
        raise Conflict("undo_not_named", f"The policy names no call that takes {call.tool} back.")
    try:
        made = known.undo.call(arguments_of(ports, head, body, call), _outcome(ports, head, call.number))
        arguments = parse(exact_text(made))  # as any call is: exact, and of JSON alone
    except Unjudged as error:
        raise _not_made(known.undo.tool, str(error)) from None
    except Exception as error:  # the policy's own code may raise anything
        ports.log("undo_not_made", {"pause": head.pause, "call": call.number, "error": type(error).__name__})
        raise _not_made(known.undo.tool, f"its code failed with {type(error).__name__}") from None
    return known.undo.tool, arguments


def _not_made(tool: str, why: str) -> Conflict:
    return Conflict("undo_not_made", f"The policy could not make the call of {tool}: {why}.", tool=tool)


def _outcome(ports: Ports, head: Head, number: int) -> Any:
    """What the call answered: JSON as its value, anything else as its text."""
    told = result_of(ports, head, number, PermitState.DONE.value)
    try:
        return parse(told)
    except Refused:
        return told


def _native(agent: Agent, call: str, attempt: int, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """As it is stored. Without a schema: only the agent told one, in the call that is to be taken back, and has no say in that."""
    keyed = agent.bedrock.idempotent if agent.bedrock else False
    return {
        "undoes": call,
        "attempt": attempt,
        "tool": tool,
        "arguments": arguments,
        "takes_key": keyed,
    }


def _stored(ports: Ports, agent: Agent, call: str, read: NativePause) -> Head | None:
    pause = wired(ports.ids).pause_id(agent.name, run_of(call), read.natural_key)
    item = ports.table.get(ports.keys.head(pause))
    return head_in(item) if item is not None else None


def run_of(call: str) -> str:
    """The run of what takes a call back: one of its own."""
    return f"{UNDOES}{call}"


def _captured(
    ports: Ports,
    agent: Agent,
    by: str,
    names: Collection[str],
    head: Head,
    body: Body,
    read: NativePause,
    native: dict[str, Any],
    attempt: int,
) -> Proposed:
    call, tool = native["undoes"], native["tool"]
    number = split_call_id(call)[1]
    first = call_of(head, number)
    ran = exact_text(arguments_of(ports, head, body, first))
    told = result_of(ports, head, number, PermitState.DONE.value)
    made = Capture(
        agent=agent.name,
        framework=OWN,
        run=run_of(call),
        native=read,
        native_text=exact_text(native),
        entity=body.entity,
        requester=by,
        evidence=(
            Evidence(f"What {first.tool} was called with", call, trusted=False, text=ran, origin="agent"),
            Evidence(f"What {first.tool} answered", call, trusted=False, text=told, origin="tool"),
        ),
        by="undo",
        kept_out=tuple({by, *names, *head.kept_out} - {"", agent.owner}),
    )
    captured = capture(ports, agent, made)
    _linked(ports, head.pause, number, attempt, captured.head.pause, tool, by)
    ports.log("undo_proposed", {"pause": head.pause, "call": number, "by": captured.head.pause})
    return Proposed(
        call, captured.head.pause, tool, captured.head.state, captured.head.calls[0].state, captured.replayed
    )


def _linked(ports: Ports, pause: str, number: int, attempt: int, undo: str, tool: str, by: str) -> None:
    """The record of what is taken back names what does it; once, however often it is asked for."""
    fields = {"call": number, "pause": undo, "tool": tool, "by": by}
    event = Event(EventName.UNDO_PROPOSED, ports.clock.now_ms(), fields)
    with contextlib.suppress(ConditionFailed):
        ports.table.write([writes.put_event(ports.keys, pause, f"{number}#undo#{attempt}", event)])
