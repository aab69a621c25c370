"""status: where a pause stands for the person who waits for it. Reads only, and little: a person may ask every few seconds."""

from __future__ import annotations

from dataclasses import replace

from placet.model.canonical import canonical_of
from placet.model.errors import NotFound, Unreadable
from placet.model.events import EventName
from placet.model.pauses import Agent, call_id, split_call_id
from placet.model.states import CallState, PauseState, PermitState
from placet.model.status import AskedBack, CallStatus, Standing, Status
from placet.records import writes
from placet.records.bodies import Body
from placet.records.calls import HeadCall
from placet.records.facts import NOTHING, Fact, read_fact
from placet.records.heads import Head
from placet.service.asking import NOBODY
from placet.service.course import asked_next, asked_now
from placet.service.loading import arguments_of, body_of, call_of, head_of, readable
from placet.service.origin import pause_of
from placet.service.ports import Ports
from placet.service.questions import open_questions
from placet.service.typical import typical_s
from placet.service.work_lists import classes_of


def status(ports: Ports, agent: Agent, pause: str) -> Status:
    """Where a pause of this agent stands. Raises NotFound, Unreadable."""
    head = pause_of(ports, agent, pause)
    now = ports.clock.now_ms()
    if head.open_calls:
        states = [Standing.WAITING if head.may_take_back(call, now) else standing(head, call) for call in head.calls]
        calls = tuple(
            CallStatus(call_id(pause, call.number), state) for call, state in zip(head.calls, states, strict=True)
        )
        is_heard = head.notified_ms and head.stuck not in NOBODY
        on = tuple(map(_as_people_say, asked_now(ports, head))) if is_heard else ()
        widens, widens_ms = asked_next(ports, head) if head.notified_ms else ((), 0)
        return Status(
            pause,
            calls,
            on,
            asked_ms=head.captured_ms,
            typical_s=typical_s(ports, classes_of(ports, head)),
            until_ms=max(call.deadline_ms for call in head.pending),
            as_of_ms=now,
            widens=tuple(map(_as_people_say, widens)),
            widens_ms=widens_ms,
            asked_back=_asked_back(ports, head),
        )
    told = _Told(ports, head, now)
    held_ms = head.held_ms if head.is_held(now) else 0
    calls = tuple(map(told.call, head.calls))
    return Status(pause, calls, asked_ms=head.captured_ms, as_of_ms=now, held_ms=held_ms)


def standing(head: Head, call: HeadCall) -> Standing:
    """Where one call stands, by the record of its pause alone."""
    if call.state.may_run:
        if call.permit is PermitState.FREE:
            return Standing.NOT_RUN if head.state is PauseState.ENDED else Standing.GOING_ON
        if call.permit is PermitState.DONE and call.state is CallState.EDITED:
            return Standing.CHANGED
        return _OF_PERMITS[call.permit]
    return _OF_CALLS[call.state]


class _Told:
    """What the events and bodies of a decided pause tell, each read once and only if it is needed."""

    def __init__(self, ports: Ports, head: Head, now_ms: int) -> None:
        self._ports, self._head, self._now_ms = ports, head, now_ms
        stored = ports.table.query(ports.keys.pause(head.pause), "E#")
        self._facts = dict(readable(ports, stored, lambda item: (str(item["sk"]), read_fact(item))))
        self._body: Body | None = None

    def call(self, call: HeadCall) -> CallStatus:
        if call.state is CallState.REPEATED:
            return replace(_earlier(self._ports, call), call=call_id(self._head.pause, call.number))
        if self._head.may_take_back(call, self._now_ms):
            return CallStatus(call_id(self._head.pause, call.number), Standing.WAITING)
        state, decided = standing(self._head, call), self._fact(writes.decided_fact(call))
        if decided.name == EventName.RULED:
            state = Standing.EXPIRED  # its class rejects what nobody decides: no person said no
        known = self._ports.policy.classes.get(call.action_class)
        tells = known is not None and known.tells_requester
        return CallStatus(
            call=call_id(self._head.pause, call.number),
            state=state,
            at_ms=max([decided.at_ms, *(one.at_ms for one in self._about(call, state))]),
            reason=decided.reason if tells and state is not Standing.EXPIRED else "",
            changed=self._changed(call) if tells and call.state is CallState.EDITED else (),
        )

    def _about(self, call: HeadCall, state: Standing) -> list[Fact]:
        ended = [self._fact(f"{call.number}#{end}") for end in (call.permit.value, "reconciled")]
        if state in (Standing.EXPIRED, Standing.WITHDRAWN):
            ended += [fact for fact in self._facts.values() if call.number in fact.calls]
        return ended

    def _fact(self, name: str) -> Fact:
        return self._facts.get(f"E#{name}", NOTHING)

    def _changed(self, call: HeadCall) -> tuple[str, ...]:
        self._body = self._body or body_of(self._ports, self._head)
        before = self._body.call(call.number).arguments
        after = arguments_of(self._ports, self._head, self._body, call)
        return tuple(
            name
            for name in sorted(before.keys() | after.keys())
            if canonical_of(before, name) != canonical_of(after, name)
        )


def _earlier(ports: Ports, call: HeadCall) -> CallStatus:
    """The status of the call that answers this one: it may have been a no. Where it cannot be read nobody knows."""
    try:
        pause, number = split_call_id(call.repeats)
        head = head_of(ports, pause)
        return _Told(ports, head, ports.clock.now_ms()).call(call_of(head, number))
    except (NotFound, Unreadable):
        return CallStatus(call.repeats, Standing.UNKNOWN)


def _asked_back(ports: Ports, head: Head) -> tuple[AskedBack, ...]:
    """What the agent is asked; the words only where the class of the call has its reviewers' words told."""
    tells = {}
    for call in head.pending:
        known = ports.policy.classes.get(call.action_class)
        tells[call_id(head.pause, call.number)] = known is not None and known.tells_requester
    return tuple(
        AskedBack(one.call, _as_people_say(one.group) or "A person", one.at_ms, one.text if tells[one.call] else "")
        for one in open_questions(ports, head)
    )


def _as_people_say(group: str) -> str:
    """`finance-leads` as `Finance leads`."""
    said = group.replace("-", " ").replace("_", " ").strip()
    return said[:1].upper() + said[1:]


_OF_PERMITS = {
    PermitState.NONE: Standing.GOING_ON,
    PermitState.CLAIMED: Standing.GOING_ON,
    PermitState.DONE: Standing.DONE,
    PermitState.FAILED: Standing.FAILED,
    PermitState.UNKNOWN: Standing.UNKNOWN,
}
_OF_CALLS = {
    CallState.PENDING: Standing.WAITING,
    CallState.REPEATED: Standing.GOING_ON,  # beside one that waits; else as the call that answers it
    CallState.DENIED: Standing.FORBIDDEN,
    CallState.REJECTED: Standing.REJECTED,
    CallState.EXPIRED: Standing.EXPIRED,
    CallState.CANCELLED: Standing.WITHDRAWN,
    CallState.SUPERSEDED: Standing.WITHDRAWN,
}
