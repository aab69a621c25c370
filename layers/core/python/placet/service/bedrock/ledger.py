"""What the record knows of a run's calls: how each ended, and whether a new proposal repeats one of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from placet.frameworks.bedrock.answers import Outcome, told
from placet.frameworks.bedrock.reading import CONFIRMATION, Asked, asked_in
from placet.frameworks.bedrock.ways import Way
from placet.model.canonical import exact_text
from placet.model.events import EventName
from placet.model.pauses import NativePause, ProposedCall, call_id, split_call_id
from placet.model.states import CallState, PermitState
from placet.records import writes
from placet.records.bodies import Body
from placet.records.calls import HeadCall
from placet.records.heads import Head
from placet.service.judging import CROWDED
from placet.service.loading import arguments_of, body_of, call_of, fact_of, head_of
from placet.service.outcomes import result_of
from placet.service.ports import Ports

LONGEST_CHAIN = 50  # of pauses after one text; an agent that proposes on and on is stopped
BY_HAND = "An operator settled this afterwards."


@dataclass(frozen=True)
class Opened:
    """A pause with its body and the control that it holds."""

    head: Head
    body: Body
    asked: tuple[Asked, ...]

    @property
    def session(self) -> str:
        """The session that proposed it."""
        return self.body.ref["session"]

    @property
    def states(self) -> dict[int, CallState]:
        """The state of each call."""
        return {call.number: call.state for call in self.head.calls}


def opened(ports: Ports, pause: str) -> Opened:
    """A pause of Bedrock. Raises NotFound, Unreadable."""
    head = head_of(ports, pause)
    body = body_of(ports, head)
    return Opened(head, body, asked_in(body.native["return_control"]))


def outcomes(ports: Ports, pause: Opened, denied: frozenset[int] = frozenset()) -> dict[int, Outcome]:
    """How each call of a decided pause ended. `denied`: those that the policy forbade after they were approved."""
    found = {call.number: _outcome(ports, pause, call) for call in pause.head.calls}
    return {n: replace(one, state=CallState.DENIED) if n in denied else one for n, one in found.items()}


def repeated(ports: Ports, parent: Opened, proposed: NativePause, ways: Mapping[int, Way]) -> dict[int, str]:
    """Calls of a new control, by number, that an earlier call of this run answers; with that call's id.

    Only what the model cannot know: that a call was settled although its session was lost, or that it was run although Bedrock had
    to be told DENY. Within one living session a second equal call is a new call, and is asked for.
    """
    found: dict[int, str] = {}
    for ancestor in _line(ports, parent):
        anew = ancestor.session != proposed.ref["session"]
        under_deny = _denied_and_run(parent, ways) if ancestor is parent else set()
        # An approval that was not used answers nothing.
        settled = [one for one in ancestor.head.calls if not _unused(one) and (anew or one.number in under_deny)]
        for call in proposed.calls:
            match = next((one for one in settled if _equal(ancestor, one, call)), None)
            if match is not None:
                found.setdefault(call.number, match.repeats or call_id(ancestor.head.pause, match.number))
    return found


def approved_before(parent: Opened, proposed: NativePause, ways: Mapping[int, Way]) -> dict[int, HeadCall]:
    """Calls of a new control, by number, that a reviewer's edit of the parent asked for, each approval for one call."""
    found: dict[int, HeadCall] = {}
    edits = [call for call in parent.head.calls if ways.get(call.number) is Way.INSTRUCT]
    for call in proposed.calls:
        match = next((one for one in edits if (one.tool, one.digest) == (call.tool, call.digest)), None)
        if match is not None:
            edits.remove(match)
            found[call.number] = match
    return found


def _outcome(ports: Ports, pause: Opened, call: HeadCall) -> Outcome:
    head, body = pause.head, pause.body
    decided = fact_of(ports, head.pause, writes.decided_fact(call))
    result = _earlier(ports, call.repeats) if call.repeats else ""
    if call.permit.settled:
        result = result_of(ports, head, call.number, call.permit.value) or BY_HAND
    by_rule = decided.name == EventName.RULED
    return Outcome(
        number=call.number,
        tool=call.tool,
        state=call.state,
        permit=call.permit,
        proposed=body.call(call.number).text,
        decided=exact_text(arguments_of(ports, head, body, call)),
        reason=decided.reason if call.state is CallState.REJECTED and not by_rule else "",
        result=result,
        by_rule=by_rule,
        crowded=any(rule == CROWDED[0] for rule, _ in body.fired.get(call.number, ())),
    )


def _earlier(ports: Ports, call: str) -> str:
    """What the call that is repeated came to, in words."""
    pause, number = split_call_id(call)
    before = opened(ports, pause)
    outcome = _outcome(ports, before, call_of(before.head, number))
    ran = outcome.permit in (PermitState.DONE, PermitState.FAILED)
    said = told(Way.EXECUTE if ran else Way.REFUSE, outcome)
    return " ".join(str(said[name]) for name in ("note", "reason", "result") if said.get(name))


def _line(ports: Ports, youngest: Opened) -> Iterator[Opened]:
    """A pause and those before it in its chain, youngest first. A parent that is not of this run ends it, whoever named it."""
    current: Opened | None = youngest
    for _ in range(LONGEST_CHAIN):
        if current is None or _whose(current.head) != _whose(youngest.head):
            return
        yield current
        parent = current.body.ref.get("parent", "")
        current = opened(ports, parent) if parent else None


def _whose(head: Head) -> tuple[str, str, str]:
    return head.agent, head.run, head.framework


def _equal(ancestor: Opened, call: HeadCall, proposed: ProposedCall) -> bool:
    """As proposed then, or as decided then."""
    digests = (call.digest, ancestor.body.call(call.number).digest)
    return call.tool == proposed.tool and proposed.digest in digests


def _denied_and_run(parent: Opened, ways: Mapping[int, Way]) -> set[int]:
    return {one.number for one in parent.asked if one.mode == CONFIRMATION and ways.get(one.number) is Way.EXECUTE}


def _unused(call: HeadCall) -> bool:
    """Its permit was never spent."""
    return call.state.may_run and call.permit is PermitState.FREE
