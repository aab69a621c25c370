"""capture: store a paused run before anybody is told. First verb of the flow; `dispatch` hears of it from the stream."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from placet.model.canonical import digest as digest_of
from placet.model.cursors import Place
from placet.model.errors import Busy, Conflict, TooManyOpen
from placet.model.frameworks import OWN
from placet.model.limits import RETRIES_MARGIN_S
from placet.model.pauses import Agent, Capture
from placet.model.states import CallState, PauseState, PermitState, ResumeState
from placet.policy.classes import LONGEST_MAXIMUM_S, Then
from placet.policy.evaluate import Ruling
from placet.records import writes
from placet.records.bodies import Body, body_content, put_body, read_body
from placet.records.finds import find_items, sample_item
from placet.records.heads import Head, read_head
from placet.records.keys import SCHEMA_VERSION
from placet.records.ops import ConditionFailed, Item, Put
from placet.service.bounds import admit
from placet.service.cards import card_of
from placet.service.judging import NO_PRECEDENTS, Judgement, Precedent, is_sampled, judge, not_asked
from placet.service.loading import body_of, head_in, not_frozen, store
from placet.service.origin import check_origin, check_run
from placet.service.plan import most_s_of
from placet.service.ports import Ports, wired
from placet.service.schemas import check_arguments
from placet.service.work_lists import remember

INLINE_GRACE_MS = 60_000  # what passed at once is offered to others only if its own process did not go on by then
ATTEMPTS = 4  # to count what passes; then a person looks at what needs a budget


@dataclass(frozen=True)
class Captured:
    """The stored pause with its body, and whether it was there before."""

    head: Head
    replayed: bool
    body: Body


def capture(
    ports: Ports, agent: Agent, captured: Capture, precedents: Mapping[int, Precedent] = NO_PRECEDENTS
) -> Captured:
    """Store a pause, or find it again.

    Args:
        precedents: by number, of calls that an earlier call of the run spares from being asked about.

    Raises:
        Invalid: as `check_origin`; `run_reserved`; as `check_arguments`: the model can try again. Nothing was stored.
        TooManyOpen: this agent has as many pauses before people as it may. Nothing was stored. What a turn of
            Bedrock led to is stored all the same, and denied; what a person proposes here is not counted.
        Conflict: `pause_differs`, the same natural key with other calls.
    """
    check_origin(agent, captured.framework, captured.by)
    if not captured.by:
        check_run(captured.run)
    not_frozen(ports)
    pause = wired(ports.ids).pause_id(agent.name, captured.run, captured.native.natural_key)
    stored = ports.table.get(ports.keys.head(pause))
    known = head_in(stored) if stored is not None else _of_earlier_key(ports, agent, captured)
    if known is not None:
        return _again(ports, captured, known)
    for call in captured.native.calls:  # of new pauses only: a stricter schema must not undo a decision
        if not call.unreadable:
            check_arguments(call.arguments, call.schema)
    return _stored(ports, agent, captured, precedents, pause)


def _stored(ports: Ports, agent: Agent, captured: Capture, precedents: Mapping[int, Precedent], pause: str) -> Captured:
    """Judge, write, and judge again while others spend the same budget meanwhile."""
    remember(ports, agent.name)
    now, counted, admitted, full = ports.clock.now_ms(), ATTEMPTS, False, False
    while True:
        counted -= 1
        judged = judge(ports, agent, captured, precedents, now, counted=counted > 0)
        asked = {ruling.action_class.name for ruling in judged.rulings.values() if ruling.review}
        if (
            asked and not admitted and not full and captured.framework != OWN
        ):  # what people propose is no flood of the agent's
            admitted = _admitted(ports, agent, captured, asked)
            full = not admitted
        if full:
            judged = not_asked(judged)
        content = body_content(captured, ports.policy.version, judged.fired, judged.known)
        head = _head(ports, agent, captured, pause, digest_of(content), judged, precedents, now)
        written = put_body(ports.keys, pause, content, now)
        store(ports, written)
        place = Place(now, pause)
        for item in find_items(ports.keys, agent.name, captured.run, captured.entity, place):
            ports.table.write([Put(item)])
        if any(is_sampled(ruling, precedents.get(number)) for number, ruling in judged.rulings.items()):
            ports.table.write([Put(sample_item(ports.keys, place))])
        try:
            ports.table.write(writes.capture(head, judged.charges))
        except ConditionFailed as lost:
            if lost.position == 0:
                return _again(ports, captured, head_in(lost.old or head))
        except Busy:
            if not judged.charges:
                raise
            counted = 1  # too many at one counter, or nobody answers: then the next write says so
        else:
            body = read_body(written.item, written.text, head["body"])  # as whoever reads the table next
            return Captured(read_head(head), replayed=False, body=body)


def _admitted(ports: Ports, agent: Agent, captured: Capture, asked: set[str]) -> bool:
    """Whether there is room for a pause with open calls of these classes; it is counted then.

    Raises TooManyOpen where whoever captures can wait and come again. A turn of Bedrock led to its calls already, so refusing to
    store them would lose them: they are stored, nobody is asked, and its agent is told why.
    """
    try:
        admit(ports, agent.name, asked)
    except TooManyOpen:
        if not captured.by:
            raise
        ports.log("too_many_open", {"agent": agent.name, "run": captured.run})
        return False
    return True


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


def _again(ports: Ports, captured: Capture, head: Head) -> Captured:
    """The same pause, if every call handed in now was there then; a run that is half resumed shows only the rest."""
    body = body_of(ports, head)
    known = {(call.interrupt_id, call.tool, call.digest) for call in body.calls}
    if any((call.interrupt_id, call.tool, call.digest) not in known for call in captured.native.calls):
        raise Conflict("pause_differs", "This pause was captured before with other calls.", pause=head.pause)
    return Captured(head, replayed=True, body=body)


def _head(
    ports: Ports,
    agent: Agent,
    captured: Capture,
    pause: str,
    body: str,
    judged: Judgement,
    precedents: Mapping[int, Precedent],
    now: int,
) -> Item:
    rulings = judged.rulings
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
        "calls": {str(n): _call(captured, n, judged, precedents.get(n), now) for n in rulings},
        "card": card_of(ports.policy, captured, rulings),
        "wpk": ports.keys.new() if open_calls else ports.keys.out(agent.name),
        "wsk": now + (writes.NOTIFY_WITHIN_MS if open_calls else INLINE_GRACE_MS),
    }
    if captured.requester:
        head["requester"] = captured.requester
    if captured.by:
        head["by"] = captured.by
    return head


def _call(captured: Capture, number: int, judged: Judgement, precedent: Precedent | None, now: int) -> dict[str, Any]:
    ruling = judged.rulings[number]
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
    if most_s := most_s_of(cls, captured.wait_at_most_s or 0):
        call["most_s"] = most_s
    if cls.then is not Then.EXPIRE:
        call["then"] = cls.then.value
    if cls.quorum > 1:
        call["votes"] = {}
    if proposed.takes_key:
        call["takes_key"] = True
    if proposed.unreadable:
        call["unreadable"] = True
    if number in judged.asking:
        call["asks"] = True
    if ruling.observed:
        call["observed"] = True
    if is_sampled(ruling, precedent):
        call["sampled"] = True
    if captured.parent:
        call["parent"] = captured.parent
    if precedent is not None and state is CallState.REPEATED:
        call["repeats"] = precedent.by
    if state.may_run:
        fresh_s = LONGEST_MAXIMUM_S if ruling.observed else cls.freshness_s  # of which nobody is asked again
        call["permit"] = {"state": PermitState.FREE.value, "until_ms": now + 1000 * fresh_s}
    return call


def _first_state(ruling: Ruling, precedent: Precedent | None) -> CallState:
    if precedent is not None and precedent.state is CallState.REPEATED and not ruling.review:
        return CallState.REPEATED
    if ruling.denied:
        return CallState.DENIED
    return CallState.PENDING if ruling.review else CallState.PASSED
