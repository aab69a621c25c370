"""capture: store a paused run before anybody is told. First verb of the flow; `dispatch` hears of it from the stream."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from placet.model.canonical import digest as digest_of
from placet.model.cursors import Place
from placet.model.errors import Conflict
from placet.model.pauses import Agent, Capture, ProposedCall
from placet.model.states import CallState, PauseState, PermitState, ResumeState
from placet.policy.classes import Then
from placet.policy.evaluate import Ruling, rule_on
from placet.records import writes
from placet.records.bodies import body_content, put_body
from placet.records.finds import find_items
from placet.records.heads import Head, read_head
from placet.records.keys import SCHEMA_VERSION
from placet.records.ops import ConditionFailed, Item, Put
from placet.service.cards import card_of
from placet.service.loading import body_of, head_in, not_frozen, store
from placet.service.origin import check_origin
from placet.service.ports import Ports, wired
from placet.service.schemas import check_arguments
from placet.service.work_lists import remember

INLINE_GRACE_MS = 60_000  # what passed at once is offered to others only if its own process did not go on by then
RETRIES_MARGIN_S = 3_600  # the machine's wait outlives the class's hard maximum by this, so that expiry comes first


UNREADABLE = ("placet/unreadable", "A value of this call has no certain reading, so it can only be rejected.")


@dataclass(frozen=True)
class Precedent:
    """Why nobody is asked about a call: an earlier call of its run.

    Attributes:
        state: PASSED, once, for what a reviewer approved before; REPEATED when the earlier call's outcome answers it.
        by: id of the earlier call.
    """

    state: CallState
    by: str


NO_PRECEDENTS: Mapping[int, Precedent] = {}


@dataclass(frozen=True)
class Captured:
    """The stored pause, and whether it was there before."""

    head: Head
    replayed: bool


def capture(
    ports: Ports, agent: Agent, captured: Capture, precedents: Mapping[int, Precedent] = NO_PRECEDENTS
) -> Captured:
    """Store a pause, or find it again.

    Args:
        precedents: by number, of calls that an earlier call of the run spares from being asked about.

    Raises:
        Invalid: as `check_origin`; as `check_arguments`: the model can try again. Nothing was stored.
        Conflict: `pause_differs`, the same natural key with other calls.
    """
    check_origin(agent, captured.framework, captured.by)
    not_frozen(ports)
    pause = wired(ports.ids).pause_id(agent.name, captured.run, captured.native.natural_key)
    stored = ports.table.get(ports.keys.head(pause))
    known = head_in(stored) if stored is not None else _of_earlier_key(ports, agent, captured)
    if known is not None:
        return _again(ports, captured, known)
    for call in captured.native.calls:  # of new pauses only: a stricter schema must not undo a decision
        if not call.unreadable:
            check_arguments(call.arguments, call.schema)
    now = ports.clock.now_ms()
    rulings = {call.number: _ruling(ports, call, precedents.get(call.number)) for call in captured.native.calls}
    content = body_content(captured, ports.policy.version, {number: ruling.fired for number, ruling in rulings.items()})
    head = _head(ports, agent, captured, pause, digest_of(content), rulings, precedents, now)
    remember(ports, agent.name)
    try:
        store(ports, put_body(ports.keys, pause, content, now))
        for item in find_items(ports.keys, agent.name, captured.run, captured.entity, Place(now, pause)):
            ports.table.write([Put(item)])
        ports.table.write(writes.capture(head))
    except ConditionFailed as lost:
        return _again(ports, captured, head_in(lost.old or head))
    return Captured(read_head(head), replayed=False)


def _of_earlier_key(ports: Ports, agent: Agent, captured: Capture) -> Head | None:
    """The same pause as an earlier release stored it; another one whose parts made the same text there is not it."""
    if not captured.native.earlier_key:
        return None
    pause = wired(ports.ids).pause_id(agent.name, captured.run, captured.native.earlier_key)
    stored = ports.table.get(ports.keys.head(pause))
    if stored is None:
        return None
    head = head_in(stored)
    return head if body_of(ports, head).ref == captured.native.ref else None


def _ruling(ports: Ports, call: ProposedCall, precedent: Precedent | None) -> Ruling:
    """The policy's word; what has no certain reading never passes, and what has a precedent is not asked for again."""
    ruling = rule_on(ports.policy, call.tool, call.arguments)
    if call.unreadable and not ruling.denied:
        return replace(ruling, review=True, fired=(*ruling.fired, UNREADABLE))
    return ruling if precedent is None or ruling.denied else replace(ruling, review=False)


def _again(ports: Ports, captured: Capture, head: Head) -> Captured:
    """The same pause, if every call handed in now was there then; a run that is half resumed shows only the rest."""
    known = {(call.interrupt_id, call.tool, call.digest) for call in body_of(ports, head).calls}
    if any((call.interrupt_id, call.tool, call.digest) not in known for call in captured.native.calls):
        raise Conflict("pause_differs", "This pause was captured before with other calls.", pause=head.pause)
    return Captured(head, replayed=True)


def _head(
    ports: Ports,
    agent: Agent,
    captured: Capture,
    pause: str,
    body: str,
    rulings: dict[int, Ruling],
    precedents: Mapping[int, Precedent],
    now: int,
) -> Item:
    open_calls = sum(ruling.review for ruling in rulings.values())
    head: Item = {
        **ports.keys.head(pause)._asdict(),
        "schema_version": SCHEMA_VERSION,
        "kind": "HEAD",
        "state": (PauseState.OPEN if open_calls else PauseState.CLOSED).value,
        "open_calls": open_calls,
        "run": captured.run,
        "agent": agent.name,
        "framework": captured.framework,
        "owner": agent.owner,
        "level": 0,
        "gen": 1,
        "epoch": ports.epoch,
        "body": body,
        "timeout_s": max(ruling.action_class.hard_maximum_s for ruling in rulings.values()) + RETRIES_MARGIN_S,
        "captured_ms": now,
        "resume_state": (ResumeState.NOT_DUE if open_calls else ResumeState.DUE).value,
        "fence": 0,
        "calls": {str(n): _call(captured, n, ruling, precedents.get(n), now) for n, ruling in rulings.items()},
        "card": card_of(ports.policy, captured, rulings),
        "wpk": ports.keys.new() if open_calls else ports.keys.out(agent.name),
        "wsk": now + (writes.NOTIFY_WITHIN_MS if open_calls else INLINE_GRACE_MS),
    }
    if captured.requester:
        head["requester"] = captured.requester
    if captured.by:
        head["by"] = captured.by
    return head


def _call(captured: Capture, number: int, ruling: Ruling, precedent: Precedent | None, now: int) -> dict[str, Any]:
    proposed, cls = captured.native.calls[number - 1], ruling.action_class
    state = _first_state(ruling, precedent)
    call: dict[str, Any] = {
        "tool": proposed.tool,
        "state": state.value,
        "rev": 1,
        "digest": proposed.digest,
        "class": cls.name,
        "wait_s": min(cls.deadline_s, captured.wait_at_most_s or cls.deadline_s),
        "quorum": cls.quorum,
    }
    if cls.hours is not None:  # what it waits for counts working hours, and no run waits longer than this by the clock
        call["most_s"] = min(cls.hard_maximum_s, captured.wait_at_most_s or cls.hard_maximum_s)
    if cls.then is not Then.EXPIRE:
        call["then"] = cls.then.value
    if cls.quorum > 1:
        call["votes"] = {}
    if proposed.takes_key:
        call["takes_key"] = True
    if proposed.unreadable:
        call["unreadable"] = True
    if captured.parent:
        call["parent"] = captured.parent
    if precedent is not None and state is CallState.REPEATED:
        call["repeats"] = precedent.by
    if state.may_run:
        call["permit"] = {"state": PermitState.FREE.value, "until_ms": now + 1000 * cls.freshness_s}
    return call


def _first_state(ruling: Ruling, precedent: Precedent | None) -> CallState:
    if precedent is not None and precedent.state is CallState.REPEATED and not ruling.review:
        return CallState.REPEATED
    if ruling.denied:
        return CallState.DENIED
    return CallState.PENDING if ruling.review else CallState.PASSED
